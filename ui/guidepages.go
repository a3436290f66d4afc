package ui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"

	"rentgen/app/guide"
	"rentgen/app/guide/ledger"
	core "rentgen/app/plan"
	"rentgen/app/workload"
	"rentgen/probe"
	"rentgen/probe/remote"
	"rentgen/probe/stream"
	"rentgen/ui/live"
	"rentgen/ui/setup"
	"rentgen/ui/setup/life"
	"rentgen/ui/setup/measure"
	"rentgen/ui/setup/way"
)

// stayPages are the pages for the rest of an instance's life.
func (w *Window) stayPages() []setup.Page {
	alive := life.Pages(life.Params{
		Dial: w.dialHost, Fatal: func(err error) bool { return errors.As(err, new(*fatalDial)) },
		Ring:   func(text string) { w.p.App.SendNotification(fyne.NewNotification(w.c.T("app.name"), text)) },
		Folder: w.askFolder, Client: paintingClient, Waits: w.takeWaits,
	})
	all := append(alive, way.Pages(way.Params{
		Browse: func(s string) error {
			u, err := url.Parse(s)
			if err != nil {
				return err
			}
			return w.p.App.OpenURL(u)
		},
		Address: w.loginHost,
		Keep:    func(host string, r guide.Record) { w.guides.take(host, r) },
	})...)
	all = append(all, measure.Pages(measure.Params{
		Pace: w.p.Pace, Web: paintingWeb, Peak: w.peakOf, Card: w.cardOf, Job: w.planJob, Take: w.takeMeasured,
		Cost: func(d time.Duration) string {
			if n := w.guides.needsOf(w.Chosen()); n.Cost != nil {
				return n.Cost(d)
			}
			return ""
		},
	})...)
	return slices.Concat(all, w.handPages(), w.aroundPages())
}

// take keeps the record of a check that ran elsewhere than in a run.
func (g *guides) take(host string, r guide.Record) {
	g.mu.Lock()
	b := g.boards[host]
	g.mu.Unlock()
	if b != nil {
		b.Take(r)
	}
}

// fatalDial is why an instance that answers doesn't let us in.
type fatalDial struct{ error }

func (e *fatalDial) Unwrap() error { return e.error }

// dialHost connects to a host once: it returns when readings may begin, or why
// not. What a later try can't mend is a *fatalDial.
func (w *Window) dialHost(ctx context.Context, id string) error {
	h := w.book.Get(id)
	if h == nil {
		return guide.ErrOffline
	}
	h.Connect()
	s := h.Stream()
	if s == nil {
		if err := h.State().Err; err != nil {
			return &fatalDial{err}
		}
		return guide.ErrOffline
	}
	states := make(chan stream.State, 16)
	cancel := s.OnState(func(st stream.State) {
		select {
		case states <- st:
		case <-ctx.Done():
		}
	})
	defer cancel()
	for {
		select {
		case <-ctx.Done():
			h.Leave()
			return ctx.Err()
		case st := <-states:
			switch st.Phase {
			case stream.Live, stream.Stale, stream.Paused:
				return nil
			case stream.Failed:
				return &fatalDial{st.Err}
			case stream.Waiting:
				h.Disconnect() // the wait has a pace of its own
				return st.Err
			case stream.Off, stream.Connecting:
			}
		}
	}
}

// loginHost is the address of a host's login, "" where it has none.
func (w *Window) loginHost(id string) string {
	h := w.book.Get(id)
	if h == nil || h.Demo() {
		return ""
	}
	l, err := remote.ParseLogin(h.Line)
	if err != nil {
		return ""
	}
	return l.Host
}

// askFolder asks for a folder of this computer.
func (w *Window) askFolder(chosen func(path string)) {
	d := dialog.NewFolderOpen(func(u fyne.ListableURI, err error) {
		switch {
		case err != nil:
			w.say(w.c.T("window.file.failed"), err.Error())
		case u != nil:
			chosen(u.Path())
		}
	}, w.win)
	size := w.win.Canvas().Size()
	d.Resize(fyne.NewSize(min(860, size.Width-60), min(600, size.Height-60)))
	d.Show()
}

// paintingClient leads an HTTP client to the ComfyUI of an instance.
func paintingClient(ctx context.Context, fw guide.Forwarder) (*http.Client, string, func(), error) {
	o, err := fw.Forward(ctx, "", comfyUI)
	if err != nil {
		return nil, "", nil, err
	}
	return plainClient(), "http://" + o.Addr(), func() { _ = o.Close() }, nil
}

// paintingWeb asks the ComfyUI of an instance.
func paintingWeb(ctx context.Context, fw guide.Forwarder) (ledger.Web, func(), error) {
	client, base, closed, err := paintingClient(ctx, fw)
	if err != nil {
		return ledger.Web{}, nil, err
	}
	return ledger.Web{
		Get: getter(base),
		Post: func(ctx context.Context, path string, body []byte) ([]byte, error) {
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+path, bytes.NewReader(body))
			if err != nil {
				return nil, err
			}
			req.Header.Set("Content-Type", "application/json")
			r, err := client.Do(req)
			if err != nil {
				return nil, err
			}
			defer r.Body.Close()
			b, err := io.ReadAll(io.LimitReader(r.Body, mostAnswer))
			if err == nil && r.StatusCode != http.StatusOK {
				err = fmt.Errorf("%s: %s", path, r.Status)
			}
			return b, err
		},
		Pause: func(ctx context.Context) error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Second):
				return nil
			}
		},
	}, closed, nil
}

// peakOf is the greatest that the cards of a host showed in a span, as far as
// Watch still holds it.
func (w *Window) peakOf(id string, from, to time.Time) ledger.Peak {
	var p ledger.Peak
	h := w.book.Get(id)
	if h == nil {
		return p
	}
	for _, d := range h.Live().Cards() {
		for m, at := range map[probe.Metric]**float64{
			probe.MemUsed: &p.MemMiB, probe.Temp: &p.TempC, probe.Power: &p.PowerW, probe.UtilGPU: &p.UtilPct,
		} {
			track := h.Live().Track(d.UUID, live.Of(m), from, to, 0)
			for _, v := range track.Max {
				if x := float64(v); !math.IsNaN(x) && (*at == nil || x > **at) {
					*at = &x
				}
			}
			if m == probe.MemUsed {
				p.Readings += len(track.Max)
			}
		}
	}
	return p
}

// cardOf is a host's first card as the catalogue names it, "" where it doesn't.
func (w *Window) cardOf(id string) string {
	h := w.book.Get(id)
	if h == nil {
		return ""
	}
	for _, d := range h.Live().Cards() {
		g, ok := h.Live().GPU(d.UUID)
		if !ok {
			continue
		}
		total, _ := g.Get(probe.MemTotal).Ok()
		if c, ok := workload.Load().CardByNVML(d.Name, total); ok {
			return c.Name
		}
	}
	return ""
}

// planJob is the key of the open plan's job, "" without one.
func (w *Window) planJob() string {
	if w.desk == nil || w.desk.Plan().Job.Model == "" {
		return ""
	}
	return w.desk.Plan().Job.Key()
}

// takeMeasured puts what was measured of a job on a card into the open plan; a
// plan without a job keeps its measurements for the day it has one.
func (w *Window) takeMeasured(m workload.Measured) {
	if w.desk == nil {
		return
	}
	w.desk.Edit("", func(p *core.Plan) {
		kept := p.Measured[:0:0]
		for _, o := range p.Measured {
			if o.Job != m.Job || o.Card != m.Card {
				kept = append(kept, o)
			}
		}
		p.Measured = append(kept, m)
	})
}
