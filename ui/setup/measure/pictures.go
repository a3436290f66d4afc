package measure

import (
	"context"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/guide"
	"rentgen/app/guide/ledger"
	"rentgen/assets/texts"
	"rentgen/ui/setup"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// runPictures is how many pictures a small run paints.
const runPictures = 3

// times is a reading of the times of one host; UI thread.
type times struct {
	now    ledger.Ledger
	begun  bool // now holds something
	key    string
	torch  *ledger.Torch
	cancel context.CancelFunc
	doing  string
	failed string
	seen   *pictures
}

// pictures is the page "First picture".
type pictures struct {
	p    Params
	h    *setup.Here
	r    *times
	root *container.Scroll

	read, paint, card, model, stop, take *widgets.Button
	state                                *widget.Label
	table, past                          *fyne.Container
	drawn                                string
}

func newPictures(p Params, h *setup.Here, r *times) *pictures {
	c := h.Texts
	t := &pictures{p: p, h: h, r: r, table: container.NewVBox(), past: container.NewVBox(), state: widgets.Words("")}
	t.read = widgets.Primary(c.T("measure.pictures.read"), theme.Icon("play"), t.history)
	t.paint = widgets.NewButton(c.T("measure.pictures.paint", "n", runPictures), nil, t.askPaint)
	t.card = widgets.NewButton(c.T("measure.pictures.card"), nil, t.askTorch)
	t.model = widgets.NewButton(c.T("measure.pictures.model"), nil, t.readModel)
	t.stop = widgets.NewButton(c.T("measure.stop"), fynetheme.MediaStopIcon(), func() {
		if r.cancel != nil {
			r.cancel()
		}
	})
	t.take = widgets.NewButton(c.T("measure.pictures.take"), nil, t.takeOver)
	t.root = container.NewVScroll(widgets.Left(760, widgets.Inset(6, container.NewVBox(
		widgets.Words(c.T("measure.pictures.why")),
		widgets.Row(t.read, t.paint, t.card, t.model, t.stop), t.state, t.table, widgets.Row(t.take), t.past,
	))))
	return t
}

// Content is the page.
func (t *pictures) Content() fyne.CanvasObject { return t.root }

// Leave says that it isn't seen any more; what was begun goes on.
func (t *pictures) Leave() {
	if t.r.seen == t {
		t.r.seen = nil
	}
}

// Sync brings the page up to date.
func (t *pictures) Sync() {
	t.r.seen = t
	c, live, busy := t.h.Texts, t.h.Runner() != nil, t.r.cancel != nil
	for _, b := range []*widgets.Button{t.read, t.paint} {
		widgets.Able(b, live && !busy && t.p.Web != nil && !t.h.Host().Demo)
	}
	widgets.Able(t.card, live && !busy && !t.h.Host().Demo)
	widgets.Able(t.model, live && !busy && !t.h.Host().Demo)
	widgets.Able(t.stop, busy)
	text := ""
	switch {
	case busy:
		text = t.r.doing
	case t.r.failed != "":
		text = t.r.failed
	case t.h.Host().Demo:
		text = c.T("measure.demo")
	case !live:
		text = c.T("measure.offline")
	}
	setup.Put(t.state, text)
	t.draw()
	t.root.Refresh() // parts of it may have another size
}

func (r *times) update() {
	if r.seen != nil {
		r.seen.Sync()
	}
}

// entries are the kept ledgers, oldest first, and their keys.
func (t *pictures) entries() (list []ledger.Ledger, keys []string) {
	for _, e := range t.h.Board.Entries(guide.KindLedger) {
		if l, err := ledger.Read(e.Body); err == nil {
			list, keys = append(list, l), append(keys, e.Key)
		}
	}
	return list, keys
}

// current is the ledger that is shown: the one just read, else the latest.
func (t *pictures) current() (ledger.Ledger, bool) {
	if t.r.begun {
		return t.r.now, true
	}
	if list, _ := t.entries(); len(list) > 0 {
		return list[len(list)-1], true
	}
	return ledger.Ledger{}, false
}

// draw shows the stages, what is known of each and from where.
func (t *pictures) draw() {
	c := t.h.Texts
	l, ok := t.current()
	list, keys := t.entries()
	_, takes := l.Measured("")
	widgets.Able(t.take, ok && takes && t.p.Take != nil)
	mark := strings.Join(keys, " ") + ledger.Mark(l) + strconv.FormatBool(ok)
	if t.r.torch != nil {
		mark += t.r.torch.Card + strconv.FormatFloat(t.r.torch.TFLOPS, 'g', -1, 64)
	}
	if mark == t.drawn {
		return
	}
	t.drawn = mark
	t.table.Objects, t.past.Objects = nil, nil
	if !ok {
		t.table.Add(widgets.Words(c.T("measure.pictures.empty")))
	} else {
		for _, s := range ledger.Stages() {
			t.table.Add(t.row(s, l))
		}
		for _, line := range t.more(l) {
			t.table.Add(widgets.Words(line))
		}
	}
	if t.r.torch != nil {
		t.table.Add(widgets.Words(c.T("measure.pictures.torch", "card", t.r.torch.Card, "tflops", texts.Number(t.r.torch.TFLOPS, 1))))
	}
	for i := len(list) - 1; i >= 0; i-- {
		key, l := keys[i], list[i]
		says := c.T("measure.pictures.unknown")
		if f, ok := l.Stages[ledger.Warm]; ok {
			says = c.T("measure.pictures.each", "s", seconds(c, f.Seconds))
		}
		row := widgets.Words(c.T("measure.past", "when", texts.DateTime(c, l.Started.Local()), "says", says))
		drop := widgets.Quiet("", theme.Icon("delete"), func() {
			if err := t.h.Board.Drop(guide.KindLedger, key); err != nil {
				t.h.Say(guide.Warn, c.T("measure.unsaved", "err", err), "")
			}
			if key == t.r.key {
				t.r.begun = false
			}
			t.r.update()
		})
		t.past.Add(container.NewBorder(nil, nil, nil, drop, row))
	}
	t.table.Refresh()
	t.past.Refresh()
}

// row is a stage: name, time, where it comes from. What only the user can know
// can be typed.
func (t *pictures) row(s ledger.Stage, l ledger.Ledger) fyne.CanvasObject {
	c := t.h.Texts
	name := widgets.Words(c.T("ledger.stage." + string(s)))
	value, from := widget.NewLabel(texts.Dash), c.T("measure.pictures.unknown."+string(s))
	value.Alignment = fyne.TextAlignTrailing
	if f, ok := l.Stages[s]; ok {
		value.SetText(seconds(c, f.Seconds))
		from = c.T("ledger.from." + string(f.From))
	}
	var right fyne.CanvasObject = widgets.Words(from)
	if f, ok := l.Stages[s]; (s == ledger.Queue || s == ledger.Pull) && (!ok || f.From == ledger.Typed) {
		e := widgets.NewEntry()
		e.SetPlaceHolder(c.T("measure.pictures.type"))
		e.OnSubmitted = func(text string) { t.typed(s, text) }
		e.OnLeave = func() {
			if e.Text != "" {
				t.typed(s, e.Text)
			}
		}
		right = container.NewBorder(nil, nil, nil, container.NewVBox(widgets.AtLeast(fyne.NewSize(widgets.Scaled(130), 0), e)), right)
	}
	left := container.NewHBox(widgets.AtLeast(fyne.NewSize(widgets.Scaled(190), 0), name), widgets.AtLeast(fyne.NewSize(widgets.Scaled(80), 0), value))
	return container.NewBorder(nil, nil, container.NewVBox(left), nil, right)
}

// typed takes a time in seconds or minutes that the user knows.
func (t *pictures) typed(s ledger.Stage, text string) {
	v, ok := ledger.ParseSeconds(text)
	if !ok {
		t.h.Say(guide.Warn, t.h.Texts.T("measure.pictures.type.bad", "value", text), "")
		return
	}
	l, _ := t.current()
	if f, ok := l.Stages[s]; ok && f.Seconds == v {
		return
	}
	l = l.Clone()
	l.Set(s, v, ledger.Typed, t.h.Now())
	t.keep(l)
}

// keep shows a ledger and keeps it, under the start of its instance.
func (t *pictures) keep(l ledger.Ledger) {
	if l.Started.IsZero() {
		l.Started = t.h.Now()
	}
	t.r.now, t.r.begun = l, true
	t.r.key = strconv.FormatInt(l.Started.UnixMilli(), 10)
	if err := t.h.Board.Put(guide.KindLedger, t.r.key, l); err != nil {
		t.r.failed = t.h.Texts.T("measure.unsaved", "err", err)
	}
	t.r.update()
}

// more are the lines below the stages: pace, spread, peaks.
func (t *pictures) more(l ledger.Ledger) []string {
	c := t.h.Texts
	var lines []string
	if n := l.PerHour(); n > 0 {
		lines = append(lines, c.T("measure.pictures.pace", "n", texts.Count(int64(n)), "of", l.Pictures,
			"low", seconds(c, l.Quickest), "high", seconds(c, l.Slowest)))
	}
	if r := l.Loading; r != nil {
		key := "measure.pictures.model.says"
		if r.Slow() {
			key = "measure.pictures.model.slow"
		}
		text := c.T(key, "file", r.File, "mapped", texts.Rate(r.Mapped), "row", texts.Rate(r.Row))
		if r.Cached {
			text = c.T("measure.pictures.model.cached", "says", text)
		}
		lines = append(lines, text)
	}
	if l.Failed > 0 {
		lines = append(lines, c.T("measure.pictures.failed", "n", l.Failed))
	}
	p := l.Peak
	say := func(v *float64, f func(float64) string) string {
		if v == nil {
			return texts.Dash
		}
		return f(*v)
	}
	if p.Readings > 0 {
		lines = append(lines, c.T("measure.pictures.peak", "vram", say(p.MemMiB, texts.MiB), "temp", say(p.TempC, texts.Celsius), "power", say(p.PowerW, texts.Watts)))
	} else {
		lines = append(lines, c.T("measure.pictures.nopeak"))
	}
	return lines
}

func seconds(c *texts.Catalogue, s float64) string {
	decimals := 0
	if s < 100 {
		decimals = 1
	}
	return texts.WithUnit(texts.Number(s, decimals), texts.Unit(c, "s"))
}
