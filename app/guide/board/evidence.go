package board

import (
	"encoding/json"
	"math"
	"slices"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/keep"
	"rentgen/app/guide/ledger"
	"rentgen/app/guide/track"
	"rentgen/assets/texts"
)

// evidence is what was kept that bears on the manual items.
type evidence struct {
	says     map[string][]texts.Phrase          // by item
	measured map[string]map[string]track.Filled // by item and field
	proved   bool                               // a marker outlived a restart of this instance
}

// evidenceLocked gathers it from what other rooms keep; an entry that can't be read
// says nothing.
func (b *Board) evidenceLocked() evidence {
	e := evidence{says: map[string][]texts.Phrase{}, measured: map[string]map[string]track.Filled{}}
	for _, entry := range b.entriesLocked(guide.KindProof) {
		var p keep.Proof
		if json.Unmarshal(entry.Body, &p) != nil || p.Dir == "" {
			continue
		}
		dir := guide.Clean([]byte(p.Dir), 300)
		o, ok := p.Latest()
		switch {
		case ok && (o.Change == keep.ContainerRestart || o.Change == keep.MachineRestart || o.Change == keep.OtherInstance):
			e.says[track.ItemSurvival] = append(e.says[track.ItemSurvival], texts.P("track.evidence.dir", "dir", dir, "badge", o.Badge()))
			here := p.Run.Instance == "" || b.chosen.Instance.Instance == "" || p.Run.Instance == b.chosen.Instance.Instance
			e.proved = e.proved || here && o.There && o.Change != keep.OtherInstance
		case p.Waiting():
			e.says[track.ItemSurvival] = append(e.says[track.ItemSurvival], texts.P("track.evidence.waiting", "dir", dir))
		}
	}
	for _, entry := range slices.Backward(b.entriesLocked(guide.KindLedger)) {
		if l, err := ledger.Read(entry.Body); err == nil {
			e.ledger(l)
			break
		}
	}
	return e
}

// ledger takes the times of the latest start.
func (e *evidence) ledger(l ledger.Ledger) {
	at := l.Started
	put := func(item, field, value string) {
		if e.measured[item] == nil {
			e.measured[item] = map[string]track.Filled{}
		}
		why := texts.P("track.filled.ledger", "date", func(c *texts.Catalogue) string { return texts.DateTime(c, at) })
		e.measured[item][field] = track.Filled{Value: value, Why: why}
	}
	seconds := func(stages ...ledger.Stage) (float64, bool) {
		sum, any := 0.0, false
		for _, s := range stages {
			if f, ok := l.Stages[s]; ok && f.Seconds >= 0 && f.Seconds < 1e7 {
				sum, any = sum+f.Seconds, true
			}
		}
		return sum, any
	}
	words := func(s float64) string {
		return texts.Duration(texts.For(texts.English), time.Duration(s*float64(time.Second)))
	}
	if s, ok := seconds(ledger.Queue); ok {
		put(track.ItemTimes, "queue", words(s))
	}
	if s, ok := seconds(ledger.Pull, ledger.Boot, ledger.Page); ok {
		put(track.ItemTimes, "start", words(s))
	}
	if s, ok := seconds(ledger.Warm); ok && s > 0 {
		put(track.ItemLoad, "latency", texts.WithUnit(texts.Number(s, 1), "s"))
		put(track.ItemLoad, "pictures", texts.Number(math.Floor(3600/s), 0))
	}
	e.load(l)
	if m := l.Peak.MemMiB; m != nil {
		put(track.ItemLoad, "vram", texts.MiB(*m))
	}
	t := l.Peak.TempC
	if t == nil && l.Test != nil {
		t = l.Test.TempC
	}
	if t != nil {
		put(track.ItemLoad, "celsius", texts.Celsius(*t))
	}
}

// load says what a load test gave.
func (e *evidence) load(l ledger.Ledger) {
	x := l.Test
	if x == nil {
		return
	}
	date := func(c *texts.Catalogue) string { return texts.DateTime(c, x.At.Local()) }
	if x.Failed != "" {
		e.says[track.ItemLoad] = append(e.says[track.ItemLoad], texts.P("track.evidence.load.failed", "date", date, "why", x.Failed))
		return
	}
	or := func(v *float64, say func(float64) string) string {
		if v == nil {
			return texts.Dash
		}
		return say(*v)
	}
	key := "track.evidence.load"
	if x.Drop > guide.Threshold("ledger.load.drop") {
		key = "track.evidence.load.drop"
	}
	e.says[track.ItemLoad] = append(e.says[track.ItemLoad], texts.P(key, "date", date, "tflops", texts.Number(x.TFLOPS, 0),
		"drop", texts.Percent(100*x.Drop), "temp", or(x.TempC, texts.Celsius), "power", or(x.PowerW, texts.Watts),
		"clock", or(x.ClockMHz, func(v float64) string { return texts.WithUnit(texts.Number(v, 0), "MHz") })))
}
