package bill

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	core "rentgen/app/plan"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// settings opens what the bill takes from the plan: its span, its currency and
// rates, the user's own hours, where the data lies.
func (w *Place) settings() {
	f := &settingsForm{w: w, box: container.NewVBox(), rates: container.NewVBox()}
	f.build()
	w.side.open(w.c.T("billpage.settings"), -1, f.box, f.first, w.settings, f.sync)
	f.sync()
}

type settingsForm struct {
	w     *Place
	box   *fyne.Container
	rates *fyne.Container
	first fyne.Focusable
	syncs []func(p core.Plan)
	lines []*rateLine
	busy  bool
	from  *widgets.Entry // of a new rate
	to    *widgets.Entry
	value *widgets.Entry
	date  *widgets.Entry
	err   *prose
}

// rateLine is a rate that the plan holds.
type rateLine struct {
	value, date *input
	name        *widget.Label
	box         *fyne.Container
}

func (f *settingsForm) text(key, id, unit string, get func(core.Plan) string, put func(*core.Plan, string) texts.Phrase) *input {
	in := newInput(f.w, id, get, put)
	in.box = labelled(f.w.c.T(key), in.entry, unit, in.err)
	f.syncs = append(f.syncs, in.sync)
	f.box.Add(in.box)
	return in
}

func (f *settingsForm) whole(key, id, hint string, of func(p *core.Plan) *int, most int) *input {
	in := f.text(key, id, "", func(p core.Plan) string {
		if n := *of(&p); n != 0 {
			return strconv.Itoa(n)
		}
		return ""
	}, func(p *core.Plan, s string) texts.Phrase {
		s = widgets.PlainNumber(s)
		if s == "" {
			*of(p) = 0
			return texts.Phrase{}
		}
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > most {
			return texts.P("offer.allowed.from_to", "low", 1, "high", texts.Count(int64(most)))
		}
		*of(p) = n
		return texts.Phrase{}
	})
	in.entry.SetPlaceHolder(hint)
	return in
}

func (f *settingsForm) number(key, id, unit string, of func(p *core.Plan) *money.Rat) {
	f.text(key, id, unit, func(p core.Plan) string { return ratText(*of(&p)) }, func(p *core.Plan, s string) texts.Phrase {
		v, bad := amount(s)
		if !bad.IsZero() {
			return bad
		}
		*of(p) = money.Rat{}
		if v != nil {
			*of(p) = *v
		}
		return texts.Phrase{}
	})
}

func (f *settingsForm) build() {
	c := f.w.c
	f.first = f.whole("billpage.s.days", "days", "30", func(p *core.Plan) *int { return &p.Days }, core.MostDays).entry
	start := f.text("billpage.s.start", "start", "", func(p core.Plan) string { return p.Start },
		func(p *core.Plan, s string) texts.Phrase {
			s = strings.TrimSpace(s)
			if s != "" && !day(s) {
				return texts.P("billpage.allowed.day")
			}
			p.Start = s
			return texts.Phrase{}
		})
	start.entry.SetPlaceHolder("2026-12-01")
	cur := f.text("billpage.s.currency", "currency", "", func(p core.Plan) string { return string(p.Currency) },
		func(p *core.Plan, s string) texts.Phrase {
			n := money.Currency(strings.ToUpper(strings.TrimSpace(s)))
			if n != "" && !n.Valid() {
				return texts.P("offer.allowed.currency")
			}
			p.Currency = n
			return texts.Phrase{}
		})
	f.syncs = append(f.syncs, func(core.Plan) {
		if hint := string(f.w.good.Sheet.Currency); cur.entry.PlaceHolder != hint {
			cur.entry.SetPlaceHolder(hint)
		}
	})
	f.box.Add(widgets.Rule())
	f.box.Add(heading(c.T("billpage.rates")))
	f.box.Add(quiet(c.T("billpage.rates.how")))
	f.box.Add(f.rates)
	f.newRate()
	f.box.Add(widgets.Rule())
	f.box.Add(heading(c.T("billpage.s.own")))
	f.box.Add(quiet(c.T("billpage.s.own.how")))
	f.text("billpage.s.rate", "own.hourly_rate", "", func(p core.Plan) string {
		if v := p.Own.HourlyRate; v != nil {
			return v.String()
		}
		return ""
	}, func(p *core.Plan, s string) texts.Phrase {
		v, bad := amount(s)
		if bad.IsZero() {
			p.Own.HourlyRate = v
		}
		return bad
	})
	h := c.T("term.unit.h")
	f.number("billpage.s.setup", "own.setup_h", h, func(p *core.Plan) *money.Rat { return &p.Own.SetupH })
	f.number("billpage.s.weekly", "own.weekly_h", h, func(p *core.Plan) *money.Rat { return &p.Own.WeeklyH })
	f.box.Add(widgets.Rule())
	f.box.Add(heading(c.T("billpage.s.data")))
	cross := widgets.NewCheck(c.T("billpage.s.cross"), func(on bool) {
		if !f.busy {
			f.w.p.Desk.Edit("", func(p *core.Plan) { p.CrossRegion = on })
		}
	})
	f.syncs = append(f.syncs, func(p core.Plan) {
		if cross.Checked != p.CrossRegion {
			cross.SetChecked(p.CrossRegion)
		}
	})
	f.box.Add(cross)
	f.whole("billpage.s.save", "save_every", "1", func(p *core.Plan) *int { return &p.SaveEvery }, 1_000_000)
	f.box.Add(quiet(c.T("billpage.s.save.how")))
	if f.w.p.Plan != nil {
		f.box.Add(widgets.Rule())
		f.box.Add(quiet(c.T("billpage.s.plan")))
		f.box.Add(buttons(widgets.Quiet(c.T("billpage.plan"), theme.Icon("plan"), f.w.p.Plan)))
	}
}

func (f *settingsForm) sync() bool {
	f.busy = true
	defer func() { f.busy = false }()
	p := f.w.p.Desk.Plan()
	for _, s := range f.syncs {
		s(p)
	}
	if len(f.lines) != len(p.Rates) {
		f.lines, f.rates.Objects = nil, nil
		for i := range p.Rates {
			l := f.rateLine(i)
			f.lines = append(f.lines, l)
			f.rates.Add(l.box)
		}
	}
	for i, l := range f.lines {
		r := p.Rates[i]
		set(l.name, f.w.c.T("billpage.rate.pair", "from", string(r.From), "to", string(r.To)))
		l.value.sync(p)
		l.date.sync(p)
	}
	f.suggest(p)
	f.box.Refresh()
	return true
}

// rateLine shows a rate of the plan.
func (f *settingsForm) rateLine(i int) *rateLine {
	w := f.w
	l := &rateLine{name: widget.NewLabel("")}
	l.value = newInput(w, field("rates.%d.rate", i), func(p core.Plan) string {
		if i < len(p.Rates) {
			return p.Rates[i].Value.String()
		}
		return ""
	}, func(p *core.Plan, s string) texts.Phrase {
		v, bad := positive(s)
		if bad.IsZero() && i < len(p.Rates) {
			p.Rates[i].Value = v
		}
		return bad
	})
	l.date = newInput(w, field("rates.%d.date", i), func(p core.Plan) string {
		if i < len(p.Rates) {
			return p.Rates[i].Date
		}
		return ""
	}, func(p *core.Plan, s string) texts.Phrase {
		s = strings.TrimSpace(s)
		if !day(s) {
			return texts.P("billpage.allowed.day")
		}
		if i < len(p.Rates) {
			p.Rates[i].Date = s
		}
		return texts.Phrase{}
	})
	drop := widgets.Quiet("", theme.Icon("delete"), func() {
		w.dropDrafts("rates.")
		w.p.Desk.Edit("", func(p *core.Plan) {
			if i < len(p.Rates) {
				p.Rates = append(p.Rates[:i:i], p.Rates[i+1:]...)
			}
		})
	})
	l.box = container.NewVBox(container.NewBorder(nil, nil, l.name, drop,
		container.NewGridWithColumns(2, l.value.entry, l.date.entry)), l.value.err, l.date.err)
	return l
}

// positive reads a number above 0.
func positive(s string) (money.Rat, texts.Phrase) {
	v, bad := amount(s)
	if !bad.IsZero() || v == nil || v.IsZero() {
		return money.Rat{}, texts.P("offer.allowed.positive")
	}
	return *v, texts.Phrase{}
}

var dayForm = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)

func day(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil && dayForm.MatchString(s)
}

// newRate adds the fields of a rate that is not in the plan yet.
func (f *settingsForm) newRate() {
	c := f.w.c
	f.from, f.to, f.value, f.date = widgets.NewEntry(), widgets.NewEntry(), widgets.NewEntry(), widgets.NewEntry()
	f.from.SetPlaceHolder("USD")
	f.to.SetPlaceHolder("CNY")
	f.value.SetPlaceHolder("7.10")
	f.date.SetText(f.w.p.Now().Local().Format(time.DateOnly))
	f.err = newProblem()
	for _, e := range []*widgets.Entry{f.from, f.to, f.value, f.date} {
		e.OnSubmitted = func(string) { f.addRate() }
	}
	f.box.Add(container.NewVBox(quiet(c.T("billpage.rates.new")),
		container.NewGridWithColumns(4, f.from, f.to, f.value, f.date),
		f.err, buttons(widgets.NewButton(c.T("billpage.rates.add"), theme.Icon("add"), f.addRate))))
}

// suggest fills in the currencies of an offer that lacks a rate.
func (f *settingsForm) suggest(p core.Plan) {
	if f.from.Text != "" || f.to.Text != "" {
		return
	}
	for _, b := range f.w.good.Sheet.Bills {
		if b.Status == sheet.NoRate && !b.Mixed {
			f.from.SetText(string(b.Offer.Currency))
			f.to.SetText(string(f.w.good.Sheet.Currency))
			return
		}
	}
}

func (f *settingsForm) addRate() {
	code := func(e *widgets.Entry) money.Currency {
		return money.Currency(strings.ToUpper(strings.TrimSpace(e.Text)))
	}
	from, to := code(f.from), code(f.to)
	v, bad := positive(f.value.Text)
	date := strings.TrimSpace(f.date.Text)
	switch {
	case !from.Valid() || !to.Valid() || from == to:
		bad = texts.P("billpage.allowed.pair")
	case !bad.IsZero():
	case !day(date):
		bad = texts.P("billpage.allowed.day")
	}
	problem(f.err, f.w.c, bad)
	if !bad.IsZero() {
		f.box.Refresh()
		return
	}
	f.value.SetText("")
	f.from.SetText("")
	f.to.SetText("")
	f.w.p.Desk.Edit("", func(p *core.Plan) {
		p.Rates = append(p.Rates, money.Rate{From: from, To: to, Value: v, Date: date})
	})
}
