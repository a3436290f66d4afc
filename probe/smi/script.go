package smi

import (
	"fmt"
	"strings"

	"rentgen/probe/procfs"
	"rentgen/probe/remote"
)

// command is what is started on the host, whatever the login's shell. The
// script goes over its input.
const command = remote.Shell

// prelude makes a script that lives as long as its channel. The braces let the
// shell read all of it before anything runs; its input is then the life line:
// when it ends, or the shell is told to, the child is told too. With no
// terminal nobody else would tell it.
const prelude = `{
LC_ALL=C; export LC_ALL; unset LD_BIND_NOW
exec 3<&0 </dev/null
rc= rw=
rstop() { trap '' HUP INT TERM PIPE; [ -n "$rc" ] && kill -TERM "$rc" 2>/dev/null; [ -n "$rw" ] && kill -TERM "$rw" 2>/dev/null; exit 143; }
trap rstop HUP INT TERM PIPE
trap '[ -n "$rw" ] && kill -TERM "$rw" 2>/dev/null' EXIT
( trap - EXIT HUP INT TERM PIPE; while read -r rx; do :; done <&3; kill -TERM $$ ) >/dev/null 2>&1 &
rw=$!
run() { "$@" 3<&- & rc=$!; wait "$rc"; rs=$?; rc=; return $rs; }
`

const epilogue = "exit 0\n}\n"

// findScript sets the shell's rn to nvidia-smi: the first on PATH, else where
// platforms put it that keep it off a login's PATH.
const findScript = `rn=$(command -v nvidia-smi 2>/dev/null)
if [ -z "$rn" ]; then
for rn in /usr/bin/nvidia-smi /usr/local/bin/nvidia-smi /usr/lib/wsl/lib/nvidia-smi /usr/local/nvidia/bin/nvidia-smi /opt/nvidia/bin/nvidia-smi /run/nvidia/driver/usr/bin/nvidia-smi /run/current-system/sw/bin/nvidia-smi; do
[ -x "$rn" ] && break
rn=nvidia-smi
done
fi
`

// locate returns the shell text that sets rn. A path given by the caller may
// hold only what needs no quoting, since it may come from a host.
func locate(path string) (string, error) {
	if path == "" {
		return findScript, nil
	}
	for _, c := range []byte(path) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("/._-+", c) >= 0 {
			continue
		}
		return "", fmt.Errorf("smi: path %q holds a character that is not allowed", path)
	}
	if path[0] != '/' {
		return "", fmt.Errorf("smi: path %q is not absolute", path)
	}
	return "rn=" + path + "\n", nil
}

// part is one question to the host: arguments of nvidia-smi, or a script of
// its own.
type part struct {
	args   []string
	script string
}

var (
	partHelp    = part{args: []string{"--help-query-gpu"}}
	partVersion = part{args: []string{"--version"}}
	partTable   = part{args: []string{}}
	partList    = part{args: []string{"-L"}}
	partPIDs    = part{script: procfs.PIDScript()}
	partMachine = part{script: procfs.MachineScript()}
	partDevices = part{script: `for rf in /dev/nvidia[0-9]* /dev/nvidiactl /dev/dxg /proc/driver/nvidia/version /sys/module/nvidia; do [ -e "$rf" ] && echo "$rf"; done; :`}
)

func partQuery(q query) part {
	return part{args: []string{"--query-gpu=" + strings.Join(q.names, ","), "--format=csv,noheader,nounits"}}
}

func partApps() part {
	return part{args: []string{"--query-compute-apps=" + strings.Join(appFields, ","), "--format=csv,noheader,nounits"}}
}

// shell returns the part as it stands in a script, where rn is nvidia-smi. No
// argument holds anything that needs quoting.
func (p part) shell() string {
	if p.script != "" {
		return strings.TrimRight(p.script, "\n")
	}
	return strings.TrimRight(`run "$rn" `+strings.Join(p.args, " "), " ")
}

// direct returns the command line that asks without a POSIX shell, in quotes
// as every shell knows them; "" for a script.
func (p part) direct(path string) string {
	if p.script != "" {
		return ""
	}
	if path == "" {
		path = "nvidia-smi"
	}
	for _, a := range p.args {
		path += ` "` + a + `"`
	}
	return path
}

// once makes the script that asks parts in their order. Each one's output
// stands between two lines with a random mark, the second with its exit code.
func once(where, mark string, parts []part) string {
	var b strings.Builder
	b.WriteString(prelude)
	b.WriteString(where)
	for i, p := range parts {
		// Braces, not brackets: a child's number must reach the trap.
		fmt.Fprintf(&b, "echo %s %d\n{ %s\n} 2>&1\nprintf '\\n%%s %%s\\n' %s \"$?\"\n", mark, i, p.shell(), mark)
	}
	b.WriteString(epilogue)
	return b.String()
}

// loop makes the script of the long-lived loop. With poll a new nvidia-smi is
// started for every tick: heavier, for one that holds its rows back when it
// writes to a pipe.
func loop(where, mark string, q query, ms int, poll bool) string {
	var b strings.Builder
	b.WriteString(prelude)
	b.WriteString(where)
	if poll {
		fmt.Fprintf(&b, "while :; do\n%s || break\necho\nrun sleep %d\ndone\n", partQuery(q).shell(), (ms+999)/1000)
	} else {
		fmt.Fprintf(&b, "%s -lms %d\n", partQuery(q).shell(), ms)
	}
	fmt.Fprintf(&b, "printf '\\n%%s %%s\\n' %s \"$rs\"\n", mark)
	b.WriteString(epilogue)
	return b.String()
}

// guarded puts a script that runs for ever under the same life line.
func guarded(script string) string {
	return prelude + "( trap - EXIT HUP INT TERM PIPE\n" + script + ") 3<&- &\nrc=$!\nwait \"$rc\"\n" + epilogue
}

// markOK reports whether a mark may stand in a script.
func markOK(s string) bool {
	if len(s) < 8 || len(s) > 64 {
		return false
	}
	for _, c := range []byte(s) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			continue
		}
		return false
	}
	return true
}
