package setup

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"rentgen/app/guide"
	"rentgen/app/guide/track"
	"rentgen/app/provider"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/uitest"
)

var now = time.Date(2026, 11, 29, 10, 41, 0, 0, time.Local)

// fake is a board whose views a test says. It notes what it is asked for.
type fake struct {
	at       guide.Track
	provider string
	views    map[guide.Track]*track.View
	values   Values
	fault    error
	runErr   error
	cost     string
	calls    []string
	pasted   []guide.Input
	ticks    map[string]guide.Tick
	profile  provider.Profile
	entries  []guide.Entry
}

func (f *fake) note(call string) { f.calls = append(f.calls, call) }

func (f *fake) View(t guide.Track) track.View {
	if v := f.views[t]; v != nil {
		c := *v
		c.Steps = slices.Clone(v.Steps)
		return c
	}
	return track.View{Track: t}
}
func (f *fake) Track() guide.Track            { return f.at }
func (f *fake) SetTrack(t guide.Track)        { f.at = t; f.note("track " + string(t)) }
func (f *fake) Provider() string              { return f.provider }
func (f *fake) SetProvider(id string)         { f.provider = id; f.note("provider " + id) }
func (f *fake) Profile() provider.Profile     { return f.profile }
func (f *fake) Values() Values                { return f.values }
func (f *fake) Stop()                         { f.note("stop") }
func (f *fake) Unskip(on string)              { f.note("unskip " + on) }
func (f *fake) Entries(string) []guide.Entry  { return f.entries }
func (f *fake) Put(string, string, any) error { return nil }
func (f *fake) Drop(string, ...string) error  { return nil }
func (f *fake) Instance() guide.Run           { return guide.Run{} }
func (f *fake) Fault() error                  { return f.fault }
func (f *fake) Retry()                        { f.note("retry"); f.fault = nil }
func (f *fake) Resume() error                 { f.note("resume"); return f.runErr }

func (f *fake) Look(context.Context) error { f.note("look"); return nil }

func (f *fake) SetValue(name, value string) error {
	f.note("value " + name + "=" + value)
	if strings.Contains(value, " ") {
		return errors.New("a blank")
	}
	f.values[name] = value
	return nil
}

func (f *fake) Run(s Scope, l guide.Level) error {
	f.note(strings.Join(strings.Fields(strings.Join([]string{"run", string(l), string(s.Track), s.Step, string(s.Check)}, " ")), " "))
	if s.Stale {
		f.note("stale")
	}
	return f.runErr
}

func (f *fake) Estimate(s Scope, l guide.Level) (track.LevelView, error) {
	takes := map[guide.Level]time.Duration{guide.Quick: 20 * time.Second, guide.Standard: 3 * time.Minute, guide.Thorough: 15 * time.Minute}[l]
	return track.LevelView{Level: l, Checks: []guide.CheckID{guide.GPUSMI, guide.DiskDf}, Takes: takes, Cost: f.cost}, nil
}

func (f *fake) Paste(in guide.Input) guide.Record {
	f.pasted = append(f.pasted, in)
	r := guide.Record{Input: in, Time: now, Pasted: true}
	for i := range f.views[in.Track].Steps {
		for j := range f.views[in.Track].Steps[i].Checks {
			if cv := &f.views[in.Track].Steps[i].Checks[j]; cv.ID == in.Check {
				*cv = done(in.Check, guide.Fail, "The driver is not loaded.", "Ask the provider.")
				cv.Record.Pasted = true
			}
		}
	}
	return r
}

func (f *fake) Edit(id guide.CheckID, command string) { f.note("edit " + string(id) + " " + command) }

func (f *fake) Skip(on, reason string) error {
	f.note("skip " + on + ": " + reason)
	return nil
}

func (f *fake) Tick(item string, done bool, note string, values map[string]string) error {
	f.note("tick " + item)
	if f.ticks == nil {
		f.ticks = make(map[string]guide.Tick)
	}
	f.ticks[item] = guide.Tick{Item: item, Done: done, Note: note, Values: values, Time: now}
	for i := range f.views[f.at].Steps {
		for j := range f.views[f.at].Steps[i].Items {
			if iv := &f.views[f.at].Steps[i].Items[j]; iv.Item.ID == item {
				t := f.ticks[item]
				iv.Tick, iv.Value = &t, values
			}
		}
	}
	return nil
}

// words is a phrase that says text as it is.
func words(text string) texts.Phrase {
	return texts.P("setup.offline.next", "sentence", text, "next", "")
}

// done is a check with a verdict.
func done(id guide.CheckID, v guide.Verdict, says, do string) track.CheckView {
	f := guide.Finding{Verdict: v, Code: "code", Says: words(says)}
	if do != "" {
		f.Do = words(do)
	}
	return track.CheckView{
		ID: id, State: track.Done, Verdict: v, Line: words(says), Command: "nvidia-smi", Def: guide.Def{ID: id, Command: "nvidia-smi", Quiet: true},
		Record: &guide.Record{
			Input: guide.Input{Check: id, Command: "nvidia-smi", Stdout: []byte("line one\nline two\n"), Exit: 0},
			Time:  now.Add(-time.Minute), Duration: 1200 * time.Millisecond, Run: guide.Run{Driver: "550.90"},
		},
		Outcome: guide.Outcome{Check: id, Verdict: v, Findings: []guide.Finding{f}, Lines: []string{"line one"}},
	}
}

// fresh is a check that never ran.
func fresh(id guide.CheckID) track.CheckView {
	return track.CheckView{ID: id, State: track.Idle, Command: "nvidia-smi", Def: guide.Def{ID: id, Command: "nvidia-smi", Quiet: true}}
}

// newFake is a board with a track of three items and one of the network.
func newFake() *fake {
	step := func(id string, n int, checks ...track.CheckView) track.StepView {
		s := track.StepView{Step: track.Step{ID: id, Number: n}, Checks: checks, State: track.Idle}
		for _, c := range checks {
			s.Step.Checks = append(s.Step.Checks, c.ID)
			s.State, s.Verdict, s.Line = c.State, c.Verdict, c.Line
		}
		return s
	}
	manual := step("shared.1", 1)
	manual.Items = []track.ItemView{{
		Item:   track.Item{ID: "region", Fields: []string{"data", "instance"}, Page: "survival"},
		Value:  map[string]string{"instance": "Beijing"},
		Filled: map[string]texts.Phrase{"instance": words("the profile")},
	}}
	manual.Step.Items = []track.Item{manual.Items[0].Item}
	return &fake{
		at: guide.Shared, provider: "autodl", values: Values{},
		views: map[guide.Track]*track.View{
			guide.Shared: {
				Track: guide.Shared, Sentence: words("Nothing yet"),
				Steps:  []track.StepView{manual, step("shared.2", 2, fresh(guide.TorchCUDA)), step("shared.4", 4, fresh(guide.DiskDf), fresh(guide.DiskMount))},
				Folded: []track.CheckView{{ID: guide.DockerGPU, State: track.Folded, Why: words("no daemon")}},
			},
			guide.Network: {Track: guide.Network, Steps: []track.StepView{step("network.1", 1, fresh(guide.NetPing))}},
		},
	}
}

// put replaces a check of the fake.
func (f *fake) put(t guide.Track, cv track.CheckView) {
	for i := range f.views[t].Steps {
		s := &f.views[t].Steps[i]
		for j := range s.Checks {
			if s.Checks[j].ID == cv.ID {
				s.Checks = slices.Clone(s.Checks)
				s.Checks[j] = cv
				s.State, s.Verdict, s.Line = cv.State, cv.Verdict, cv.Line
			}
		}
	}
}

// rig is the place in a window.
type rig struct {
	t      *testing.T
	w      fyne.Window
	f      *fake
	p      *Place
	host   Host
	hosts  bool
	c      *texts.Catalogue
	copied string
	saved  map[string][]byte
	opened string
	added  int
}

func newRig(t *testing.T, change func(p *Params)) *rig {
	t.Helper()
	a := test.NewTempApp(t)
	a.Settings().SetTheme(theme.New(theme.Params{Ground: theme.Dark}))
	r := &rig{
		t: t, w: test.NewTempWindow(t, nil), f: newFake(), hosts: true, c: texts.For(texts.English), saved: make(map[string][]byte),
		host: Host{ID: "box", Name: "AutoDL 4090", Live: true, Words: "live", Connect: func() {}},
	}
	do := func(f func()) { f() }
	p := Params{
		Texts: r.c, Window: r.w, Host: func() (Host, bool) { return r.host, r.hosts }, Board: func(string) Board { return r.f },
		Providers: func(*texts.Catalogue) []Choice { return []Choice{{"autodl", "AutoDL"}, {"runpod", "RunPod"}} },
		Add:       func() { r.added++ }, Open: func(s string) { r.opened = s },
		Copy: func(s string) { r.copied = s }, Save: func(n string, b []byte) { r.saved[n] = b },
		Now: func() time.Time { return now }, Go: do, Do: do,
	}
	if change != nil {
		change(&p)
	}
	r.p = New(p)
	r.w.SetContent(r.p.Content())
	r.w.Canvas().SetOnTypedKey(func(ev *fyne.KeyEvent) {
		if ev.Name == fyne.KeyEscape {
			r.p.Escape()
		}
	})
	r.w.Resize(fyne.NewSize(980, 660))
	r.p.Shown()
	return r
}

// put replaces a check and tells the place.
func (r *rig) put(t guide.Track, cv track.CheckView) {
	r.f.put(t, cv)
	r.p.Changed()
}

func (r *rig) sees(part string) bool { return uitest.Sees(r.w.Canvas(), part) }

func (r *rig) want(parts ...string) {
	r.t.Helper()
	for _, p := range parts {
		if !r.sees(p) {
			r.t.Errorf("%q is not seen; seen: %q", p, uitest.Texts(r.w.Canvas()))
		}
	}
}

func (r *rig) press(key string) {
	r.t.Helper()
	uitest.Press(r.t, r.w.Canvas(), r.c.T(key))
}

// called reports whether the board was asked for something.
func (r *rig) called(call string) bool { return slices.Contains(r.f.calls, call) }

// key types a key where the keyboard is.
func (r *rig) key(names ...fyne.KeyName) {
	r.t.Helper()
	for _, k := range names {
		f := r.w.Canvas().Focused()
		if f == nil {
			r.w.Canvas().OnTypedKey()(&fyne.KeyEvent{Name: k})
			continue
		}
		f.TypedKey(&fyne.KeyEvent{Name: k})
	}
}
