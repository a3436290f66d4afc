{
LC_ALL=C
export LC_ALL
unset LD_BIND_NOW
g=
if read -r s </proc/$$/stat; then
	s=${s##*) }
	s=${s#* }
	s=${s#* }
	g=${s%% *}
fi 2>/dev/null
case $g in
"$$") ;;
"$PPID")
	read -r s 2>/dev/null </proc/"$PPID"/comm
	case $s in *sshd* | *dropbear*) g= ;; esac
	;;
*) g= ;;
esac
exec 3<&0
printf '\n@MARKER@ begin\n'
printf '\n@MARKER@ begin\n' >&2
{
	trap '' PIPE
	if [ @FEED@ = yes ]; then
		while IFS= read -r s; do
			case $s in
			@MARKER@) exit 0 ;;
			"@MARKER@ eof") break ;;
			*) printf '%s\n' "$s" ;;
			esac
		done
	elif [ @SIZE@ -gt 0 ]; then
		head -c @SIZE@
	fi
	exec >&-
	while read -r s; do
		[ "$s" = @MARKER@ ] && exit 0
	done
	if [ -n "$g" ]; then
		trap '' TERM
		kill -TERM 0
		sleep 2
		kill -KILL 0
	fi
} <&3 2>/dev/null | {
	/bin/sh -c @WORDS@ 3<&-
	r=$?
	printf '\n@MARKER@ end %d\n' $r
	printf '\n@MARKER@ end\n' >&2
}
exit 0
}
