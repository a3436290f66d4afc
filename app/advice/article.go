package advice

import (
	"slices"

	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/assets/texts"
)

// Page is a place of the window.
type Page string

// The pages where the guide's texts stand.
const (
	PlanPage Page = "plan"
	BillPage Page = "bill"
)

// Row is a row of the comparison table of shared and dedicated; its texts are
// "article.table.<id>.name", ".shared" and ".dedicated".
type Row struct{ ID string }

// Name returns the row's dimension.
func (r Row) Name() texts.Phrase { return texts.P("article.table." + r.ID + ".name") }

// Cell returns what the row says of Shared or Dedicated.
func (r Row) Cell(kind Choice) texts.Phrase {
	return texts.P("article.table." + r.ID + "." + string(kind))
}

// Table returns the seven rows in order.
func Table() []Row {
	return []Row{{"ownership"}, {"stability"}, {"billing"}, {"rights"}, {"isolation"}, {"tasks"}, {"duty"}}
}

// Anchor is where a text matters: pages, and on the Bill the lines, terms and
// states beside which it belongs.
type Anchor struct {
	Pages    []Page
	Lines    []string
	Terms    []offer.TermID
	Statuses []sheet.Status
}

type anchored struct {
	id string
	at Anchor
}

func onBill(lines []string, terms ...offer.TermID) Anchor {
	return Anchor{Pages: []Page{BillPage}, Lines: lines, Terms: terms}
}

// pitfalls in the order they are told.
var pitfalls = []anchored{
	{"no_single_price", onBill([]string{sheet.LinePackage})},
	{"cheap_not_low", onBill([]string{sheet.LineCompute})},
	{"whole_offer", onBill(nil, articleTerms()...)},
	{"granularity", onBill([]string{sheet.LineRounding}, offer.Granularity, offer.MinBilled)},
	{"stop_bills", onBill([]string{sheet.LineStopped}, offer.StopCompute, offer.StopSystemDisk, offer.StopDataDisk, offer.StopIP, offer.StopBandwidth)},
	{"idle_dedicated", onBill([]string{sheet.LineIdle})},
	{"hidden_disk", onBill([]string{sheet.LineSystemDisk, sheet.LineDataDisk}, offer.SystemDisk, offer.DataDiskDay, offer.DataDiskMonth)},
	{"snapshot_fee", onBill([]string{sheet.LineSnapshot, sheet.LineSystemImage}, offer.SnapshotPrice, offer.ImagePrice)},
	{"network_fee", onBill([]string{sheet.LineBandwidth, sheet.LineTraffic, sheet.LineCrossRegion, sheet.LineIP}, offer.Bandwidth, offer.TrafficPack, offer.PrivateNet, offer.CrossRegion)},
	{"rights_said", onBill(nil, offer.Root, offer.OwnDriver, offer.Docker, offer.KernelModules)},
	{"interruption", onBill([]string{sheet.LineRerun}, offer.Interruption, offer.Notice, offer.Maintenance)},
	{"rerun", Anchor{[]Page{BillPage}, []string{sheet.LineRerun, sheet.LineMaxLife}, []offer.TermID{offer.InterruptRate, offer.MaxLife}, []sheet.Status{sheet.CannotFinish}}},
	{"idle_reclaim", onBill([]string{sheet.LineRelease}, offer.IdleReclaim, offer.ReleaseAfter, offer.WipeAfter)},
	{"weak_host", onBill(nil, offer.CPUCores, offer.RAM, offer.DiskSpeed)},
	{"own_time", onBill([]string{sheet.LineOps})},
	{"monthly_long", onBill([]string{sheet.LinePackage, sheet.LineOverage})},
	{"metered_short", onBill([]string{sheet.LineCompute})},
	{"sunk_package", onBill([]string{sheet.LinePackage}, offer.Refund, offer.RefundLoss)},
	{"slow_start", onBill([]string{sheet.LineStart}, offer.QueueWait, offer.PullWait, offer.LoadWait)},
	{"page_specs", Anchor{Pages: []Page{PlanPage}}},
}

// articleTerms are the items of the quotation checklist.
func articleTerms() []offer.TermID {
	var ids []offer.TermID
	for _, d := range offer.Defs() {
		if d.Article {
			ids = append(ids, d.ID)
		}
	}
	return ids
}

// Pitfalls returns the ids of the pitfalls; their texts are
// "article.pitfall.<id>.title" and ".text", their places PitfallAt.
func Pitfalls() []string { return idsOf(pitfalls) }

// PitfallAt returns where a pitfall belongs.
func PitfallAt(id string) Anchor { return at(pitfalls, id) }

// PitfallsFor returns the pitfalls that a bill meets: it has one of their lines
// with an amount, doesn't know one of their terms, or has their status.
func PitfallsFor(b sheet.Bill) []string {
	var ids []string
	for _, p := range pitfalls {
		line := slices.ContainsFunc(b.Lines, func(l sheet.Line) bool {
			return slices.Contains(p.at.Lines, l.ID) && (l.Amount.High.Sign() > 0 || l.Hours != nil)
		})
		term := slices.ContainsFunc(b.Unknown, func(q offer.Question) bool { return slices.Contains(p.at.Terms, q.Term) })
		if line || term || slices.Contains(p.at.Statuses, b.Status) {
			ids = append(ids, p.id)
		}
	}
	return ids
}

// PitfallsOfTerm returns the pitfalls that a term of an offer belongs to.
func PitfallsOfTerm(id offer.TermID) []string {
	var ids []string
	for _, p := range pitfalls {
		if slices.Contains(p.at.Terms, id) {
			ids = append(ids, p.id)
		}
	}
	return ids
}

// QA returns the ids of the questions and answers, which stand on Plan; their
// texts are "article.qa.<id>.q" and ".a".
func QA() []string { return []string{"tenants", "one_person", "long_project"} }

// Use is a use case of a kind, which stands on Plan; its text is
// "article.use.<id>".
type Use struct {
	ID    string
	Kind  Choice // Shared, Dedicated
	Group string // text "article.group.<group>"
}

// Uses returns the use cases, those of shared first.
func Uses() []Use {
	return []Use{
		{"light_tuning", Shared, "training"},
		{"coursework", Shared, "training"},
		{"ready_system", Shared, "training"},
		{"try_first", Shared, "training"},
		{"serving", Shared, "running"},
		{"by_the_hour", Shared, "running"},
		{"first_paintings", Shared, "running"},
		{"run_and_leave", Shared, "running"},
		{"short_peaks", Shared, "peaks"},
		{"day_and_night", Shared, "peaks"},
		{"long_training", Dedicated, "training"},
		{"fixed_service", Dedicated, "running"},
		{"private_data", Dedicated, "running"},
		{"deep_changes", Dedicated, "training"},
	}
}

// The other parts of the guide, each with its texts "article.<part>.<id>".
var parts = []struct {
	name string
	page Page
	ids  []string
}{
	{"why", PlanPage, []string{"decide", "task_first", "shared", "desk", "pool", "valleys", "dedicated", "whole", "track_shared", "track_dedicated", "careful"}},
	{"example", BillPage, []string{"one_bill", "not_unit_price", "three_hours", "one_month", "total"}},
	{"differ", PlanPage, []string{"reliable", "slice", "control", "queue", "pull", "load", "measure", "fixed"}},
	{"paint", PlanPage, []string{"wait", "try", "volume", "cache", "peak", "vram", "idle", "path"}},
	{"form", PlanPage, []string{"duration", "vram", "sensitivity", "idle", "shared", "dedicated", "usually"}},
}

// Part is a passage of the guide.
type Part struct {
	Name string // why, example, differ, paint, form; text "article.<name>.title"
	Page Page
	IDs  []string // texts "article.<name>.<id>"
}

// Parts returns the passages in the order they are told: why each kind exists,
// the two worked examples, what differs when it matters, painting, and the
// form of four items.
func Parts() []Part {
	ps := make([]Part, len(parts))
	for i, p := range parts {
		ps[i] = Part{p.name, p.page, slices.Clone(p.ids)}
	}
	return ps
}

// RowsOf returns the rows of the table that an advice leans on, the weightiest
// first.
func RowsOf(a Advice) []Row {
	var rs []Row
	for _, r := range a.Reasons {
		if r.Row != "" && !slices.Contains(rs, Row{r.Row}) {
			rs = append(rs, Row{r.Row})
		}
	}
	return rs
}

func idsOf(as []anchored) []string {
	ids := make([]string, len(as))
	for i, a := range as {
		ids[i] = a.id
	}
	return ids
}

func at(as []anchored, id string) Anchor {
	for _, a := range as {
		if a.id == id {
			return a.at
		}
	}
	return Anchor{}
}
