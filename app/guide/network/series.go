package network

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"rentgen/app/guide"
	"rentgen/assets/texts"
)

// What names what a series is of.
type What string

// The series. Those with "laptop" were measured on the user's own computer.
const (
	Login          What = "login"           // laptop to the login port, ms
	Ping           What = "ping"            // instance to a target, ms
	Download       What = "download"        // instance, MB/s
	Private        What = "private"         // iperf3, Mbit/s
	Hub            What = "hub"             // models' source: reached or not
	LaptopPing     What = "laptop-ping"     // ms
	LaptopDownload What = "laptop-download" // MB/s
)

// Whats returns every series in the order in which they are shown.
func Whats() []What {
	return []What{Login, Ping, Download, Private, Hub, LaptopPing, LaptopDownload}
}

// Name returns the title of a series.
func (w What) Name() texts.Phrase { return texts.P("network.what." + string(w)) }

// Unit is the unit of a series' values, "" for one without numbers.
func (w What) Unit() string {
	switch w {
	case Login, Ping, LaptopPing:
		return "ms"
	case Download, LaptopDownload:
		return "MB/s"
	case Private:
		return "Mbit/s"
	}
	return ""
}

// Point is one reading of a series. Value nil is a gap: it was tried and nothing
// was measured.
type Point struct {
	What    What          `json:"-"`
	Time    time.Time     `json:"-"`
	Value   *float64      `json:"value,omitempty"`
	Verdict guide.Verdict `json:"verdict,omitempty"`
	Why     string        `json:"why,omitempty"` // the rule that decided
}

// Entry is the point as it is kept.
func (p Point) Entry() (guide.Entry, error) {
	return guide.NewEntry(guide.KindNet, p.key(), p.Time, p)
}

func (p Point) key() string { return string(p.What) + "/" + guide.Stamp(p.Time) }

// Points returns the readings of a series among entries, oldest first; what can't
// be read is left out.
func Points(entries []guide.Entry, what What) []Point {
	var list []Point
	for _, e := range entries {
		name, stamp, ok := strings.Cut(e.Key, "/")
		if e.Kind != guide.KindNet || !ok || name != string(what) {
			continue
		}
		at, err := strconv.ParseInt(stamp, 10, 64)
		if err != nil {
			continue
		}
		p := Point{What: what, Time: time.UnixMilli(at)}
		if json.Unmarshal(e.Body, &p) != nil || p.Value != nil && (math.IsNaN(*p.Value) || math.IsInf(*p.Value, 0) || *p.Value < 0) {
			continue
		}
		list = append(list, p)
	}
	slices.SortStableFunc(list, func(a, b Point) int { return a.Time.Compare(b.Time) })
	return list
}

// keepPoints is how many readings of a series are kept: two a day for half a year
// and then some.
const keepPoints = 500

// Old returns the keys of readings beyond those that are kept.
func Old(entries []guide.Entry) []string {
	var keys []string
	for _, w := range Whats() {
		list := Points(entries, w)
		for _, p := range list[:max(0, len(list)-keepPoints)] {
			keys = append(keys, p.key())
		}
	}
	return keys
}

// FromOutcome makes a reading of a check of the network; ok is false for another
// check and for one that was skipped or blocked.
func FromOutcome(r guide.Record, o guide.Outcome) (p Point, ok bool) {
	if r.BlockedBy != "" || o.Verdict == guide.Skip || o.Verdict == guide.NotRun {
		return p, false
	}
	_, wrong := o.Facts["wrong_machine"]
	here := r.Laptop || wrong
	fact := ""
	switch {
	case o.Check == guide.NetPing && here:
		p.What, fact = LaptopPing, "rtt_avg_ms"
	case o.Check == guide.NetPing:
		p.What, fact = Ping, "rtt_avg_ms"
	case o.Check == guide.NetCurl && here:
		p.What, fact = LaptopDownload, "speed_mb_s"
	case o.Check == guide.NetCurl:
		p.What, fact = Download, "speed_mb_s"
	case o.Check == guide.NetIperf3:
		p.What, fact = Private, "recv_mbps"
	case o.Check == guide.NetHF && !here:
		p.What = Hub
	default:
		return p, false
	}
	p.Time, p.Verdict, p.Why = r.Time, o.Verdict, o.Rule
	if v, ok := o.Facts[fact].(float64); ok {
		p.Value = &v
	}
	return p, true
}

// FromLatency makes a reading of the way to the login.
func FromLatency(l Latency, at time.Time) Point {
	p := Point{What: Login, Time: at, Verdict: guide.Pass}
	median, ok := l.Median()
	if !ok {
		p.Verdict, p.Why = guide.Warn, "none"
		return p
	}
	v := float64(median) / float64(time.Millisecond)
	p.Value = &v
	switch {
	case l.Failed > 0:
		p.Verdict, p.Why = guide.Warn, "gaps"
	case v >= guide.Threshold("net.login.rtt"):
		p.Verdict, p.Why = guide.Warn, "long"
	}
	return p
}

// usual is how many readings before the latest make what is usual.
const usual = 3

// Says compares the latest reading of a series with those before it; zero where
// there is none.
func Says(list []Point) texts.Phrase {
	if len(list) == 0 {
		return texts.Phrase{}
	}
	last := list[len(list)-1]
	unit := last.What.Unit()
	write := func(v float64) string {
		decimals := 0
		if v < 10 {
			decimals = 1
		}
		return texts.WithUnit(texts.Number(v, decimals), unit)
	}
	if last.Value == nil {
		if last.Verdict == guide.Pass {
			return texts.P("network.series.reached")
		}
		return texts.P("network.series.gap")
	}
	var before []float64
	for _, p := range list[:len(list)-1] {
		if p.Value != nil {
			before = append(before, *p.Value)
		}
	}
	if len(before) < usual {
		return texts.P("network.series.first", "now", write(*last.Value), "n", len(before)+1)
	}
	slices.Sort(before)
	middle := before[len(before)/2]
	key := "network.series.usual"
	worse := *last.Value > 1.5*middle // more milliseconds
	if unit != "ms" {
		worse = *last.Value < middle/1.5
	}
	if worse {
		key = "network.series.worse"
	}
	return texts.P(key, "now", write(*last.Value), "middle", write(middle), "n", len(before))
}

// Stage is a part of a download's time.
type Stage struct {
	Name    texts.Phrase
	Seconds float64
}

// Stages splits the time of a download into connecting (with looking the name
// up), waiting for the first byte and loading; nil where they weren't shown.
func Stages(f guide.Facts) []Stage {
	connect, a := f["time_connect_s"].(float64)
	first, b := f["ttfb_s"].(float64)
	total, c := f["time_total_s"].(float64)
	if !a || !b || !c || connect > first || first > total {
		return nil
	}
	return []Stage{
		{texts.P("network.stage.connect"), connect}, {texts.P("network.stage.wait"), first - connect}, {texts.P("network.stage.load"), total - first},
	}
}
