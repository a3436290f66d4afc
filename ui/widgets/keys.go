// Package widgets holds the small parts that the places of the window share:
// inputs that leave the window's own keys alone, a panel above the place, the
// dot that says how a host is.
package widgets

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"
)

// Fyne hands a key to the widget with the focus alone, so without these
// wrappers F1, Escape and Ctrl+1 would do nothing while one has it.

// passKey hands a key of the window to its canvas and reports whether it did.
func passKey(o fyne.CanvasObject, ev *fyne.KeyEvent) bool {
	if ev.Name != fyne.KeyF1 && ev.Name != fyne.KeyEscape {
		return false
	}
	c := fyne.CurrentApp().Driver().CanvasForObject(o)
	if c == nil || c.OnTypedKey() == nil {
		return false
	}
	c.OnTypedKey()(ev)
	return true
}

// passShortcut hands a shortcut of ours to the canvas and reports whether it did.
func passShortcut(o fyne.CanvasObject, s fyne.Shortcut) bool {
	if _, ours := s.(*desktop.CustomShortcut); !ours {
		return false
	}
	return passToCanvas(o, s)
}

func passToCanvas(o fyne.CanvasObject, s fyne.Shortcut) bool {
	c, ok := fyne.CurrentApp().Driver().CanvasForObject(o).(fyne.Shortcutable)
	if ok {
		c.TypedShortcut(s)
	}
	return ok
}

// Button is a button that leaves the window's keys to the window. Enter presses
// it, as the space bar does.
type Button struct {
	widget.Button
	// OnFocus is called when the keyboard comes to it; nil for nothing.
	OnFocus func()
}

// FocusGained shows the focus.
func (b *Button) FocusGained() {
	b.Button.FocusGained()
	call(b.OnFocus)
}

func call(f func()) {
	if f != nil {
		f()
	}
}

// NewButton returns a button.
func NewButton(text string, icon fyne.Resource, tapped func()) *Button {
	b := &Button{}
	b.Text, b.Icon, b.OnTapped = text, icon, tapped
	b.ExtendBaseWidget(b)
	return b
}

// Quiet returns a button without a ground, for bars and lists.
func Quiet(text string, icon fyne.Resource, tapped func()) *Button {
	b := NewButton(text, icon, tapped)
	b.Importance = widget.LowImportance
	return b
}

// Primary returns the one button of a page that is to be pressed next.
func Primary(text string, icon fyne.Resource, tapped func()) *Button {
	b := NewButton(text, icon, tapped)
	b.Importance = widget.HighImportance
	return b
}

// TypedKey presses the button on space and Enter.
func (b *Button) TypedKey(ev *fyne.KeyEvent) {
	switch {
	case passKey(b, ev):
	case ev.Name == fyne.KeyReturn || ev.Name == fyne.KeyEnter:
		if !b.Disabled() {
			b.Tapped(&fyne.PointEvent{})
		}
	default:
		b.Button.TypedKey(ev)
	}
}

// Entry is a text field that leaves the window's keys to the window.
type Entry struct {
	widget.Entry
	// OnPaste sees a pasted text before the field does and reports whether it
	// took it; nil takes none.
	OnPaste func(text string) bool
	// PassUndo leaves undo and redo to the window too: what was typed is part of
	// something with a past of its own.
	PassUndo bool
	// OnFocus is called when the keyboard comes to it, OnLeave when it goes; nil
	// for nothing.
	OnFocus, OnLeave func()
}

// FocusLost hides the focus.
func (e *Entry) FocusLost() {
	e.Entry.FocusLost()
	call(e.OnLeave)
}

// FocusGained shows the focus.
func (e *Entry) FocusGained() {
	e.Entry.FocusGained()
	call(e.OnFocus)
}

// AcceptsTab is false also in a text of several lines: Tab moves on, or nobody
// without a mouse would leave it.
func (e *Entry) AcceptsTab() bool { return false }

// NewEntry returns a field of one line.
func NewEntry() *Entry {
	e := &Entry{}
	e.Wrapping = fyne.TextWrapOff
	e.ExtendBaseWidget(e)
	return e
}

// NewArea returns a field of several lines; words in monospace stay as they are
// typed.
func NewArea() *Entry {
	e := &Entry{}
	e.MultiLine = true
	e.Wrapping = fyne.TextWrapBreak
	e.TextStyle.Monospace = true
	e.ExtendBaseWidget(e)
	return e
}

// NewPassword returns a field of one line whose text is hidden.
func NewPassword() *Entry {
	e := NewEntry()
	e.Password = true
	return e
}

// TypedKey passes the window's keys on.
func (e *Entry) TypedKey(ev *fyne.KeyEvent) {
	if !passKey(e, ev) {
		e.Entry.TypedKey(ev)
	}
}

// TypedShortcut passes the window's shortcuts on.
func (e *Entry) TypedShortcut(s fyne.Shortcut) {
	if p, ok := s.(*fyne.ShortcutPaste); ok && e.OnPaste != nil && e.OnPaste(p.Clipboard.Content()) {
		return
	}
	if e.PassUndo && isUndo(s) && passToCanvas(e, s) || passShortcut(e, s) {
		return
	}
	e.Entry.TypedShortcut(s)
}

func isUndo(s fyne.Shortcut) bool {
	switch s.(type) {
	case *fyne.ShortcutUndo, *fyne.ShortcutRedo:
		return true
	}
	return false
}

// Check is a tick box that leaves the window's keys to the window.
type Check struct {
	widget.Check
	// OnFocus is called when the keyboard comes to it; nil for nothing.
	OnFocus func()
}

// FocusGained shows the focus.
func (c *Check) FocusGained() {
	c.Check.FocusGained()
	call(c.OnFocus)
}

// NewCheck returns a tick box.
func NewCheck(text string, changed func(bool)) *Check {
	c := &Check{}
	c.Text, c.OnChanged = text, changed
	c.ExtendBaseWidget(c)
	return c
}

// TypedKey passes the window's keys on.
func (c *Check) TypedKey(ev *fyne.KeyEvent) {
	if !passKey(c, ev) {
		c.Check.TypedKey(ev)
	}
}

// Select is a choice of one from a list that leaves the window's keys to the
// window.
type Select struct {
	widget.Select
	// OnFocus is called when the keyboard comes to it; nil for nothing.
	OnFocus func()
}

// FocusGained shows the focus.
func (s *Select) FocusGained() {
	s.Select.FocusGained()
	call(s.OnFocus)
}

// NewSelect returns a choice.
func NewSelect(options []string, changed func(string)) *Select {
	s := &Select{}
	s.Options, s.OnChanged = options, changed
	s.ExtendBaseWidget(s)
	return s
}

// TypedKey passes the window's keys on.
func (s *Select) TypedKey(ev *fyne.KeyEvent) {
	if !passKey(s, ev) {
		s.Select.TypedKey(ev)
	}
}
