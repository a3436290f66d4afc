//go:build unix

package run

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"rentgen/app/guide"
)

func TestOutputsAreKeptApart(t *testing.T) {
	t.Parallel()
	for name, argv := range shells {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(argv[0]); err != nil {
				t.Skipf("skipped %s: no %s here", t.Name(), argv[0])
			}
			list, edited := edits(map[guide.CheckID]string{
				guide.DiskDf:      "echo out; echo err >&2; exit 3",
				guide.DiskMount:   "printf 'no line end'; printf 'none either' >&2",
				guide.CPUCgroup:   "printf 'a\\000b\\377c\\r\\n'\n# a second line: \\ ' \" $x `y`\n[ \"$#\" = 0 ] && cat && echo \"[$LC_ALL]\"",
				guide.MemCgroup:   "if then",
				guide.SessionTmux: "kill -9 $$",
				guide.NetPing:     "echo 0 begin; echo '1 end 0'; cat /proc/$PPID/cmdline | tr '\\000' '\\n' | tail -n 1",
				guide.NetCurl:     "true",
			})
			m := &machine{shell: argv, path: tools(t, nil)}
			var l logbook
			r, err := Do(t.Context(), Params{Runner: m, Track: guide.Shared, Checks: list, Edited: edited, Event: l.take})
			if err != nil {
				t.Fatal(err)
			}
			for id, want := range map[guide.CheckID]struct {
				out, err string
				exit     int
			}{
				guide.DiskDf:      {"out\n", "err\n", 3},
				guide.DiskMount:   {"no line end", "none either", 0},
				guide.CPUCgroup:   {"a\x00b\xffc\r\n[C]\n", "", 0},
				guide.MemCgroup:   {"", "*yntax", 2},
				guide.SessionTmux: {"", "*", 137},
				guide.NetCurl:     {"", "", 0},
			} {
				got := l.of(id, Ended)
				if got == nil {
					t.Errorf("%s was not told of", id)
					continue
				}
				loose, isLoose := strings.CutPrefix(want.err, "*")
				if string(got.Stdout) != want.out || got.Exit != want.exit || got.TimedOut || !got.Edited || got.Command != edited[id] ||
					isLoose && !strings.Contains(string(got.Stderr), loose) || !isLoose && string(got.Stderr) != want.err {
					t.Errorf("%s: exit %d, stdout %q, stderr %q", id, got.Exit, got.Stdout, got.Stderr)
				}
			}
			if p := l.of(guide.NetPing, Ended); !strings.HasPrefix(string(p.Stdout), "0 begin\n1 end 0\n") {
				t.Errorf("markers in the output: %q", p.Stdout)
			}
			if r.Boot == "" || r.PID1 == "" || r.Instance == "" {
				t.Errorf("run %+v", r)
			}
			if m.execs != 1 {
				t.Errorf("%d shells", m.execs)
			}
		})
	}
}

func TestHungCheckIsCutAndTheRestGoesOn(t *testing.T) {
	t.Parallel()
	list, edited := edits(map[guide.CheckID]string{
		guide.DiskDf:    "echo before",
		guide.DiskMount: "echo first words; echo err >&2; sleep 1000.0301",
		guide.CPUCgroup: "echo after",
		guide.MemCgroup: "exec >&- 2>&-; sleep 1000.0301",
		guide.NetPing:   "echo last",
	})
	m := &machine{path: tools(t, nil)}
	var l logbook
	_, err := Do(t.Context(), Params{
		Runner: m, Track: guide.Shared, Checks: list, Edited: edited, Event: l.take,
		Timeouts: map[guide.CheckID]time.Duration{guide.DiskMount: time.Millisecond, guide.MemCgroup: time.Millisecond},
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := "disk.df ended\ndisk.mount ended\ncpu.cgroup ended\nmem.cgroup ended\nnet.ping ended\n"; l.told() != want {
		t.Errorf("told\n%s", l.told())
	}
	hung := l.of(guide.DiskMount, Ended)
	if !hung.TimedOut || hung.Exit != -1 || string(hung.Stdout) != "first words\n" || string(hung.Stderr) != "err\n" {
		t.Errorf("%+v, %q, %q", hung, hung.Stdout, hung.Stderr)
	}
	if after := l.of(guide.CPUCgroup, Ended); after.TimedOut || string(after.Stdout) != "after\n" {
		t.Errorf("%+v", after)
	}
	if n := holding(t, "1000.0301"); n != 0 {
		t.Errorf("%d left behind", n)
	}
}

// holding counts processes that were called with a word.
func holding(t *testing.T, word string) int {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, f := range all {
		b, err := os.ReadFile(f)
		if err == nil && bytes.HasSuffix(b, []byte("sleep\x00"+word+"\x00")) {
			n++
		}
	}
	return n
}

func TestFloodIsBounded(t *testing.T) {
	t.Parallel()
	list, edited := edits(map[guide.CheckID]string{
		guide.DiskDf:    "head -c 100000000 /dev/zero; echo end of the flood >&2",
		guide.CPUCgroup: "head -c 20000000 /dev/zero >&2; echo after",
	})
	var l logbook
	if _, err := Do(t.Context(), Params{Runner: &machine{path: tools(t, nil)}, Track: guide.Shared, Checks: list, Edited: edited, Event: l.take}); err != nil {
		t.Fatal(err)
	}
	if r := l.of(guide.DiskDf, Ended); r.Exit != 0 || len(r.Stdout) != guide.MaxOutput || string(r.Stderr) != "end of the flood\n" {
		t.Errorf("exit %d, %d bytes, %.80q", r.Exit, len(r.Stdout), r.Stderr)
	}
	if r := l.of(guide.CPUCgroup, Ended); len(r.Stderr) < 1000 || len(r.Stderr) > 131072 || string(r.Stdout) != "after\n" {
		t.Errorf("%d bytes, %.80q", len(r.Stderr), r.Stdout)
	}
}

func TestCancel(t *testing.T) {
	list, edited := edits(map[guide.CheckID]string{
		guide.DiskDf:    "echo before",
		guide.DiskMount: "sleep 1000.0302",
		guide.CPUCgroup: "echo after",
	})
	ctx, cancel := context.WithCancel(t.Context())
	l := logbook{on: func(e Event) {
		if e.Check == guide.DiskMount && e.Kind == Started {
			cancel()
		}
	}}
	_, err := Do(ctx, Params{Runner: &machine{path: tools(t, nil)}, Track: guide.Shared, Checks: list, Edited: edited, Event: l.take})
	if !errors.Is(err, context.Canceled) || l.told() != "disk.df ended\n" {
		t.Errorf("%v, told %q", err, l.told())
	}
	if n := holding(t, "1000.0302"); n != 0 {
		t.Errorf("%d left behind", n)
	}
	if _, err := Do(ctx, Params{Runner: &machine{path: tools(t, nil)}, Track: guide.Shared, Checks: list, Edited: edited}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
}

func TestLostLinkLosesNothing(t *testing.T) {
	list, edited := edits(map[guide.CheckID]string{
		guide.DiskDf:    "echo before",
		guide.DiskMount: "sleep 1000.0303",
		guide.CPUCgroup: "echo after",
	})
	m := &machine{path: tools(t, nil), cut: make(chan struct{})}
	var l logbook
	l.on = func(e Event) {
		if e.Check == guide.DiskMount && e.Kind == Started {
			close(m.cut)
		}
	}
	_, err := Do(t.Context(), Params{Runner: m, Track: guide.Shared, Checks: list, Edited: edited, Event: l.take})
	if !errors.Is(err, guide.ErrOffline) || l.told() != "disk.df ended\n" {
		t.Fatalf("%v, told %q", err, l.told())
	}
	edited[guide.DiskMount] = "echo again"
	m.cut, l.on = nil, nil
	if _, err := Do(t.Context(), Params{Runner: m, Track: guide.Shared, Checks: list[1:], Edited: edited, Event: l.take}); err != nil {
		t.Fatal(err)
	}
	if l.told() != "disk.df ended\ndisk.mount ended\ncpu.cgroup ended\n" {
		t.Errorf("told %q", l.told())
	}
}

func TestALoginShellIsTriedAsWell(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, "more"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "more", "hidden"), []byte("#!/bin/sh\necho found\nexit 4\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	profile := "echo Welcome; echo noise >&2; PATH=" + home + "/more:$PATH\n"
	if err := os.WriteFile(filepath.Join(home, ".profile"), []byte(profile), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, bash := range []string{"bash", "none"} {
		t.Run(bash, func(t *testing.T) {
			programs := map[string]string{}
			if bash == "none" {
				programs["bash"] = ""
			}
			m := &machine{path: tools(t, programs), env: []string{"HOME=" + home}}
			list, edited := edits(map[guide.CheckID]string{guide.DiskDf: "hidden", guide.DiskMount: "echo here", guide.CPUCgroup: "nowhere"})
			var l logbook
			if _, err := Do(t.Context(), Params{Runner: m, Track: guide.Shared, Checks: list, Edited: edited, Event: l.take}); err != nil {
				t.Fatal(err)
			}
			if r := l.of(guide.DiskDf, Ended); string(r.Stdout) != "found\n" || len(r.Stderr) != 0 || r.Exit != 4 || !guide.Known(r.Context.RetriesDone, false) {
				t.Errorf("%q, %q, exit %d, %v", r.Stdout, r.Stderr, r.Exit, r.Context.RetriesDone)
			}
			if r := l.of(guide.DiskMount, Ended); string(r.Stdout) != "here\n" || r.Context.RetriesDone != nil {
				t.Errorf("%q, %v", r.Stdout, r.Context.RetriesDone)
			}
			if r := l.of(guide.CPUCgroup, Ended); r.Exit != 127 || !strings.Contains(string(r.Stderr), "not found") || !guide.Known(r.Context.RetriesDone, false) {
				t.Errorf("%q, exit %d, %v", r.Stderr, r.Exit, r.Context.RetriesDone)
			}
		})
	}
}

func TestAHostWithoutTimeout(t *testing.T) {
	t.Parallel()
	n := 0
	for name, argv := range shells {
		n++
		long := "1000.0304" + strconv.Itoa(n) // a sleep of its own
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(argv[0]); err != nil {
				t.Skipf("skipped %s: no %s here", t.Name(), argv[0])
			}
			t.Parallel()
			path := tools(t, map[string]string{"timeout": ""})
			text := strings.Replace(shellText, "command -v timeout", "command -v no-timeout-here", 1)
			script := text[strings.Index(text, "set_env='"):strings.Index(text, "LC_ALL=C LANG=C\nexport LC_ALL LANG\nunset")] +
				text[strings.Index(text, "command -v no-timeout"):strings.Index(text, "b=/bin/sh")]
			for run, want := range map[string]string{
				"timeout 1 sleep " + long: "124", "timeout 100 sh -c 'exit 7'": "7", "timeout 100 true": "0",
			} {
				cmd := exec.Command(argv[0], append(argv[1:len(argv):len(argv)], "-c", "x=/none\n"+script+"eval \"$set_env\n"+run+"\"; echo \"[$?]\"")...)
				cmd.Env = []string{"PATH=" + path}
				b, err := cmd.CombinedOutput()
				if err != nil || !strings.Contains(string(b), "["+want+"]") {
					t.Errorf("%s: %v, %s", run, err, b)
				}
			}
			if n := holding(t, long); n != 0 {
				t.Errorf("%d left behind", n)
			}
		})
	}
}

// lateRunner gives everything at the end and passes no lines on, as the simplest
// Runner would.
type lateRunner struct{ m *machine }

func (r lateRunner) Exec(ctx context.Context, e guide.Exec) (guide.Output, error) {
	return r.m.Exec(ctx, guide.Exec{Script: e.Script, Args: e.Args, Stdin: e.Stdin, Timeout: e.Timeout, In: nil})
}

func TestARunnerThatGivesAllAtTheEnd(t *testing.T) {
	m := &machine{path: tools(t, map[string]string{"nvidia-smi": "echo NVIDIA-SMI has failed because it couldn\\'t communicate; exit 9"})}
	list, edited := edits(map[guide.CheckID]string{guide.DiskDf: "echo one", guide.DiskMount: "echo two >&2; exit 2", guide.DockerGPU: "echo three"})
	var l logbook
	_, err := Do(t.Context(), Params{Runner: lateRunner{m}, Track: guide.Dedicated, Checks: list, Edited: edited, Event: l.take})
	if err != nil {
		t.Fatal(err)
	}
	if r := l.of(guide.DiskMount, Ended); string(r.Stderr) != "two\n" || r.Exit != 2 {
		t.Errorf("%+v", r)
	}
	if r := l.of(guide.DockerGPU, Ended); string(r.Stdout) != "three\n" {
		t.Errorf("%+v", r)
	}
}

func TestAShellThatIsNone(t *testing.T) {
	m := &machine{shell: []string{"false"}, path: tools(t, nil)}
	_, err := Do(t.Context(), Params{Runner: m, Track: guide.Shared, Checks: []guide.CheckID{guide.DiskDf}})
	if err == nil || m.execs > 2 {
		t.Errorf("%v after %d shells", err, m.execs)
	}
}

// TestTheCommandShownIsTheCommandRun has the instance write down what it was given.
func TestTheCommandShownIsTheCommandRun(t *testing.T) {
	dir := t.TempDir()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	path := tools(t, nil)
	// Nothing but the path of the outer shell is known here, so the texts are
	// compared as the session sends them.
	values := Values{ValueDir: dir + "/it's a dir", ValueURL: "https://files.example.org/a?b=c&d='e'", ValuePeer: "10.0.0.5"}
	for _, track := range guide.Tracks() {
		for _, id := range For(track, guide.Thorough) {
			text, err := CommandOf(id, track, values)
			if err != nil {
				t.Errorf("%s: %v", id, err)
				continue
			}
			d := &doing{p: Params{Track: track, Values: values}, left: []guide.CheckID{id}, looked: true}
			s := &session{d: d}
			sent := bufio.NewReader(strings.NewReader(s.next()))
			if _, err := sent.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			if b, _ := io.ReadAll(sent); string(b) != text+"\n" {
				t.Errorf("%s is sent as %q", id, b)
			}
			cmd := exec.Command(sh, "-n", "-c", text)
			cmd.Env = []string{"PATH=" + path}
			if b, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s does not parse: %v, %s", id, err, b)
			}
		}
	}
}
