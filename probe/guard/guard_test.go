package guard

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"rentgen/probe"
)

// desk is a host for a Guard: its clock is the number of the second.
type desk struct {
	t      *testing.T
	dir    string
	second int
	in     Input
	why    Why
	fail   error
	given  []Action
	stops  func() // called when the command is given
}

func newDesk(t *testing.T) *desk {
	return &desk{t: t, dir: filepath.Join(t.TempDir(), "guard"), in: still()}
}

func (d *desk) open(run probe.Run) *Guard {
	d.t.Helper()
	g, err := Open(Params{
		Dir: d.dir, Run: run,
		Ready: func(Action) (Why, string) { return d.why, "said" },
		Act: func(a Action) error {
			d.given = append(d.given, a)
			if d.stops != nil {
				d.stops()
			}
			return d.fail
		},
		Queue:   func(int) probe.Value { return d.in.Signals.Queue },
		Signals: func(time.Time, time.Duration, []int) Signals { return d.in.Signals },
		Now:     func() time.Time { return epoch.Add(time.Duration(d.second) * time.Second) },
		Mono:    func() time.Duration { return time.Duration(d.second) * time.Second },
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return g
}

func (d *desk) give(o Order) {
	d.t.Helper()
	b, err := json.Marshal(o)
	if err == nil {
		err = os.MkdirAll(d.dir, 0o700)
	}
	if err == nil {
		err = folder(d.dir).write(OrderFile, b, false)
	}
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) run(g *Guard, seconds int) State {
	var s State
	for range seconds {
		s = g.Second(d.in.Sample)
		d.second++
	}
	return s
}

// file is what the guard's file says.
func (d *desk) file() State {
	d.t.Helper()
	b, err := os.ReadFile(filepath.Join(d.dir, StateFile))
	if err != nil {
		d.t.Fatal(err)
	}
	s, err := ParseState(b)
	if err != nil {
		d.t.Fatal(err)
	}
	return s
}

func (d *desk) records() []Stop {
	b, _ := os.ReadFile(filepath.Join(d.dir, StopsFile))
	return ParseStops(b)
}

var firstRun = probe.Run{BootID: "b", Init: epoch.Add(-time.Hour)}

// TestFromDryRunToStop is the whole course: off, dry run, armed, stop.
func TestFromDryRunToStop(t *testing.T) {
	d := newDesk(t)
	g := d.open(firstRun)
	if s := d.run(g, 5); s.Phase != Off || g.On() {
		t.Fatalf("%+v", s)
	}
	if _, err := os.Stat(d.dir); err == nil {
		t.Error("a guard that was never on left something on the host")
	}
	o := order()
	o.DryRun = true
	d.give(o)
	if s := d.run(g, 800); s.Phase != Would || len(d.given) != 0 {
		t.Fatalf("%+v %v", s, d.given)
	}
	if rs := d.records(); len(rs) != 1 || !rs[0].Dry || rs[0].IdleS != 720 || rs[0].Cause != CauseIdle || rs[0].Action != Shutdown || rs[0].Peaks.Looks < 720 {
		t.Fatalf("%+v", rs)
	}
	if f := d.file(); f.Phase != Would || f.DryAt.IsZero() || f.Order.After != o.After || !f.Order.DryRun {
		t.Fatalf("%+v", f)
	}

	// Another program takes over, and the order is armed.
	g = d.open(firstRun)
	o.DryRun, o.Given = false, epoch
	d.give(o)
	var onDisk []Stop
	d.stops = func() { onDisk = d.records() }
	s := d.run(g, 800)
	if s.Phase != Stopping || len(d.given) != 1 || d.given[0] != Shutdown {
		t.Fatalf("%+v %v", s, d.given)
	}
	if len(onDisk) != 2 || onDisk[1].Dry || onDisk[1].Boot != Boot(firstRun) {
		t.Errorf("before the command the records were %+v", onDisk)
	}
	// The machine is still there: it says so and tries nothing again.
	if s = d.run(g, 700); s.Phase != Refused || s.Why != WhyNothing || len(d.given) != 1 {
		t.Errorf("%+v %v", s, d.given)
	}
	if f := d.file(); f.Why != WhyNothing {
		t.Errorf("%+v", f)
	}
	if err := os.Remove(filepath.Join(d.dir, OrderFile)); err != nil {
		t.Fatal(err)
	}
	if s = d.run(g, 1); s.Phase != Off || s.DryAt.IsZero() || d.file().Phase != Off {
		t.Errorf("%+v", s)
	}
	d.text(KeepFile, "")
	d.text("."+StateFile+".123", "")
	if err := Remove(d.dir); err != nil {
		t.Error(err)
	}
	if err := Remove(d.dir); err != nil {
		t.Error("a second time:", err)
	}
}

func TestRefusals(t *testing.T) {
	armedOrder := func(d *desk, g *Guard) {
		o := order()
		o.DryRun = true
		d.give(o)
		d.run(g, 800)
		o.DryRun = false
		d.give(o)
	}
	for _, c := range []struct {
		name  string
		set   func(d *desk, g *Guard)
		want  Why
		given int
	}{
		{"the login is not root", func(d *desk, g *Guard) { d.why = WhyRoot; d.give(order()) }, WhyRoot, 0},
		{"no command", func(d *desk, g *Guard) { o := order(); o.DryRun = true; d.why = WhyCommand; d.give(o) }, WhyCommand, 0},
		{"armed at once", func(d *desk, g *Guard) { d.give(order()) }, WhyNoDry, 0},
		{"no order", func(d *desk, g *Guard) { d.text(OrderFile, "{") }, WhyOrder, 0},
		{"an order of another command", func(d *desk, g *Guard) {
			d.text(OrderFile, `{"action":"rm","after_s":600,"countdown_s":120}`)
		}, WhyOrder, 0},
		{"the command went between order and stop", func(d *desk, g *Guard) {
			armedOrder(d, g)
			d.run(g, 700)
			d.why = WhyCommand
		}, WhyCommand, 0},
		{"the command says no", func(d *desk, g *Guard) { armedOrder(d, g); d.fail = errors.New("exit status 1") }, WhyFailed, 1},
		{"the record can't be written", func(d *desk, g *Guard) {
			armedOrder(d, g)
			d.run(g, 700)
			_ = os.Remove(filepath.Join(d.dir, StopsFile))
			if err := os.Mkdir(filepath.Join(d.dir, StopsFile), 0o700); err != nil {
				d.t.Fatal(err)
			}
		}, WhyRecord, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDesk(t)
			g := d.open(firstRun)
			c.set(d, g)
			s := d.run(g, 3000)
			if s.Phase != Refused || s.Why != c.want || len(d.given) != c.given {
				t.Fatalf("%+v, given %v", s, d.given)
			}
			if f := d.file(); f.Phase != Refused || f.Why != c.want {
				t.Errorf("the file says %+v", f)
			}
		})
	}
}

func (d *desk) text(name, text string) {
	d.t.Helper()
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

func TestKeepFileOnTheHost(t *testing.T) {
	d := newDesk(t)
	g := d.open(firstRun)
	o := order()
	o.DryRun = true
	d.give(o)
	d.run(g, 700)
	d.text(KeepFile, "")
	if s := d.run(g, 3000); s.Phase != Kept {
		t.Fatalf("%+v", s)
	}
	d.text(KeepFile, epoch.Add(2*time.Hour).Format(time.RFC3339)+"\n")
	if s := d.run(g, 100); s.Phase != Kept || !s.KeepUntil.Equal(epoch.Add(2*time.Hour)) {
		t.Fatalf("%+v", s)
	}
	if err := os.Remove(filepath.Join(d.dir, KeepFile)); err != nil {
		t.Fatal(err)
	}
	if s := d.run(g, 800); s.Phase != Would {
		t.Errorf("%+v", s)
	}
}

// TestNothingIsTakenOver: what one program counted is nothing to the next.
func TestNothingIsTakenOver(t *testing.T) {
	d := newDesk(t)
	o := order()
	o.DryRun = true
	g := d.open(firstRun)
	d.give(o)
	d.run(g, 700)
	if f := d.file(); f.Phase != Counting {
		t.Fatalf("%+v", f)
	}
	g = d.open(probe.Run{BootID: "b", Init: epoch.Add(time.Hour)})
	if s := d.run(g, 599); s.Phase != Watching || s.Idle != 598*time.Second {
		t.Errorf("%+v", s)
	}
}

// TestQuietDisk holds how often the guard writes while nothing happens.
func TestQuietDisk(t *testing.T) {
	d := newDesk(t)
	g := d.open(firstRun)
	d.give(order())
	d.run(g, 1)
	n, last := 0, time.Time{}
	for range 300 {
		d.run(g, 1)
		if f := d.file(); !f.Time.Equal(last) {
			n, last = n+1, f.Time
		}
	}
	if n > 32 {
		t.Errorf("%d writes in 300 s", n)
	}
}

func TestRecordsAreBounded(t *testing.T) {
	d := folder(t.TempDir())
	line, err := json.Marshal(Stop{Time: epoch, Since: epoch, Action: Shutdown, IdleS: 1, Boot: strings.Repeat("b", 60)})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 * maxStops {
		if err := d.record(line); err != nil {
			t.Fatal(err)
		}
	}
	b, err := d.read(StopsFile, maxStopsLen)
	if err != nil || len(ParseStops(b)) != maxStops {
		t.Error(len(b), len(ParseStops(b)), err)
	}
	// Half a line of a power cut costs that line alone.
	if err := os.WriteFile(d.path(StopsFile), []byte(string(line)+"\n"+`{"time":"20`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.record(line); err != nil {
		t.Fatal(err)
	}
	b, _ = d.read(StopsFile, maxStopsLen)
	if len(ParseStops(b)) != 2 {
		t.Errorf("%q", b)
	}
}

func TestJSONRoundTrip(t *testing.T) {
	o := Order{
		Action: RunPod, After: 20 * time.Minute, OnQueue: true, QueuePort: 8188, Ports: []int{6006}, KeepUntil: epoch,
		Countdown: 3 * time.Minute, Given: epoch.Add(time.Second),
	}
	s := State{
		Phase: Counting, Time: epoch, Idle: 1230 * time.Second, Since: epoch, StopAt: epoch.Add(time.Minute), Cause: CauseQueue, Order: o,
		Busy: []Reason{{Signal: SignalNet, Value: 3, Limit: NetLimit}, {Signal: SignalGPU, Unread: true, State: "denied", Raw: "no"}},
		Boot: boot, DryAt: epoch, DryOf: RunPod, Queued: true, KeepUntil: epoch, Detail: "d", Why: WhyRoot,
	}
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ParseState(b)
	if err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("%v\n%+v\n%+v\n%s", err, got, s, b)
	}
}

func TestOrderThatDoesNotSaySoIsDry(t *testing.T) {
	o, err := ParseOrder([]byte(`{"action":"shutdown","after_s":1800,"countdown_s":300}`))
	if err != nil || !o.DryRun {
		t.Error(o, err)
	}
}

func TestOrderBounds(t *testing.T) {
	good := order()
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*Order){
		"no action":       func(o *Order) { o.Action = "" },
		"another action":  func(o *Order) { o.Action = "poweroff; rm -rf /" },
		"too soon":        func(o *Order) { o.After = MinAfter - time.Second },
		"too late":        func(o *Order) { o.After = MaxAfter + time.Second },
		"no countdown":    func(o *Order) { o.Countdown = 0 },
		"long countdown":  func(o *Order) { o.Countdown = 2 * time.Hour },
		"queue nowhere":   func(o *Order) { o.OnQueue, o.QueuePort = true, 0 },
		"queue port":      func(o *Order) { o.QueuePort = 65536 },
		"a port":          func(o *Order) { o.Ports = []int{-1} },
		"very many ports": func(o *Order) { o.Ports = make([]int, 17) },
	} {
		o := good
		spoil(&o)
		if o.Check() == nil {
			t.Errorf("%s passes", name)
		}
	}
}

func TestBoot(t *testing.T) {
	a := Boot(firstRun)
	later := firstRun
	later.Init = later.Init.Add(time.Second)
	anew := firstRun
	anew.Init = anew.Init.Add(time.Minute)
	for _, c := range []struct {
		b    string
		want bool
	}{{a, true}, {Boot(later), true}, {Boot(anew), false}, {Boot(probe.Run{BootID: "c", Init: firstRun.Init}), false}, {"", false}, {"b", false}} {
		if SameBoot(a, c.b) != c.want {
			t.Errorf("%q and %q", a, c.b)
		}
	}
	if SameBoot("", "") {
		t.Error("two unknown runs are one")
	}
}

// TestCommands holds what may ever be run on a host.
func TestCommands(t *testing.T) {
	got := map[string]bool{}
	for _, a := range Actions() {
		c, ok := CommandOf(a)
		if !ok {
			t.Error(a, "has no command")
		}
		got[strings.Join(append([]string{c.Name}, c.Args...), " ")] = true
	}
	if want := map[string]bool{"shutdown": true, "runpodctl stop pod $RUNPOD_POD_ID": true}; !reflect.DeepEqual(got, want) {
		t.Error(got)
	}
	if _, ok := CommandOf("rm"); ok {
		t.Error("another action has a command")
	}
	for _, d := range Folders() {
		if !filepath.IsAbs(d) {
			t.Error(d)
		}
	}
}
