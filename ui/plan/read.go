package plan

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/storage"
	"fyne.io/fyne/v2/widget"

	core "rentgen/app/plan"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// reader is what was read from outside, and what is being read.
type reader struct {
	byPlan map[string]*read // by plan
	err    error            // why the last could not be read
	n      int              // counts what was read, so that the same name is said anew
	name   string           // of it
	busy   bool
	stop   func()
}

// read is a workflow that was read into a plan.
type read struct {
	Found
	name string
	n    int // reader.n when it was read
}

func (r *reader) found(plan string) *read { return r.byPlan[plan] }

// Drop reads a file that was dropped on the window; the place must be shown.
func (w *Place) Drop(u fyne.URI) {
	w.load(u.Name(), func() (io.ReadCloser, error) { return storage.Reader(u) })
}

func (w *Place) pickWorkflow() {
	w.p.Pick(func(name string, r io.ReadCloser, err error) {
		switch {
		case err != nil:
			w.unread(name, err)
		case r != nil:
			w.load(name, func() (io.ReadCloser, error) { return r, nil })
		}
	})
}

// pickFile asks for a file through the dialog of the system.
func pickFile(win fyne.Window) func(open func(string, io.ReadCloser, error)) {
	return func(open func(string, io.ReadCloser, error)) {
		widgets.OpenFile(win, []string{".json", ".png", ".txt"}, open)
	}
}

// load reads a file off the UI thread.
func (w *Place) load(name string, open func() (io.ReadCloser, error)) {
	if w.p.ReadFile == nil {
		return
	}
	w.begin(name, func(ctx context.Context) (Found, error) {
		r, err := open()
		if err != nil {
			return Found{}, err
		}
		defer r.Close()
		b, err := io.ReadAll(io.LimitReader(r, mostFile+1))
		if err != nil {
			return Found{}, err
		}
		if len(b) > mostFile {
			return Found{}, fmt.Errorf("more than %d MiB", mostFile>>20)
		}
		if ctx.Err() != nil {
			return Found{}, ctx.Err()
		}
		return w.p.ReadFile(name, b)
	})
}

// readRunning reads the job of the program that runs on the chosen host.
func (w *Place) readRunning() {
	name, ok := w.p.Host()
	if !ok || w.p.Running == nil {
		return
	}
	w.begin(name, w.p.Running)
}

// begin asks a question about the open plan; a newer one ends it.
func (w *Place) begin(name string, question func(ctx context.Context) (Found, error)) {
	r := &w.reader
	if r.stop != nil {
		r.stop()
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.name, r.err, r.busy = name, nil, true
	r.n++
	r.stop = func() {
		cancel()
		r.busy, r.stop = false, nil
		w.notices.sync()
	}
	plan := w.p.Desk.ID()
	w.notices.sync()
	w.p.Go(func() {
		f, err := question(ctx)
		w.p.Do(func() {
			if ctx.Err() != nil {
				return
			}
			cancel()
			r.busy, r.stop = false, nil
			if err != nil {
				w.unread(name, err)
				return
			}
			w.take(plan, name, f)
		})
	})
}

func (w *Place) unread(name string, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	w.reader.name, w.reader.err = name, err
	w.notices.sync()
}

// words says an error.
func (w *Place) words(err error) string {
	if w.p.Say != nil {
		return w.p.Say(w.c, err)
	}
	return err.Error()
}

// take puts what was found into the plan that was open when it was asked for.
func (w *Place) take(plan, name string, f Found) {
	if w.reader.byPlan == nil {
		w.reader.byPlan = make(map[string]*read)
	}
	w.reader.byPlan[plan] = &read{f, name, w.reader.n}
	d := w.p.Desk
	d.Open(plan)
	if d.ID() == plan && f.Job.Model != "" {
		d.Edit("", func(p *core.Plan) { p.Job = f.Job })
	}
	w.notices.sync()
}

// foundCard lists what was understood of a workflow and what was not.
func (w *Place) foundCard(f *read) fyne.CanvasObject {
	c := w.c
	v, title := theme.Pass, c.T("plan.found", "name", f.name, "program", f.Program)
	if f.Job.Model == "" {
		v, title = theme.Warn, c.T("plan.found.nomodel", "name", f.name, "program", f.Program)
	}
	head := widgets.Words(title)
	head.TextStyle.Bold = true
	col := container.NewVBox(head)
	lines := func(key string, items []Item) {
		if len(items) == 0 {
			return
		}
		var parts []string
		for _, it := range items {
			parts = append(parts, w.itemText(it))
		}
		col.Add(widgets.Words(c.T(key, "list", strings.Join(parts, " · "))))
	}
	lines("plan.found.missed", f.Missed) // first: it is what there is to do
	lines("plan.found.understood", f.Understood)
	d := w.p.Desk
	id := d.ID()
	buttons := container.NewVBox(widgets.Quiet(c.T("plan.close"), nil, func() {
		delete(w.reader.byPlan, id)
		w.notices.sync()
	}), layout.NewSpacer())
	body := container.NewVScroll(container.New(&besideBar{}, col))
	return widgets.Card(3, container.NewBorder(nil, nil, container.NewVBox(widget.NewIcon(v.Icon())), buttons,
		widgets.AtLeast(fyne.NewSize(10, widgets.Scaled(76)), body)))
}

// itemText says a thing that was found.
func (w *Place) itemText(it Item) string {
	name := it.Field
	if key := "plan.f." + it.Field; w.c.Has(key) {
		name = w.c.T(key)
	}
	if key := "plan.kind." + it.Value; it.Field == "kind" && w.c.Has(key) {
		it.Value = w.c.T(key)
	}
	if it.Value != "" {
		name = w.c.T("plan.found.item", "name", name, "value", it.Value)
	}
	if why := w.c.Say(it.Why); why != "" {
		name = w.c.T("plan.found.why", "item", name, "why", why)
	}
	return name
}
