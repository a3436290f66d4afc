package ui_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"rentgen/assets/texts"
	"rentgen/ui/hosts"
	"rentgen/ui/shots"
	"rentgen/ui/uitest"
)

// later keeps what takes its time until it is let run.
type later struct{ fs []func() }

func (l *later) add(f func()) { l.fs = append(l.fs, f) }

func (l *later) run() {
	for len(l.fs) > 0 {
		f := l.fs[0]
		l.fs = l.fs[1:]
		f()
	}
}

func TestSavingAHostLeavesTheWindowFree(t *testing.T) {
	var slow later
	s := open(t, shots.Options{Lang: texts.English, Go: slow.add})
	c := s.Canvas()
	test.Type(uitest.Field(t, c, linePlaceholder), box.Line)
	uitest.Press(t, c, "Connect")
	if saved, _ := s.Store.Hosts(context.Background()); len(saved) != 0 {
		t.Fatal("it was saved on the UI thread")
	}
	if !uitest.Button(t, c, "Connect").Disabled() || !uitest.Sees(c, "Saving the host…") {
		t.Errorf("the page takes another meanwhile, or does not say what goes on: %q", uitest.Texts(c))
	}
	uitest.Field(t, c, linePlaceholder).TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn}) // the other way to press it
	s.Store.SaveErr = errors.New("the history is busy")
	slow.run()
	if !uitest.Sees(c, "The host could not be saved.") || !uitest.Sees(c, "the history is busy") || uitest.Sees(c, "Saving the host…") {
		t.Errorf("why it was not saved is not said on the page: %q", uitest.Texts(c))
	}
	s.Store.SaveErr = nil
	uitest.Press(t, c, "Connect")
	slow.run()
	saved, _ := s.Store.Hosts(context.Background())
	if len(saved) != 1 || s.Win.Frame().Covered() || !s.Host(saved[0].ID).Connected() {
		t.Errorf("saved %v, page open %v", saved, s.Win.Frame().Covered())
	}
}

func TestHostsOfAnotherProcessComeWithTheKeyboard(t *testing.T) {
	s := open(t, shots.Options{Lang: texts.English, Hosts: []hosts.Saved{box}})
	other := hosts.Saved{ID: "pod", Name: "Pod of another", Line: "ssh a@b", Created: shots.Now.Add(time.Hour)}
	if err := s.Store.SaveHost(context.Background(), other); err != nil {
		t.Fatal(err)
	}
	if s.Win.Book().Get("pod") != nil {
		t.Fatal("known before it was read")
	}
	s.App.Lifecycle().(interface{ OnEnteredForeground() func() }).OnEnteredForeground()()
	if s.Win.Book().Get("pod") == nil || !uitest.Sees(s.Canvas(), "Pod of another") {
		t.Errorf("not taken over: %q", uitest.Texts(s.Canvas()))
	}
}
