package ledger

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"rentgen/app/guide"
	"rentgen/app/workload"
)

// Stage is a part of the way to a picture.
type Stage string

// The stages, in their order.
const (
	Queue Stage = "queue" // waiting for a card
	Pull  Stage = "pull"  // of the system image
	Boot  Stage = "boot"  // from start to the first answer
	Page  Stage = "page"  // from there until the program that paints runs
	Load  Stage = "load"  // of the model: first picture less a warm one
	First Stage = "first" // picture
	Warm  Stage = "warm"  // picture, the median of the later ones
)

// Stages returns the stages in their order.
func Stages() []Stage { return []Stage{Queue, Pull, Boot, Page, Load, First, Warm} }

// From says where a figure comes from.
type From string

// Where figures come from.
const (
	Waited  From = "waited"  // measured by us while waiting for the card
	Host    From = "host"    // clocks of the instance
	History From = "history" // of the running ComfyUI
	Ran     From = "ran"     // a small run that the user started
	Typed   From = "typed"
)

// Figure is one stage's time.
type Figure struct {
	Seconds float64   `json:"s"`
	From    From      `json:"from"`
	At      time.Time `json:"at,omitzero"`
}

// Ledger is the times of one start of an instance. A stage that isn't there is
// not known.
type Ledger struct {
	Started time.Time        `json:"started"` // of the instance
	Stages  map[Stage]Figure `json:"stages"`
	Job     string           `json:"job,omitempty"` // key of the job that First and Warm are of
	Model   string           `json:"model,omitempty"`
	Card    string           `json:"card,omitempty"`
	// Pictures behind Warm; the quickest and the slowest of them, s a picture.
	Pictures int     `json:"pictures,omitempty"`
	Quickest float64 `json:"quickest,omitempty"`
	Slowest  float64 `json:"slowest,omitempty"`
	Failed   int     `json:"failed,omitempty"` // runs that ended in an error
	Peak     Peak    `json:"peak"`
	// Test is what the card did under a load test, nil: none was made.
	Test *LoadTest `json:"load_test,omitempty"`
	// Loading is how fast a model file of the instance was read, nil: not tried.
	Loading *ModelRead `json:"model_read,omitempty"`
}

// ModelRead is the speed of reading a real model file, in MB/s.
type ModelRead struct {
	Mapped float64   `json:"mapped"`           // small mapped reads, as programs load models
	Row    float64   `json:"row"`              // in a row
	Cached bool      `json:"cached,omitempty"` // RAM could not be kept out of it
	File   string    `json:"file"`
	Time   time.Time `json:"time"`
}

// Slow reports whether models load at a fraction of what the disk does in a row.
func (r ModelRead) Slow() bool {
	return r.Mapped < guide.Threshold("disk.speed.read-bad") && r.Mapped*4 < r.Row
}

// Read reads a kept ledger.
func Read(b []byte) (Ledger, error) {
	var l Ledger
	err := json.Unmarshal(b, &l)
	return l, err
}

// Clone returns a copy whose stages are its own.
func (l Ledger) Clone() Ledger {
	l.Stages = maps.Clone(l.Stages)
	return l
}

// Mark tells ledgers apart by what they hold.
func Mark(l Ledger) string {
	b, err := json.Marshal(l)
	if err != nil { // no figure of a ledger is infinite
		return err.Error()
	}
	return string(b)
}

// ParseSeconds reads a time as a person writes it: "90", "90 s", "2 min", "1:30",
// "2 分".
func ParseSeconds(text string) (float64, bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	if m, s, ok := strings.Cut(text, ":"); ok {
		a, err := strconv.Atoi(m)
		b, err2 := strconv.Atoi(s)
		return float64(a*60 + b), err == nil && err2 == nil && a >= 0 && a < 10000 && b >= 0 && b < 60
	}
	times := 1.0
	for _, u := range []struct {
		unit  string
		times float64
	}{{"minutes", 60}, {"min", 60}, {"分钟", 60}, {"分", 60}, {"seconds", 1}, {"sec", 1}, {"秒", 1}, {"m", 60}, {"s", 1}} {
		if n, ok := strings.CutSuffix(text, u.unit); ok {
			text, times = strings.TrimSpace(n), u.times
			break
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	return v * times, err == nil && v >= 0 && v*times <= 7*24*3600
}

// PerHour is how many warm pictures an hour gives, 0 where that is not known.
func (l Ledger) PerHour() float64 {
	if f, ok := l.Stages[Warm]; ok && f.Seconds > 0 {
		return 3600 / f.Seconds
	}
	return 0
}

// Set puts a stage in. Seconds that make no sense change nothing.
func (l *Ledger) Set(s Stage, seconds float64, from From, at time.Time) {
	if math.IsNaN(seconds) || seconds < 0 || seconds > 7*24*3600 {
		return
	}
	if l.Stages == nil {
		l.Stages = make(map[Stage]Figure)
	}
	l.Stages[s] = Figure{seconds, from, at}
}

// Take fills First, Load and Warm from prompts, oldest first. The first picture
// is the first one after the program began (begun; zero: the oldest prompt);
// warm are those after it with the same job, no other model between them. Per
// picture: a run of several counts by the picture.
func (l *Ledger) Take(prompts []Prompt, begun time.Time, from From) {
	first := -1
	var warm []float64
	last := ""
	for i, p := range prompts {
		if p.Start.Before(begun) {
			continue
		}
		if p.Failed {
			l.Failed++
			continue
		}
		if p.Cached || p.Pictures == 0 {
			continue
		}
		each := p.Seconds() / float64(p.Pictures)
		switch {
		case first < 0:
			first = i
			l.Set(First, p.Seconds(), from, p.Start)
			l.Job, l.Model = p.Key, p.Job.Model
		case p.Key == l.Job && last == l.Job:
			warm = append(warm, each)
			l.Pictures += p.Pictures
		}
		last = p.Key
	}
	if len(warm) == 0 {
		return
	}
	slices.Sort(warm)
	m := median(warm)
	l.Quickest, l.Slowest = warm[0], warm[len(warm)-1]
	l.Set(Warm, m, from, prompts[first].Start)
	n := float64(prompts[first].Pictures)
	l.Set(Load, max(0, l.Stages[First].Seconds-m*n), from, prompts[first].Start)
}

// median of a sorted list that isn't empty.
func median(v []float64) float64 {
	if n := len(v); n%2 == 0 {
		return (v[n/2-1] + v[n/2]) / 2
	}
	return v[len(v)/2]
}

// Measured is what the ledger says to Plan and Bill: seconds a picture, peak,
// start-up and first picture, with where they come from. ok is false where
// nothing was measured of a job and a card that are known.
func (l Ledger) Measured(source string) (m workload.Measured, ok bool) {
	m = workload.Measured{Job: l.Job, Card: l.Card, Source: source, Date: l.Started.Format(time.DateOnly)}
	get := func(s Stage) *float64 {
		if f, ok := l.Stages[s]; ok {
			return &f.Seconds
		}
		return nil
	}
	m.SecondsPerPic, m.FirstPictureSecs, m.PeakMiB = get(Warm), get(First), l.Peak.MemMiB
	sum, any := 0.0, false
	for _, s := range []Stage{Queue, Pull, Boot, Page} {
		if f, ok := l.Stages[s]; ok {
			sum, any = sum+f.Seconds, true
		}
	}
	if any {
		m.StartupSeconds = &sum
	}
	return m, l.Job != "" && l.Card != "" && (m.SecondsPerPic != nil || m.FirstPictureSecs != nil)
}

// Peak is the greatest that the cards of an instance showed over a span; nil was
// never readable.
type Peak struct {
	MemMiB   *float64 `json:"mem_mib,omitempty"`
	TempC    *float64 `json:"temp_c,omitempty"`
	PowerW   *float64 `json:"power_w,omitempty"`
	UtilPct  *float64 `json:"util_pct,omitempty"`
	Readings int      `json:"readings,omitempty"`
}
