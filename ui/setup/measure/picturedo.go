package measure

import (
	"context"
	"errors"
	"path"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"rentgen/app/guide"
	"rentgen/app/guide/ledger"
	"rentgen/app/guide/run"
	"rentgen/app/provider"
	"rentgen/assets/texts"
	"rentgen/ui/widgets"
)

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
