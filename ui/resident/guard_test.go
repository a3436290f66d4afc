package resident

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"rentgen/app/guide"
	"rentgen/app/purse"
	"rentgen/app/purse/guard"
	"rentgen/assets/texts"
	"rentgen/probe/stream"
)

// TestSignalsAreNamedOnce: what can't be read is told apart.
func TestSignalsAreNamedOnce(t *testing.T) {
	busy, unread := named([]guard.Reason{{Signal: "gpu"}, {Signal: "gpu", GPU: "b"}, {Signal: "disk", Unread: true}, {Signal: "odd"}})
	say := func(ps []texts.Phrase) string {
		var all []string
		for _, p := range ps {
			all = append(all, texts.For(texts.English).Say(p))
		}
		return strings.Join(all, "|")
	}
	if say(busy) != "the card|odd" || say(unread) != "the disk" {
		t.Errorf("busy %q, unread %q", say(busy), say(unread))
	}
}

// kept is a purse that holds entries.
type kept struct {
	purse.Store
	es    []purse.Entry
	asked int
	err   error
}

func (k *kept) PurseEntries(_ context.Context, f purse.Filter) ([]purse.Entry, error) {
	k.asked++
	var es []purse.Entry
	for _, e := range k.es {
		if e.Host == f.Host && e.Kind == f.Kind {
			es = append(es, e)
		}
	}
	return es, k.err
}

func stop(host, body string) purse.Entry {
	return purse.Entry{Host: host, Kind: purse.KindStop, Body: json.RawMessage(body)}
}

// TestTheLastStopSurvivesARestart: it is read from the purse once, the newest one in
// earnest.
func TestTheLastStopSurvivesARestart(t *testing.T) {
	k := &kept{es: []purse.Entry{
		stop("a", `{"time":"2026-11-27T01:00:00Z","saved":"9/2","currency":"CNY"}`),
		stop("a", `{"time":"2026-11-28T01:00:00Z","saved":"282/25","currency":"CNY"}`),
		stop("a", `{"time":"2026-11-29T01:00:00Z","dry_run":true,"saved":"2","currency":"CNY"}`),
		stop("a", `{"time":"2026-11-26T01:00:00Z"}`),
		stop("a", `{`), stop("b", `{"time":"2026-11-30T01:00:00Z"}`),
	}}
	now := time.Unix(1e9, 0)
	var jobs []func()
	r := New(Params{
		Purse: k, Now: func() time.Time { return now }, Changed: func() {}, Go: func(f func()) { jobs = append(jobs, f) },
		Host:   func(string) *stream.Host { return nil },
		Nobody: func(string) (texts.Phrase, texts.Phrase) { return texts.Phrase{}, texts.Phrase{} },
	})
	work := func() {
		for _, f := range jobs {
			f()
		}
		jobs = nil
	}
	k.err = context.Canceled
	for range 2 {
		if g := r.Guard("a"); g.Last != nil {
			t.Errorf("unread, there is %+v", g.Last)
		}
		work()
	}
	if k.asked != 1 {
		t.Errorf("asked %d times at once", k.asked)
	}
	k.err, now = nil, now.Add(lookEvery)
	for range 2 {
		r.Guard("a")
		work()
		now = now.Add(lookEvery)
	}
	g := r.Guard("a")
	if g.Last == nil || g.Last.At.Day() != 28 || g.Last.Currency != "CNY" || g.Last.Saved.Point.String() != "11.28" {
		t.Errorf("the last stop is %+v", g.Last)
	}
	if k.asked != 2 {
		t.Errorf("asked %d times", k.asked)
	}
	r.Guard("c")
	work()
	now = now.Add(time.Hour)
	r.Guard("c")
	if len(jobs) != 0 {
		t.Error("asked again where there is none")
	}
}

// there is a host that notes what it was told.
type there struct {
	state  string
	orders []guard.Order
	keeps  []string
}

func (h *there) Exec(_ context.Context, e guide.Exec) (guide.Output, error) {
	switch {
	case len(e.Stdin) > 0:
		var o guard.Order
		if err := json.Unmarshal(e.Stdin, &o); err != nil {
			return guide.Output{}, err
		}
		h.orders = append(h.orders, o)
	case len(e.Args) > 1:
		h.keeps = append(h.keeps, e.Args[1])
	default:
		return guide.Output{Stdout: []byte(h.state)}, nil
	}
	return guide.Output{}, nil
}

// TestForwardsReachAGuardThatIsOn: its order is given anew, once for a port.
func TestForwardsReachAGuardThatIsOn(t *testing.T) {
	now := time.Unix(1_790_000_000, 0).UTC()
	state := func(phase, more string) string {
		b := `{"phase":"` + phase + `","time":"` + now.Format(time.RFC3339) + `","dry_at":"2026-09-01T00:00:00Z","dry_of":"shutdown",` + more +
			`"order":{"action":"shutdown","after_s":1200,"on_queue":true,"queue_port":8189,"ports":[7860,8188],"dry_run":false,"countdown_s":120}}`
		return "now " + "1790000000" + "\non\nstate " + b + "\n"
	}
	for _, k := range []struct {
		name, state string
		forwards    []int
		busy        bool
		ports       []int // of the order given; none: none is given
		keep        string
	}{
		{"a new port", state("watching", ""), []int{9000, 8188}, false, []int{7860, 8188, 9000}, ""},
		{"counting", state("counting", ""), []int{9000}, false, []int{7860, 8188, 9000}, ""},
		{"known ports", state("watching", ""), []int{8188}, false, nil, ""},
		{"no forwards", state("watching", ""), nil, false, nil, ""},
		{"another order on its way", state("watching", ""), []int{9000}, true, nil, ""},
		{"kept for an hour", state("kept", `"keep_until":"`+now.Add(time.Hour).Format(time.RFC3339)+`",`), []int{9000}, false, []int{7860, 8188, 9000}, "3600"},
		{"kept until let go", state("kept", ""), []int{9000}, false, []int{7860, 8188, 9000}, "0"},
		{"would have stopped", state("would", ""), []int{9000}, false, nil, ""},
		{"refused", state("refused", ""), []int{9000}, false, nil, ""},
		{"off", "now 1790000000\n", []int{9000}, false, nil, ""},
	} {
		h := &there{state: k.state}
		r := New(Params{Now: func() time.Time { return now }, Changed: func() {}, Forwards: func(string) []int { return slices.Clone(k.forwards) }})
		r.of["a"] = &host{busy: k.busy}
		g := guard.Host{Runner: h, Dir: "/x", Now: r.p.Now}
		for range 2 {
			rep, err := g.Read(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			r.widen(context.Background(), "a", g, rep.State)
		}
		if len(k.ports) == 0 {
			if len(h.orders)+len(h.keeps) != 0 {
				t.Errorf("%s: told %+v %q", k.name, h.orders, h.keeps)
			}
		} else if len(h.orders) != 1 || !slices.Equal(h.orders[0].Ports, k.ports) {
			t.Errorf("%s: told %+v, want one order with %v", k.name, h.orders, k.ports)
		} else if o := h.orders[0]; o.DryRun || o.After != 20*time.Minute || !o.OnQueue || o.QueuePort != 8189 || o.Countdown != 2*time.Minute || o.Action != "shutdown" {
			t.Errorf("%s: the order became another: %+v", k.name, o)
		}
		if got := strings.Join(h.keeps, ","); got != k.keep {
			t.Errorf("%s: kept for %q, want %q", k.name, got, k.keep)
		}
		if r.of["a"].busy != k.busy {
			t.Errorf("%s: an order stays on its way", k.name)
		}
	}
}

// TestAForwardIsAskedAboutAtOnce: with the next reading.
func TestAForwardIsAskedAboutAtOnce(t *testing.T) {
	now := time.Unix(1e9, 0)
	r := New(Params{Now: func() time.Time { return now }})
	r.Forwarded("a") // nothing is known of it
	on, off := &host{known: true, asked: now}, &host{known: true, asked: now}
	on.report.State.Phase, off.report.State.Phase = guard.Watching, guard.Off
	r.of["a"], r.of["b"] = on, off
	r.Forwarded("a")
	r.Forwarded("b")
	if !on.asked.IsZero() || off.asked.IsZero() {
		t.Errorf("asked %v and %v", on.asked, off.asked)
	}
}
