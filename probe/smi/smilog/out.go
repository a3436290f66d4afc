package smilog

import (
	"slices"
	"strings"
	"time"

	"rentgen/probe"
	"rentgen/probe/smi"
)

// out puts what a log says into the order of messages.
type out struct {
	yield func(probe.Message, error) bool
	clock clock
	seq   uint64

	inv     probe.Inventory
	began   bool
	pending []*probe.Event // from before the first time
	told    map[string]bool
	rolled  *probe.Gap
}

func (o *out) send(m probe.Message) error {
	if !o.yield(m, nil) {
		return errStop
	}
	return nil
}

// at moves the clock to a tick and says whether its readings count.
func (o *out) at(t time.Time) (keep bool, err error) {
	c := &o.clock
	if c.last.IsZero() {
		c.last = t
		return true, nil
	}
	if !t.After(c.last) {
		if late(t, c.last) || c.out > 0 {
			c.out++
			return false, nil
		}
		return true, nil // two rows the wrong way round
	}
	if err := o.caughtUp(); err != nil {
		return false, err
	}
	d := t.Sub(c.last)
	if s := c.silent(); s > 0 && d > s {
		if err := o.gap(&probe.Gap{From: c.last.Add(c.usual()), To: t, Reason: probe.GapLog}); err != nil {
			return false, err
		}
	}
	c.step(d)
	c.last = t
	return true, nil
}

// caughtUp tells how many readings were left out while the clock stood in the
// past.
func (o *out) caughtUp() error {
	c := &o.clock
	if c.out == 0 {
		return nil
	}
	n := c.out
	c.out = 0
	return o.event(&probe.Event{
		Time: c.last, Kind: probe.EventClock, Code: n, Text: "the clock of the log went back; readings of a time that is there already are left out",
	})
}

func (o *out) gap(g *probe.Gap) error {
	if err := o.endRolled(); err != nil {
		return err
	}
	return o.send(g)
}

// roll adds a span of which the log has sums only.
func (o *out) roll(from time.Time, width time.Duration) error {
	if o.rolled != nil && !from.After(o.rolled.To) {
		if to := from.Add(width); to.After(o.rolled.To) {
			o.rolled.To = to
		}
		return nil
	}
	if err := o.endRolled(); err != nil {
		return err
	}
	o.rolled = &probe.Gap{From: from, To: from.Add(width), Reason: probe.GapRolled}
	return nil
}

func (o *out) endRolled() error {
	if o.rolled == nil {
		return nil
	}
	g := o.rolled
	o.rolled = nil
	return o.send(g)
}

// begin sends the inventory, and what was said before it.
func (o *out) begin(t time.Time) error {
	inv := o.inv
	inv.Time, inv.Source, inv.Reason, inv.Mode = t, probe.SourceSMI, probe.ReasonAsked, probe.ModeGPU
	inv.GPUs = slices.Clone(o.inv.GPUs)
	if err := o.send(&inv); err != nil {
		return err
	}
	o.began = true
	pending := o.pending
	o.pending = nil
	for _, e := range pending {
		e.Time = t
		if err := o.send(e); err != nil {
			return err
		}
	}
	return nil
}

// sample sends a tick, with the inventory before it where a card is new.
func (o *out) sample(s *probe.Sample, devices []probe.Device, driver string) error {
	if err := o.endRolled(); err != nil {
		return err
	}
	fresh := !o.began
	if driver != "" && driver != o.inv.Driver {
		o.inv.Driver, fresh = driver, true
	}
	for _, d := range devices {
		i := slices.IndexFunc(o.inv.GPUs, func(k probe.Device) bool { return k.UUID == d.UUID })
		switch {
		case i < 0 && len(o.inv.GPUs) < maxCards:
			o.inv.GPUs, fresh = append(o.inv.GPUs, d), true
		case i >= 0 && o.inv.GPUs[i].Problem != d.Problem:
			o.inv.GPUs[i], fresh = d, true
		}
	}
	if fresh {
		if err := o.begin(s.Time); err != nil {
			return err
		}
	}
	for i := range s.GPUs { // readable again: the next fault is told again
		if len(devices) > i && devices[i].Problem == "" {
			delete(o.told, probe.EventLost+s.GPUs[i].UUID)
			delete(o.told, probe.EventReset+s.GPUs[i].UUID)
		}
	}
	o.seq++
	s.Seq = o.seq
	return o.send(s)
}

// note tells of a line that is no reading, once for each shape of line.
func (o *out) note(line string) error {
	n, ok := smi.ReadNote(line)
	if !ok {
		return nil
	}
	if f := smi.ParseFailure([]byte(line), 0); f != nil && n.Kind == probe.EventNoise {
		n.Kind, n.BusID = f.EventKind(), f.BusID
	}
	uuid := ""
	for _, d := range o.inv.GPUs {
		if smi.SameBus(n.BusID, d.BusID) || n.BusID == "" && n.Index >= 0 && n.Index == d.Index {
			uuid = d.UUID
		}
	}
	return o.tell(n, uuid)
}

func (o *out) tell(n smi.Note, uuid string) error {
	key := n.Kind + uuid
	if n.Kind == probe.EventNoise || n.Kind == probe.EventXid || uuid == "" {
		key = n.Kind + shape(n.Raw)
	}
	if o.told == nil {
		o.told = map[string]bool{}
	}
	if n.Kind != probe.EventXid && (o.told[key] || len(o.told) >= maxNoise) {
		return nil
	}
	o.told[key] = true
	return o.event(&probe.Event{Time: o.clock.last, GPU: uuid, Kind: n.Kind, Code: n.Code, Text: said[n.Kind], Raw: n.Raw})
}

// said are the sentences of events, as the live readers write them.
var said = map[string]string{
	probe.EventLost:           "the card can't be reached",
	probe.EventReset:          "the card requires a reset",
	probe.EventXid:            "the driver reports an Xid",
	probe.EventNoise:          "a line that is no reading",
	probe.EventDriverMismatch: "library and kernel module of the driver differ",
	probe.EventAccess:         "the container lost its cards",
}

// shape makes lines alike that differ in numbers.
func shape(s string) string {
	s = s[:min(len(s), 48)]
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'f' {
			return '0'
		}
		return r
	}, s)
}

func (o *out) event(e *probe.Event) error {
	if !o.began {
		if len(o.pending) < maxNoise {
			o.pending = append(o.pending, e)
		}
		return nil
	}
	return o.send(e)
}

// end sends what is still open.
func (o *out) end() error {
	if err := o.caughtUp(); err != nil {
		return err
	}
	if err := o.endRolled(); err != nil {
		return err
	}
	if !o.began {
		return o.begin(o.clock.last)
	}
	return nil
}
