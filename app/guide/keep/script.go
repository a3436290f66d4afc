package keep

import "rentgen/app/guide/script"

// lookText looks where things are: run, marks of providers, variables, mounts,
// painting programs and their settings. It reads only. Its arguments: the process
// file system, the folder of settings, the marks, "--", where to look for
// programs.
const lookText = `
P=$1 E=$2
shift 2
` + script.RunText + `
say time "$(date +%s)" "$HOME"
names='HF_HOME|HF_HUB_CACHE|HUGGINGFACE_HUB_CACHE|TORCH_HOME|PIP_CACHE_DIR|XDG_CACHE_HOME|HF_ENDPOINT'
first=$(tr '\000' '\n' <"$P/1/environ" 2>/dev/null | grep -E '^[A-Za-z_][A-Za-z0-9_]*=')
while [ $# -gt 0 ]; do
  [ "$1" = -- ] && break
  case $1 in
    /*) [ -e "$1" ] && say mark "$1" ;;
    *) { env; printf '%s\n' "$first"; } | grep -q "^$1=" && say mark "$1" ;;
  esac
  shift
done
shift
vars() { # where they are from; lines of them on stdin
  grep -E "^($names)=" | head -n 20 | while IFS= read -r line; do say var "$1" "${line%%=*}" "${line#*=}"; done
}
env | vars plain
soon 6 env HISTFILE=/dev/null "${SHELL:-/bin/sh}" -lic env </dev/null 2>/dev/null | vars login
head -c 400000 "$P/self/mountinfo" 2>/dev/null | list mounts

ui() { # root, process, working directory, arguments by line
  root=$(cd "$1" 2>/dev/null && pwd -P) || return
  kind=
  if [ -f "$root/main.py" ] && [ -d "$root/comfy" ]; then kind=comfyui
  elif [ -f "$root/webui.py" ] && [ -d "$root/modules" ]; then kind=a1111
  fi
  [ -n "$kind" ] || return
  case $NL$seen$NL in *"$NL$root$NL"*) return ;; esac
  seen=$seen$NL$root
  say ui "$kind" "$root" "$2" "$3" "$4"
  if [ "$kind" = comfyui ]; then
    for f in "$root/extra_model_paths.yaml" "$root/extra_model_paths.yml"; do
      [ -f "$f" ] && say config "$root" "$f" "$(head -c 65536 "$f" 2>/dev/null | tr -d '\000')"
    done
  fi
}
config() { # process, working directory, file
  case $3 in /*) file=$3 ;; *) file=$2/$3 ;; esac
  say extra "$1" "$file" "$(head -c 65536 "$file" 2>/dev/null | tr -d '\000')"
}
seen=
old=$IFS
for f in $(grep -lE 'main\.py|launch\.py|webui\.py' "$P"/[0-9]*/cmdline 2>/dev/null | head -n 20); do
  d=${f%/cmdline}
  args=$(tr '\000' '\n' <"$f" 2>/dev/null | head -c 8192)
  cwd=$(readlink "$d/cwd" 2>/dev/null)
  root=
  IFS=$NL
  set -f
  prev=
  for a in $args; do
    case $a in
      main.py|launch.py|webui.py) [ -n "$root" ] || root=$cwd ;;
      */main.py|*/launch.py|*/webui.py) [ -n "$root" ] || root=${a%/*} ;;
      --extra-model-paths-config=*) config "${d##*/}" "$cwd" "${a#*=}" ;;
      --*) prev=$a; continue ;;
      *) [ "$prev" = --extra-model-paths-config ] && { config "${d##*/}" "$cwd" "$a"; continue; } ;;
    esac
    prev=
  done
  set +f
  IFS=$old
  case $root in ''|/*) ;; *) root=$cwd/$root ;; esac
  [ -n "$root" ] || continue
  before=$seen
  ui "$root" "${d##*/}" "$cwd" "$args"
  [ "$before" = "$seen" ] || tr '\000' '\n' <"$d/environ" 2>/dev/null | vars "$root"
done
found=$(for b in "$HOME" "$@"; do
  deep=3
  [ "$b" = / ] && deep=2
  [ -d "$b/" ] || continue
  soon 8 find "$b/" -maxdepth $deep \( -name proc -o -name sys -o -name dev -o -name site-packages -o -name node_modules -o -name .git \) -prune \
    -o -type d -name comfy_extras -print -o -type f -name webui.py -print 2>/dev/null
done | head -n 40)
IFS=$NL
set -f
for f in $found; do
  IFS=$old
  ui "${f%/*}" '' '' ''
  IFS=$NL
done
set +f
IFS=$old
`

// sumText is awk text that adds up what find tells of files.
const sumText = `
    $1 == "f" { s += $2; n++; if (n == 1 || $3 > t) { t = $3; name = substr($0, length($2) + length($3) + 5) } }
    $1 == "end" { code = $2 }
    END { printf "%.0f %.0f %.0f %d\n%s", s, n, t, code, name }`

// weighText weighs directories, its arguments: where each really is, how much
// lies there, which file is the newest, which links lead out. It reads only.
const weighText = `
nth=0
for d in "$@"; do
  nth=$((nth+1))
  real=$(cd "$d/" 2>/dev/null && pwd -P)
  if [ -z "$real" ]; then
    if [ -d "$d" ]; then say dir $nth denied; elif [ -e "$d" ]; then say dir $nth file; else say dir $nth none; fi
    continue
  fi
  sum=$({ soon 12 find "$real/" -xdev -type f ! -path "*$NL*" -exec stat -c 'f %s %Y %n' {} + 2>/dev/null; echo "end $?"; } | awk '` + sumText + `')
  say dir $nth ok "$real" "${sum%%$NL*}" "${sum#*$NL}"
  soon 5 find "$real/" -maxdepth 2 -type l ! -path "*$NL*" 2>/dev/null | head -n 40 | while IFS= read -r l; do
    say link $nth "$l" "$(readlink -f "$l" 2>/dev/null)"
  done
done
`
