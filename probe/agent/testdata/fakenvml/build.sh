#!/bin/sh
# Builds the fake library: build.sh OUT [SYMBOL...]. Every SYMBOL is hidden, as
# in a driver that does not have it yet. CC chooses the compiler.
set -eu
[ $# -ge 1 ] || { echo "usage: build.sh OUT [SYMBOL...]" >&2; exit 64; }
here=$(cd "$(dirname "$0")" && pwd)
out=$1
shift
mkdir -p "$(dirname "$out")"
map=$(mktemp)
trap 'rm -f "$map"' EXIT
{
	echo '{ global: nvml*; local:'
	for s in "$@"; do echo "$s;"; done
	echo '*; };'
} >"$map"
${CC:-cc} -std=gnu11 -O2 -Wall -Wextra -fPIC -shared -o "$out" \
	-Wl,-soname,libnvidia-ml.so.1 -Wl,--version-script="$map" \
	"$here/fakenvml.c" "$here/readings.c" "$here/processes.c" "$here/scenario.c" -lpthread
