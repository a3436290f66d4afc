#!/bin/sh
# nvidia-smi as a scenario tells it to be. The folder is written in below.
base='@BASE@'
d=$base/cur
echo "$$ $*" >>"$base/calls"

part() { # part NAME: print what stands under NAME, if anything
	[ -f "$d/$1.err" ] && cat "$d/$1.err" >&2
	[ -f "$d/$1.out" ] && cat "$d/$1.out"
	return 0
}
fail() { # fail NAME: end as NAME says, if it does
	[ -f "$d/$1.exit" ] || return 0
	part "$1"
	[ -f "$d/$1.signal" ] && kill -s "$(cat "$d/$1.signal")" $$
	exit "$(cat "$d/$1.exit")"
}
tick() { # tick DIR FIELDS: print one tick
	[ -f "$1/before" ] && cat "$1/before"
	for c in "$1"/c*; do
		[ -f "$c" ] || continue
		awk -v want="$2" '{ i = index($0, "="); v[substr($0, 1, i-1)] = substr($0, i+1) }
			END {
				if ("line" in v) { print v["line"]; exit }
				n = split(want, w, ",")
				for (i = 1; i <= n; i++) printf "%s%s", (w[i] in v) ? v[w[i]] : "[N/A]", i < n ? ", " : "\n"
			}' "$c"
	done
	[ -f "$1/after" ] && cat "$1/after"
	[ -f "$1/stderr" ] && cat "$1/stderr" >&2
	return 0
}

query= apps= ms= what=table
while [ $# -gt 0 ]; do
	case $1 in
	--query-gpu=*) query=${1#*=} what=query ;;
	--query-compute-apps=*) apps=${1#*=} what=apps ;;
	--help-query-gpu) what=help ;;
	--version) what=version ;;
	-L) what=list ;;
	-lms) ms=$2; shift ;;
	esac
	shift
done

[ -f "$d/hang" ] && exec sleep 600
[ "$what" = help ] && [ ! -f "$d/help.exit" ] && { part help; exit 0; }
fail all
case $what in
query)
	rest=$query,
	while [ -n "$rest" ]; do
		f=${rest%%,*} rest=${rest#*,}
		if ! grep -qxF -e "$f" "$d/fields"; then
			printf 'Field "%s" is not a valid field to query.\n\n' "$f"
			exit 2
		fi
	done
	if [ -z "$ms" ]; then
		fail fresh
		if [ -d "$d/fresh" ]; then tick "$d/fresh" "$query"; else tick "$d/t0" "$query"; fi
		exit "$(cat "$d/exit")"
	fi
	[ -f "$d/hold" ] && exec sleep 600
	pause=$(awk -v ms="$ms" 'BEGIN { print ms / 1000 }')
	k=0 id=$(cat "$d/id")
	while :; do
		[ "$(cat "$d/id")" = "$id" ] || { k=0 id=$(cat "$d/id"); }
		fail all
		if [ ! -d "$d/t$k" ]; then
			fail loop
			[ -f "$d/stall" ] && exec sleep 600
			k=$((k - 1))
		fi
		tick "$d/t$k" "$query"
		k=$((k + 1))
		sleep "$pause"
	done
	;;
*)
	fail "$what"
	part "$what"
	;;
esac
exit 0
