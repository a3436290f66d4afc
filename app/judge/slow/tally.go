package slow

import (
	"math"

	"rentgen/app/judge/series"
	"rentgen/probe"
)

// signal is something that a card may wait for.
type signal uint8

const (
	sigCore   signal = iota // one core computes without a pause
	sigDisk                 // the disk is read, or programs stand still for it
	sigNetIn                // data comes over the network
	sigNetOut               // data goes over the network
	sigPCIe                 // weights go to the card
	sigNoJob                // nothing is queued
	sigEnd
)

// overlap counts the seconds in which a signal was known and in which it was on,
// weighed by how much the card waited in them, and plainly where it worked.
type overlap struct {
	waitKnown, wait float64
	workKnown, work int
}

// tally counts what happened at the same moment.
type tally struct {
	seconds int     // in which utilisation was read
	wait    float64 // s: the sum of what is missing to full utilisation
	with    [sigEnd]overlap

	peers     int     // seconds at work beside others of the same product
	ratio     float64 // sum of the own clock through the middle one of theirs
	slowest   int     // seconds in which no peer's clock was lower
	talk      int     // seconds in which several cards sent and received much
	links     int     // seconds with a number of links of this card and a peer
	linksOwn  float64 // the latest
	linksPeer float64 // the highest of a peer, the latest
	peerBusy  int     // seconds in which a peer worked
}

// Add counts a second in.
func (t *tally) Add(s *series.Second) {
	util := s.V(probe.UtilGPU)
	if math.IsNaN(util) {
		return
	}
	t.seconds++
	wait := max(0, 1-util/100)
	t.wait += wait
	for sig := range sigEnd {
		on, known := sig.on(s)
		if !known {
			continue
		}
		o := &t.with[sig]
		o.waitKnown += wait
		if on {
			o.wait += wait
		}
		if util >= 90 {
			o.workKnown++
			if on {
				o.work++
			}
		}
	}
	t.beside(s)
}

// waiting is the share of the time in which the card waits, NaN for not known.
func (t *tally) waiting() float64 {
	if t.seconds == 0 {
		return math.NaN()
	}
	return t.wait / float64(t.seconds)
}

// on reports whether a signal is there in a second, and whether that can be told.
func (sig signal) on(s *series.Second) (on, known bool) {
	at := func(m probe.Metric, least float64) (bool, bool) {
		v := s.V(m)
		return v >= least, !math.IsNaN(v)
	}
	switch sig {
	case sigCore:
		return at(probe.CPUBusiest, lim.busiest)
	case sigDisk:
		psi, known1 := at(probe.PSIIO, lim.psiIO)
		read, known2 := at(probe.DiskRead, lim.diskLeast)
		return psi || read, known1 || known2
	case sigNetIn:
		return at(probe.NetRx, lim.net)
	case sigNetOut:
		return at(probe.NetTx, lim.net)
	case sigPCIe:
		return at(probe.PCIeRx, lim.pcie)
	case sigNoJob:
		v := s.V(probe.Queue)
		return v == 0, !math.IsNaN(v)
	}
	return false, false
}

// beside compares the card with the others of its kind in the same second.
func (t *tally) beside(s *series.Second) {
	if s.Card == nil || len(s.Cards) < 2 {
		return
	}
	own := s.Card.V(probe.ClockSM)
	var clocks []float64
	talking := 0
	links, linksKnown := math.NaN(), false
	busy := false
	for _, p := range s.Cards {
		if p.V(probe.PCIeTx) >= lim.peer && p.V(probe.PCIeRx) >= lim.peer || p.V(probe.NVLinkTx)+p.V(probe.NVLinkRx) >= lim.peer {
			talking++
		}
		if p.UUID == s.Card.UUID || p.Name != s.Card.Name {
			continue
		}
		busy = busy || p.Active
		if c := p.V(probe.ClockSM); p.Active && !math.IsNaN(c) {
			clocks = append(clocks, c)
		}
		if n := p.V(probe.NVLinkActive); !math.IsNaN(n) && !(n <= links) {
			links, linksKnown = n, true
		}
	}
	if busy {
		t.peerBusy++
	}
	if talking >= 2 {
		t.talk++
	}
	if n := s.Card.V(probe.NVLinkActive); linksKnown && !math.IsNaN(n) {
		t.links++
		t.linksOwn, t.linksPeer = n, links
	}
	if !s.Active || math.IsNaN(own) || own <= 0 || len(clocks) == 0 {
		return
	}
	middle := median(clocks)
	if middle <= 0 {
		return
	}
	t.peers++
	t.ratio += own / middle
	lowest := true
	for _, c := range clocks {
		lowest = lowest && own <= c
	}
	if lowest {
		t.slowest++
	}
}

// median sorts the few clocks in place and returns the middle one.
func median(x []float64) float64 {
	for i := 1; i < len(x); i++ {
		for j := i; j > 0 && x[j] < x[j-1]; j-- {
			x[j], x[j-1] = x[j-1], x[j]
		}
	}
	return x[len(x)/2]
}
