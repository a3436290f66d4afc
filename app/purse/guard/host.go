package guard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"rentgen/app/guide"
	"rentgen/app/provider"
	"rentgen/assets/texts"
)

// Host is the guard of one host, reached through its files there. Dir is the
// recorder's folder on it, as the recorder gives it: the guard lives in the
// recorder.
type Host struct {
	Runner guide.Runner
	Dir    string
	Now    func() time.Time // nil is time.Now
}

// ErrNoRecorder says that there is no recorder on the host, and so no guard.
var ErrNoRecorder = errors.New("no recorder on the host")

// RefusedError is why the guard is not switched on.
type RefusedError struct{ Say texts.Phrase }

// Error says it in English.
func (e *RefusedError) Error() string { return texts.For(texts.English).Say(e.Say) }

const (
	scriptTime  = 20 * time.Second
	scriptLimit = 256 << 10
)

// The scripts; $1 is the recorder's folder.
const (
	readScript = `printf 'now %s\n' "$(date +%s)"
cd "$1/guard" 2>/dev/null || exit 0
if [ -e KEEP ] || [ -L KEEP ]; then echo keep; fi
[ -f order.json ] && echo on
[ -f state.json ] && printf 'state %s\n' "$(head -c 65536 state.json)"
[ -f stops.jsonl ] && head -c 65536 stops.jsonl | sed 's/^/stop /'
exit 0`
	orderScript = `umask 077
cd "$1" || exit 3
mkdir -p guard && cd guard || exit 4
t=.order.json.$$
if cat >"$t" && mv -f "$t" order.json && rm -f KEEP; then exit 0; fi
rm -f "$t"
exit 5`
	offScript = `cd "$1/guard" 2>/dev/null || exit 0
rm -f order.json KEEP`
	// $2 is for how many seconds, 0 until it is taken back. The host's own clock
	// counts: it may differ from the laptop's.
	keepScript = `umask 077
cd "$1/guard" || exit 3
[ -f order.json ] || exit 4
if [ "$2" = 0 ]; then : >KEEP; else echo "$(($(date +%s) + $2))" >KEEP; fi`
	resumeScript = `cd "$1/guard" 2>/dev/null || exit 0
rm -f KEEP`
	// $1 is the command, $2 is root where only root may, $3 is pod where the pod's
	// name is needed; the rest are the folders.
	testScript = `name=$1
echo uid "$(id -u)"
if [ "$3" = pod ]; then
	has() { eval "[ -n \"\$$1\" ]" || tr '\0' '\n' </proc/1/environ 2>/dev/null | grep -q "^$1=."; }
	if has RUNPOD_POD_ID; then echo pod yes; else echo pod no; fi
	if has RUNPOD_API_KEY || [ -f "$HOME/.runpod/config.toml" ] || [ -f "$HOME/.runpod.yaml" ]; then echo key yes; else echo key no; fi
fi
shift 3
for d; do
	if [ -f "$d/$name" ] && [ -x "$d/$name" ]; then echo found "$d/$name"; exit 0; fi
done`
	// What follows are paths and names of variables that only one provider has.
	markScript = `for m; do
	case $m in
	/*) [ -e "$m" ] && echo "$m" ;;
	*) if env | grep -q "^$m=" || tr '\0' '\n' </proc/1/environ 2>/dev/null | grep -q "^$m="; then echo "$m"; fi ;;
	esac
done
exit 0`
)

func (h Host) now() time.Time {
	if h.Now != nil {
		return h.Now()
	}
	return time.Now()
}

// run runs a script about the recorder's folder.
func (h Host) run(ctx context.Context, script string, stdin []byte, args ...string) ([]byte, error) {
	if !strings.HasPrefix(h.Dir, "/") {
		return nil, ErrNoRecorder
	}
	out, err := h.Runner.Exec(ctx, guide.Exec{
		Script: script, Args: append([]string{h.Dir}, args...), Stdin: stdin, Timeout: scriptTime, Limit: scriptLimit,
	})
	if err != nil {
		return nil, err
	}
	if out.Exit != 0 {
		return nil, fmt.Errorf("the guard's files on the host: exit code %d: %s", out.Exit, word(string(out.Stderr)))
	}
	return out.Stdout, nil
}

// Read returns how the guard stands and what it has recorded. Without a recorder
// it is off.
func (h Host) Read(ctx context.Context) (Report, error) {
	out, err := h.run(ctx, readScript, nil)
	if errors.Is(err, ErrNoRecorder) {
		return Report{State: State{Phase: Off}}, nil
	}
	if err != nil {
		return Report{}, err
	}
	return parse(out, h.now()), nil
}

// Switch gives an order: the guard starts over with it and is not held back any
// more. An armed order is refused before a dry run of its action has come to its
// end on this host; the program there refuses it as well.
func (h Host) Switch(ctx context.Context, o Order) error {
	if err := o.Check(); err != nil {
		return err
	}
	if !o.DryRun {
		r, err := h.Read(ctx)
		if err != nil {
			return err
		}
		if !r.State.Practised(o.Action) {
			return &RefusedError{texts.P("guard.why.no-dry")}
		}
	}
	if o.Given.IsZero() {
		o.Given = h.now().UTC()
	}
	b, err := json.Marshal(o)
	if err != nil {
		return err
	}
	_, err = h.run(ctx, orderScript, append(b, '\n'))
	return err
}

// Off takes the order back. What was recorded stays.
func (h Host) Off(ctx context.Context) error {
	_, err := h.run(ctx, offScript, nil)
	return err
}

// Keep holds the guard back for a time, 0 until Resume; a countdown ends with it.
func (h Host) Keep(ctx context.Context, d time.Duration) error {
	n := int64(0)
	if d > 0 {
		n = int64((d + time.Second - 1) / time.Second) // not a second less than was said
	}
	_, err := h.run(ctx, keepScript, nil, strconv.FormatInt(n, 10))
	return err
}

// Resume lets the guard go on; the whole time of quiet begins anew.
func (h Host) Resume(ctx context.Context) error {
	_, err := h.run(ctx, resumeScript, nil)
	return err
}

// command is what the test looks for; the program on the host holds what is run.
type command struct {
	name      string
	root, pod bool
}

var commands = map[Action]command{
	"shutdown":  {name: "shutdown", root: true},
	"runpodctl": {name: "runpodctl", pod: true},
}

// folders are where the program on the host looks.
var folders = []string{"/usr/bin", "/usr/sbin", "/bin", "/sbin", "/usr/local/bin"}

// Test asks the host whether this login may give the command: it is there, it may
// be run, and root is root where it takes root. A RefusedError says why not. It
// changes nothing.
func Test(ctx context.Context, r guide.Runner, a Action) error {
	c, ok := commands[a]
	if !ok {
		return &RefusedError{texts.P("guard.why.order")}
	}
	flag := func(on bool, s string) string {
		if on {
			return s
		}
		return "-"
	}
	out, err := r.Exec(ctx, guide.Exec{
		Script: testScript, Args: append([]string{c.name, flag(c.root, "root"), flag(c.pod, "pod")}, folders...), Timeout: scriptTime, Limit: 4 << 10,
	})
	if err != nil {
		return err
	}
	said := map[string]string{}
	for line := range strings.Lines(string(out.Stdout)) {
		k, v, _ := strings.Cut(strings.TrimSpace(line), " ")
		said[k] = v
	}
	switch {
	case said["uid"] == "":
		return &RefusedError{texts.P("guard.why.untested")}
	case c.root && said["uid"] != "0":
		return &RefusedError{texts.P("guard.why.root")}
	case !strings.HasPrefix(said["found"], "/"):
		return &RefusedError{texts.P("guard.why.command", "command", c.name, "folders", texts.List(folders))}
	case c.pod && said["pod"] != "yes":
		return &RefusedError{texts.P("guard.why.pod")}
	case c.pod && said["key"] != "yes":
		return &RefusedError{texts.P("guard.why.key")}
	}
	return nil
}

// Provider returns the profile of a host: the one that what lies on it points to,
// which nobody can mistake, or else the chosen one, or the one that its login host
// points to. Without any it is a generic one, of which nothing is known.
func Provider(ctx context.Context, r guide.Runner, loginHost, chosen string) (provider.Profile, error) {
	out, err := r.Exec(ctx, guide.Exec{Script: markScript, Args: provider.Markers(), Timeout: scriptTime, Limit: 16 << 10})
	if err != nil {
		return provider.Profile{}, err
	}
	var marks []string
	for line := range bytes.Lines(out.Stdout) {
		marks = append(marks, string(bytes.TrimSpace(line)))
	}
	id, ok := provider.GuessProfile("", marks)
	if p, known := provider.ProfileOf(chosen); !ok && known {
		return p, nil
	}
	if !ok {
		if id, ok = provider.GuessProfile(loginHost, nil); !ok {
			id = provider.GenericContainer
		}
	}
	p, _ := provider.ProfileOf(id)
	return p, nil
}
