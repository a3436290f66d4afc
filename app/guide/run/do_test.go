//go:build unix

package run

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/check"
)

func TestRootIsNotTakenUnasked(t *testing.T) {
	asked := filepath.Join(t.TempDir(), "asked")
	m := &machine{path: tools(t, map[string]string{"id": "echo 1000", "sudo": `printf '%s|' "$@" >` + asked + `; printf 'passwordauthentication no\n'`})}
	var l logbook
	p := Params{Runner: m, Track: guide.Dedicated, Checks: []guide.CheckID{guide.SecSSHD}, Event: l.take}
	if _, err := Do(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	r := l.of(guide.SecSSHD, Ended)
	if o := check.Judge(r.Input); r.Exit != 77 || len(r.Stdout) != 0 || o.Verdict != guide.Skip {
		t.Errorf("%s %s: exit %d, %q", o.Verdict, o.Rule, r.Exit, r.Stderr)
	}
	if _, err := os.Stat(asked); err == nil {
		t.Error("sudo was called")
	}
	var allowed logbook
	p.Values, p.Event = Values{ValueSudo: "yes"}, allowed.take
	if _, err := Do(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(asked); err != nil || string(b) != "-n|/usr/sbin/sshd|-T|" || allowed.of(guide.SecSSHD, Ended).Exit != 0 {
		t.Errorf("%v, sudo %q", err, b)
	}
	for id := range map[guide.CheckID]bool{guide.SecSSHD: true, guide.SecPorts: true, guide.GPUSMI: true, guide.DiskDf: true} {
		if c, _ := CommandOf(id, guide.Dedicated, nil); strings.Contains(c, "sudo") {
			t.Errorf("%s asks for sudo unasked", id)
		}
	}
}

func TestTheDirectoryIsFoundByDf(t *testing.T) {
	data := t.TempDir()
	programs := map[string]string{
		"df":      `case $1 in -iP) exit 0 ;; esac; printf 'Filesystem Type Size Used Avail Use%% Mounted on\n/dev/vda1 ext4 100G 40G 60G 40%% /\n/dev/md0 xfs 500G 1G 499G 1%% /data/a b\n'`,
		"findmnt": `printf '%s|' "$@"`,
		"touch":   `printf '%s|' "$@"`,
	}
	var l logbook
	p := Params{Runner: &machine{path: tools(t, programs)}, Track: guide.Shared, Checks: []guide.CheckID{guide.DiskMount, guide.DiskDf}, Event: l.take}
	if _, err := Do(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	r := l.of(guide.DiskMount, Ended)
	if !strings.HasPrefix(string(r.Stdout), "-T|/data/a b|-o|") || guide.Known(r.Context.Dir, "") != "/data/a b" || !strings.HasPrefix(r.Command, "findmnt -T '/data/a b' -o") {
		t.Errorf("%s\n%q, %+v", r.Command, r.Stdout, r.Context)
	}
	// What was set wins.
	p.Values = Values{ValueDir: data}
	if _, err := Do(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	last := l.events[len(l.events)-1].Record
	if guide.Known(last.Context.Dir, "") != data {
		t.Errorf("%+v", last.Context)
	}
}

func TestProbe(t *testing.T) {
	data := t.TempDir()
	m := &machine{path: tools(t, nil)}
	for _, want := range []bool{true, false} {
		var l logbook
		p := Params{Runner: m, Track: guide.Shared, Checks: []guide.CheckID{guide.DiskMount}, Event: l.take, Values: Values{ValueDir: data}}
		if _, err := Do(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		if r := l.of(guide.DiskMount, Ended); guide.Known(r.Context.ProbeOK, !want) != want {
			t.Errorf("%+v: %q, %q", r.Context, r.Stdout, r.Stderr)
		}
		if left, _ := os.ReadDir(data); want && len(left) != 0 {
			t.Errorf("left behind: %v", left)
		}
		data = filepath.Join(data, "gone")
	}
}

func TestWhatIsKnownGoesWithARecord(t *testing.T) {
	programs := map[string]string{
		"nvidia-smi": "echo x", "free": "echo '              total   used'; echo 'Mem: 137438953472 1 2 3 4 5'", "df": "exit 0",
	}
	m := &machine{path: tools(t, programs), env: []string{"OMP_NUM_THREADS=3", "HF_ENDPOINT=https://hf-mirror.com"}}
	var l logbook
	provider := "autodl"
	p := Params{
		Runner: m, Track: guide.Shared, Checks: []guide.CheckID{guide.MemCgroup, guide.DiskDf}, Event: l.take, Known: guide.Context{Provider: &provider},
		Now: func() time.Time { return time.Unix(1_700_000_000, 0) },
	}
	r, err := Do(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	df := l.of(guide.DiskDf, Ended)
	if c := df.Context; guide.Known(c.OMPNumThreads, 0) != 3 || guide.Known(c.HFEndpoint, "") != "https://hf-mirror.com" || guide.Known(c.Provider, "") != "autodl" ||
		guide.Known(c.HostTotalGiB, 0) != 128 {
		t.Errorf("%+v", c)
	}
	if df.Run != r || df.Time.Unix() != 1_700_000_000 || df.Track != guide.Shared || df.Edited || df.Duration < 0 {
		t.Errorf("%+v, run %+v", df, r)
	}
	p.Values = Values{ValueHFEndpoint: "https://other.example/"}
	if _, err := Do(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if c := l.events[len(l.events)-1].Record.Context; guide.Known(c.HFEndpoint, "") != "https://other.example" {
		t.Errorf("what was set for the run wins: %+v", c)
	}
}

func TestWanting(t *testing.T) {
	var l logbook
	m := &machine{path: tools(t, nil)}
	p := Params{Runner: m, Track: guide.Network, Checks: []guide.CheckID{guide.NetIperf3, guide.DiskSpeed}, Event: l.take}
	if _, err := Do(t.Context(), p); err != nil || len(l.events) != 2 || l.events[0].Kind != Wanting || l.events[0].Need != ValuePeer || l.events[1].Need != ValueDir || m.execs != 0 {
		t.Errorf("%v, %+v, %d shells", err, l.events, m.execs)
	}
	var bad *ValueError
	p.Values = Values{ValuePeer: "a; rm -rf /"}
	if _, err := Do(t.Context(), p); !errors.As(err, &bad) || bad.Name != ValuePeer {
		t.Errorf("%v", err)
	}
	for _, text := range []string{"echo \x00", "echo \xff", strings.Repeat("x", maxCommand+1)} {
		p.Values, p.Edited = nil, map[guide.CheckID]string{guide.NetIperf3: text}
		if _, err := Do(t.Context(), p); !errors.As(err, &bad) || bad.Name != "command" {
			t.Errorf("%q: %v", text[:6], err)
		}
	}
	p.Edited, p.Checks = nil, []guide.CheckID{"gpu.none"}
	if _, err := Do(t.Context(), p); err == nil {
		t.Error("an unknown check was run")
	}
}

func TestLookAlone(t *testing.T) {
	m := &machine{path: tools(t, nil)}
	r, err := Do(t.Context(), Params{Runner: m, Track: guide.Shared})
	if err != nil || r.Boot == "" || r.Instance == "" || m.execs != 1 {
		t.Errorf("%+v, %v, %d shells", r, err, m.execs)
	}
}

// silent is a link that takes a script and never answers once told to.
type silent struct {
	*machine
	after int
}

func (s *silent) Exec(ctx context.Context, e guide.Exec) (guide.Output, error) {
	if s.after--; s.after < 0 {
		return guide.Output{Exit: -1, TimedOut: true}, nil
	}
	return s.machine.Exec(ctx, e)
}

// TestSilentLinkIsNoVerdict: a check that was cut since nothing came any more has
// not hung, the link may have.
func TestSilentLinkIsNoVerdict(t *testing.T) {
	t.Parallel()
	list, edited := edits(map[guide.CheckID]string{guide.DiskDf: "echo before", guide.DiskMount: "sleep 1000.0305"})
	var l logbook
	_, err := Do(t.Context(), Params{
		Runner: &silent{&machine{path: tools(t, nil)}, 1}, Track: guide.Shared, Checks: list, Edited: edited, Event: l.take,
		Timeouts: map[guide.CheckID]time.Duration{guide.DiskMount: time.Millisecond},
	})
	if !errors.Is(err, guide.ErrOffline) || l.told() != "disk.df ended\n" {
		t.Errorf("%v, told %q", err, l.told())
	}
}

func TestManyLongCommands(t *testing.T) {
	t.Parallel()
	list, edited := edits(map[guide.CheckID]string{})
	for _, d := range Defs() {
		if len(d.Parents) == 0 {
			list = append(list, d.ID)
			edited[d.ID] = strings.Repeat("\r\n:\r\n", maxCommand/8) + "\necho " + string(d.ID)
		}
	}
	for _, r := range []guide.Runner{&machine{path: tools(t, nil)}, lateRunner{&machine{path: tools(t, nil)}}} {
		var l logbook
		if _, err := Do(t.Context(), Params{Runner: r, Track: guide.Shared, Checks: list, Edited: edited, Event: l.take}); err != nil {
			t.Fatal(err)
		}
		for _, id := range list {
			if got := l.of(id, Ended); got == nil || string(got.Stdout) != string(id)+"\n" {
				t.Errorf("%s: %+v", id, got)
			}
		}
	}
}

func TestParentsGoFirst(t *testing.T) {
	got := parentsFirst([]guide.CheckID{guide.Attn, guide.SessionTmux, guide.TorchCUDA, guide.GPUSMI, guide.Attn})
	if want := []guide.CheckID{guide.GPUSMI, guide.TorchCUDA, guide.Attn, guide.SessionTmux}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

func TestDockerImage(t *testing.T) {
	for driver, want := range map[string]string{
		"550.90.07": "nvidia/cuda:12.4.0-base-ubuntu22.04", "535.183.01": "nvidia/cuda:12.2.0-base-ubuntu22.04", "610.10": "nvidia/cuda:13.0.0-base-ubuntu22.04",
		"470.256.02": "nvidia/cuda:11.4.3-base-ubuntu20.04", "": "nvidia/cuda:11.4.3-base-ubuntu20.04", "$(id)": "nvidia/cuda:11.4.3-base-ubuntu20.04",
	} {
		if got := DockerImage(driver); got != want {
			t.Errorf("%q: %s", driver, got)
		}
	}
}

func TestValues(t *testing.T) {
	for name, c := range map[string]struct{ good, bad []string }{
		ValueDir:        {[]string{"/root/autodl-tmp", "/mnt/my models", "/a'b", "/显存"}, []string{"data", "/a/../b", "../x", "/a\nb", "/a\x00", "~", "-rf"}},
		ValueHost:       {[]string{"huggingface.co", "192.0.2.1", "2001:db8::1", "a_b"}, []string{"-c", "a b", "a;b", "$(id)", "fe80::1%eth0", "a/b", "", "."}},
		ValueURL:        {[]string{"https://files.example.org/a?b=c&d=e", "http://192.0.2.1:8080/x"}, []string{"file:///etc/passwd", "https://u:p@h/", "ftp://h/", "https://", "javascript:1", "https://-x/"}},
		ValueUIPort:     {[]string{"1", "65535"}, []string{"0", "65536", "-1", "8188;", "x"}},
		ValueHFEndpoint: {[]string{"https://hf-mirror.com"}, []string{"hf-mirror.com"}},
		ValuePython:     {[]string{"python3.11", "/venv/main/bin/python"}, []string{"bash", "python3;id", "./python"}},
		ValueDriver:     {[]string{"550.90.07", "595.71"}, []string{"550;", "x"}},
		ValueSudo:       {[]string{"yes", "no"}, []string{"root"}},
		"other":         {nil, []string{"x"}},
	} {
		for _, v := range c.good {
			if _, err := CheckValue(name, v); err != nil {
				t.Errorf("%s %q: %v", name, v, err)
			}
		}
		for _, v := range c.bad {
			if got, err := CheckValue(name, v); err == nil && v != "" {
				t.Errorf("%s %q was taken as %q", name, v, got)
			}
		}
	}
}

// FuzzValues puts anything into commands: what is taken is one word of the shell,
// and the shell reads it back as it was.
func FuzzValues(f *testing.F) {
	f.Add("dir", "/a'b\"$(id)`x` \\ *")
	f.Add("url", "https://h/a?b=$(id)&c='x'")
	f.Add("host", "a.b-c")
	f.Fuzz(func(t *testing.T, name, value string) {
		got, err := CheckValue(name, value)
		if err != nil || got == "" {
			return
		}
		if again, err := CheckValue(name, got); err != nil || again != got {
			t.Fatalf("%q, then %q, %v", got, again, err)
		}
		b, err := exec.Command("/bin/sh", "-c", "printf '%s|' "+word(got)).Output()
		if err != nil || string(b) != got+"|" {
			t.Fatalf("%q is read as %q, %v", got, b, err)
		}
	})
}

// TestALookThatHangs: without it the checks go on.
func TestALookThatHangs(t *testing.T) {
	t.Parallel()
	list, edited := edits(map[guide.CheckID]string{guide.DiskDf: "echo one", guide.DockerGPU: "echo two"})
	var l logbook
	m := &machine{path: tools(t, map[string]string{"find": "exec sleep 1000.0306"})}
	r, err := Do(t.Context(), Params{
		Runner: m, Track: guide.Dedicated, Checks: list, Edited: edited, Event: l.take, Timeouts: map[guide.CheckID]time.Duration{"": 100 * time.Millisecond},
	})
	if err != nil || l.told() != "docker.gpu ended\ndisk.df ended\n" || !r.IsZero() {
		t.Errorf("%v, %+v, told %q", err, r, l.told())
	}
	if n := holding(t, "1000.0306"); n != 0 {
		t.Errorf("%d left behind", n)
	}
}
