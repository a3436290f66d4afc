package cli

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"rentgen/app/plan"
	"rentgen/app/workload"
	"rentgen/assets/texts"
)

type bandJSON struct {
	Low   float64 `json:"low"`
	Point float64 `json:"point"`
	High  float64 `json:"high"`
}

type phaseJSON struct {
	Phase workload.Phase `json:"phase"`
	bandJSON
}

type cardJSON struct {
	Card        string       `json:"card"`
	UsableMiB   float64      `json:"usable_mib"`
	UsableKnown bool         `json:"usable_known"`
	Fit         workload.Fit `json:"fit"`
	Seconds     *bandJSON    `json:"seconds_per_image"`
	Origin      string       `json:"seconds_origin"`
	PerHour     *float64     `json:"images_per_hour"`
	Thin        bool         `json:"thin"`
}

// hoursJSON are sums over the plan's days, null where nobody knows the seconds
// a picture.
type hoursJSON struct {
	Busy        *float64  `json:"busy"`
	Rented      *float64  `json:"rented"`
	Idle        *float64  `json:"idle"`
	BusyBand    *bandJSON `json:"busy_band"`
	RentedBand  *bandJSON `json:"rented_band"`
	IdleBand    *bandJSON `json:"idle_band"`
	TooFewHours bool      `json:"too_few_hours"`
}

type leverJSON struct {
	ID    string         `json:"id"`
	Phase workload.Phase `json:"phase"`
	GiB   float64        `json:"saves_gib"`
}

type fitJSON struct {
	Model      string         `json:"model"`
	JobKey     string         `json:"job_key"` // that a measurement is filed under
	Days       int            `json:"days"`
	VRAM       bandJSON       `json:"vram_gib"`
	Peak       workload.Phase `json:"peak"`
	Phases     []phaseJSON    `json:"phases"`
	Levers     []leverJSON    `json:"levers"`
	Cards      []cardJSON     `json:"cards"`
	Card       *string        `json:"card"` // that seconds_per_image and hours are for
	Seconds    *bandJSON      `json:"seconds_per_image"`
	Hours      hoursJSON      `json:"hours"`
	DiskGB     float64        `json:"disk_gb"`
	Disk       bandJSON       `json:"disk_band_gb"`
	Persistent float64        `json:"disk_persistent_gb"`
	Rows       int            `json:"measured_rows"`
	Thin       bool           `json:"thin"`
	Unproved   []string       `json:"unproved"`
	Notes      []string       `json:"notes"`
}

// runFit prints what a plan's job needs.
func runFit(_ context.Context, j *job) error {
	f, err := j.readPlan(needJob)
	if err != nil {
		return err
	}
	if j.is("json") {
		out := f.fitOut()
		out.Notes = j.notes(append(slices.Clone(f.result.Notes), f.result.Fit.Notes...)...)
		return j.printJSON(out)
	}
	j.printFit(f)
	return nil
}

// reference is the card that seconds and hours are told for: the first offer's,
// or the smallest of the catalogue that holds the job.
func (f *planFile) reference() *workload.CardAnswer {
	cards := f.result.Fit.Cards
	for _, o := range f.Visible() {
		i := slices.IndexFunc(cards, func(a workload.CardAnswer) bool { return a.Card.Name == o.Card.Name })
		if i >= 0 {
			return &cards[i]
		}
	}
	var best *workload.CardAnswer
	for i := range cards {
		a := &cards[i]
		if a.Fit == workload.Fits && a.Seconds.Point > 0 && (best == nil || a.Card.NominalGB < best.Card.NominalGB) {
			best = a
		}
	}
	return best
}

// secondsOf is nil where nobody knows.
func secondsOf(a *workload.CardAnswer) *bandJSON {
	if a == nil || a.Fit == workload.No {
		return nil
	}
	b := a.Seconds
	if a.Fit == workload.Offload && a.SecondsOrigin != workload.MeasuredBy {
		b = a.OffloadSeconds
	}
	if b.Point <= 0 {
		return nil
	}
	out := bandOf(b)
	return &out
}

// hoursOn are the hours of the plan on a card.
func (f *planFile) hoursOn(a *workload.CardAnswer) workload.Hours {
	for i, o := range f.Offers {
		if a != nil && !o.Hidden && o.Card.Name == a.Card.Name {
			return f.result.Hours[i]
		}
	}
	if a == nil {
		a = &workload.CardAnswer{}
	}
	return plan.HoursOn(f.Plan, f.result.Fit, *a)
}

// bandOf keeps four decimals: figures have no more in them, and the order stays.
func bandOf(b workload.Band) bandJSON { return bandJSON{short(b.Low), short(b.Point), short(b.High)} }

func short(v float64) float64 { return math.Round(v*1e4) / 1e4 }

func (f *planFile) fitOut() fitJSON {
	a := f.result.Fit
	card := f.reference()
	out := fitJSON{
		Model: a.Job.Model, JobKey: a.Job.Key(), Days: f.result.Sheet.Days, VRAM: bandOf(a.VRAM), Peak: a.Peak, Phases: []phaseJSON{},
		Levers: []leverJSON{}, Cards: []cardJSON{}, Seconds: secondsOf(card), Hours: hoursOut(f.hoursOn(card)),
		DiskGB: short(a.Disk.GB.Point), Disk: bandOf(a.Disk.GB), Persistent: short(a.Disk.Persistent), Rows: a.Rows, Thin: a.Thin,
		Unproved: append([]string{}, a.Unproved...),
	}
	if card != nil {
		out.Card = &card.Card.Name
	}
	for _, p := range a.Phases {
		out.Phases = append(out.Phases, phaseJSON{p.Phase, bandOf(p.Band)})
	}
	for _, l := range a.Levers {
		out.Levers = append(out.Levers, leverJSON{l.ID, l.Phase, short(l.SaveGiB)})
	}
	for i := range a.Cards {
		c := &a.Cards[i]
		row := cardJSON{
			Card: c.Card.Name, UsableMiB: c.UsableMiB, UsableKnown: c.UsableKnown, Fit: c.Fit, Seconds: secondsOf(c),
			Origin: string(c.SecondsOrigin), Thin: c.Thin,
		}
		if row.Seconds != nil {
			n := short(3600 / row.Seconds.Point)
			row.PerHour = &n
		}
		out.Cards = append(out.Cards, row)
	}
	return out
}

func hoursOut(h workload.Hours) hoursJSON {
	out := hoursJSON{TooFewHours: h.Short}
	put := func(b workload.Band, point **float64, band **bandJSON) {
		w := bandOf(b)
		*point, *band = &w.Point, &w
	}
	if !h.Unknown {
		put(h.Busy, &out.Busy, &out.BusyBand)
		put(h.Idle, &out.Idle, &out.IdleBand)
	}
	if !h.Unknown || h.Rented.Point > 0 {
		put(h.Rented, &out.Rented, &out.RentedBand)
	}
	return out
}

func (j *job) printFit(f *planFile) {
	c, w, a := j.c, j.p.Stdout, f.result.Fit
	title := a.Job.Model
	if f.Name != "" {
		title = f.Name + " (" + title + ")"
	}
	j.printNotes(f)
	fmt.Fprintln(w, title)
	gib := func(b workload.Band) string { return texts.Band(c, b.Low, b.High, "GiB") }
	fmt.Fprintln(w, c.T("cli.fit.vram", "band", gib(a.VRAM), "point", texts.WithUnit(texts.Number(a.VRAM.Point, 1), "GiB"),
		"phase", c.T("cli.fit.phase."+string(a.Peak)), "rows", a.Rows))
	if a.Thin {
		fmt.Fprintln(w, c.T("cli.fit.thin"))
	}
	rows := make([][]string, 0, len(a.Phases))
	for _, p := range a.Phases {
		rows = append(rows, []string{c.T("cli.fit.phase." + string(p.Phase)), gib(p.Band)})
	}
	tabular(w, rows, 1)
	j.printCards(a.Cards)
	fmt.Fprintln(w)
	j.printHours(f)
	fmt.Fprintln(w, c.T("cli.fit.disk", "band", texts.Band(c, a.Disk.GB.Low, a.Disk.GB.High, "GB"), "persistent", texts.Bytes(a.Disk.Persistent*1e9)))
	for _, n := range a.Notes {
		fmt.Fprintln(w, c.Say(n))
	}
}

// printCards lists the cards that hold the job, the smallest first, and names
// the others.
func (j *job) printCards(all []workload.CardAnswer) {
	c, w := j.c, j.p.Stdout
	cards := slices.Clone(all)
	slices.SortStableFunc(cards, func(a, b workload.CardAnswer) int {
		return cmp.Or(slices.Index(answers, a.Fit)-slices.Index(answers, b.Fit), cmp.Compare(a.UsableMiB, b.UsableMiB))
	})
	rows := [][]string{{c.T("cli.fit.card"), c.T("cli.fit.usable"), c.T("cli.fit.answer"), c.T("cli.fit.seconds"), c.T("cli.fit.perhour")}}
	var small []string
	for i := range cards {
		if cards[i].Fit == workload.No {
			small = append(small, cards[i].Card.Name)
			continue
		}
		rows = append(rows, j.cardRow(&cards[i]))
	}
	fmt.Fprintln(w, "\n"+c.T("cli.fit.cards"))
	if len(rows) > 1 {
		tabular(w, rows, 1, 3, 4)
	}
	if len(small) > 0 {
		fmt.Fprintln(w, "  "+c.T("cli.fit.small", "list", strings.Join(small, ", ")))
	}
}

// answers in the order of the list.
var answers = []workload.Fit{workload.Fits, workload.Tight, workload.Offload, workload.No}

func (j *job) cardRow(a *workload.CardAnswer) []string {
	usable := texts.MiB(a.UsableMiB)
	if !a.UsableKnown {
		usable = "~" + usable
	}
	seconds, perHour := texts.Dash, texts.Dash
	if s := secondsOf(a); s != nil {
		seconds, perHour = texts.Band(j.c, s.Low, s.High, texts.Unit(j.c, "s")), texts.Number(3600/s.Point, 0)
		if a.SecondsOrigin == workload.MeasuredBy {
			seconds += " " + j.c.T("cli.fit.measured")
		}
	}
	return []string{a.Card.Name, usable, j.c.T("cli.fit.is." + string(a.Fit)), seconds, perHour}
}

func (j *job) printHours(f *planFile) {
	c, card := j.c, f.reference()
	h := f.hoursOn(card)
	name := texts.Dash
	if card != nil {
		name = card.Card.Name
	}
	say := func(b workload.Band, known bool) string {
		if !known {
			return texts.Dash
		}
		return texts.Band(c, b.Low, b.High, texts.Unit(c, "h"))
	}
	fmt.Fprintln(j.p.Stdout, c.T("cli.fit.hours", "days", f.result.Sheet.Days, "card", name,
		"rented", say(h.Rented, !h.Unknown || h.Rented.Point > 0), "busy", say(h.Busy, !h.Unknown), "idle", say(h.Idle, !h.Unknown)))
	if h.Short {
		fmt.Fprintln(j.p.Stdout, c.T("cli.fit.short"))
	}
}
