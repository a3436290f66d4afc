// Package report writes down what Set up found: as JSON, Markdown, a web page and
// a picture, as a card report that people post, as a message to the provider and
// as a test case.
//
// Whatever was left out, edited, pasted or is out of date is shown in every form,
// and so is the line that says how far a pass goes. What others must not read is
// hidden before anything is written; a form only formats what Make returned.
package report

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/track"
	"rentgen/assets/texts"
)

// Verdict is a verdict; null in JSON where nothing was run.
type Verdict guide.Verdict

// MarshalJSON writes the verdict or null.
func (v Verdict) MarshalJSON() ([]byte, error) {
	if v == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(v))
}

// Host is what is known of the instance.
type Host struct {
	Name     string   `json:"name"`
	Demo     bool     `json:"demo"`
	Provider string   `json:"provider"` // as the window shows it, "" for none
	Cards    []string `json:"cards"`
	Driver   string   `json:"driver"`
}

// Params is what a report is made from.
type Params struct {
	Lang  texts.Lang
	Host  Host
	Views []track.View // the tracks in question, the user's own first
	Run   guide.Run    // of the instance, as last seen
	Now   time.Time
	Mask  *Mask // nil: nothing is hidden
	// Remedy says what to do about a finding; nil takes the finding's own.
	Remedy func(c guide.CheckID, f guide.Finding) string
}

// Report is a report in one language, hidden as asked.
type Report struct {
	Verdict  Verdict `json:"verdict"`
	Sentence string  `json:"sentence"`
	Steps    []Step  `json:"steps"`

	Report   int        `json:"report"` // of the form, 1
	Lang     texts.Lang `json:"lang"`
	Host     Host       `json:"host"`
	Made     time.Time  `json:"made"`
	Redacted bool       `json:"redacted"`
	Tracks   []Track    `json:"tracks"`
	Skips    []Skip     `json:"skips"` // all there ever were
	Scope    string     `json:"scope"` // how far a pass goes
	// NotRun are checks of the tracks without an output.
	NotRun []guide.CheckID `json:"not_run"`
	Boot   string          `json:"boot"`
}

// Track is the verdict of a track.
type Track struct {
	ID       guide.Track `json:"id"`
	Title    string      `json:"title"`
	Verdict  Verdict     `json:"verdict"`
	Sentence string      `json:"sentence"`
	After    []string    `json:"after"` // what is said behind the sentence
	// NotHere are checks that can't apply on this track.
	NotHere []guide.CheckID `json:"not_here"`
}

// Step is an entry of a track.
type Step struct {
	ID      string      `json:"id"`
	Verdict Verdict     `json:"verdict"`
	Checks  []Check     `json:"checks"`
	Track   guide.Track `json:"track"`
	Number  int         `json:"number"`
	Title   string      `json:"title"`
	State   track.State `json:"state"`
	Line    string      `json:"line"`
	Items   []Item      `json:"items"`
	Skipped string      `json:"skipped,omitempty"` // the reason, while it is left out
}

// Item is something only the user can know.
type Item struct {
	ID      string            `json:"id"`
	Title   string            `json:"title"`
	Done    *bool             `json:"done"` // null: not answered
	Note    string            `json:"note,omitempty"`
	Values  map[string]string `json:"values,omitempty"`
	Finding string            `json:"finding,omitempty"`
	Stale   string            `json:"stale,omitempty"` // why it has to be answered again
	Verdict Verdict           `json:"verdict"`
}

// Finding is one thing seen.
type Finding struct {
	Verdict  Verdict `json:"verdict"`
	Code     string  `json:"code"`
	Sentence string  `json:"sentence"`
	Remedy   string  `json:"remedy"`
	Provider bool    `json:"provider"` // only the provider can mend it
}

// Check is a check as it was run, pasted or left out.
type Check struct {
	Check    guide.CheckID `json:"check"`
	Verdict  Verdict       `json:"verdict"`
	Facts    guide.Facts   `json:"facts"`
	Sentence string        `json:"sentence"`
	Remedy   string        `json:"remedy"`
	Command  string        `json:"command"`
	Exit     *int          `json:"exit"` // null: nothing was run
	Stdout   string        `json:"stdout"`
	Stderr   string        `json:"stderr"`
	Edited   bool          `json:"edited"`
	Pasted   bool          `json:"pasted"`
	Time     *time.Time    `json:"time"`

	Title     string        `json:"title"`
	State     track.State   `json:"state"`
	Rule      string        `json:"rule"`
	Findings  []Finding     `json:"findings"`
	Lines     []string      `json:"lines"` // that the verdict rests on
	Seconds   *float64      `json:"seconds"`
	Driver    string        `json:"driver"`
	Stale     string        `json:"stale,omitempty"`   // why it should be run again
	Skipped   string        `json:"skipped,omitempty"` // the reason, while it is left out
	BlockedBy guide.CheckID `json:"blocked_by,omitempty"`
	Job       string        `json:"job,omitempty"` // whether it is in the way of the user's own job
	Blocks    bool          `json:"blocks"`
	TimedOut  bool          `json:"timed_out,omitempty"`
	Laptop    bool          `json:"laptop,omitempty"` // ran on the user's own computer
}

// Skip is something that was left out, with its reason.
type Skip struct {
	On     string     `json:"on"`
	Title  string     `json:"title"`
	Reason string     `json:"reason"`
	Time   time.Time  `json:"time"`
	Until  *time.Time `json:"until"` // null: still left out
}

// Make puts a report together.
func Make(p Params) *Report {
	m := maker{Params: p, c: texts.For(p.Lang)}
	r := &Report{
		Report: 1, Lang: m.c.Lang, Host: p.Host, Made: p.Now.UTC().Truncate(time.Millisecond), Redacted: p.Mask != nil, Steps: []Step{}, Tracks: []Track{}, Skips: []Skip{}, NotRun: []guide.CheckID{},
		Boot: p.Run.Boot,
	}
	r.Host.Cards = append([]string{}, r.Host.Cards...)
	if r.Host.Driver == "" {
		r.Host.Driver = p.Run.Driver
	}
	for _, v := range p.Views {
		t := Track{
			ID: v.Track, Title: m.c.T("report.track." + string(v.Track)), Verdict: Verdict(v.Verdict), Sentence: m.c.Say(v.Sentence),
			After: []string{}, NotHere: []guide.CheckID{},
		}
		for _, a := range v.After {
			t.After = append(t.After, m.c.Say(a))
		}
		for _, f := range v.Folded {
			t.NotHere = append(t.NotHere, f.ID)
		}
		r.Tracks = append(r.Tracks, t)
		if worst := guide.Worse(guide.Verdict(r.Verdict), v.Verdict); r.Sentence == "" || worst != guide.Verdict(r.Verdict) {
			r.Verdict, r.Sentence = Verdict(v.Verdict), t.Sentence
		}
		for _, s := range v.Steps {
			r.Steps = append(r.Steps, m.step(v.Track, s))
		}
	}
	var skips []guide.Skipped
	if len(p.Views) > 0 {
		skips = p.Views[0].Skips // those of the host: every view has them
	}
	for _, s := range skips {
		one := Skip{On: s.On, Title: m.title(s.On), Reason: tidy(s.Reason), Time: s.Time.UTC()}
		if !s.Until.IsZero() {
			u := s.Until.UTC()
			one.Until = &u
		}
		r.Skips = append(r.Skips, one)
	}
	slices.SortStableFunc(r.Skips, func(a, b Skip) int { return a.Time.Compare(b.Time) })
	m.scope(r)
	r.hide(p.Mask)
	return r
}

// One makes a single check, as the command line shows it.
func One(p Params, v track.CheckView) Check {
	m := maker{Params: p, c: texts.For(p.Lang)}
	c := m.check(v)
	if p.Mask != nil {
		hide(reflect.ValueOf(&c).Elem(), func(s string) string { p.Mask.Learn(s); return s })
		hide(reflect.ValueOf(&c).Elem(), p.Mask.Text)
	}
	return c
}

type maker struct {
	Params
	c *texts.Catalogue
}

// title is the name of a check or of an entry of a track.
func (m *maker) title(on string) string {
	for _, key := range []string{"track.check." + on, "track." + on + ".title"} {
		if m.c.Has(key) {
			return m.c.T(key)
		}
	}
	return tidy(on)
}

func (m *maker) step(t guide.Track, s track.StepView) Step {
	one := Step{
		ID: s.Step.ID, Track: t, Number: s.Step.Number, Title: m.title(s.Step.ID), Verdict: Verdict(s.Verdict), State: s.State,
		Line: m.c.Say(s.Line), Checks: []Check{}, Items: []Item{},
	}
	if s.Skipped != nil {
		one.Skipped = tidy(s.Skipped.Reason)
	}
	for _, c := range s.Checks {
		one.Checks = append(one.Checks, m.check(c))
	}
	for _, i := range s.Items {
		one.Items = append(one.Items, m.item(i))
	}
	return one
}

func (m *maker) item(v track.ItemView) Item {
	one := Item{ID: v.Item.ID, Title: m.c.T("track.item." + v.Item.ID), Finding: m.c.Say(v.Finding), Stale: m.c.Say(v.StaleWhy), Verdict: Verdict(v.Verdict)}
	for name, s := range v.Value {
		if s = tidy(s); s != "" {
			if one.Values == nil {
				one.Values = map[string]string{}
			}
			one.Values[name] = s
		}
	}
	if v.Tick != nil {
		done := v.Tick.Done
		one.Done, one.Note = &done, tidy(v.Tick.Note)
	}
	return one
}

func (m *maker) check(v track.CheckView) Check {
	one := Check{
		Check: v.ID, Title: m.title(string(v.ID)), State: v.State, Command: v.Command, Edited: v.Edited, Facts: guide.Facts{}, Findings: []Finding{},
		Lines: []string{}, BlockedBy: v.BlockedBy, Stale: m.c.Say(v.StaleWhy), Job: m.c.Say(v.Job), Blocks: v.Blocks,
	}
	if v.Skipped != nil {
		one.Skipped = tidy(v.Skipped.Reason)
	}
	if r := v.Record; r != nil && r.BlockedBy == "" {
		m.ran(&one, v)
	}
	switch {
	case v.Skipped != nil:
		one.Verdict, one.Sentence = Verdict(v.Verdict), m.c.T("report.skipped", "reason", one.Skipped)
	case v.State == track.Blocked || v.BlockedBy != "":
		one.Verdict, one.Sentence = Verdict(guide.Skip), m.c.T("report.blocked", "check", m.title(string(v.BlockedBy)))
	}
	return one
}

// ran fills in what a run or a paste gave.
func (m *maker) ran(one *Check, v track.CheckView) {
	r := v.Record
	at, exit := r.Time.UTC().Truncate(time.Millisecond), r.Exit
	one.Time, one.Exit, one.Command = &at, &exit, guide.Clean([]byte(r.Command), 0)
	one.Stdout, one.Stderr = guide.Clean(r.Stdout, 0), guide.Clean(r.Stderr, 0)
	one.Edited, one.Pasted, one.TimedOut, one.Laptop, one.Driver = r.Edited, r.Pasted, r.TimedOut, r.Laptop, r.Run.Driver
	if r.Duration > 0 {
		s := r.Duration.Seconds()
		one.Seconds = &s
	}
	// What is out of date keeps its verdict beside the reason; the user's own job may
	// make another one worse.
	one.Verdict, one.Rule = Verdict(v.Outcome.Verdict), v.Outcome.Rule
	if one.Stale == "" && v.Verdict != guide.NotRun {
		one.Verdict = Verdict(v.Verdict)
	}
	for name, f := range v.Outcome.Facts {
		one.Facts[name] = f
	}
	one.Lines = append(one.Lines, v.Outcome.Lines...)
	for _, f := range v.Outcome.Findings {
		do := m.c.Say(f.Do)
		if m.Remedy != nil {
			do = m.Remedy(v.ID, f)
		}
		one.Findings = append(one.Findings, Finding{Verdict: Verdict(f.Verdict), Code: f.Code, Sentence: m.c.Say(f.Says), Remedy: do, Provider: f.Provider})
	}
	if len(one.Findings) > 0 {
		one.Sentence, one.Remedy = one.Findings[0].Sentence, one.Findings[0].Remedy
	}
}

// scope says how far a pass goes: how many checks came out well, and which were
// not run.
func (m *maker) scope(r *Report) {
	seen, passed := map[guide.CheckID]bool{}, 0
	for _, s := range r.Steps {
		for _, c := range s.Checks {
			if seen[c.Check] {
				continue
			}
			seen[c.Check] = true
			if c.Verdict == Verdict(guide.Pass) && c.Stale == "" {
				passed++
			}
			if c.Exit == nil {
				r.NotRun = append(r.NotRun, c.Check)
			}
		}
	}
	r.Scope = m.c.T("report.scope", "passed", passed, "checks", len(seen))
}

// tidy is a text of the user on one line.
func tidy(s string) string {
	return strings.Join(strings.Fields(guide.Clean([]byte(s), 4000)), " ")
}

// hide hides every text of the report. It learns names from all of it first, so
// that a prompt at its end hides a name at its beginning.
func (r *Report) hide(m *Mask) {
	if m == nil {
		return
	}
	hide(reflect.ValueOf(r).Elem(), func(s string) string { m.Learn(s); return s })
	hide(reflect.ValueOf(r).Elem(), m.Text)
}

// hide puts every plain string below v through f; words of a closed list have
// types of their own and stay.
func hide(v reflect.Value, f func(string) string) {
	switch v.Kind() {
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() {
			v.SetString(f(v.String()))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			hide(v.Field(i), f)
		}
	case reflect.Slice:
		for i := range v.Len() {
			hide(v.Index(i), f)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			hide(v.Elem(), f)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			copied := reflect.New(v.Type().Elem()).Elem()
			copied.Set(v.MapIndex(key))
			hide(copied, f)
			v.SetMapIndex(key, copied)
		}
	case reflect.Interface:
		if v.IsNil() {
			return
		}
		// A copy: facts belong to whoever judged.
		copied := reflect.New(v.Elem().Type()).Elem()
		copied.Set(v.Elem())
		if copied.Kind() == reflect.Slice {
			copied = reflect.AppendSlice(reflect.MakeSlice(copied.Type(), 0, copied.Len()), copied)
		}
		// AppendSlice gives a value that can't be set as a whole, but its elements can.
		hide(copied, f)
		v.Set(copied)
	}
}
