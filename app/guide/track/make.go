package track

import (
	"slices"
	"time"

	"rentgen/app/guide"
	"rentgen/app/provider"
	"rentgen/assets/texts"
)

// Judged is a record and what it means. A blocked one has no outcome.
type Judged struct {
	guide.Record
	Outcome guide.Outcome
}

// Filled is a field of a form that we fill in, and where it comes from.
type Filled struct {
	Value string
	Why   texts.Phrase
}

// Live is the run under way, as far as it concerns a track.
type Live struct {
	Level   guide.Level
	Since   time.Time
	Checks  []guide.CheckID
	Done    map[guide.CheckID]bool
	Running guide.CheckID
}

// MakeParams is what a view is made from.
type MakeParams struct {
	Track     guide.Track
	Main      guide.Track // the chosen one, whose checks tell items what was seen
	Now       time.Time
	Instance  guide.Run // seen last
	Provider  string    // profile id, "" for none
	Profile   provider.Profile
	LoginHost string
	Values    map[string]string // of runs
	Needs     guide.Needs
	Latest    map[guide.CheckID]Judged
	Before    map[guide.CheckID]Judged // the last one before that was no pass
	// Elsewhere returns the latest of a check on any track.
	Elsewhere func(guide.Track, guide.CheckID) (Judged, bool)
	// Evidence and Measured are what was kept that bears on items, by item; Proved
	// says that a directory was proved to outlive a restart.
	Evidence map[string][]texts.Phrase
	Measured map[string]map[string]Filled
	Proved   bool
	Edits    map[guide.CheckID]string
	Skips    []guide.Skipped
	Ticks    map[string]guide.Tick
	Def      func(guide.CheckID) guide.Def
	Takes    func([]guide.CheckID, guide.Level) time.Duration
	// Command returns what would be run, or the name of the value it lacks.
	Command func(id guide.CheckID) (text, wants string)
	Live    *Live // nil: no run is under way
	Missing int   // checks of a run that was cut short
	Fault   texts.Phrase
}

// Make puts a track together as it is shown. It does no IO and judges nothing.
func Make(p MakeParams) View {
	t := Of(p.Track)
	v := View{Track: p.Track, Provider: p.Provider, Missing: p.Missing, Fault: p.Fault, Skips: p.Skips}
	for _, s := range t.Steps {
		v.Steps = append(v.Steps, p.step(s))
	}
	for _, id := range t.Folded {
		c := p.check(id)
		c.State, c.Verdict, c.Why = Folded, guide.Skip, texts.P("track.folded."+string(id))
		v.Folded = append(v.Folded, c)
	}
	if l := p.Live; l != nil {
		v.Running, v.Level, v.Since, v.Total = true, l.Level, l.Since, len(l.Checks)
		for _, id := range l.Checks {
			if l.Done[id] {
				v.Done++
			}
		}
	}
	p.levels(&v)
	p.sum(&v)
	return v
}

// skipped returns the skip of a check or step that holds now, nil for none.
func (p *MakeParams) skipped(on string) *guide.Skipped {
	for _, s := range slices.Backward(p.Skips) {
		if s.On == on && s.Until.IsZero() {
			return &s
		}
	}
	return nil
}
