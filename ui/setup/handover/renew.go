package handover

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/guide"
	"rentgen/app/guide/ledger"
	"rentgen/app/guide/move"
	"rentgen/assets/texts"
	"rentgen/ui/setup"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// renewal is the part of the move list about how to pay from now on: monthly or
// metered, and when a package ends.
type renewal struct {
	w   *mover
	box *fyne.Container

	note, answer *fyne.Container
	hours        *widget.Label
	end          *widgets.Entry
	keep, take   *widgets.Button
	said         string
}

func newRenewal(w *mover) *renewal {
	c := w.h.Texts
	r := &renewal{w: w, note: container.NewVBox(), answer: container.NewVBox(), hours: widgets.Words(""), end: widgets.NewEntry()}
	r.hours.Importance = widget.LowImportance
	r.end.SetPlaceHolder(c.T("handover.package.form"))
	if t, ok := PackageEnd(w.h.Board.Entries(guide.KindMove)); ok {
		r.end.SetText(t.Local().Format(stamp))
	}
	r.end.OnSubmitted = func(string) { r.keepEnd() }
	r.keep = widgets.NewButton(c.T("handover.package.keep"), nil, r.keepEnd)
	r.take = widgets.NewButton(c.T("handover.renew.take"), nil, r.takeOver)
	r.box = container.NewVBox(
		setup.Heading(c.T("handover.renew")), widgets.Words(c.T("handover.renew.why")),
		r.answer, r.hours, widgets.Row(r.take), r.note,
		widgets.Row(widget.NewLabel(c.T("handover.package.end")), widgets.AtLeast(fyne.NewSize(widgets.Scaled(170), 0), r.end), r.keep),
	)
	return r
}

// sync brings the answer up to date. The first time it asks when the host was on.
func (r *renewal) sync() {
	m, h, c := r.w.m, r.w.h, r.w.h.Texts
	if !m.asked && r.w.p.Spans != nil && !h.Host().Demo {
		m.asked = true
		id := h.Host().ID
		h.Go(func() {
			spans, err := r.w.p.Spans(context.Background(), id)
			h.Do(func() {
				if err != nil {
					h.Say(guide.Warn, c.T("handover.renew.unread"), err.Error())
				}
				m.spans = spans
				m.update()
			})
		})
	}
	now := h.Now()
	hours, days := move.HoursOn(r.spans(), now)
	p := move.RenewParams{Hours: hours, Days: days}
	offers := ""
	if r.w.p.Prices != nil {
		prices := r.w.p.Prices(h.Host().ID)
		p.Hourly, p.Monthly = prices.Hourly, prices.Monthly
		if p.Hourly != nil && p.Monthly != nil {
			offers = c.T("handover.renew.offers", "hourly", prices.HourlyOf, "monthly", prices.MonthlyOf)
		}
	}
	answer := move.Renew(p)
	end, ok := PackageEnd(h.Board.Entries(guide.KindMove))
	var ending texts.Phrase
	if ok {
		ending = move.EndOf(end, now).Says()
	}
	widgets.Able(r.take, days >= 1 && r.w.p.Rhythm != nil)
	seen := c.T("handover.renew.none")
	if days > 0 {
		seen = c.T("handover.renew.hours", "hours", texts.Number(hours, decimals(hours)), "days", texts.Number(math.Ceil(days), 0), "n", int(math.Ceil(days)))
	}
	if offers != "" {
		seen = c.T("handover.renew.both", "a", seen, "b", offers)
	}
	if said := c.Say(answer.Says()) + seen + c.Say(ending); said != r.said {
		r.said = said
		v := theme.Pass
		if answer.Choice == move.Open {
			v = theme.NotRun
		}
		r.answer.Objects = []fyne.CanvasObject{setup.Signed(v, widgets.Words(c.Say(answer.Says())))}
		r.answer.Refresh()
		widgets.SetWords(r.hours, seen)
		r.note.Objects = nil
		if !ending.IsZero() {
			r.note.Add(setup.Signed(theme.Warn, setup.Heading(c.Say(ending))))
		}
		r.note.Refresh()
	}
}

func decimals(v float64) int {
	if v < 10 {
		return 1
	}
	return 0
}

// spans are the times that the host was seen to be on: while it was watched, and
// from its own start to when that was read.
func (r *renewal) spans() []move.Span {
	all := append([]move.Span(nil), r.w.m.spans...)
	for _, e := range r.w.h.Board.Entries(guide.KindLedger) {
		if l, err := ledger.Read(e.Body); err == nil && !l.Started.IsZero() && e.Time.After(l.Started) {
			all = append(all, move.Span{From: l.Started, To: e.Time})
		}
	}
	return all
}

// rhythm is on how many days a week a host is on, and how long on such a day.
func rhythm(spans []move.Span, now time.Time) (days, hours float64) {
	total, known := move.HoursOn(spans, now)
	if known <= 0 {
		return 0, 0
	}
	on := make(map[string]bool)
	for _, s := range spans {
		from := s.From
		if first := now.Add(-30 * 24 * time.Hour); from.Before(first) {
			from = first
		}
		if s.To.After(now) {
			s.To = now
		}
		for t := from; t.Before(s.To); t = t.AddDate(0, 0, 1) {
			on[t.Local().Format(time.DateOnly)] = true
		}
		if s.To.After(from) {
			on[s.To.Local().Format(time.DateOnly)] = true
		}
	}
	days = min(7, float64(len(on))*7/max(known, 1))
	return round(days), min(24, round(total*7/max(known, 1)/days))
}

func round(v float64) float64 { return math.Round(v*10) / 10 }

// takeOver puts the measured hours into the plan.
func (r *renewal) takeOver() {
	days, hours := rhythm(r.spans(), r.w.h.Now())
	if days <= 0 || hours <= 0 {
		r.w.h.Say(guide.Warn, r.w.h.Texts.T("handover.renew.none"), "")
		return
	}
	if !r.w.p.Rhythm(days, hours) {
		r.w.h.Say(guide.Warn, r.w.h.Texts.T("handover.renew.noplan"), "")
		return
	}
	r.w.h.Say(guide.Pass, r.w.h.Texts.T("handover.renew.taken", "days", texts.Number(days, 1), "hours", texts.Number(hours, 1)), "")
}

// packageKey is where the end of a package is kept among the lists.
const packageKey = "package"

// stamp is how the end of a package is written.
const stamp = "2006-01-02 15:04"

// pack is what is kept of a package.
type pack struct {
	End time.Time `json:"end"`
}

// PackageEnd is when the package of a host ends; false where none was entered.
func PackageEnd(entries []guide.Entry) (time.Time, bool) {
	for _, e := range entries {
		var p pack
		if e.Kind == guide.KindMove && e.Key == packageKey && json.Unmarshal(e.Body, &p) == nil && !p.End.IsZero() {
			return p.End, true
		}
	}
	return time.Time{}, false
}

// parseEnd reads a day, or a day and a time; a day alone is its end.
func parseEnd(text string) (time.Time, bool) {
	text = strings.Join(strings.Fields(text), " ")
	if t, err := time.ParseInLocation(stamp, text, time.Local); err == nil {
		return t, true
	}
	t, err := time.ParseInLocation(time.DateOnly, text, time.Local)
	return t.AddDate(0, 0, 1).Add(-time.Minute), err == nil
}

// keepEnd keeps when the package ends; nothing typed takes that back.
func (r *renewal) keepEnd() {
	h, c := r.w.h, r.w.h.Texts
	if strings.TrimSpace(r.end.Text) == "" {
		_ = h.Board.Drop(guide.KindMove, packageKey) // the board says what can't be kept
		r.w.m.update()
		return
	}
	t, ok := parseEnd(r.end.Text)
	if !ok {
		h.Say(guide.Warn, c.T("handover.package.bad", "value", r.end.Text), "")
		return
	}
	if err := h.Board.Put(guide.KindMove, packageKey, pack{t}); err != nil {
		h.Say(guide.Warn, c.T("setup.task.unsaved", "err", err), "")
		return
	}
	h.Say(guide.Pass, c.T("handover.package.kept", "day", texts.DateTime(c, t)), "")
	r.w.m.update()
}
