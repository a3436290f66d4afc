package setup

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/guide"
	"rentgen/app/guide/track"
	"rentgen/assets/texts"
	"rentgen/ui/uitest"
	"rentgen/ui/widgets"
)

func TestTheListByKeyboard(t *testing.T) {
	r := newRig(t, nil)
	rows := r.p.items.list.rows
	r.w.Canvas().Focus(rows[0].tap)
	r.key(fyne.KeyDown)
	if r.p.items.m.at != "shared.2" || r.w.Canvas().Focused() != fyne.Focusable(rows[1].tap) {
		t.Errorf("down leads to %q", r.p.items.m.at)
	}
	r.key(fyne.KeyEnd)
	if r.p.items.m.at != "network.1" {
		t.Errorf("end leads to %q", r.p.items.m.at)
	}
	r.key(fyne.KeyDown, fyne.KeyUp, fyne.KeyUp, fyne.KeyHome)
	if r.p.items.m.at != "shared.1" {
		t.Errorf("home leads to %q", r.p.items.m.at)
	}
	r.w.Canvas().Focus(rows[1].tap)
	r.key(fyne.KeyRight)
	d := fyne.CurrentApp().Driver()
	f, ok := r.w.Canvas().Focused().(fyne.CanvasObject)
	if !ok || d.AbsolutePositionForObject(f).X < d.AbsolutePositionForObject(r.p.items.detail.box).X || r.p.items.m.at != "shared.2" {
		t.Errorf("right leads to %T of %q", r.w.Canvas().Focused(), r.p.items.m.at)
	}
}

func TestTheSentenceLeadsToItsItem(t *testing.T) {
	r := newRig(t, nil)
	v := r.f.views[guide.Shared]
	v.Next, v.Running = "shared.4", true
	r.put(guide.Shared, done(guide.DiskDf, guide.Fail, "The disk is full.", "Delete caches."))
	if r.p.items.m.at == "shared.4" {
		t.Fatal("it leads there while the run goes on")
	}
	v.Running = false
	r.p.Changed()
	if r.p.items.m.at != "shared.4" {
		t.Errorf("at the end of a run %q is shown", r.p.items.m.at)
	}
	r.p.Reveal("shared.1")
	v.Running = true
	r.p.Changed()
	v.Running = false
	r.p.Changed()
	if r.p.items.m.at != "shared.1" {
		t.Errorf("the item of the user's choice gives way to %q", r.p.items.m.at)
	}
	r.p.Show(PageReport)
	r.w.Canvas().Focus(r.p.head.leads)
	r.key(fyne.KeyReturn)
	if r.p.at != PageItems || r.p.items.m.at != "shared.4" {
		t.Errorf("the sentence leads to %q, %q", r.p.at, r.p.items.m.at)
	}
}

func TestWhatWasKeptLeadsToItsItem(t *testing.T) {
	r := newRig(t, nil)
	r.f.views[guide.Shared].Next = "shared.4" // what was kept is read after the page is there
	r.put(guide.Shared, done(guide.DiskDf, guide.Warn, "The disk is nearly full.", "Delete caches."))
	if r.p.items.m.at != "shared.4" {
		t.Errorf("%q is shown", r.p.items.m.at)
	}
}

func TestARunOfBothCountsBoth(t *testing.T) {
	r := newRig(t, nil)
	v, n := r.f.views[guide.Shared], r.f.views[guide.Network]
	v.Running, v.Done, v.Total, v.Sentence = true, 2, 9, texts.P(sayRunning, "n", 2, "of", 9)
	n.Running, n.Done, n.Total = true, 1, 2
	r.p.Changed()
	r.want("Checking: 3 of 11", "3 of 11")
}

// TestTabReachesEverything goes once round with Tab and expects to meet every
// button and field that is seen, from the top to the bottom of each column.
func TestTabReachesEverything(t *testing.T) {
	r := newRig(t, nil)
	r.p.Reveal("shared.2")
	r.put(guide.Shared, done(guide.TorchCUDA, guide.Fail, "No kernel ran.", "Install another wheel."))
	r.p.Changed()
	met := make(map[fyne.Focusable]bool)
	var first fyne.Focusable
	for range 200 {
		r.w.Canvas().(interface{ FocusNext() }).FocusNext()
		f := r.w.Canvas().Focused()
		if first == nil {
			first = f
		} else if f == first {
			break
		}
		met[f] = true
	}
	met[first] = true
	uitest.Visible(r.w.Canvas(), func(o fyne.CanvasObject) {
		switch o := o.(type) {
		case *widgets.Button:
			if !o.Disabled() && !met[o] {
				t.Errorf("Tab never comes to the button %q", o.Text)
			}
		case *widgets.Tap:
			if !met[o] {
				t.Error("Tab never comes to a row")
			}
		case *widgets.Entry:
			if !met[o] {
				t.Errorf("Tab never comes to the field %q", o.PlaceHolder)
			}
		}
	})
}

func TestWhatHasTheKeyboardIsSeen(t *testing.T) {
	r := newRig(t, nil)
	r.w.Resize(fyne.NewSize(980, 320))
	r.p.Reveal("shared.4")
	d := r.p.items.detail
	for _, k := range d.cards {
		if !k.unfolded() {
			k.toggle()
		}
	}
	r.w.Canvas().Focus(d.cards[1].skip)
	y := fyne.CurrentApp().Driver().AbsolutePositionForObject(d.cards[1].skip).Y
	top := fyne.CurrentApp().Driver().AbsolutePositionForObject(d.scroll).Y
	if y < top || y+d.cards[1].skip.Size().Height > top+d.scroll.Size().Height+1 {
		t.Errorf("the button is at %v, seen is %v to %v", y, top, top+d.scroll.Size().Height)
	}
}

func TestLeavingOutNeedsAReason(t *testing.T) {
	r := newRig(t, nil)
	r.p.Reveal("shared.2")
	test.Tap(r.p.items.detail.cards[0].skip)
	if !uitest.Button(t, r.w.Canvas(), r.c.T("setup.skip.do")).Disabled() {
		t.Error("it can be left out without a reason")
	}
	field(t, r, r.c.T("setup.skip.reason")).SetText("  not mine ")
	r.press("setup.skip.do")
	if !r.called("skip torch.cuda: not mine") {
		t.Errorf("calls: %q", r.f.calls)
	}
	s := r.f.views[guide.Shared].Steps[1]
	s.Skipped, s.State = &guide.Skipped{On: "shared.2", Reason: "no torch here", Time: now}, track.Left
	r.f.views[guide.Shared].Steps[1] = s
	r.p.Changed()
	r.want("no torch here")
	r.press("setup.unskip")
	if !r.called("unskip shared.2") {
		t.Errorf("calls: %q", r.f.calls)
	}
}

func TestACommandIsEdited(t *testing.T) {
	r := newRig(t, nil)
	r.p.Reveal("shared.2")
	r.press("setup.copy")
	if r.copied != "nvidia-smi" {
		t.Errorf("copied %q", r.copied)
	}
	r.press("setup.edit")
	f := r.p.items.detail.cards[0].command.field
	if r.w.Canvas().Focused() != fyne.Focusable(f) || f.Text != "nvidia-smi" {
		t.Fatalf("the field holds %q, the keyboard is at %T", f.Text, r.w.Canvas().Focused())
	}
	f.SetText("nvidia-smi -q")
	r.p.Changed() // a result lands meanwhile
	if f.Text != "nvidia-smi -q" {
		t.Errorf("what was typed became %q", f.Text)
	}
	r.press("setup.edit.keep")
	if !r.called("edit torch.cuda nvidia-smi -q") {
		t.Errorf("calls: %q", r.f.calls)
	}
	r.press("setup.edit")
	r.key(fyne.KeyEscape)
	if r.sees("setup.edit.keep") || r.p.items.detail.cards[0].command.edit.Visible() {
		t.Error("Escape does not end the editing")
	}
	cv := fresh(guide.TorchCUDA)
	cv.Edited = true
	r.put(guide.Shared, cv)
	r.p.Changed()
	r.press("setup.edit")
	r.press("setup.edit.ours")
	if r.f.calls[len(r.f.calls)-1] != "edit torch.cuda " {
		t.Errorf("calls: %q", r.f.calls)
	}
}

func TestPastingTakesTheExitCodeAlong(t *testing.T) {
	r := newRig(t, nil)
	r.p.Reveal("shared.2")
	r.press("setup.paste")
	r.press("setup.copy")
	if !strings.HasPrefix(r.copied, "nvidia-smi\n") || !strings.Contains(r.copied, "exit code: $?") {
		t.Errorf("copied %q", r.copied)
	}
	out := field(t, r, r.c.T("setup.paste.output"))
	out.SetText("some words\nexit code: 9\n")
	r.press("setup.paste.do")
	if len(r.f.pasted) != 1 {
		t.Fatal("nothing was judged")
	}
	in := r.f.pasted[0]
	if in.Exit != 9 || string(in.Stdout) != "some words" || in.Check != guide.TorchCUDA || in.Track != guide.Shared || in.Command != "nvidia-smi" {
		t.Errorf("pasted %+v, output %q", in, in.Stdout)
	}
	r.want("The driver is not loaded.", "Ask the provider.")
	var exit *widgets.Entry
	uitest.Visible(r.w.Canvas(), func(o fyne.CanvasObject) {
		if e, ok := o.(*widgets.Entry); ok && !e.MultiLine {
			exit = e
		}
	})
	exit.SetText("many")
	r.press("setup.paste.do")
	r.want(r.c.T("setup.paste.exit.bad"))
	if len(r.f.pasted) != 1 {
		t.Error("judged with an exit code that is none")
	}
}

func TestValuesOfACommand(t *testing.T) {
	r := newRig(t, nil)
	cv := fresh(guide.NetPing)
	cv.Def.Command, cv.Wants = "ping -c 10 {host}", "host"
	r.put(guide.Network, cv)
	r.p.Reveal("network.1")
	r.want(r.c.T("setup.value.host"))
	f := r.p.items.detail.cards[0].command.values[0].entry
	f.SetText("a b")
	f.OnSubmitted(f.Text)
	r.want(r.c.T("setup.value.bad"))
	f.SetText("data.example.com")
	f.OnSubmitted(f.Text)
	if r.f.values["host"] != "data.example.com" || r.sees(r.c.T("setup.value.bad")) {
		t.Errorf("values %v", r.f.values)
	}
	if !uitest.Button(t, r.w.Canvas(), r.c.T("setup.run.check")).Disabled() {
		t.Error("a check without its value can be run")
	}
}

func TestSudoIsAskedFor(t *testing.T) {
	r := newRig(t, nil)
	cv := fresh(guide.TorchCUDA)
	cv.Def.Root = true
	r.put(guide.Shared, cv)
	r.p.Reveal("shared.2")
	box := uitest.Check(t, r.w.Canvas(), r.c.T("setup.root"))
	if box.Checked {
		t.Error("sudo is on before anybody said so")
	}
	test.Tap(box)
	if r.f.values["sudo"] != "yes" {
		t.Errorf("values %v", r.f.values)
	}
}

func TestRawOutputIsFoldedAndBounded(t *testing.T) {
	r := newRig(t, nil)
	cv := done(guide.TorchCUDA, guide.Pass, "Fine.", "")
	cv.Record.Stdout = []byte("\x1b[31mred\x1b[0m\n" + strings.Repeat("x\n", 500))
	cv.Record.Stderr = []byte("a warning")
	r.put(guide.Shared, cv)
	r.p.Reveal("shared.2")
	if r.sees("a warning") {
		t.Error("raw output is not folded")
	}
	r.press("setup.raw")
	r.want("red", "a warning", r.c.T("setup.raw.stdout"), "The first 120 lines")
	for _, s := range uitest.Texts(r.w.Canvas()) {
		if strings.ContainsRune(s, 0x1b) {
			t.Error("a terminal sequence is shown")
		}
	}
	r.press("setup.raw.copy")
	if strings.Count(r.copied, "x\n") < 499 {
		t.Error("only a part was copied")
	}
}

func TestAManualItem(t *testing.T) {
	r := newRig(t, func(p *Params) {
		p.Pages = []Page{{Key: "survival", Title: "setup.open.bill", Make: func(*Here) Body { return &blank{label: widget.NewLabel("the table")} }}}
	})
	r.want("Beijing", r.c.T("setup.filled", "from", "the profile")[:20])
	f := r.p.items.detail.forms[0]
	f.fields[0].entry.SetText("Shanghai")
	r.p.Changed()
	if f.fields[0].entry.Text != "Shanghai" {
		t.Error("what was typed is gone before it was saved")
	}
	f.fields[0].entry.OnSubmitted("Shanghai")
	got := r.f.ticks["region"]
	if got.Done || got.Values["data"] != "Shanghai" || got.Values["instance"] != "Beijing" {
		t.Errorf("saved %+v", got)
	}
	f.note.SetText("asked the support")
	test.Tap(f.tick)
	got = r.f.ticks["region"]
	if !got.Done || got.Note != "asked the support" || got.Values["data"] != "Shanghai" {
		t.Errorf("saved %+v", got)
	}
	uitest.Press(t, r.w.Canvas(), r.c.T("setup.open.bill"))
	if r.p.at != "survival" {
		t.Fatalf("the page %q is open", r.p.at)
	}
	r.want("the table")
	r.key(fyne.KeyEscape)
	if r.p.at != PageItems {
		t.Error("Escape does not lead back")
	}
}

// blank is a page of a test.
type blank struct {
	label       *widget.Label
	syncs, left int
}

func (b *blank) Content() fyne.CanvasObject { return b.label }
func (b *blank) Sync()                      { b.syncs++ }
func (b *blank) Leave()                     { b.left++ }

func TestPages(t *testing.T) {
	var bodies []*blank
	var here *Here
	r := newRig(t, func(p *Params) {
		for _, k := range []string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine"} {
			p.Pages = append(p.Pages, Page{Key: k, Title: "setup.meta.timeout", Make: func(h *Here) Body {
				b := &blank{label: widget.NewLabel("page " + k)}
				bodies, here = append(bodies, b), h
				return b
			}})
		}
	})
	if len(bodies) != 0 {
		t.Error("a page was made before it was opened")
	}
	r.p.Show("nine")
	r.want("page nine")
	if len(bodies) != 1 || bodies[0].syncs == 0 || here.Board != Board(r.f) || here.Host().ID != "box" {
		t.Fatalf("%d pages, here %+v", len(bodies), here)
	}
	if !r.p.tabs.more.Visible() {
		t.Error("the pages have no room and no menu")
	}
	here.Say(guide.Warn, "Something happened.", "")
	r.want("Something happened.")
	r.p.Show("one")
	if bodies[0].left != 1 || r.sees("Something happened.") {
		t.Error("the page was not left")
	}
	r.p.Show("bill")
	if r.opened != "bill" {
		t.Error("another place is not opened")
	}
	r.p.Hidden()
	if bodies[1].left != 1 {
		t.Error("the page was not left with the place")
	}
}
