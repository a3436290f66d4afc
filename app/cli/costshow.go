package cli

import (
	"fmt"
	"strings"
	"time"

	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	"rentgen/app/purse"
	"rentgen/app/purse/meter"
	"rentgen/app/purse/tariff"
	"rentgen/assets/texts"
)

type idleJSON struct {
	Seconds int64   `json:"seconds"`
	Amount  *string `json:"amount"`
}

type costSessionJSON struct {
	Start    string      `json:"start"`
	Known    bool        `json:"start_known"`
	Last     string      `json:"last_seen"`
	End      *string     `json:"end"`
	Latest   *string     `json:"latest_end"`
	By       *string     `json:"end_known_by"`
	Running  bool        `json:"running"`
	NoGPU    bool        `json:"no_gpu"`
	BusyS    int64       `json:"busy_s"`
	IdleS    int64       `json:"idle_s"`
	UnknownS int64       `json:"unknown_s"`
	Cost     *amountJSON `json:"cost"`
}

type costDayJSON struct {
	Day      string      `json:"day"`
	BusyS    int64       `json:"busy_s"`
	IdleS    int64       `json:"idle_s"`
	UnknownS int64       `json:"unknown_s"`
	Cost     *amountJSON `json:"cost"`
	Idle     *amountJSON `json:"idle_cost"`
}

type costLineJSON struct {
	ID       string      `json:"id"`
	Text     string      `json:"text"`
	Forecast *amountJSON `json:"forecast"`
	Actual   *amountJSON `json:"actual"`
}

type costPlanJSON struct {
	Plan     *string     `json:"plan"`
	Offer    *string     `json:"offer"`
	Currency string      `json:"currency"`
	Sessions int         `json:"sessions"`
	Cost     *amountJSON `json:"cost"`
}

type costJSON struct {
	Host      string            `json:"host"`
	ID        string            `json:"id"`
	Running   bool              `json:"running"`
	NoGPU     bool              `json:"no_gpu"`
	Since     *string           `json:"since"`
	Currency  *string           `json:"currency"`
	PerHour   *string           `json:"per_hour"`
	Price     *tariffJSON       `json:"price"`
	Idle      *idleJSON         `json:"idle"` // the span under way
	Session   *amountJSON       `json:"session"`
	Today     *amountJSON       `json:"today"`
	TodayIdle *amountJSON       `json:"today_idle"`
	Month     *amountJSON       `json:"month"`
	MonthIdle *amountJSON       `json:"month_idle"`
	BusyS     int64             `json:"busy_s"`
	IdleS     int64             `json:"idle_s"`
	UnknownS  int64             `json:"unknown_s"`
	Forecast  *amountJSON       `json:"forecast"`
	Pace      *amountJSON       `json:"pace"`
	Budget    *string           `json:"budget"`
	Lines     []costLineJSON    `json:"lines"`
	Plans     []costPlanJSON    `json:"plans"`
	Days      []costDayJSON     `json:"days"`
	Sessions  []costSessionJSON `json:"sessions"`
	Doubts    []string          `json:"doubts"`
	Sentence  string            `json:"sentence"`
}

// costOut writes an account. Without a price there are no amounts.
func (j *job) costOut(name string, a meter.Account) costJSON {
	g := a.Glance
	out := costJSON{
		Host: name, ID: g.Host, Running: g.Running, NoGPU: g.NoGPU, BusyS: a.BusyS, IdleS: a.IdleS, UnknownS: a.UnknownS, Sentence: j.c.Say(g.Say),
		Lines: []costLineJSON{}, Plans: []costPlanJSON{}, Days: []costDayJSON{}, Sessions: []costSessionJSON{}, Doubts: j.notes(a.Doubts...),
	}
	at := func(t time.Time) *string {
		if t.IsZero() {
			return nil
		}
		s := moment(t)
		return &s
	}
	out.Since = at(g.Since)
	amount := func(b money.Band) *amountJSON {
		if a.Tariff == nil {
			return nil
		}
		return exact(b, g.Currency)
	}
	maybe := func(b *money.Band) *amountJSON {
		if b == nil {
			return nil
		}
		return amount(*b)
	}
	if g.Idle {
		out.Idle = &idleJSON{Seconds: int64(g.IdleFor / time.Second)}
		if g.Priced {
			s := g.IdleCost.Fixed(g.Currency.Scale() + finer)
			out.Idle.Amount = &s
		}
	}
	if g.Priced {
		s := g.PerHour.String()
		out.PerHour = &s
	}
	if a.Tariff != nil {
		t := tariffOut(*a.Tariff)
		out.Price, out.Currency = &t, orNull(string(g.Currency))
	}
	if g.Budget != nil {
		s := g.Budget.String()
		out.Budget = &s
	}
	out.Session, out.Today, out.TodayIdle, out.Month = amount(g.Session), amount(g.Today), amount(g.TodayIdle), amount(g.Month)
	out.MonthIdle, out.Forecast, out.Pace = amount(a.IdleCost), maybe(g.Forecast), maybe(g.Pace)
	for _, l := range a.Lines {
		out.Lines = append(out.Lines, costLineJSON{l.ID, j.c.Say(l.Name()), maybe(l.Forecast), maybe(l.Actual)})
	}
	for _, p := range a.Plans {
		out.Plans = append(out.Plans, costPlanJSON{orNull(p.Plan), orNull(p.Offer), string(p.Currency), p.Sessions, exact(p.Cost, p.Currency)})
	}
	for _, d := range a.Days {
		out.Days = append(out.Days, costDayJSON{d.Day, d.BusyS, d.IdleS, d.UnknownS, amount(d.Cost), amount(d.Idle)})
	}
	for _, s := range a.Sessions {
		x := costSessionJSON{
			Start: moment(s.Start), Known: s.Known, Last: moment(s.Last), End: at(s.End), By: orNull(string(s.By)), Running: s.Running, NoGPU: s.NoGPU,
			BusyS: s.BusyS, IdleS: s.IdleS, UnknownS: s.UnknownS, Cost: amount(s.Cost),
		}
		if !s.Running {
			x.Latest = at(s.Ends[tariff.High])
		}
		out.Sessions = append(out.Sessions, x)
	}
	return out
}

// printCosts prints a line a host, and what runs.
func (j *job) printCosts(p *purseBook, ids []string, running []purse.Running) {
	rows := [][]string{{j.c.T("cli.cost.col.host"), j.c.T("cli.cost.col.today"), j.c.T("cli.cost.col.month"), ""}}
	for _, id := range ids {
		g, _ := p.Glance(id)
		today, month := texts.Dash, texts.Dash
		if _, ok := p.Tariff(id); ok {
			today, month = sheet.MoneyBand(j.c, g.Today, g.Currency), sheet.MoneyBand(j.c, g.Month, g.Currency)
		}
		rows = append(rows, []string{p.name(id), today, month, j.c.Say(g.Say)})
	}
	tabular(j.p.Stdout, rows, 1, 2)
	for _, r := range running {
		fmt.Fprintln(j.p.Stdout, j.c.Say(meter.SayRunning(r)))
	}
}

// sessionsShown of a host are printed; --json has all.
const sessionsShown = 10

// printCost prints all that is known of a host.
func (j *job) printCost(name string, a meter.Account) {
	c, w, g := j.c, j.p.Stdout, a.Glance
	fmt.Fprintln(w, j.named(name, c.Say(g.Say)))
	if a.Tariff == nil {
		fmt.Fprintln(w, c.T("cli.cost.noprice"))
	} else {
		fmt.Fprintln(w, j.tariffText(*a.Tariff))
	}
	sum := func(b money.Band) string { return sheet.MoneyBand(c, b, g.Currency) }
	if a.Tariff != nil {
		rows := [][]string{
			{c.T("cli.cost.session"), sum(g.Session)},
			{c.T("cli.cost.today"), sum(g.Today)},
			{c.T("cli.cost.today.idle"), sum(g.TodayIdle)},
			{c.T("cli.cost.month"), sum(g.Month)},
			{c.T("cli.cost.month.idle"), sum(a.IdleCost)},
		}
		if g.Forecast != nil {
			rows = append(rows, []string{c.T("cli.cost.forecast"), sum(*g.Forecast)})
		}
		if g.Pace != nil {
			rows = append(rows, []string{c.T("cli.cost.pace"), sum(*g.Pace)})
		}
		if g.Budget != nil {
			rows = append(rows, []string{c.T("cli.cost.budget"), sheet.Money(c, *g.Budget, g.Currency)})
		}
		tabular(w, rows, 1)
	}
	second := func(n int64) string { return texts.Duration(c, time.Duration(n)*time.Second) }
	fmt.Fprintln(w, c.T("cli.cost.seconds", "busy", second(a.BusyS), "idle", second(a.IdleS), "unknown", second(a.UnknownS)))
	if len(a.Lines) > 0 {
		rows := [][]string{{"", c.T("cli.cost.col.plan"), c.T("cli.cost.col.sofar")}}
		cell := func(b *money.Band) string {
			if b == nil {
				return texts.Dash
			}
			return sum(*b)
		}
		for _, l := range a.Lines {
			rows = append(rows, []string{c.Say(l.Name()), cell(l.Forecast), cell(l.Actual)})
		}
		fmt.Fprintln(w)
		tabular(w, rows, 1, 2)
	}
	if len(a.Plans) > 0 && (len(a.Plans) > 1 || a.Plans[0].Plan != "") {
		var rows [][]string
		for _, p := range a.Plans {
			name := strings.TrimPrefix(p.Plan+" · "+p.Offer, " · ")
			if name == "" {
				name = c.T("cli.cost.noplan")
			}
			rows = append(rows, []string{name, c.T("cli.cost.sessions", "n", p.Sessions), sheet.MoneyBand(c, p.Cost, p.Currency)})
		}
		fmt.Fprintln(w)
		tabular(w, rows, 2)
	}
	if len(a.Sessions) > 0 {
		fmt.Fprintln(w)
		var rows [][]string
		for _, s := range a.Sessions[:min(len(a.Sessions), sessionsShown)] {
			rows = append(rows, []string{j.sessionText(s), j.sessionCost(a, s, g.Currency)})
		}
		tabular(w, rows, 1)
	}
	for _, d := range a.Doubts {
		fmt.Fprintln(w, c.Say(d))
	}
}

func (j *job) sessionCost(a meter.Account, s meter.SessionCost, c money.Currency) string {
	if a.Tariff == nil {
		return texts.Dash
	}
	return sheet.MoneyBand(j.c, s.Cost, c)
}

// sessionText is when a session was.
func (j *job) sessionText(s meter.SessionCost) string {
	c := j.c
	switch {
	case s.Running:
		return c.T("cli.cost.span.running", "from", texts.DateTime(c, s.Start))
	case !s.End.IsZero():
		return c.T("cli.cost.span.known", "span", texts.Span(c, s.Start, s.End), "by", c.T("purse.by."+string(s.By)))
	}
	return c.T("cli.cost.span.open", "from", texts.DateTime(c, s.Start), "low", texts.DateTime(c, s.Ends[tariff.Low]), "high", texts.DateTime(c, s.Ends[tariff.High]))
}
