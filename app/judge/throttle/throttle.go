// Package throttle says when something holds a card's clock down, and what.
//
// Two proofs are needed: a reason that the driver gives, and a clock below what
// the card can hold at work. A bit alone proves nothing: the one for the power
// limit is raised, and its counter moves, far below the limit; the one for a
// slowdown of the hardware is raised while the P-state changes. Rest, clocks set
// by applications and clocks for a display are no slowdown.
package throttle

import (
	"math"

	"rentgen/app/judge"
	"rentgen/app/judge/series"
	"rentgen/assets/texts"
	"rentgen/probe"
)

// The reasons for a lower clock (nvmlClocksEventReasons in nvml.h).
const (
	ReasonIdle         = 0x1
	ReasonApplication  = 0x2
	ReasonPowerCap     = 0x4
	ReasonSlowdown     = 0x8 // heat or power brake, in hardware; the two bits below tell which
	ReasonSync         = 0x10
	ReasonHeat         = 0x20
	ReasonHardwareHeat = 0x40
	ReasonBrake        = 0x80
	ReasonDisplay      = 0x100
)

// cause is what holds a clock down.
type cause int

const (
	power cause = iota
	heat
	brake
	sync
	slowdown // one of heat and brake that the driver doesn't tell apart
	causes
)

func of(bits uint64) (is [causes]bool) {
	is[power] = bits&ReasonPowerCap != 0
	is[heat] = bits&(ReasonHeat|ReasonHardwareHeat) != 0
	is[brake] = bits&ReasonBrake != 0
	is[sync] = bits&ReasonSync != 0
	is[slowdown] = bits&ReasonSlowdown != 0 && !is[heat] && !is[brake]
	return is
}

// Rules returns the rules of this room.
func Rules() []series.Rule {
	return []series.Rule{{
		Name: "throttle/two-proofs", Windows: true, Kinds: []series.Kind{series.Busy},
		Tally: func() series.Tally { return &tally{} }, Judge: held,
	}}
}

// tally holds what was read in the very seconds in which a reason was given.
type tally struct {
	readable int // seconds at work whose reasons could be read
	by       [causes]under
}

// under is a reason's seconds.
type under struct {
	clock, power, limit, share, temp, tempMem series.Dist // share is power through its limit
}

// Add counts a second at work in.
func (t *tally) Add(s *series.Second) {
	bits, ok := s.Bits(probe.EventReasons)
	if !ok || !s.Active || bits&ReasonIdle != 0 {
		return
	}
	t.readable++
	for c, is := range of(bits) {
		if !is {
			continue
		}
		u := &t.by[c]
		u.clock.Add(s.V(probe.ClockSM))
		u.power.Add(s.V(probe.Power))
		u.share.Add(100 * s.V(probe.Power) / s.V(probe.PowerCap))
		u.limit.Add(s.V(probe.PowerCap))
		u.temp.Add(s.V(probe.Temp))
		u.tempMem.Add(s.V(probe.TempMem))
	}
}

var lim = struct {
	share, seconds, near, drop, dropPower, dropLarge, largeLeast, dropGroup, lowered, byName, rated, slow float64
}{
	series.Limit("throttle.share"), series.Limit("throttle.seconds"), series.Limit("throttle.near-cap"), series.Limit("throttle.drop"),
	series.Limit("throttle.drop-power"), series.Limit("throttle.drop-large"), series.Limit("throttle.large-least"), series.Limit("throttle.drop-group"),
	series.Limit("throttle.cap-lowered"), series.Limit("throttle.cap-by-name"), series.Limit("throttle.rated"), series.Limit("throttle.slows-at"),
}

// held judges a minute.
func held(c *series.Case) []judge.Verdict {
	t, ok := c.Tally.(*tally)
	if !ok || t.readable == 0 {
		return nil
	}
	var out []judge.Verdict
	for k := range causes {
		u := &t.by[k]
		n := u.clock.N()
		if float64(n) < lim.seconds || float64(n) < lim.share*float64(t.readable) {
			continue
		}
		s := seen{Case: c, under: u, clock: u.clock.Quantile(0.5), share: 100 * float64(n) / float64(t.readable)}
		if s.expected = expect(c, s.clock); s.expected.clock == 0 {
			continue
		}
		s.drop = 1 - s.clock/s.expected.clock
		f, ok := s.judge(k)
		if ok {
			out = append(out, c.Verdict("throttle/two-proofs", f))
		}
	}
	return out
}

// expected is the clock that a card should hold at work.
type expected struct {
	clock float64 // MHz, 0 where nothing is known
	own   bool    // shown by this very card, not taken from its data
	only  bool    // nothing but this state was seen, and the card's data tell nothing
}

// expect takes the best clock that this card, or another one of its product in
// earlier runs, has shown under load. Where that is no better than the clock
// now, only this state was seen, and the usual share of the card's highest
// clock stands in.
func expect(c *series.Case, now float64) expected {
	key := probe.ClockSM.String()
	best := c.BestClock
	for _, p := range c.Setting.Earlier {
		if p.GPU == c.GPU || p.Card != "" && p.Card == c.Device.Name {
			best = max(best, p.Stats[key].P50)
		}
	}
	if best*(1-lim.drop) >= now {
		return expected{clock: best, own: true}
	}
	m, ok := c.Device.ClockMaxSM.Ok()
	if ok && lim.rated*m > best {
		return expected{clock: lim.rated * m}
	}
	return expected{clock: best, own: best > 0, only: !ok}
}

// seen is a reason's seconds with what they are compared with.
type seen struct {
	*series.Case
	*under
	expected
	clock, share, drop float64
}

func (s *seen) judge(k cause) (series.Finding, bool) {
	f := series.Finding{Level: judge.Warn, Confidence: 0.92, Numbers: s.numbers()}
	if !s.own {
		f.Confidence -= 0.1
		f.Doubts = append(f.Doubts, series.Doubt("clock-rated"))
	}
	least := lim.drop
	switch k {
	case power:
		return s.power(f)
	case heat:
		s.heat(&f)
	case brake:
		f.Kind, f.Next = judge.ThrottleBrake, s.next("throttle.brake")
	case sync:
		f.Kind = judge.ThrottleSync
		if s.drop < lim.dropGroup {
			f.Level = judge.Info
		} else {
			f.Next = "throttle.sync"
		}
	case slowdown:
		if !s.untold(&f) {
			return f, false
		}
	case causes:
		return f, false
	}
	return f, s.drop >= least
}

func (s *seen) heat(f *series.Finding) {
	f.Kind, f.Next = judge.ThrottleThermal, s.next("throttle.thermal")
	if s.temp.N() == 0 {
		f.Say, f.Confidence = "throttle.thermal.untold", f.Confidence-0.12
		f.Doubts = append(f.Doubts, series.Doubt("temp-unread"))
	} else if s.temp.Quantile(0.75) < s.slowsAt()-20 {
		f.Confidence -= 0.05
		f.Doubts = append(f.Doubts, series.Doubt("core-cool"))
	}
}

// slowsAt is the temperature at which the card slows down, °C.
func (s *seen) slowsAt() float64 {
	if t, ok := s.Device.TempSlow.Ok(); ok {
		return t
	}
	return lim.slow
}

// untold judges a slowdown of the hardware whose cause the driver doesn't tell:
// near the temperature at which the card slows down it is heat.
func (s *seen) untold(f *series.Finding) bool {
	f.Confidence -= 0.2
	f.Doubts = append(f.Doubts, series.Doubt("slowdown-untold"))
	if s.temp.N() > 0 && s.temp.Quantile(0.75) >= s.slowsAt()-6 {
		s.heat(f)
		return true
	}
	f.Kind, f.Next = judge.ThrottleBrake, s.next("throttle.brake")
	return true
}

// power judges a card at its power limit. That is the usual state of a card
// that works; it is worth a warning where the limit was lowered.
func (s *seen) power(f series.Finding) (series.Finding, bool) {
	f.Kind, f.Level = judge.ThrottlePower, judge.Info
	rated := f.Doubts
	f.Confidence, f.Doubts = 0.92, nil // that the limit is reached needs no clock to compare with
	switch near := s.under.share.N(); {
	case near == 0:
		f.Confidence -= 0.3
		f.Doubts = append(f.Doubts, series.Doubt("power-unread"))
	case s.under.share.Quantile(0.5) < 100*lim.near:
		return f, false // a bit far below the limit: no slowdown
	}
	// What is only told needs no more than a clock below the highest.
	below := s.drop
	if m, ok := s.Device.ClockMaxSM.Ok(); ok && m > 0 {
		below = max(below, 1-s.clock/m)
	}
	if below < lim.dropPower && !s.only {
		return f, false
	}
	if s.only {
		f.Confidence -= 0.12
		f.Doubts = append(f.Doubts, series.Doubt("clock-only"))
		delete(f.Numbers, "clock_expected")
		delete(f.Numbers, "drop")
	}
	limit, usual, byName := s.cap()
	if usual > 0 && limit > 0 && limit < lim.lowered*usual {
		f.Numbers["power_default"] = judge.Number{Value: usual, Unit: "W"}
		f.Say = "throttle.power.lowered"
		if byName {
			f.Confidence -= 0.1
			f.Doubts = append(f.Doubts, series.Doubt("limit-by-name"))
		}
		switch {
		case s.only:
			f.Say = "throttle.power.lowered.untold"
			if limit < lim.byName*usual {
				f.Level, f.Next = judge.Warn, s.next("throttle.power.lowered")
			}
		case s.drop >= lim.drop:
			f.Confidence, f.Doubts = f.Confidence-0.1*float64(len(rated)), append(f.Doubts, rated...)
			f.Level, f.Next = judge.Warn, s.next("throttle.power.lowered")
		}
		return f, true
	}
	if s.drop >= lim.dropLarge && s.under.share.N() > 0 && !(limit > 0 && limit < lim.largeLeast) {
		f.Level, f.Say, f.Next = judge.Warn, "throttle.power.large", s.next("throttle.power.lowered")
		f.Confidence, f.Doubts = f.Confidence-0.15-0.1*float64(len(rated)), append(f.Doubts, rated...)
	}
	if s.under.power.N() == 0 || limit == 0 {
		f.Say = "throttle.power.untold"
	}
	return f, true
}

// cap returns the power limit of the reason's seconds and the one that is usual:
// the card's default; where that isn't told the highest seen in this recording,
// or well above it the product's.
func (s *seen) cap() (limit, usual float64, byName bool) {
	key := probe.PowerCap.String()
	if s.limit.N() > 0 {
		limit = math.Round(s.limit.Quantile(0.5))
	} else {
		limit, _ = s.Device.PowerCap.Ok()
	}
	if d, ok := s.Device.PowerDefault.Ok(); ok && d > 0 {
		return limit, d, false
	}
	usual = s.Stat(probe.PowerCap).Peak
	if s.Whole != nil {
		usual = max(usual, s.Whole.Stat(probe.PowerCap).Peak)
	}
	for _, p := range s.Past {
		usual = max(usual, p.Stats[key].Peak)
	}
	if w := products()[s.Device.Name]; usual > 0 && usual < lim.byName*w {
		return limit, w, true
	}
	return limit, usual, false
}

func (s *seen) numbers() map[string]judge.Number {
	m := map[string]judge.Number{
		"clock_sm_mhz": {Value: math.Round(s.clock), Unit: "MHz"}, "clock_expected": {Value: math.Round(s.expected.clock), Unit: "MHz"},
		"drop": {Value: math.Round(100 * max(0, s.drop)), Unit: "%"}, "held_share": {Value: math.Round(s.share), Unit: "%"},
	}
	add := func(name string, d *series.Dist, unit string) {
		if d.N() > 0 {
			m[name] = judge.Number{Value: math.Round(d.Quantile(0.5)), Unit: unit}
		}
	}
	add("power_w", &s.under.power, "W")
	add("temp_c", &s.temp, "°C")
	add("temp_mem_c", &s.tempMem, "°C")
	if limit, _, _ := s.cap(); limit > 0 {
		m["power_cap_w"] = judge.Number{Value: limit, Unit: "W"}
	}
	return m
}

// next is what to do: whoever has a whole machine can act on it.
func (s *seen) next(key string) string {
	if s.Setting.Track == "dedicated" && texts.Has("judge.next."+key+".dedicated") {
		return key + ".dedicated"
	}
	return key
}
