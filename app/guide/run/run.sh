# $1: folders that are looked in after the login's own PATH. $2: "blind" leaves
# the look at the instance out.
# Input: a marker, then for each check a head "<number> <lines> <root> <login>
# <exit codes>" and its text.
IFS= read -r m || exit 0
x=$1
set_env='LC_ALL=C LANG=C
export LC_ALL LANG
PATH=$PATH:'$x'
export PATH
'
LC_ALL=C LANG=C
export LC_ALL LANG
unset LANGUAGE
PATH=$PATH:$x
export PATH
say() { # no line end: what carries this may hold one back
	printf '\n%s %s;' "$m" "$1"
	printf '\n%s %s;' "$m" "$1" >&2
}
first() {
	l=
	IFS= read -r l 2>/dev/null <"$2" || [ -n "$l" ] || return 0
	printf '%s %s\n' "$1" "$l"
}
look() {
	first boot /proc/sys/kernel/random/boot_id
	first driver /proc/driver/nvidia/version
	first machine /etc/machine-id
	first stat1 /proc/1/stat
	printf 'name %s\n' "$(uname -n 2>/dev/null)"
	printf 'uid %s\n' "$(id -u 2>/dev/null)"
	printf 'omp %s\n' "${OMP_NUM_THREADS:-}"
	printf 'hub %s\n' "${HF_ENDPOINT:-}"
	sed -n 's/^/cgroup /p' /proc/self/cgroup 2>/dev/null
	if find / -maxdepth 0 -lname rentgen >/dev/null 2>&1 && [ -r /proc/self/stat ]; then
		echo looked
		find /proc/[0-9]*/fd -maxdepth 1 -lname '/dev/nvidia[0-9]*' 2>/dev/null | sed -n 's|^/proc/\([0-9]*\)/.*|holds \1|p'
	fi
}
say '0 begin'
[ "$2" = blind ] || look
say '0 end 0'
command -v timeout >/dev/null 2>&1 || set_env=$set_env'timeout() {
	s=$1
	shift
	"$@" & p=$!
	while [ "$s" -gt 0 ] && kill -0 "$p" 2>/dev/null; do
		sleep 1
		s=$((s - 1))
	done
	kill "$p" 2>/dev/null && { wait "$p"; return 124; }
	wait "$p"
}
'
# What a check says on stderr is bounded here: the way to the laptop may drop what is
# too much, and with it our marks.
exec 3>&1
run() {
	r=$({ { "$@" </dev/null 3>&- 4>&-; echo $? >&4; } 2>&1 >&3 | { dd bs=256 count=512 2>/dev/null; cat >/dev/null; } >&2; } 4>&1)
	r=${r:-255}
}
b=/bin/sh
command -v bash >/dev/null 2>&1 && b=bash
while IFS=' ' read -r n k root login codes; do
	c=
	while [ "$k" -gt 0 ]; do
		IFS= read -r l || exit 0
		c=$c$l'
'
		k=$((k - 1))
	done
	again="printf '\\n$m $n again;'
printf '\\n$m $n again;' >&2
"
	say "$n begin"
	r=0
	if [ "$root" = yes ] && [ "$(id -u)" != 0 ]; then
		echo 'not run: permission denied: this login is not root, and sudo was not allowed' >&2
		r=77
	elif [ "$login" = yes ]; then
		run "$b" -lc "$set_env$again$c"
	else
		run /bin/sh -c "$set_env$c"
		case " $codes " in
		*" $r "*) run "$b" -lc "$set_env$again$c" ;;
		esac
	fi
	say "$n end $r"
done
exit 0
