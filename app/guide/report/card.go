package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/track"
	"rentgen/assets/texts"
)

// Load is what Watch saw of the card while it was busy.
type Load struct {
	SMLow, SMHigh float64 // MHz, of the middle nine tenths
	Power         float64 // W, the mean
	PowerCap      float64 // W, 0 where it isn't known
	At            time.Time
}

// Picture is a measured picture.
type Picture struct {
	Seconds float64 // a picture, warm
	Job     string  // what was painted, "" where it isn't known
	At      time.Time
}

// CardParams is what a card report is made from.
type CardParams struct {
	Lang    texts.Lang
	Host    Host
	Views   []track.View
	Needs   guide.Needs // for price and cost
	Load    *Load       // nil: none was seen
	Picture *Picture    // nil: the latest of first.image
	Now     time.Time
	Mask    *Mask
}

// Card is a card report: what the card that was rented really is.
type Card struct {
	Lang     texts.Lang `json:"lang"`
	Title    string     `json:"title"`
	Demo     bool       `json:"demo"`
	Made     time.Time  `json:"made"`
	Provider string     `json:"provider"`
	Rows     []CardRow  `json:"rows"`
	Scope    string     `json:"scope"`
}

// CardRow is a figure of a card report; without one it has a dash and a reason.
type CardRow struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	Value string `json:"value"` // a dash where there is none
	Note  string `json:"note"`  // where it is from, or why there is none
	Known bool   `json:"known"`
}

type cardMaker struct {
	CardParams
	c    *texts.Catalogue
	rows []CardRow
}

// MakeCard makes a card report.
func MakeCard(p CardParams) *Card {
	m := &cardMaker{CardParams: p, c: texts.For(p.Lang)}
	m.card()
	m.load()
	m.of("cores", guide.CPUCgroup, func(f guide.Facts) string {
		return m.say(f, "effective_cores", func(v float64) string { return texts.Value(m.c, v, "cores") })
	})
	m.of("ram", guide.MemCgroup, func(f guide.Facts) string {
		return m.say(f, "effective_gib", func(v float64) string { return texts.MiB(v * 1024) })
	})
	m.of("disk", guide.DiskSpeed, func(f guide.Facts) string {
		s := m.say(f, "read_mb_s", texts.Rate)
		if cached, _ := f["cache_suspected"].(bool); cached && s != "" {
			s += " · " + m.c.T("report.card.cachedwarn")
		}
		return s
	})
	m.of("net", guide.NetCurl, func(f guide.Facts) string { return m.say(f, "speed_mb_s", texts.Rate) })
	m.pictures()
	out := &Card{
		Lang: m.c.Lang, Title: m.c.T("report.card.title"), Demo: p.Host.Demo, Made: p.Now.UTC(), Provider: p.Host.Provider, Rows: m.rows,
		Scope: m.c.T("report.card.scope"),
	}
	if p.Mask != nil {
		hide(reflect.ValueOf(out).Elem(), p.Mask.Text)
	}
	return out
}

// latest is the newest view of a check with an output.
func (m *cardMaker) latest(id guide.CheckID) *track.CheckView {
	var best *track.CheckView
	for i := range m.Views {
		for j := range m.Views[i].Steps {
			for k := range m.Views[i].Steps[j].Checks {
				v := &m.Views[i].Steps[j].Checks[k]
				ran := v.ID == id && v.Record != nil && v.Record.BlockedBy == ""
				if ran && (best == nil || v.Record.Time.After(best.Record.Time)) {
					best = v
				}
			}
		}
	}
	return best
}

func (m *cardMaker) add(id, value, note string) {
	row := CardRow{ID: id, Label: m.c.T("report.card." + id), Value: value, Note: note, Known: value != ""}
	if !row.Known {
		row.Value = texts.Dash
	}
	m.rows = append(m.rows, row)
}

func (m *cardMaker) missing(id, why string) { m.add(id, "", m.c.T("report.card.why."+why)) }

// of adds a figure out of a check's facts; "" from say is "could not be read".
func (m *cardMaker) of(id string, from guide.CheckID, say func(guide.Facts) string) {
	v := m.latest(from)
	if v == nil {
		m.missing(id, "notrun")
		return
	}
	s := say(v.Outcome.Facts)
	if s == "" {
		m.missing(id, "unread")
		return
	}
	m.add(id, s, m.from(v))
}

// from says where a figure is from, and what must be known about it.
func (m *cardMaker) from(v *track.CheckView) string {
	list := []string{m.c.T("report.card.from.check", "check", m.c.T("track.check."+string(v.ID)), "time", texts.DateTime(m.c, v.Record.Time))}
	if v.Record.Pasted {
		list = append(list, m.c.T("report.mark.pasted"))
	}
	if v.Record.Edited {
		list = append(list, m.c.T("report.mark.edited"))
	}
	if v.State == track.Stale {
		list = append(list, m.c.T("report.card.why.stale"))
	}
	return strings.Join(list, " · ")
}

// say is a figure in words, "" where it isn't known.
func (m *cardMaker) say(f guide.Facts, name string, how func(float64) string) string {
	v, ok := number(f[name])
	if !ok {
		return ""
	}
	return how(v)
}

func (m *cardMaker) card() {
	m.of("card", guide.GPUSMI, func(f guide.Facts) string {
		var list []string
		count := map[string]int{}
		for _, n := range words(f["names"]) {
			if count[n]++; count[n] == 1 {
				list = append(list, n)
			}
		}
		for i, n := range list {
			if count[n] > 1 {
				list[i] = m.c.T("report.card.whose", "n", count[n], "name", n)
			}
		}
		return strings.Join(list, " + ")
	})
	m.of("vram", guide.GPUSMI, m.vram)
	m.of("driver", guide.GPUSMI, func(f guide.Facts) string { s, _ := f["driver"].(string); return s })
}

// vram is the VRAM of every card; of one that isn't known a dash.
func (m *cardMaker) vram(f guide.Facts) string {
	for _, name := range []string{"slice_mem_total_mib", "mem_total_mib"} {
		var list []string
		known := false
		each(f[name], func(x any) {
			s := texts.Dash
			if n, ok := number(x); ok {
				s, known = texts.MiB(n), true
			}
			list = append(list, s)
		})
		switch {
		case !known:
		case len(list) > 1 && len(slices.Compact(slices.Clone(list))) == 1:
			return m.c.T("report.card.each", "size", list[0])
		default:
			return strings.Join(list, " + ")
		}
	}
	return ""
}

func (m *cardMaker) load() {
	l := m.Load
	if l == nil {
		m.missing("clocks", "load")
		m.missing("power", "load")
		return
	}
	from := m.c.T("report.card.from.watch", "time", texts.DateTime(m.c, l.At))
	m.add("clocks", texts.Band(m.c, l.SMLow, l.SMHigh, "MHz"), from)
	power := texts.Watts(l.Power)
	if l.PowerCap > 0 {
		power = m.c.T("format.of", "part", texts.Number(l.Power, 0), "whole", texts.Watts(l.PowerCap))
	}
	m.add("power", power, from)
}

func (m *cardMaker) pictures() {
	pic := m.Picture
	note := ""
	if v := m.latest(guide.FirstImage); pic == nil && v != nil {
		if s, ok := number(v.Outcome.Facts["warm_median_s"]); ok {
			pic, note = &Picture{Seconds: s, At: v.Record.Time}, m.from(v)
		}
	}
	if pic == nil || pic.Seconds <= 0 {
		m.missing("seconds", "picture")
		why := "cost"
		if m.Needs.Cost == nil {
			why = "price"
		}
		m.missing("cost", why)
		return
	}
	if note == "" {
		note = texts.DateTime(m.c, pic.At)
		if pic.Job != "" {
			note = pic.Job + " · " + note
		}
	}
	m.add("seconds", texts.Value(m.c, pic.Seconds, texts.Unit(m.c, "s")), note)
	if m.Needs.Cost == nil {
		m.missing("cost", "price")
		return
	}
	cost := m.Needs.Cost(time.Duration(1000 * pic.Seconds * float64(time.Second)))
	if cost == "" {
		m.missing("cost", "price")
		return
	}
	m.add("cost", cost, m.c.T("report.card.from.price", "price", m.Needs.PriceHour))
}

// number is a fact as a number; false where it isn't known.
func number(v any) (float64, bool) {
	n := guide.Figure(v)
	return n, !math.IsNaN(n) && !math.IsInf(n, 0)
}

// words are the texts of a list.
func words(v any) []string {
	var out []string
	each(v, func(x any) {
		if s, ok := x.(string); ok {
			out = append(out, s)
		}
	})
	return out
}

func each(v any, f func(any)) {
	list := reflect.ValueOf(v)
	if list.Kind() != reflect.Slice {
		return
	}
	for i := range list.Len() {
		f(list.Index(i).Interface())
	}
}

func (k *Card) t(key string, pairs ...any) string { return texts.For(k.Lang).T(key, pairs...) }

// notes are the lines below the head.
func (k *Card) notes() []string {
	head := []string{k.t("report.made", "time", texts.DateYear(texts.For(k.Lang), k.Made))}
	if k.Provider != "" {
		head = append(head, k.Provider)
	}
	list := []string{strings.Join(head, " · ")}
	if k.Demo {
		list = append(list, k.t("report.demo"))
	}
	return append(list, k.Scope)
}

// Markdown writes the card report as Markdown.
func (k *Card) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", Plain(k.Title))
	for _, n := range k.notes() {
		fmt.Fprintf(&b, "%s\n\n", Plain(n))
	}
	fmt.Fprintf(&b, "| %s | %s | %s |\n| --- | --- | --- |\n", Plain(k.t("report.card.col.what")), Plain(k.t("report.card.col.value")), Plain(k.t("report.card.col.note")))
	for _, r := range k.Rows {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", Plain(r.Label), Plain(r.Value), Plain(r.Note))
	}
	return b.String()
}

// JSON writes the card report for programs.
func (k *Card) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(k); err != nil {
		return fmt.Errorf("write the card report: %w", err)
	}
	return nil
}
