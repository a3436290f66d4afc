package setup

import (
	"context"
	"errors"

	"fyne.io/fyne/v2/widget"

	"rentgen/assets/texts"
	"rentgen/ui/widgets"
)

// Task is the slow work of a page: one thing at a time, off the UI thread, which
// can be stopped and says how it ended. It outlives the page, so that work goes
// on while another one is seen. Its methods belong to the UI thread.
type Task struct {
	// Changed is called after every change; nil for nobody.
	Changed func()
	cancel  context.CancelFunc
	doing   string
	failed  string
}

// Busy reports whether something is under way.
func (t *Task) Busy() bool { return t.cancel != nil }

// Stop ends what is under way.
func (t *Task) Stop() {
	if t.cancel != nil {
		t.cancel()
	}
}

// Tell changes the words for what is under way.
func (t *Task) Tell(doing string) {
	t.doing = doing
	t.changed()
}

// Fail says that something did not work; "" takes that back.
func (t *Task) Fail(why string) {
	t.failed = why
	t.changed()
}

// Start runs f unless something is under way. What f returns is called on the UI
// thread at the end, also with an error; say puts an error in words. A stop by
// the user is no error.
func (t *Task) Start(h *Here, doing string, say func(err error) string, f func(ctx context.Context) (done func(), err error)) {
	if t.cancel != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	t.cancel, t.doing, t.failed = cancel, doing, ""
	t.changed()
	h.Go(func() {
		done, err := f(ctx)
		stopped := ctx.Err() != nil && errors.Is(err, context.Canceled)
		cancel()
		h.Do(func() {
			t.cancel = nil
			switch {
			case stopped:
				t.failed = h.Texts.T("setup.task.stopped")
			case err != nil:
				t.failed = say(err)
			}
			if done != nil {
				done()
			}
			t.changed()
		})
	})
}

func (t *Task) changed() {
	if t.Changed != nil {
		t.Changed()
	}
}

// Show puts the task's words into a label, which has no room without any; idle
// are those of the time between.
func (t *Task) Show(l *widget.Label, idle string) {
	text := idle
	switch {
	case t.cancel != nil:
		text = t.doing
	case t.failed != "":
		text = t.failed
	}
	Put(l, text)
}

// Put sets the words of a label that wraps; without any it takes no room.
func Put(l *widget.Label, text string) {
	if l.Text != text {
		widgets.SetWords(l, text)
	}
	widgets.SetShown(l, text != "")
}

// Offline is what a page says while the host isn't connected, "" while it is.
func (h *Here) Offline() string {
	switch {
	case h.Host().Demo:
		return h.Texts.T("setup.task.demo")
	case h.Runner() == nil:
		return h.Texts.T("setup.task.offline")
	}
	return ""
}

// Failed puts an error in words where a page has none of its own.
func Failed(c *texts.Catalogue) func(error) string {
	return func(err error) string { return c.T("setup.task.failed", "err", err) }
}
