package measure

import (
	"context"
	"errors"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/guide"
	"rentgen/app/guide/ledger"
	"rentgen/app/guide/run"
	"rentgen/app/provider"
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

// do runs f off the UI thread; what it returns is shown then.
func (t *pictures) do(doing string, f func(ctx context.Context) (func(), error)) {
	if t.r.cancel != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	r, h := t.r, t.h
	r.cancel, r.doing, r.failed = cancel, doing, ""
	t.Sync()
	h.Go(func() {
		done, err := f(ctx)
		cancel()
		h.Do(func() {
			r.cancel = nil
			switch {
			case err == nil:
			case errors.Is(err, context.Canceled):
				r.failed = h.Texts.T("measure.stopped")
			case errors.Is(err, run.ErrNoModel):
				r.failed = h.Texts.T("measure.pictures.model.none")
			case errors.Is(err, ledger.ErrNothing):
				r.failed = h.Texts.T("measure.pictures.nothing")
			default:
				r.failed = h.Texts.T("measure.pictures.error", "err", err)
			}
			if done != nil {
				done()
			}
			r.update()
		})
	})
}

// history reads what the running program remembers, and when it began.
func (t *pictures) history() {
	rn, fw := t.h.Runner(), t.h.Forwarder()
	if rn == nil || fw == nil {
		return
	}
	t.do(t.h.Texts.T("measure.pictures.reading"), func(ctx context.Context) (func(), error) {
		st, err := ledger.ReadStart(ctx, rn)
		if err != nil {
			return nil, err
		}
		w, closed, err := t.p.Web(ctx, fw)
		if err != nil {
			return nil, err
		}
		defer closed()
		b, err := w.Get(ctx, "/history")
		if err != nil {
			return nil, err
		}
		prompts, untimed, err := ledger.FromHistory(b)
		if err != nil {
			return nil, err
		}
		return func() { t.took(st, prompts, untimed, ledger.History) }, nil
	})
}

// took makes a ledger of what was read.
func (t *pictures) took(st ledger.Start, prompts []ledger.Prompt, untimed int, from ledger.From) {
	c, host := t.h.Texts, t.h.Host().ID
	l := ledger.Ledger{Started: st.Instance}
	if old, ok := t.current(); ok && (old.Started.Equal(st.Instance) || st.Instance.IsZero()) {
		l = old.Clone() // what was typed of this start stays
	}
	if t.p.Card != nil {
		l.Card = t.p.Card(host)
	}
	if !st.Page.IsZero() && st.Page.After(st.Instance) {
		l.Set(ledger.Page, st.Page.Sub(st.Instance).Seconds(), ledger.Host, st.Page)
	}
	l.Failed, l.Pictures = 0, 0
	l.Take(prompts, st.Page, from)
	if len(prompts) > 0 && t.p.Peak != nil {
		// The host's clock is not ours: both are compared as they were now.
		ahead := time.Duration(0)
		if !st.Now.IsZero() {
			ahead = st.Now.Sub(t.h.Now()).Truncate(time.Second)
		}
		l.Peak = t.p.Peak(host, prompts[0].Start.Add(-ahead), prompts[len(prompts)-1].End.Add(-ahead))
	}
	t.keep(l)
	switch {
	case len(prompts) == 0 && untimed > 0:
		t.r.failed = c.T("measure.pictures.untimed")
	case len(prompts) == 0:
		t.r.failed = c.T("measure.pictures.none")
	}
}

// askPaint asks before pictures are painted on the user's money.
func (t *pictures) askPaint() {
	t.ask(t.h.Texts.T("measure.pictures.paint.ask", "n", runPictures), "", t.h.Texts.T("measure.pictures.paint", "n", runPictures), t.again)
}

func (t *pictures) again() {
	rn, fw := t.h.Runner(), t.h.Forwarder()
	if rn == nil || fw == nil {
		return
	}
	t.do(t.h.Texts.T("measure.pictures.painting", "n", runPictures), func(ctx context.Context) (func(), error) {
		st, err := ledger.ReadStart(ctx, rn)
		if err != nil {
			return nil, err
		}
		w, closed, err := t.p.Web(ctx, fw)
		if err != nil {
			return nil, err
		}
		defer closed()
		prompts, err := ledger.Again(ctx, w, runPictures)
		if len(prompts) == 0 {
			return nil, err
		}
		// The first of them may load the model; the times before it are of no use.
		st.Page = time.Time{}
		return func() { t.took(st, prompts, 0, ledger.Ran) }, err
	})
}

func (t *pictures) askTorch() {
	t.ask(t.h.Texts.T("measure.pictures.card.ask"), ledger.TorchCommand, t.h.Texts.T("measure.pictures.card"), func() {
		rn := t.h.Runner()
		if rn == nil {
			return
		}
		t.do(t.h.Texts.T("measure.pictures.carding"), func(ctx context.Context) (func(), error) {
			res, err := ledger.RunTorch(ctx, rn)
			if err != nil {
				return nil, err
			}
			return func() { t.r.torch = &res }, nil
		})
	})
}

// readModel times the reading of a real model file, which changes nothing.
func (t *pictures) readModel() {
	rn := t.h.Runner()
	if rn == nil {
		return
	}
	c, profile, values := t.h.Texts, t.h.Board.Profile(), t.h.Board.Values()
	var dirs []string
	for _, d := range append([]string{values["dir"]}, "/root", "/workspace", "/data", "/home") {
		if d != "" {
			dirs = append(dirs, d)
		}
	}
	for _, d := range profile.Dirs {
		if path.IsAbs(d.Path) && d.Path != "/" && d.Holds != provider.HoldsPublic && !slices.Contains(dirs, d.Path) {
			dirs = append(dirs, d.Path)
		}
	}
	t.do(c.T("measure.pictures.modelling"), func(ctx context.Context) (func(), error) {
		m, err := run.ReadModel(ctx, rn, dirs...)
		if err != nil {
			return nil, err
		}
		return func() {
			l, _ := t.current()
			l = l.Clone()
			l.Loading = &ledger.ModelRead{Mapped: m.MappedMBps, Row: m.RowMBps, Cached: m.Cached, File: guide.Clean([]byte(path.Base(m.File)), 200), Time: m.Time}
			t.keep(l)
		}, nil
	})
}

// ask shows what will be done, with the command where there is one.
func (t *pictures) ask(text, command, yes string, do func()) {
	col := container.NewVBox(widgets.Words(text))
	if command != "" {
		e := widgets.NewArea()
		e.TextStyle.Monospace = true
		e.Wrapping = fyne.TextWrapBreak
		e.SetText(command)
		e.Disable()
		col.Add(e)
	}
	var panel *widgets.Panel
	ok := widgets.Primary(yes, nil, func() {
		panel.Close()
		do()
	})
	panel = widgets.NewPanel(widgets.PanelParams{
		Canvas: t.h.Window.Canvas(), Title: t.h.Texts.T("measure.ask"), Content: col, First: ok, Width: 560,
		Buttons: []fyne.CanvasObject{widgets.NewButton(t.h.Texts.T("measure.cancel"), nil, func() { panel.Cancel() }), ok},
	})
	panel.Show()
}

// takeOver puts the figures into the plan.
func (t *pictures) takeOver() {
	l, ok := t.current()
	if !ok || t.p.Take == nil {
		return
	}
	c := t.h.Texts
	m, ok := l.Measured(c.T("measure.pictures.source", "host", t.h.Host().Name, "date", texts.Date(c, l.Started.Local())))
	if !ok {
		return
	}
	if t.p.Job != nil && t.p.Job() != "" && t.p.Job() != m.Job {
		t.h.Say(guide.Warn, c.T("measure.pictures.otherjob"), "")
		return
	}
	t.p.Take(m)
	t.h.Say(guide.Pass, c.T("measure.pictures.taken"), "")
}

func seconds(c *texts.Catalogue, s float64) string {
	decimals := 0
	if s < 100 {
		decimals = 1
	}
	return texts.WithUnit(texts.Number(s, decimals), texts.Unit(c, "s"))
}
