package frame

import (
	"fmt"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/assets/texts"
	"rentgen/ui/widgets"
)

type place struct {
	key   string
	label *widget.Label
	seen  int
	hid   int
}

func (p *place) Key() string                { return p.key }
func (p *place) Icon() fyne.Resource        { return theme.HomeIcon() }
func (p *place) Content() fyne.CanvasObject { return p.label }
func (p *place) Shown()                     { p.seen++ }
func (p *place) Hidden()                    { p.hid++ }
func (p *place) Retext(c *texts.Catalogue)  { p.label.SetText(c.T("place." + p.key)) }

type model struct {
	hosts  []Host
	chosen string
	added  int
}

func (m *model) Hosts() []Host    { return m.hosts }
func (m *model) Chosen() string   { return m.chosen }
func (m *model) Choose(id string) { m.chosen = id }
func (m *model) Add()             { m.added++ }

type rig struct {
	t       *testing.T
	w       fyne.Window
	f       *Frame
	m       *model
	watch   *place
	history *place
	lang    texts.Lang
	themed  int
}

func newRigFor(t *testing.T, size fyne.Size) *rig {
	t.Helper()
	test.NewTempApp(t)
	r := &rig{
		t: t, w: test.NewTempWindow(t, nil), m: &model{},
		watch: &place{key: "watch", label: widget.NewLabel("")}, history: &place{key: "history", label: widget.NewLabel("")},
	}
	r.f = New(Params{
		Window: r.w, Texts: texts.For(texts.English), Model: r.m,
		Places: []Place{r.watch, r.history, &place{key: "settings", label: widget.NewLabel("")}}, Low: 1,
		OnLang: func(l texts.Lang) {
			r.lang = l
			r.f.Retext(texts.For(l))
		},
		OnTheme: func() { r.themed++ },
	})
	r.w.SetContent(r.f.Content())
	r.w.Resize(size)
	return r
}

func TestPlacesByNumberKeys(t *testing.T) {
	r := newRigFor(t, fyne.NewSize(1280, 800))
	if r.f.Shown() != "watch" || r.watch.seen != 1 {
		t.Fatalf("starts at %q, seen %d", r.f.Shown(), r.watch.seen)
	}
	key := func(k fyne.KeyName) {
		r.w.Canvas().(fyne.Shortcutable).TypedShortcut(&desktop.CustomShortcut{KeyName: k, Modifier: fyne.KeyModifierShortcutDefault})
	}
	key(fyne.Key2)
	if r.f.Shown() != "history" || r.watch.hid != 1 || r.history.seen != 1 {
		t.Errorf("Ctrl+2 shows %q; hidden %d, seen %d", r.f.Shown(), r.watch.hid, r.history.seen)
	}
	key(fyne.Key3)
	if r.f.Shown() != "history" {
		t.Error("settings has a number")
	}
	// With the focus in a field the key works all the same.
	e := widgets.NewEntry()
	r.f.Cover(nil, nil)
	r.w.SetContent(e)
	r.w.Canvas().Focus(e)
	e.TypedShortcut(&desktop.CustomShortcut{KeyName: fyne.Key1, Modifier: fyne.KeyModifierShortcutDefault})
	if r.f.Shown() != "watch" {
		t.Error("Ctrl+1 is lost in a field")
	}
}

func TestRailFoldsInANarrowWindow(t *testing.T) {
	r := newRigFor(t, fyne.NewSize(1280, 800))
	if got := r.f.rail.buttons[0].Text; got != "Watch" {
		t.Errorf("rail says %q", got)
	}
	r.w.Resize(fyne.NewSize(1024, 700))
	if got := r.f.rail.buttons[0].Text; got != "" {
		t.Errorf("folded rail says %q", got)
	}
	if got := r.f.bar.box.Position().X; got != railFolded {
		t.Errorf("bar starts at %v", got)
	}
}

func TestHelpAndEscape(t *testing.T) {
	r := newRigFor(t, fyne.NewSize(1280, 800))
	c := r.w.Canvas()
	c.OnTypedKey()(&fyne.KeyEvent{Name: fyne.KeyF1})
	if c.Overlays().Top() == nil {
		t.Fatal("F1 opens nothing")
	}
	// The close button has the focus; Escape still reaches the window.
	b, ok := c.Focused().(*widgets.Button)
	if !ok {
		t.Fatalf("focus is on %T", c.Focused())
	}
	b.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if c.Overlays().Top() != nil {
		t.Fatal("Escape leaves the panel")
	}
	c.OnTypedKey()(&fyne.KeyEvent{Name: fyne.KeyF1})
	c.Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	if c.Overlays().Top() != nil {
		t.Fatal("Enter on the close button leaves the panel")
	}
}

func TestEveryStateOfTheDot(t *testing.T) {
	r := newRigFor(t, fyne.NewSize(1280, 800))
	if !r.f.bar.state.Hidden {
		t.Error("a state without a host")
	}
	colours := map[any]widgets.State{}
	for _, s := range []widgets.State{widgets.Off, widgets.Connecting, widgets.Live, widgets.Stale, widgets.Failed} {
		retried := false
		r.m.chosen = "a"
		r.m.hosts = []Host{{ID: "a", Name: "Box", Status: Status{
			State: s, Words: "words", Sentence: "What is so.", Next: "What to do.", Said: "Permission denied", Notes: []string{"A note."},
			Actions: []Action{{Label: "Retry", Do: func() { retried = true }}},
		}}}
		r.f.Update()
		if r.f.bar.state.Hidden || r.f.bar.words.Text != "words" || r.f.bar.dot.State != s || r.f.bar.hosts.Text != "Box" {
			t.Errorf("state %d is not shown", s)
		}
		if was, twice := colours[widgets.DotColour(s)]; twice {
			t.Errorf("states %d and %d look alike", s, was)
		}
		colours[widgets.DotColour(s)] = s
		test.Tap(r.f.bar.state)
		top := r.w.Canvas().Overlays().Top()
		if top == nil {
			t.Fatalf("state %d explains nothing", s)
		}
		var retry *widgets.Button
		seen := map[string]bool{}
		for _, o := range test.LaidOutObjects(top) {
			switch o := o.(type) {
			case *widget.Label:
				seen[o.Text] = true
			case *widgets.Button:
				if o.Text == "Retry" {
					retry = o
				}
			}
		}
		if !seen["What is so."] || !seen["What to do."] || !seen["Permission denied"] || !seen["A note."] || retry == nil {
			t.Fatalf("state %d: panel holds %v", s, seen)
		}
		test.Tap(retry)
		if !retried || r.w.Canvas().Overlays().Top() != nil {
			t.Error("the action was not done, or the panel stays")
		}
	}
}

func TestMenuOfHosts(t *testing.T) {
	r := newRigFor(t, fyne.NewSize(1280, 800))
	r.m.hosts = []Host{{ID: "a", Name: "Box A"}, {ID: "b", Name: "Box B", Status: Status{Words: "off"}}}
	test.Tap(r.f.bar.hosts)
	top := r.w.Canvas().Overlays().Top()
	if top == nil {
		t.Fatal("no menu")
	}
	var items []string
	for _, o := range test.LaidOutObjects(top) {
		if txt, ok := o.(*canvas.Text); ok && txt.Text != "" {
			items = append(items, txt.Text)
		}
	}
	if fmt.Sprint(items) != "[Box A Box B · off Add a host]" {
		t.Errorf("the menu holds %q", items)
	}
	r.w.Canvas().OnTypedKey()(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if r.w.Canvas().Overlays().Top() != nil {
		t.Error("Escape leaves the menu")
	}
}

func TestLanguageSwitch(t *testing.T) {
	r := newRigFor(t, fyne.NewSize(1280, 800))
	test.Tap(r.f.bar.langs[texts.Chinese])
	if r.lang != texts.Chinese || r.f.rail.buttons[0].Text != "监测" || r.watch.label.Text != "监测" {
		t.Errorf("after the switch the rail says %q, the place %q", r.f.rail.buttons[0].Text, r.watch.label.Text)
	}
	test.Tap(r.f.bar.theme)
	if r.themed != 1 {
		t.Error("the theme button does nothing")
	}
}

func TestCoverHidesThePlace(t *testing.T) {
	r := newRigFor(t, fyne.NewSize(1280, 800))
	r.f.Cover(widget.NewLabel("welcome"), nil)
	if !r.f.Covered() || r.watch.hid != 1 {
		t.Error("the place still draws under the first-run page")
	}
	test.Tap(r.f.rail.buttons[1])
	if r.f.Covered() || r.f.Shown() != "history" {
		t.Error("the rail does not lead away from the first-run page")
	}
}
