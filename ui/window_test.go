package ui_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/test"

	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/probe/demo"
	"rentgen/probe/remote"
	"rentgen/probe/stream"
	"rentgen/ui/hosts"
	"rentgen/ui/shots"
	"rentgen/ui/uitest"
	"rentgen/ui/widgets"
)

const linePlaceholder = "ssh -p 38076 root@region-1.example.com"

var box = hosts.Saved{ID: "box", Name: "AutoDL 4090", Line: "ssh -p 38076 root@region-1.example.com", Created: shots.Now}

func real(m probe.Message) probe.Message {
	if inv, ok := m.(*probe.Inventory); ok {
		c := *inv
		c.Demo = false
		return &c
	}
	return m
}

func open(t *testing.T, o shots.Options) *shots.Stage {
	t.Helper()
	if o.Size.Width == 0 {
		o.Size = fyne.NewSize(1280, 800)
	}
	if o.Theme == "" {
		o.Theme = "dark"
	}
	return shots.New(t, o)
}

func TestFirstRunPasteALineAndSeeTheCard(t *testing.T) {
	s := open(t, shots.Options{Lang: texts.English})
	c := s.Canvas()
	if !uitest.Sees(c, "Welcome to Rentgen") || !uitest.Sees(c, "I have an instance") || !uitest.Sees(c, "Show me") || !uitest.Sees(c, "This computer") {
		t.Fatalf("the doors are missing: %q", uitest.Texts(c))
	}
	if started, _, _ := s.Opener.Stream("demo").Counts(); started != 1 {
		t.Error("the demo does not run behind the first page")
	}
	test.Type(uitest.Field(t, c, linePlaceholder), "ssh -p 38076 root@region-1.example.com")
	uitest.Press(t, c, "Connect")
	h := s.Win.Book().Chosen()
	if h == nil || h.Name != "region-1:38076" {
		t.Fatalf("chosen is %+v", h)
	}
	saved, _ := s.Store.Hosts(context.Background())
	if len(saved) != 1 || saved[0].Line != "ssh -p 38076 root@region-1.example.com" {
		t.Errorf("saved: %+v", saved)
	}
	if s.Win.Frame().Covered() {
		t.Error("the first page stays")
	}
	s.Say(h.ID, stream.State{Phase: stream.Connecting, Stage: string(remote.StageAuth)})
	if !uitest.Sees(c, "connecting · Logging in") {
		t.Errorf("the stage is not said: %q", uitest.Texts(c))
	}
	s.Feed(h.ID, demo.Params{Cards: 1}, 5*time.Minute, real)
	for _, want := range []string{"live", "GeForce RTX 4090", "probe", "driver", "log kept"} {
		if !uitest.Sees(c, want) {
			t.Errorf("%q is not shown", want)
		}
	}
}

func TestPasteAnywhereOnTheFirstPage(t *testing.T) {
	s := open(t, shots.Options{Lang: texts.English})
	clip := fyne.CurrentApp().Clipboard()
	clip.SetContent("ssh -p 38076 root@region-1.example.com\npassword: Abc+1@x")
	s.Canvas().(fyne.Shortcutable).TypedShortcut(&fyne.ShortcutPaste{Clipboard: clip})
	f, ok := s.Canvas().Focused().(*widgets.Entry)
	if !ok || f.Text != "ssh -p 38076 root@region-1.example.com" {
		t.Fatalf("focus is on %T", s.Canvas().Focused())
	}
	f.TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
	if h := s.Win.Book().Chosen(); h == nil || h.Line != f.Text || s.Opener.Stream(h.ID).Password != "Abc+1@x" {
		t.Errorf("chosen is %+v", h)
	}
}

func TestDemoDoor(t *testing.T) {
	s := open(t, shots.Options{Lang: texts.English})
	uitest.Press(t, s.Canvas(), "Open the demo")
	s.Feed(demo.ID, demo.Params{}, time.Minute, nil)
	if !uitest.Sees(s.Canvas(), "demo, made up") {
		t.Error("the demo is not labelled")
	}
	if len(s.Store.Logs()) != 0 {
		t.Error("the demo is kept unasked")
	}
}

// otherLanguage finds letters that do not belong to the language of the window.
func otherLanguage(l texts.Lang, s string) bool {
	if l == texts.English {
		return strings.IndexFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) }) >= 0
	}
	return false
}

// englishWords are what may stand in a Chinese window: names, units and what
// the host said.
func englishLeft(s string) bool {
	for _, w := range []string{"Watch", "Settings", "connected", "live", "Processes", "Events", "More", "driver", "probe", "own", "unseen", "Temperature", "Power", "allowed", "read", "outside"} {
		for _, f := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }) {
			if f == w {
				return true
			}
		}
	}
	return false
}

func TestLanguageSwitchLeavesNothingBehind(t *testing.T) {
	for i, sc := range shots.Scenes() {
		if raceOn && i%5 != 0 {
			continue
		}
		if strings.HasPrefix(sc.Name, "diagnostics") {
			continue // versions and log lines are the same everywhere
		}
		if sc.Kept {
			continue // History has tests of its own; this is about the frame
		}
		t.Run(sc.Name, func(t *testing.T) {
			s := open(t, shots.Options{Lang: texts.Chinese, Hosts: sc.Hosts, Plans: sc.Plans})
			sc.Play(s)
			if widgets.Dismiss(s.Canvas()) {
				return // a panel over a page that another scene has
			}
			tap := func(mark string) {
				uitest.Press(t, s.Canvas(), mark)
			}
			tap("EN")
			for _, x := range uitest.Prose(s.Canvas()) {
				if x == s.Win.Desk().Name() || strings.Contains(x, "it is called") {
					continue // the plan's own name is kept, and a console's own words
				}
				if x != "中" && x != "中文" && otherLanguage(texts.English, x) {
					t.Errorf("Chinese is left: %q", x)
				}
			}
			tap("中")
			for _, x := range uitest.Prose(s.Canvas()) {
				if x != "EN" && x != "English" && englishLeft(x) {
					t.Errorf("English is left: %q", x)
				}
			}
			if s.Settings.Lang != "zh" {
				t.Errorf("the choice is not kept: %q", s.Settings.Lang)
			}
		})
	}
}

func TestFyneSpeaksTheWindowsLanguage(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("Fyne's words follow the system there")
	}
	before := os.Getenv("LC_ALL")
	s := open(t, shots.Options{Lang: texts.Chinese})
	if got := lang.L("Cancel"); got != "取消" {
		t.Errorf("in Chinese it says %q", got)
	}
	uitest.Press(t, s.Canvas(), "EN")
	if got := lang.L("Cancel"); got != "Cancel" {
		t.Errorf("in English it says %q", got)
	}
	if os.Getenv("LC_ALL") != before {
		t.Error("the environment was left changed")
	}
}

func TestThemeSwitch(t *testing.T) {
	s := open(t, shots.Options{Lang: texts.English, Theme: "dark", Hosts: []hosts.Saved{box}})
	s.Feed("box", demo.Params{Cards: 1}, time.Minute, real)
	var b *widgets.Button
	uitest.Visible(s.Canvas(), func(o fyne.CanvasObject) {
		if x, ok := o.(*widgets.Button); ok && x.Icon != nil && strings.Contains(x.Icon.Name(), "color-palette") {
			b = x
		}
	})
	if b == nil {
		t.Fatal("no theme button")
	}
	test.Tap(b)
	if s.Settings.Theme != "light" {
		t.Errorf("theme is %q", s.Settings.Theme)
	}
	test.Tap(b)
	if s.Settings.Theme != "dark" {
		t.Errorf("theme is %q", s.Settings.Theme)
	}
}

func TestStatesAndNextSteps(t *testing.T) {
	s := open(t, shots.Options{Lang: texts.English, Hosts: []hosts.Saved{box}})
	c := s.Canvas()
	if !uitest.Sees(c, "This host is not connected.") {
		t.Errorf("off: %q", uitest.Texts(c))
	}
	uitest.Press(t, c, "Connect")
	s.Say("box", stream.State{Phase: stream.Failed, Err: &remote.Error{
		Stage: remote.StageAuth, Kind: remote.KindPasswordWrong, Said: "Permission denied",
	}})
	for _, want := range []string{"refused the password.", "Permission denied", "Logging in", "Copy the password from the provider"} {
		if !uitest.Sees(c, want) {
			t.Errorf("failed: %q is missing in %q", want, uitest.Texts(c))
		}
	}
	uitest.Press(t, c, "Try again now")
	if _, _, retried := s.Opener.Stream("box").Counts(); retried != 1 {
		t.Error("no retry")
	}
	// Readings stay on the page when the link breaks, with their age.
	s.Feed("box", demo.Params{Cards: 1}, 2*time.Minute, real)
	s.Time = shots.Now.Add(40 * time.Second)
	s.Say("box", stream.State{Phase: stream.Stale, LastTick: shots.Now})
	s.Refresh()
	if !uitest.Sees(c, "no news for 40 s") || !uitest.Sees(c, "Processes") {
		t.Errorf("stale: %q", uitest.Texts(c))
	}
	s.Say("box", stream.State{Phase: stream.Waiting, LastTick: shots.Now, RetryAt: s.Time.Add(5 * time.Second), Err: &remote.Error{Kind: remote.KindLost}})
	if !uitest.Sees(c, "link down, again in 5 s") || !uitest.Sees(c, "broke.") {
		t.Errorf("waiting: %q", uitest.Texts(c))
	}
	s.Say("box", stream.State{Phase: stream.Paused, LastTick: shots.Now})
	uitest.Press(t, c, "Go on")
}

func TestChangedIdentityCanBeReplacedOnlyFromItsQuestion(t *testing.T) {
	s := open(t, shots.Options{Lang: texts.English, Hosts: []hosts.Saved{box}})
	c := s.Canvas()
	s.Host("box").Connect()
	s.Say("box", stream.State{Phase: stream.Failed, Err: &remote.Error{
		Stage: remote.StageHostKey, Kind: remote.KindHostKeyChanged,
		Change: &remote.KeyChange{Addr: "h:22", Old: []remote.KeyInfo{{Fingerprint: "SHA256:old"}}, New: remote.KeyInfo{Fingerprint: "SHA256:new"}},
	}})
	uitest.Press(t, c, "Instance re-created")
	if !uitest.Sees(c, "SHA256:old") || !uitest.Sees(c, "SHA256:new") {
		t.Errorf("both identities must be seen: %q", uitest.Texts(c))
	}
	uitest.Press(t, c, "Don't connect")
	if _, _, retried := s.Opener.Stream("box").Counts(); retried != 0 {
		t.Error("it connected all the same")
	}
}

func TestCards(t *testing.T) {
	for _, n := range []int{1, 2, 8} {
		s := open(t, shots.Options{Lang: texts.English, Hosts: []hosts.Saved{box}})
		s.Feed("box", demo.Params{Cards: n}, time.Minute, real)
		s.Settle()
		tiles := 0
		uitest.Visible(s.Canvas(), func(o fyne.CanvasObject) {
			p := fyne.CurrentApp().Driver().AbsolutePositionForObject(o)
			if right := p.X + o.Size().Width; right > 1281 && o.Visible() {
				if _, ok := o.(fyne.Widget); ok {
					t.Errorf("%d cards: %T reaches %v", n, o, right)
				}
			}
			if isTile(o) {
				tiles++
			}
		})
		if want := n; n > 1 && tiles != want {
			t.Errorf("%d tiles for %d cards", tiles, n)
		}
	}
}

// isTile reports whether an object is a card's tile: what can be pressed below
// the bar and is higher than a line of words.
func isTile(o fyne.CanvasObject) bool {
	_, tap := o.(*widgets.Tap)
	return tap && fyne.CurrentApp().Driver().AbsolutePositionForObject(o).Y > 60 && o.Size().Height > 50
}

func TestChooseACard(t *testing.T) {
	s := open(t, shots.Options{Lang: texts.English, Hosts: []hosts.Saved{box}})
	s.Feed("box", demo.Params{Cards: 2}, time.Minute, real)
	var taps []*widgets.Tap
	uitest.Visible(s.Canvas(), func(o fyne.CanvasObject) {
		if x, ok := o.(*widgets.Tap); ok && isTile(o) {
			taps = append(taps, x)
		}
	})
	if len(taps) != 2 || !taps[0].Chosen {
		t.Fatalf("%d tiles", len(taps))
	}
	s.Canvas().Focus(taps[1])
	taps[1].TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
	if !taps[1].Chosen || taps[0].Chosen {
		t.Error("the second card was not opened by keyboard")
	}
	if !uitest.Sees(s.Canvas(), "1 · GeForce") {
		t.Errorf("the head still names another card: %q", uitest.Texts(s.Canvas())[:12])
	}
}

func TestMissingMetricsSayWhy(t *testing.T) {
	for _, sc := range shots.Scenes() {
		if sc.Name != "watch-missing" {
			continue
		}
		s := open(t, shots.Options{Lang: texts.English, Hosts: sc.Hosts})
		sc.Play(s)
		for _, want := range []string{
			"not offered by this card", "denied in this container", "read error: [Unknown Error]",
			"Simple readings only: the host has no glibc", "simple readings",
		} {
			if !uitest.Sees(s.Canvas(), want) {
				t.Errorf("%q is missing", want)
			}
		}
	}
}

func TestNoGPUModeIsNoFault(t *testing.T) {
	for _, sc := range shots.Scenes() {
		if sc.Name != "watch-no-gpu" {
			continue
		}
		s := open(t, shots.Options{Lang: texts.English, Hosts: sc.Hosts})
		sc.Play(s)
		if !uitest.Sees(s.Canvas(), "This instance was started without a card.") || !uitest.Sees(s.Canvas(), "no card, by choice") {
			t.Errorf("seen: %q", uitest.Texts(s.Canvas()))
		}
		if uitest.Sees(s.Canvas(), "failed") {
			t.Error("it looks like a fault")
		}
	}
}

func TestHostsBesideEachOther(t *testing.T) {
	other := hosts.Saved{ID: "pod", Name: "Pod", Line: "ssh a@b", Created: shots.Now}
	s := open(t, shots.Options{Lang: texts.English, Hosts: []hosts.Saved{box, other}})
	s.Feed("box", demo.Params{Cards: 1}, time.Minute, real)
	s.Feed("pod", demo.Params{Cards: 2}, time.Minute, real)
	var chips []*widgets.Tap
	uitest.Visible(s.Canvas(), func(o fyne.CanvasObject) {
		if x, ok := o.(*widgets.Tap); ok {
			if y := fyne.CurrentApp().Driver().AbsolutePositionForObject(o).Y; y > 36 && y < 60 {
				chips = append(chips, x)
			}
		}
	})
	if len(chips) != 2 {
		t.Fatalf("%d hosts in the row", len(chips))
	}
	test.Tap(chips[1])
	if s.Win.Chosen() != "pod" || !uitest.Sees(s.Canvas(), "1 · GeForce") {
		t.Errorf("chosen is %q", s.Win.Chosen())
	}
	for _, id := range []string{"box", "pod"} {
		if !s.Host(id).Connected() {
			t.Errorf("%s was disconnected", id)
		}
	}
}

func TestControls(t *testing.T) {
	s := open(t, shots.Options{Lang: texts.English, Hosts: []hosts.Saved{box}})
	s.Feed("box", demo.Params{Cards: 1}, 10*time.Minute, real)
	c := s.Canvas()
	uitest.Press(t, c, "30 min")
	var sel *widgets.Select
	var pause, copyButton *widgets.Button
	if !uitest.Sees(c, "1 Hz") {
		t.Error("the rate is not in the line of facts")
	}
	uitest.Visible(c, func(o fyne.CanvasObject) {
		if _, ok := o.(*widgets.Select); ok {
			t.Error("the choice of a rate stands outside of More")
		}
	})
	uitest.Press(t, c, s.Win.Texts().T("watch.more"))
	uitest.Visible(c, func(o fyne.CanvasObject) {
		switch o := o.(type) {
		case *widgets.Select:
			sel = o
		case *widgets.Button:
			if o.Icon == nil {
				return
			}
			switch {
			case strings.Contains(o.Icon.Name(), "pause"):
				pause = o
			case strings.Contains(o.Icon.Name(), "copy"):
				copyButton = o
			}
		}
	})
	sel.SetSelected("5 Hz")
	test.Tap(pause)
	if rate, paused := s.Opener.Stream("box").Asked(); rate != 5 || !paused {
		t.Errorf("asked for %v, paused %v", rate, paused)
	}
	test.Tap(copyButton)
	got := fyne.CurrentApp().Clipboard().Content()
	for _, want := range []string{"GPU\t", "VRAM\t", "Temperature\t", "CPU\t", "NVLink out\tnot offered by this card"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q was not copied; got\n%s", want, got)
		}
	}
}

func TestChangeTheLoginLine(t *testing.T) {
	s := open(t, shots.Options{Lang: texts.English, Hosts: []hosts.Saved{box}})
	c := s.Canvas()
	uitest.Press(t, c, "Change the login line")
	field := uitest.Field(t, c, linePlaceholder)
	if field.Text != box.Line {
		t.Errorf("the line is %q", field.Text)
	}
	field.SetText("ssh -p 40001 root@region-1.example.com")
	uitest.Press(t, c, "Connect")
	h := s.Host("box")
	if h.Line != "ssh -p 40001 root@region-1.example.com" || h.Name != box.Name || !h.Connected() {
		t.Errorf("host is %+v, connected %v", h.Saved, h.Connected())
	}
	if s.Win.Frame().Covered() {
		t.Error("the page stays")
	}
}

func TestForgetAHost(t *testing.T) {
	s := open(t, shots.Options{Lang: texts.English, Hosts: []hosts.Saved{box}})
	uitest.Press(t, s.Canvas(), "Forget this host")
	uitest.Press(t, s.Canvas(), "Forget")
	if s.Win.Book().Get("box") != nil || !uitest.Sees(s.Canvas(), "No host yet") {
		t.Error("the host stays")
	}
	if got := s.Opener.Forgotten(); len(got) != 1 || got[0] != "box" {
		t.Errorf("secrets forgotten of %v", got)
	}
}

func TestReportMasksNames(t *testing.T) {
	s := open(t, shots.Options{Lang: texts.English, Hosts: []hosts.Saved{{ID: "x", Name: "Mine", Line: "ssh -p 2222 alice@secret.example.com", Created: shots.Now}}})
	s.Host("x").Connect()
	s.Say("x", stream.State{Phase: stream.Failed, Err: errors.New("dial secret.example.com as alice: refused")})
	r := s.Win.Report()
	if strings.Contains(r, "secret.example.com") || strings.Contains(r, "alice") {
		t.Errorf("names are left:\n%s", r)
	}
	if !strings.Contains(r, "refused") || !strings.Contains(r, "0.1.0") {
		t.Errorf("what matters is missing:\n%s", r)
	}
}

func TestEverythingByKeyboard(t *testing.T) {
	s := open(t, shots.Options{Lang: texts.English, Hosts: []hosts.Saved{box}})
	s.Feed("box", demo.Params{Cards: 2}, time.Minute, real)
	c := s.Canvas()
	seen := map[fyne.Focusable]bool{}
	for range 200 {
		c.FocusNext()
		f := c.Focused()
		if f == nil || seen[f] {
			break
		}
		seen[f] = true
	}
	var missed []string
	uitest.Visible(c, func(o fyne.CanvasObject) {
		if _, tappable := o.(fyne.Tappable); !tappable {
			return
		}
		f, ok := o.(fyne.Focusable)
		if !ok || !seen[f] {
			missed = append(missed, strings.TrimPrefix(strings.TrimPrefix(typeName(o), "*widgets."), "*"))
		}
	})
	if len(missed) > 0 {
		t.Errorf("not reached by Tab: %q", missed)
	}
	// F1 and Escape work wherever the focus is.
	c.Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyF1})
	if c.Overlays().Top() == nil {
		t.Error("F1 is lost")
	}
	c.Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if c.Overlays().Top() != nil {
		t.Error("Escape is lost")
	}
	c.(fyne.Shortcutable).TypedShortcut(&desktop.CustomShortcut{KeyName: fyne.Key1, Modifier: fyne.KeyModifierShortcutDefault})
}

func TestASecondLookDrawsNothingNew(t *testing.T) {
	s := open(t, shots.Options{Lang: texts.English, Hosts: []hosts.Saved{box}})
	s.Feed("box", demo.Params{Cards: 1}, time.Minute, real)
	var before []fyne.CanvasObject
	uitest.Visible(s.Canvas(), func(o fyne.CanvasObject) {
		if _, ok := o.(fyne.Widget); ok {
			before = append(before, o)
		}
	})
	s.Host("box").Live().Message(&probe.Sample{Time: shots.Now, GPUs: []probe.GPU{{UUID: "x"}}})
	s.Refresh()
	var after []fyne.CanvasObject
	uitest.Visible(s.Canvas(), func(o fyne.CanvasObject) {
		if _, ok := o.(fyne.Widget); ok {
			after = append(after, o)
		}
	})
	kept := map[fyne.CanvasObject]bool{}
	for _, o := range before {
		kept[o] = true
	}
	fresh := 0
	for _, o := range after {
		if !kept[o] {
			fresh++
		}
	}
	if fresh > 2 {
		t.Errorf("%d widgets were made anew for one reading", fresh)
	}
}
func typeName(o any) string { return fmt.Sprintf("%T", o) }
