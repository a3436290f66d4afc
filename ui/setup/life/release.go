package life

import (
	"context"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/guide"
	"rentgen/app/guide/day"
	"rentgen/app/guide/keep"
	"rentgen/assets/texts"
	"rentgen/ui/setup"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// release is the page "Before release".
type release struct {
	p    Params
	h    *setup.Here
	v    *view
	root *container.Scroll

	look, stop *widgets.Button
	state      *widget.Label
	body       *fyne.Container
	drawn      int
	provider   string
	marks      int
}

func newRelease(p Params, h *setup.Here, v *view) *release {
	c := h.Texts
	r := &release{p: p, h: h, v: v, drawn: -1, state: widgets.Words(""), body: container.NewVBox()}
	r.look = widgets.Primary(c.T("life.release.look"), theme.Icon("play"), func() { v.look(h, true, nil) })
	r.stop = widgets.NewButton(c.T("life.stop"), fynetheme.MediaStopIcon(), v.task.Stop)
	r.root = container.NewVScroll(widgets.Inset(6, container.NewVBox(
		widgets.Words(c.T("life.release.why")), widgets.Row(r.look, r.stop), r.state, r.body,
	)))
	return r
}

// Content is the page.
func (r *release) Content() fyne.CanvasObject { return r.root }

// Leave says that it isn't seen any more.
func (r *release) Leave() { r.v.leave(r) }

// Sync brings the page up to date.
func (r *release) Sync() {
	r.v.seen = r
	off := r.h.Offline()
	widgets.Able(r.look, off == "" && !r.v.task.Busy())
	widgets.Able(r.stop, r.v.task.Busy())
	r.v.task.Show(r.state, off)
	n := len(r.h.Board.Entries(guide.KindDay)) + 1000*len(r.h.Board.Entries(guide.KindTick))
	if r.drawn != r.v.change || r.marks != n || r.provider != r.h.Board.Provider() {
		r.drawn, r.marks, r.provider = r.v.change, n, r.h.Board.Provider()
		r.draw()
	}
	r.root.Refresh()
}

// ticks are the answers of the guard's items.
func (r *release) ticks() map[string]guide.Tick {
	all := make(map[string]guide.Tick)
	for _, e := range r.h.Board.Entries(guide.KindTick) {
		if t, err := guide.ReadTick(e.Body); err == nil {
			all[t.Item] = t
		}
	}
	return all
}

// draw shows the guard: what is open first, then what stays, then what bills on.
func (r *release) draw() {
	c := r.h.Texts
	r.body.Objects = nil
	defer r.body.Refresh()
	if r.v.survey == nil || !r.v.whole {
		r.body.Add(widgets.Words(c.T("life.release.empty")))
		return
	}
	g := day.MakeGuard(day.GuardParams{
		Profile: r.h.Board.Profile(), Survey: *r.v.survey, Rows: r.v.rows(r.h),
		Copies: day.Copies(r.h.Board.Entries(guide.KindDay)), Ticks: r.ticks(), Run: r.h.Board.Instance(),
	})
	v := theme.Warn
	if g.Ready {
		v = theme.Pass
	}
	says := heading(c.Say(g.Sentence(c.Lang)))
	r.body.Add(container.NewBorder(nil, nil, setup.Sign(v), nil, says))
	for _, m := range g.Missing {
		r.body.Add(widgets.Words(c.Say(m)))
	}
	for _, i := range g.Items {
		r.item(i)
	}
	image := widgets.NewCheck(c.T("life.release.image"), nil)
	image.SetChecked(g.Image)
	image.OnChanged = func(on bool) { r.tick(day.TickImage, on) }
	r.body.Add(image)
	if len(g.Left) > 0 {
		r.body.Add(heading(c.T("life.release.left")))
	}
	for _, l := range g.Left {
		col := container.NewVBox(widgets.Words(c.Say(l.Says)))
		for _, n := range l.Notes {
			note := widgets.Words(c.T("life.day.source", "text", n.Text(c.Lang), "source", n.Source, "date", dated(c, n.Date)))
			note.Importance = widget.LowImportance
			col.Add(note)
		}
		r.body.Add(container.NewBorder(nil, nil, setup.Sign(theme.Warn), nil, col))
	}
	if len(g.Stays) > 0 {
		r.body.Add(heading(c.T("life.release.stays")))
		for _, row := range g.Stays {
			r.body.Add(container.NewBorder(nil, nil, setup.Sign(theme.Pass), nil, widgets.Words(guide.Clean([]byte(row.Place.Path), 300))))
		}
	}
}

// item is a folder that the release would take: copy it, or say that it may go.
func (r *release) item(i day.Item) {
	c := r.h.Texts
	v := theme.Warn
	if i.Done() {
		v = theme.Pass
	}
	place := i.Row.Place
	text := c.T("life.release.item", "path", guide.Clean([]byte(place.Path), 300), "state", c.T("day.guard.state."+string(i.State)))
	col := container.NewVBox(widgets.Words(text), small(sizeOf(c, place)))
	if i.Copy != nil {
		col.Add(small(c.T("life.release.copy", "when", texts.DateTime(c, i.Copy.Time.Local()), "into", i.Copy.Into, "n", i.Copy.Files, "size", texts.Bytes(float64(i.Copy.Bytes)))))
	}
	drop := widgets.NewCheck(c.T("life.release.drop"), nil)
	drop.SetChecked(i.State == day.Dropped)
	drop.OnChanged = func(on bool) { r.tick(i.Tick, on) }
	take := widgets.NewButton(c.T("life.release.take"), nil, func() { r.copy(place) })
	widgets.Able(take, r.h.Offline() == "" && !r.v.task.Busy() && i.State != day.Safe && r.p.Folder != nil)
	r.body.Add(container.NewBorder(nil, nil, setup.Sign(v), container.NewVBox(container.NewHBox(take, drop)), col))
	r.body.Add(widgets.Rule())
}

func (r *release) tick(item string, on bool) {
	if err := r.h.Board.Tick(item, on, "", nil); err != nil {
		r.h.Say(guide.Warn, r.h.Texts.T("setup.task.unsaved", "err", err), "")
	}
	r.v.update()
}

// copy copies a folder of the host into one that the user chooses.
func (r *release) copy(place keep.Place) {
	r.p.Folder(func(into string) {
		rn := r.h.Runner()
		if rn == nil {
			return
		}
		v, h, c := r.v, r.h, r.h.Texts
		v.task.Start(h, c.T("life.looking"), setup.Failed(c), func(ctx context.Context) (func(), error) {
			l, err := day.List(ctx, rn, place.Real)
			if err != nil {
				return nil, err
			}
			return func() {
				copyListings(h, v, []day.Listing{l}, into, func(report string) { h.Say(guide.Pass, report, "") })
			}, nil
		})
	})
}

func small(text string) *widget.Label {
	l := widgets.Words(text)
	l.Importance = widget.LowImportance
	return l
}
