#!/usr/bin/env bash
# Builds the programs for the hosts: build.sh ARCH... (amd64, arm64), into
# assets/agents/agent-linux-ARCH.gz. They run from glibc 2.17 on, whatever this
# machine has, because they are linked against empty stand-ins of libc whose
# symbols carry old versions; the script fails where a newer version remains.
#
# AGENT_OUT names another folder. AGENT_TWICE=1 builds a second time with the
# compiler and the stand-ins at another path, so that nothing comes out of the
# build cache, and fails when the results differ.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
root=$PWD
out=${AGENT_OUT:-$root/assets/agents}
floor=2.17
version=$(sed -n 's/^ *Version = "\(.*\)"$/\1/p' FyneApp.toml)
[ -n "$version" ] || { echo "no Version in FyneApp.toml" >&2; exit 1; }
[ $# -gt 0 ] || set -- amd64 arm64

# cgo writes into TMPDIR, and a stray nvml.h there would be taken for go-nvml's.
TMPDIR=$(mktemp -d)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

# stubs CC OUT VERSION COND: libraries without code, whose symbols have the
# version that every glibc since offers. The condition variables were versioned
# anew in 2.3.2 where the base is older.
stubs() {
	local cc=$1 dir=$2 base=$3 cond=$4 lib names name old new
	mkdir -p "$dir"
	for lib in c pthread dl; do
		old='' new=''
		: >"$dir/$lib.c"
		names=$(grep -v '^#' "$root/probe/agent/build/lib$lib.syms")
		for name in $names; do
			case $name in
			stderr | stdout | environ) echo "void *$name;" ;;
			*) echo "void $name(void) {}" ;;
			esac >>"$dir/$lib.c"
			case $name in
			pthread_cond_*) if [ "$base" = "$cond" ]; then old+="$name;"; else new+="$name;"; fi ;;
			*) old+="$name;" ;;
			esac
		done
		{
			echo "$base { global: $old local: *; };"
			if [ -n "$new" ]; then echo "$cond { global: $new } $base;"; fi
		} >"$dir/$lib.map"
	done
	"$cc" -shared -fPIC -nostdlib -fno-builtin -w -o "$dir/libc.so.6" "$dir/c.c" \
		-Wl,--version-script="$dir/c.map" -Wl,-soname,libc.so.6
	"$cc" -shared -fPIC -nostdlib -fno-builtin -w -o "$dir/libpthread.so.0" "$dir/pthread.c" \
		-Wl,--version-script="$dir/pthread.map" -Wl,-soname,libpthread.so.0
	"$cc" -shared -fPIC -nostdlib -fno-builtin -w -o "$dir/libdl.so.2" "$dir/dl.c" \
		-Wl,--version-script="$dir/dl.map" -Wl,-soname,libdl.so.2
}

# wrapper CC STUBS PATH: a compiler that only differs when it links a program.
wrapper() {
	local cc=$1 dir=$2
	cat >"$3" <<END
#!/bin/sh
case " \$* " in
*" -c "* | *" -E "* | *" -S "* | *" -shared "* | *" -dM "* | *" -print"* | *" --version "* | *" -### "* | *" -r "*)
	exec $cc "\$@"
	;;
esac
exec $cc "\$@" -nostdlib "\$($cc -print-file-name=crt1.o)" "\$($cc -print-file-name=crti.o)" \\
	-Wl,--no-as-needed $dir/libdl.so.2 $dir/libpthread.so.0 $dir/libc.so.6 -Wl,--as-needed -lgcc \\
	"\$($cc -print-file-name=crtn.o)"
END
	chmod +x "$3"
}

# tools ARCH DIR: stand-ins and compiler for a processor.
tools() {
	local arch=$1 dir=$2 cc
	cc=$(compiler "$arch")
	case $arch in
	amd64) stubs "$cc" "$dir/stubs-$arch" GLIBC_2.2.5 GLIBC_2.3.2 ;;
	arm64) stubs "$cc" "$dir/stubs-$arch" GLIBC_2.17 GLIBC_2.17 ;;
	esac
	wrapper "$cc" "$dir/stubs-$arch" "$dir/cc-$arch"
}

# one ARCH DIR FILE: builds the program with the tools in DIR.
one() {
	local arch=$1 dir=$2 file=$3
	env CC="$dir/cc-$arch" CGO_ENABLED=1 GOOS=linux GOARCH="$arch" GOFLAGS= \
		CGO_LDFLAGS=-Wl,-z,lazy CGO_CFLAGS="-O2 -g0 -Wno-deprecated-declarations" \
		go build -trimpath -buildvcs=false -tags osusergo,netgo \
		-ldflags "-s -w -buildid= -X main.version=$version" -o "$file" ./probe/agent
}

compiler() {
	case $1 in
	amd64) [ "$(uname -m)" = x86_64 ] && echo gcc || echo x86_64-linux-gnu-gcc ;;
	arm64) [ "$(uname -m)" = aarch64 ] && echo gcc || echo aarch64-linux-gnu-gcc ;;
	*) echo "no such processor: $1" >&2 && return 64 ;;
	esac
}

# gate FILE: the newest glibc version it asks for must not exceed the floor.
gate() {
	local newest
	newest=$(objdump -T "$1" | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' | sort -Vu | tail -1)
	[ -n "$newest" ] || { echo "$1: no glibc versions found" >&2; return 1; }
	if [ "$(printf '%s\n%s\n' "$newest" "$floor" | sort -V | tail -1)" != "$floor" ]; then
		echo "$1 needs glibc $newest, more than $floor:" >&2
		objdump -T "$1" | grep "GLIBC_$newest" >&2
		return 1
	fi
	echo "$newest"
}

mkdir -p "$out"
for arch in "$@"; do
	cc=$(compiler "$arch")
	if ! command -v "$cc" >/dev/null; then
		echo "agent-linux-$arch: no $cc here (Debian: gcc-${cc%-gcc})" >&2
		exit 1
	fi
	# At a path that stays, since the compiler's path is part of what the build
	# cache looks at.
	work=$root/build/agents
	mkdir -p "$work"
	exec 9>"$work/lock"
	flock 9
	tools "$arch" "$work"
	one "$arch" "$work" "$TMPDIR/agent-$arch"
	exec 9>&-
	newest=$(gate "$TMPDIR/agent-$arch")
	if [ "${AGENT_TWICE:-}" = 1 ]; then
		tools "$arch" "$work/again"
		one "$arch" "$work/again" "$TMPDIR/again-$arch"
		cmp "$TMPDIR/agent-$arch" "$TMPDIR/again-$arch"
	fi
	gzip -n -9 -c "$TMPDIR/agent-$arch" >"$TMPDIR/agent-$arch.gz"
	mv -f "$TMPDIR/agent-$arch.gz" "$out/agent-linux-$arch.gz"
	printf 'agent-linux-%s %s, %d bytes, %d compressed, glibc %s, sha256 %s\n' "$arch" "$version" \
		"$(stat -c %s "$TMPDIR/agent-$arch")" "$(stat -c %s "$out/agent-linux-$arch.gz")" "$newest" \
		"$(sha256sum <"$TMPDIR/agent-$arch" | cut -d' ' -f1)"
done
