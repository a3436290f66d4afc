package setup

import (
	"errors"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"

	"rentgen/app/guide"
	"rentgen/app/guide/track"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/uitest"
	"rentgen/ui/widgets"
)

func TestNothingIsBuiltBeforeItIsSeen(t *testing.T) {
	test.NewTempApp(t)
	p := New(Params{Texts: texts.For(texts.English), Window: test.NewTempWindow(t, nil), Host: func() (Host, bool) { return Host{}, false }})
	p.Changed()
	p.Tick()
	p.Retext(texts.For(texts.Chinese))
	if n := len(p.Content().(*fyne.Container).Objects); n != 0 {
		t.Errorf("%d objects before the place is seen", n)
	}
}

func TestWithoutAnyInstance(t *testing.T) {
	r := newRig(t, nil)
	r.hosts = false
	r.p.Changed()
	r.want(r.c.T("setup.empty"), r.c.T("frame.add"))
	r.press("frame.add")
	if r.added != 1 {
		t.Error("the door leads nowhere")
	}
	r.host = Host{}
	r.press("setup.empty.paste")
	r.want(r.c.T("setup.paper"), "1  ")
	r.p.Reveal("shared.2")
	r.press("setup.paste")
	field(t, r, r.c.T("setup.paste.output")).SetText("NVIDIA-SMI has failed")
	r.press("setup.paste.do")
	if len(r.f.pasted) != 1 || !r.sees("The driver is not loaded.") {
		t.Errorf("pasted %v; seen %q", r.f.pasted, uitest.Texts(r.w.Canvas()))
	}
}

func field(t *testing.T, r *rig, placeholder string) *widgets.Entry {
	t.Helper()
	return uitest.Field(t, r.w.Canvas(), placeholder)
}

func TestNotConnected(t *testing.T) {
	connected := 0
	r := newRig(t, nil)
	r.host = Host{ID: "box", Name: "AutoDL 4090", Words: "off", Next: "Start it first.", Connect: func() { connected++ }}
	r.p.Tick()
	r.want(r.c.T("setup.offline"), "Start it first.")
	if !uitest.Button(t, r.w.Canvas(), r.c.T("setup.run")).Disabled() {
		t.Error("a run can be asked for")
	}
	r.press("watch.connect")
	if connected != 1 {
		t.Error("connect does nothing")
	}
	r.p.Reveal("shared.2")
	if uitest.Button(t, r.w.Canvas(), r.c.T("setup.paste")).Disabled() {
		t.Error("pasting needs no connection")
	}
	if r.f.calls = nil; r.called("look") {
		t.Error("asked before it was connected")
	}
	r.host.Live, r.host.Next = true, ""
	r.p.Tick()
	if !r.called("look") {
		t.Error("nobody looks whether the instance was restarted")
	}
	if r.sees(r.c.T("setup.offline")) {
		t.Error("it is still said to be off")
	}
}

func TestNeverRun(t *testing.T) {
	r := newRig(t, nil)
	r.f.cost = "¥0.12"
	r.want("Nothing yet", "1  ", r.c.T("setup.network"), r.c.T("setup.folded", "n", 1))
	r.want("2 checks")
	r.want(r.c.T("track.shared.intro")[:60]) // what the list is for, until there is something to say
	r.press("setup.first.do")
	if !r.called("run quick") {
		t.Errorf("calls: %q", r.f.calls)
	}
	r.f.calls = nil
	r.press("setup.run")
	r.want("Quick · 2 checks · about 20 s · ¥0.12", "Standard, with other tenants · 2 checks · about 3 min · ¥0.12", "Thorough", "The network items", "Only item 1")
	tapMenu(t, r, "Quick")
	if !r.called("run quick") {
		t.Errorf("calls: %q", r.f.calls)
	}
}

// tapMenu chooses the first line of the open menu that holds a text.
func tapMenu(t *testing.T, r *rig, part string) {
	t.Helper()
	var found fyne.Tappable
	uitest.Visible(r.w.Canvas(), func(o fyne.CanvasObject) {
		it, ok := o.(fyne.Tappable)
		if w, is := o.(fyne.Widget); !ok || !is || found != nil {
			return
		} else {
			for _, x := range test.WidgetRenderer(w).Objects() {
				if text, is := x.(*canvas.Text); is && strings.Contains(text.Text, part) {
					found = it
				}
			}
		}
	})
	if found == nil {
		t.Fatalf("no line %q in the menu: %q", part, uitest.Texts(r.w.Canvas()))
	}
	found.Tapped(&fyne.PointEvent{})
}

func TestARunShowsHowFarItIsAndStops(t *testing.T) {
	r := newRig(t, nil)
	v := r.f.views[guide.Shared]
	v.Running, v.Done, v.Total, v.Since = true, 3, 12, now.Add(-20*time.Second)
	cv := fresh(guide.TorchCUDA)
	cv.State = track.Running
	r.put(guide.Shared, cv)
	r.p.Changed()
	r.want("3 of 12 · 20 s", r.c.T("setup.state.running"))
	v.Since = now.Add(-25 * time.Second)
	r.p.Tick()
	r.want("3 of 12 · 25 s")
	r.press("setup.stop")
	if !r.called("stop") {
		t.Error("nothing was stopped")
	}
	v.Running = false
	r.p.Changed()
	uitest.Button(t, r.w.Canvas(), r.c.T("setup.run"))
}

func TestResultsTakeNeitherPlaceNorKeyboard(t *testing.T) {
	r := newRig(t, nil)
	r.w.Resize(fyne.NewSize(980, 300))
	r.put(guide.Shared, done(guide.TorchCUDA, guide.Pass, "Fine.", "")) // the offer of a first run goes
	r.p.Reveal("shared.4")
	d := r.p.items.detail
	d.cards[1].toggle()
	r.w.Canvas().Focus(d.cards[1].run)
	d.scroll.ScrollToOffset(fyne.NewPos(0, d.cards[1].box.Position().Y-4))
	top := func() float32 { return d.cards[1].box.Position().Y - d.scroll.Offset.Y }
	if d.scroll.Offset.Y == 0 {
		t.Fatal("nothing can be scrolled")
	}
	before, was := top(), d.cards[0].box.Size().Height
	r.put(guide.Shared, done(guide.DiskDf, guide.Fail, strings.Repeat("The system disk is full. ", 20), strings.Repeat("Move the models. ", 30)))
	r.p.Changed()
	if d.cards[0].box.Size().Height <= was {
		t.Fatal("the result above has no height")
	}
	if got := top(); got < before-1 || got > before+1 {
		t.Errorf("what is read moved from %v to %v", before, got)
	}
	if r.w.Canvas().Focused() != fyne.Focusable(d.cards[1].run) {
		t.Error("the keyboard was taken away")
	}
	// The result of the very check keeps its buttons, too.
	r.put(guide.Shared, done(guide.DiskMount, guide.Pass, "Its own mount.", ""))
	r.p.Changed()
	if r.w.Canvas().Focused() != fyne.Focusable(d.cards[1].run) {
		t.Error("the keyboard was taken away by the check's own result")
	}
}

func TestRowsKeepTheirHeight(t *testing.T) {
	r := newRig(t, nil)
	high := r.p.items.list.rows[1].tap.Size().Height
	r.put(guide.Shared, done(guide.TorchCUDA, guide.Warn, strings.Repeat("long ", 60), ""))
	r.p.Changed()
	if got := r.p.items.list.rows[1].tap.Size().Height; got != high {
		t.Errorf("a row went from %v to %v", high, got)
	}
}

func TestEveryStateOfACheck(t *testing.T) {
	blocked := fresh(guide.DiskDf)
	blocked.State, blocked.Verdict, blocked.BlockedBy = track.Blocked, guide.Skip, guide.TorchCUDA
	blocked.Record = &guide.Record{BlockedBy: guide.TorchCUDA}
	left := fresh(guide.DiskDf)
	left.State, left.Verdict, left.Skipped = track.Left, guide.Skip, &guide.Skipped{On: "disk.df", Reason: "no data disk", Time: now}
	stale := done(guide.DiskDf, guide.Pass, "Enough room.", "")
	stale.State, stale.Verdict, stale.StaleWhy = track.Stale, guide.NotRun, words("The instance was restarted.")
	wants := fresh(guide.DiskDf)
	wants.Wants = "peer"
	running, queued := fresh(guide.DiskDf), fresh(guide.DiskDf)
	running.State, queued.State = track.Running, track.Queued
	edited := done(guide.DiskDf, guide.Pass, "Enough room.", "")
	edited.Edited, edited.Record.Edited, edited.Record.Pasted = true, true, true
	cut := done(guide.DiskDf, guide.Warn, "Could not read this output", "Run it again.")
	cut.Record.TimedOut = true
	job := done(guide.DiskDf, guide.Warn, "Little room.", "")
	job.Job, job.Blocks = words("In the way of your job."), true
	skip := done(guide.DiskDf, guide.Skip, "No right to look.", "")
	c := texts.For(texts.English)
	for _, tc := range []struct {
		name string
		cv   track.CheckView
		res  fyne.Resource
		want []string
	}{
		{"never run", fresh(guide.DiskDf), theme.NotRun.Icon(), []string{c.T("setup.notrun"), c.T("setup.state.idle")}},
		{"waiting", queued, theme.NotRun.Icon(), []string{c.T("setup.state.queued")}},
		{"running", running, theme.Coloured("live", theme.ColorBusy), []string{c.T("setup.state.running")}},
		{"pass", done(guide.DiskDf, guide.Pass, "Enough room.", ""), theme.Pass.Icon(), []string{"Enough room.", "line one", "1.2 s", "10:40", "driver 550.90", "exit code 0"}},
		{"warn", done(guide.DiskDf, guide.Warn, "Little room.", "You can go on: move models."), theme.Warn.Icon(), []string{"Little room.", "You can go on: move models."}},
		{"fail", done(guide.DiskDf, guide.Fail, "Full.", "Delete something."), theme.Fail.Icon(), []string{"Full.", "Delete something."}},
		{"skip", skip, theme.Skip.Icon(), []string{"No right to look."}},
		{"blocked", blocked, theme.Skip.Icon(), []string{"which failed"}},
		{"left out", left, theme.Skip.Icon(), []string{"no data disk", c.T("setup.unskip")}},
		{"stale", stale, theme.Stale.Icon(), []string{"The instance was restarted.", "Enough room."}},
		{"lacks a value", wants, theme.NotRun.Icon(), []string{"it needs a value first"}},
		{"edited and pasted", edited, theme.Pass.Icon(), []string{c.T("setup.edited"), "pasted", "command edited"}},
		{"cut off", cut, theme.Warn.Icon(), []string{c.T("setup.meta.timeout")}},
		{"in the way of the job", job, theme.Warn.Icon(), []string{"In the way of your job."}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t, nil)
			r.put(guide.Shared, tc.cv)
			r.p.Reveal("shared.4")
			r.p.Changed()
			k := r.p.items.detail.cards[0]
			if k.icon.Resource.Name() != tc.res.Name() {
				t.Errorf("shape %s, want %s", k.icon.Resource.Name(), tc.res.Name())
			}
			if !k.unfolded() {
				k.toggle()
			}
			r.want(tc.want...)
		})
	}
}

func TestAMessageStandsOnTopForWhatIsInTheWay(t *testing.T) {
	r := newRig(t, nil)
	r.f.fault = errors.New("disk full")
	v := r.f.views[guide.Shared]
	v.Fault, v.Missing = words("The link broke after 3 of 12."), 9
	v.Changed, v.Stale = words("Another driver since."), 4
	r.p.Changed()
	r.want(r.c.T("setup.unsaved"), "disk full", "The link broke after 3 of 12.", "Another driver since.")
	r.press("setup.resume")
	r.press("setup.retry")
	if !r.called("resume") || !r.called("retry") || r.sees("disk full") {
		t.Errorf("calls: %q", r.f.calls)
	}
	uitest.Press(t, r.w.Canvas(), r.c.T("setup.run.again", "n", 4))
	if !r.called("stale") {
		t.Errorf("calls: %q", r.f.calls)
	}
	r.f.runErr = guide.ErrOffline
	r.press("setup.resume")
	r.want(r.c.T("setup.offline"))
}

func TestTheWorstCheckIsOpen(t *testing.T) {
	r := newRig(t, nil)
	r.put(guide.Shared, done(guide.DiskDf, guide.Pass, "Enough room.", ""))
	r.put(guide.Shared, done(guide.DiskMount, guide.Fail, "No mount.", "Add a data disk."))
	r.p.Changed()
	r.p.Reveal("shared.4")
	cards := r.p.items.detail.cards
	if cards[0].unfolded() || !cards[1].unfolded() {
		t.Errorf("open: %v, %v", cards[0].unfolded(), cards[1].unfolded())
	}
}

func TestFoldedChecksAreNamedWhenAsked(t *testing.T) {
	r := newRig(t, nil)
	if r.sees("no daemon") {
		t.Error("a check that can't apply is listed")
	}
	uitest.Press(t, r.w.Canvas(), r.c.T("setup.folded", "n", 1))
	r.want("no daemon")
}

func TestKindAndProvider(t *testing.T) {
	r := newRig(t, nil)
	r.want("AutoDL")
	r.press("setup.track.dedicated")
	if !r.called("track dedicated") {
		t.Errorf("calls: %q", r.f.calls)
	}
	r.p.head.providers.SetSelectedIndex(1)
	if !r.called("provider runpod") {
		t.Errorf("calls: %q", r.f.calls)
	}
}

func TestAnotherLanguageKeepsWhatIsTyped(t *testing.T) {
	r := newRig(t, nil)
	r.p.Reveal("shared.2")
	r.press("setup.edit")
	k := r.p.items.detail.cards[0]
	k.command.field.SetText("nvidia-smi -L")
	r.c = texts.For(texts.Chinese)
	r.p.Retext(r.c)
	r.want(r.c.T("setup.part.seen"), "nvidia-smi -L")
	r.press("setup.edit.keep")
	if !r.called("edit torch.cuda nvidia-smi -L") {
		t.Errorf("calls: %q", r.f.calls)
	}
}

func TestAnotherHostIsAnotherBoard(t *testing.T) {
	r := newRig(t, nil)
	r.p.Reveal("shared.4")
	r.f = newFake()
	r.f.views[guide.Shared].Sentence = words("Another one")
	r.host = Host{ID: "pod", Name: "Pod", Live: true}
	r.p.Tick()
	r.want("Another one")
	if r.p.items.m.at != "shared.1" {
		t.Errorf("the new host opens at %q", r.p.items.m.at)
	}
	r.f = newFake() // the same host with another login
	r.f.views[guide.Shared].Sentence = words("A third one")
	r.p.Changed()
	r.want("A third one")
}
