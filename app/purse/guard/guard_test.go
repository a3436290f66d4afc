package guard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rentgen/app/guide"
	"rentgen/app/provider"
	"rentgen/assets/texts"
)

// shell runs scripts with this machine's shell, as a login would.
type shell struct{ env []string }

func (s shell) Exec(ctx context.Context, e guide.Exec) (guide.Output, error) {
	cmd := exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", e.Script, "sh"}, e.Args...)...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = bytes.NewReader(e.Stdin), &out, &errs, append(os.Environ(), s.env...)
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return guide.Output{}, err
	}
	return guide.Output{Stdout: out.Bytes(), Stderr: errs.Bytes(), Exit: cmd.ProcessState.ExitCode()}, nil
}

// says is a host that answers each script with the same.
type says struct {
	out  string
	exit int
	err  error
}

func (s says) Exec(context.Context, guide.Exec) (guide.Output, error) {
	return guide.Output{Stdout: []byte(s.out), Exit: s.exit}, s.err
}

func profile(t *testing.T, id string) provider.Profile {
	t.Helper()
	p, ok := provider.ProfileOf(id)
	if !ok {
		t.Fatal(id)
	}
	return p
}

func english(p texts.Phrase) string { return texts.For(texts.English).Say(p) }

func TestEligible(t *testing.T) {
	for _, c := range []struct {
		id, action, say string
		warns           int
	}{
		{"autodl", "shutdown", "On AutoDL, a shutdown from inside ends the billing of the card (grenbel/autodl-autogpu reference/console.md, citing autodl.com/docs/price, /save_money and /instance_data, 2026-10-02).", 3},
		{"runpod", "runpodctl", "On RunPod Pods, runpodctl stop pod ends the billing of the card (docs.runpod.io/pods/manage-pods and docs.runpod.io/runpodctl/reference/runpodctl-stop-pod, undated page).", 2},
		{"tencent", "", "On Tencent Cloud CVM, a shutdown from inside goes on billing; only a stop in the console counts (tencentyun/intlcloud-documents, billing modes and no charge when shut down, undated). The stop guard stays off.", 1},
		{"matpool", "", "No page of ", -1},
		{"generic-container", "", "Rentgen does not know this provider", 0},
	} {
		e := Eligible(profile(t, c.id))
		say := english(e.Say)
		if string(e.Action) != c.action || e.OK != (c.action != "") || !strings.HasPrefix(strings.ReplaceAll(say, "undated page)", "undated)"), strings.ReplaceAll(c.say, "undated page)", "undated)")) {
			t.Errorf("%s: %+v\n%s", c.id, e, say)
		}
		if e.OK && e.Said.Source == "" {
			t.Errorf("%s acts without a source", c.id)
		}
		if c.warns >= 0 && len(e.Warn) != c.warns {
			t.Errorf("%s: %d warnings", c.id, len(e.Warn))
		}
		if e.Limit.IsZero() {
			t.Errorf("%s names no limit", c.id)
		}
	}
}

// TestOnlyProvidersWithARuleAct: nothing but the data decides, and every provider
// says something in both languages.
func TestOnlyProvidersWithARuleAct(t *testing.T) {
	n := 0
	for _, p := range provider.Profiles() {
		e := Eligible(p)
		if e.OK != (p.StopCommand != nil) {
			t.Errorf("%s: %v", p.ID, e.OK)
		}
		if e.OK {
			n++
			if _, ok := commands[e.Action]; !ok {
				t.Errorf("%s: no test of %s", p.ID, e.Action)
			}
		}
		for _, l := range texts.Langs() {
			c := texts.For(l)
			for _, s := range append([]texts.Phrase{e.Say, e.Limit}, e.Warn...) {
				if said := c.Say(s); said == "" || strings.ContainsAny(said, "{}") {
					t.Errorf("%s %s: %q", p.ID, l, said)
				}
			}
		}
	}
	if n != 2 {
		t.Error(n)
	}
	for _, a := range provider.StopActions() {
		if _, ok := commands[Action(a)]; !ok {
			t.Error(a)
		}
	}
}

func TestNewOrder(t *testing.T) {
	o := NewOrder(Eligible(profile(t, "autodl")), 8188, 9999, 0)
	if err := o.Check(); err != nil || !o.DryRun || o.Action != "shutdown" {
		t.Error(o, err)
	}
	if want := []int{6006, 7860, 8188, 9999}; !slices.Equal(o.Ports, want) {
		t.Error(o.Ports)
	}
	for _, spoil := range []func(*Order){
		func(o *Order) { o.After = time.Minute }, func(o *Order) { o.After = 25 * time.Hour }, func(o *Order) { o.OnQueue, o.QueuePort = true, 70000 },
		func(o *Order) { o.Countdown = 59 * time.Second }, func(o *Order) { o.Countdown = 61 * time.Minute },
	} {
		bad := o
		spoil(&bad)
		var in *texts.InputError
		if err := bad.Check(); !errors.As(err, &in) || in.Field == "" {
			t.Error(err)
		}
	}
}

// TestFilesOnTheHost goes the whole way over a real shell: on, state, keep, resume,
// armed, off.
func TestFilesOnTheHost(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "a b'c", "resident")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	h := Host{Runner: shell{}, Dir: dir}
	file := func(name string) string { b, _ := os.ReadFile(filepath.Join(dir, "guard", name)); return string(b) }
	read := func() Report {
		r, err := h.Read(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := read(); r.State.Phase != Off || r.State.On {
		t.Fatalf("%+v", r)
	}
	if err := h.Keep(ctx, 0); err == nil {
		t.Error("what is off was held back")
	}
	o := NewOrder(Eligible(profile(t, "autodl")))
	armed := o
	armed.DryRun = false
	var refused *RefusedError
	if err := h.Switch(ctx, armed); !errors.As(err, &refused) || refused.Say.Key != "guard.why.no-dry" {
		t.Fatal("armed without a dry run:", err)
	}
	if err := h.Switch(ctx, o); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(filepath.Join(dir, "guard")); err != nil || st.Mode().Perm() != 0o700 {
		t.Error(st, err)
	}
	var got Order
	if err := json.Unmarshal([]byte(file("order.json")), &got); err != nil || got.After != DefaultAfter || !got.DryRun || got.Given.IsZero() {
		t.Errorf("%v %+v", err, got)
	}
	if r := read(); r.State.Phase != Silent || !r.State.On {
		t.Errorf("nobody watches: %+v", r.State)
	}

	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, "guard", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now().UTC().Truncate(time.Second)
	at := func(d time.Duration) string { return now.Add(d).Format(time.RFC3339) }
	write("state.json", `{"phase":"counting","time":"`+at(0)+`","idle_s":1800,"stop_at":"`+at(4*time.Minute)+`","busy":[],"dry_at":"`+at(-time.Hour)+`","dry_of":"shutdown","boot":"b@1","order":{"action":"shutdown","after_s":1800,"countdown_s":300,"dry_run":true}}`+"\n")
	write("stops.jsonl", `{"time":"`+at(-time.Hour)+`","idle_since":"`+at(-90*time.Minute)+`","idle_s":1800,"cause":"idle","action":"shutdown","dry_run":true}`+"\nhalf a li")
	r := read()
	if r.State.Phase != Counting || r.State.Idle != 30*time.Minute || len(r.Stops) != 1 || !r.Stops[0].Dry || !r.State.Order.DryRun {
		t.Fatalf("%+v", r)
	}
	if d := r.State.StopAt.Sub(now.Add(4 * time.Minute)).Abs(); d > 5*time.Second {
		t.Error("the clocks of one machine are apart by", d)
	}
	if err := h.Keep(ctx, 2*time.Hour); err != nil {
		t.Fatal(err)
	}
	until, err := strconv.ParseInt(strings.TrimSpace(file("KEEP")), 10, 64)
	if d := time.Unix(until, 0).Sub(now.Add(2 * time.Hour)).Abs(); err != nil || d > time.Minute || !read().Held {
		t.Error(err, d)
	}
	if err := h.Resume(ctx); err != nil || read().Held {
		t.Error(err)
	}
	if err := h.Keep(ctx, 0); err != nil || file("KEEP") != "" || !read().Held {
		t.Error(err)
	}
	if err := h.Switch(ctx, armed); err != nil || read().Held {
		t.Error("after a dry run:", err)
	}
	if err := h.Off(ctx); err != nil {
		t.Fatal(err)
	}
	if r := read(); r.State.Phase != Off || r.State.DryAt.IsZero() || len(r.Stops) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestNoRecorder(t *testing.T) {
	h := Host{Runner: says{err: errors.New("must not be asked")}}
	if r, err := h.Read(context.Background()); err != nil || r.State.Phase != Off {
		t.Error(r, err)
	}
	if err := h.Switch(context.Background(), NewOrder(Eligibility{})); !errors.Is(err, ErrNoRecorder) {
		t.Error(err)
	}
}

// TestTheLogin holds why the guard is not switched on.
func TestTheLogin(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name   string
		action Action
		out    string
		want   string
	}{
		{"root with the command", "shutdown", "uid 0\nfound /usr/bin/shutdown\n", ""},
		{"not root", "shutdown", "uid 1000\nfound /usr/bin/shutdown\n", "guard.why.root"},
		{"no command", "shutdown", "uid 0\n", "guard.why.command"},
		{"silent", "shutdown", "", "guard.why.untested"},
		{"a pod", "runpodctl", "uid 1000\npod yes\nkey yes\nfound /usr/bin/runpodctl\n", ""},
		{"no key", "runpodctl", "uid 0\npod yes\nkey no\nfound /usr/bin/runpodctl\n", "guard.why.key"},
		{"no pod", "runpodctl", "uid 0\npod no\nfound /usr/bin/runpodctl\n", "guard.why.pod"},
		{"another command", "rm", "uid 0\nfound /bin/rm\n", "guard.why.order"},
	} {
		err := Test(ctx, says{out: c.out}, c.action)
		var r *RefusedError
		switch {
		case c.want == "" && err != nil, c.want != "" && (!errors.As(err, &r) || r.Say.Key != c.want):
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if err := Test(ctx, says{err: guide.ErrOffline}, "shutdown"); !errors.Is(err, guide.ErrOffline) {
		t.Error(err)
	}
}

// TestTheLoginOverAShell runs the script itself: sh stands for a command that is
// there.
func TestTheLoginOverAShell(t *testing.T) {
	defer func(c command) { commands["shutdown"] = c }(commands["shutdown"])
	commands["shutdown"] = command{name: "sh"}
	if err := Test(context.Background(), shell{}, "shutdown"); err != nil {
		t.Error(err)
	}
	commands["shutdown"] = command{name: "no-such-command"}
	var r *RefusedError
	if err := Test(context.Background(), shell{}, "shutdown"); !errors.As(err, &r) || r.Say.Key != "guard.why.command" {
		t.Error(err)
	}
	commands["shutdown"] = command{name: "sh", pod: true}
	if err := Test(context.Background(), shell{env: []string{"RUNPOD_POD_ID=abc123", "RUNPOD_API_KEY=k"}}, "shutdown"); err != nil {
		t.Error(err)
	}
	if err := Test(context.Background(), shell{env: []string{"RUNPOD_POD_ID=abc123", "HOME=" + t.TempDir()}}, "shutdown"); !errors.As(err, &r) || r.Say.Key != "guard.why.key" {
		t.Error(err)
	}
}

func TestProvider(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		login, chosen string
		r             guide.Runner
		want          string
	}{
		{"192.0.2.7", "runpod", says{}, "runpod"},
		{"a.seetacloud.com", "runpod", says{}, "runpod"},
		{"192.0.2.7", "runpod", says{out: "AutoDLContainerUUID\n"}, "autodl"}, // what lies there is no mistake
		{"192.0.2.7", "nobody", says{}, "generic-container"},
		{"192.0.2.7", "", says{out: "AutoDLContainerUUID\n"}, "autodl"},
		{"192.0.2.7", "", says{}, "generic-container"},
		{"a.seetacloud.com", "", says{}, "autodl"},
		{"192.0.2.7", "", shell{env: []string{"RUNPOD_POD_ID=abc123"}}, "runpod"},
		{"192.0.2.7", "", shell{}, "generic-container"},
	} {
		if p, err := Provider(ctx, c.r, c.login, c.chosen); err != nil || p.ID != c.want {
			t.Errorf("%s %s: %s %v, want %s", c.login, c.chosen, p.ID, err, c.want)
		}
	}
}

func TestClockOfTheHost(t *testing.T) {
	now := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	host := now.Add(-time.Hour)
	out := "now " + strconv.FormatInt(host.Unix(), 10) + "\non\nstate " + `{"phase":"kept","time":"` + host.Format(time.RFC3339) + `","keep_until":"` + host.Add(30*time.Minute).Format(time.RFC3339) + `"}` + "\n"
	if s := parse([]byte(out), now).State; s.Phase != Kept || !s.KeepUntil.Equal(now.Add(30*time.Minute)) || !s.Time.Equal(now) {
		t.Errorf("%+v", s)
	}
	// A state that is old is nobody's.
	if s := parse([]byte(strings.Replace(out, "now "+strconv.FormatInt(host.Unix(), 10), "now "+strconv.FormatInt(host.Add(2*time.Minute).Unix(), 10), 1)), now).State; s.Phase != Silent {
		t.Errorf("%+v", s)
	}
}

// TestEveryStateIsSaid says each state in both languages, and that a dry run says
// that it is one.
func TestEveryStateIsSaid(t *testing.T) {
	now := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	for _, dry := range []bool{true, false} {
		for _, queue := range []bool{true, false} {
			for _, ph := range []Phase{Off, Watching, Counting, Kept, Would, Stopping, Refused, Silent, "later"} {
				for _, busy := range [][]Reason{nil, {{Signal: "gpu", Value: 9}, {Signal: "gpu"}, {Signal: "net", Unread: true}, {Signal: "moon"}}} {
					s := State{Phase: ph, Busy: busy, Idle: 20 * time.Minute, StopAt: now.Add(time.Minute), Why: "root", DryAt: now, Order: Order{DryRun: dry, After: time.Hour, OnQueue: queue}}
					for _, l := range texts.Langs() {
						said := texts.For(l).Say(s.Say(now))
						if said == "" || strings.ContainsAny(said, "{}") {
							t.Errorf("%s %s: %q", l, ph, said)
						}
						if word := map[texts.Lang]string{texts.English: "Dry run", texts.Chinese: "试运行"}[l]; dry && (ph == Watching || ph == Counting || ph == Would) && !strings.Contains(said, word) {
							t.Errorf("%s %s says nothing of a dry run: %q", l, ph, said)
						}
					}
				}
			}
		}
	}
	s := State{Phase: Watching, Busy: []Reason{{Signal: "gpu", Unread: true}, {Signal: "cpu"}}, Order: Order{After: DefaultAfter}}
	if got, want := english(s.Say(now)), "Busy: the card (can't be read, so it counts as busy), the CPU. It stops after 30\u2009min of quiet."; got != want {
		t.Errorf("%q", got)
	}
	if u := s.Unreadable(); len(u) != 1 || u[0].Signal != "gpu" {
		t.Error(u)
	}
	for _, w := range []string{"order", "root", "command", "pod", "key", "no-dry", "record", "failed", "nothing", "of-tomorrow"} {
		for _, l := range texts.Langs() {
			if said := texts.For(l).Say(why(w)); said == "" || strings.ContainsAny(said, "{}") {
				t.Errorf("%s %s: %q", l, w, said)
			}
		}
	}
}

// TestFurtherPortsOfAnOrder: known ones, odd ones and too many change nothing.
func TestFurtherPortsOfAnOrder(t *testing.T) {
	many := make([]int, 20)
	for i := range many {
		many[i] = 9000 + i
	}
	o := Order{Ports: []int{7860, 8188}}
	for _, k := range []struct {
		add     []int
		n       int
		differs bool
	}{{nil, 2, false}, {[]int{8188, 0, -1, 65536}, 2, false}, {[]int{80, 80}, 3, true}, {many, maxPorts, true}} {
		got, differs := o.With(k.add...)
		if len(got.Ports) != k.n || differs != k.differs || !slices.IsSorted(got.Ports) {
			t.Errorf("with %v: %v, differs %v", k.add, got.Ports, differs)
		}
	}
	full, _ := o.With(many...)
	if _, differs := full.With(1); differs || len(o.Ports) != 2 {
		t.Error("a full order took another port")
	}
}
