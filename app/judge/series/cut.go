package series

import (
	"math"
	"time"

	"rentgen/probe"
)

// limits of the cut, from the table.
var lim = struct {
	activeUtil, loadUtil, loadRise, signRise, signRAM, loadPCIe, loadDisk, powerActive, powerFull, powerLeast float64
	bridge, begin, settle, hole, window, least, patience                                                      int
}{
	Limit("cut.active-util"), Limit("cut.load-util"), Limit("cut.load-rise"), Limit("cut.sign-rise"), Limit("cut.sign-ram"), Limit("cut.load-pcie"), Limit("cut.load-disk"), Limit("cut.power-active"), Limit("cut.power-full"), Limit("cut.power-least"),
	int(Limit("cut.bridge")), int(Limit("cut.begin")), int(Limit("cut.settle")), int(Limit("cut.hole")), int(Limit("cut.window")), int(Limit("cut.window-least")), int(Limit("cut.patience")),
}

// maxPend bounds the seconds that wait for a decision where one is read every second.
const maxPend = 24

// raw says what a second is on its own.
func (t *track) raw(s *Second) Kind {
	if s.Card == nil {
		return Unread
	}
	util, power := s.V(probe.UtilGPU), s.V(probe.Power)
	rise := t.mem.rise(s.T, s.V(probe.MemUsed))
	t.ram.rise(s.T, s.V(probe.RAMUsed))
	t.notice(s)
	if power > 0 && (t.floor == 0 || power < t.floor) {
		t.floor = power
	}
	// A slow disk fills VRAM by little, but without a pause.
	loads := rise >= lim.loadRise || t.mem.most >= lim.loadRise || s.V(probe.PCIeRx) >= lim.loadPCIe
	switch {
	case util >= lim.activeUtil:
		t.sign = s.T
		if util < lim.loadUtil && loads {
			return Loading
		}
		return Busy
	case math.IsNaN(util):
		// Power of a slice is that of its whole card and says nothing of it.
		if math.IsNaN(power) || t.sliced() {
			return Unread
		}
		if t.worksByPower(s, power) {
			return Busy
		}
	}
	// Power lags behind by a second; and the pauses of such a card read no better.
	proof := max(5, Single(s.Step))
	switch {
	case t.denies(s, power):
		t.denials, t.denied = t.denials+1, s.T
	case t.denials < proof || s.T-t.denied > int64(bridge(s.Step)):
		t.denials = 0
	}
	if t.denials >= proof {
		return Unread
	}
	if loads || t.readsIn(s) {
		return Loading
	}
	return Idle
}

// denies reports whether the power says that a card works whose utilisation
// reads 0: a driver that counts nothing, or a loop that goes on after the card
// was lost.
func (t *track) denies(s *Second, power float64) bool {
	limit := t.limit(s)
	return !t.sliced() && limit > 0 && power >= lim.powerFull*limit && power >= lim.powerLeast
}

// limit is the power limit of the second, W; NaN where none can be read.
func (t *track) limit(s *Second) float64 {
	if limit := s.V(probe.PowerCap); !math.IsNaN(limit) {
		return limit
	}
	return t.device.PowerCap.Float()
}

func (t *track) sliced() bool { return t.device.Parent != "" || t.device.MIG == "on" }

// worksByPower judges by power alone: near the limit, or well above the card's
// own floor.
func (t *track) worksByPower(s *Second, power float64) bool {
	if limit := t.limit(s); limit > 0 {
		return power >= lim.powerActive*limit && power >= lim.powerLeast
	}
	return t.floor > 0 && power >= 1.6*t.floor+15
}

// readsIn holds while a program that has the card open reads its model. What is
// read from disks is counted for the whole machine, so that others may be seen
// there: it counts as ours only for a while after a sign of our own.
func (t *track) readsIn(s *Second) bool {
	if s.V(probe.GPUClients) == 0 || s.V(probe.OwnProcs) == 0 || s.T-t.sign > int64(lim.patience) {
		return false
	}
	disk, net := s.V(probe.DiskRead), s.V(probe.NetRx)
	if disk >= lim.loadDisk {
		return true
	}
	// A network disk reads through the network and writes nothing down.
	return s.V(probe.OwnProcs) > 0 && net >= lim.loadDisk && !(s.V(probe.DiskWrite) > net/2)
}

// notice looks for signs of our own: VRAM or RAM that changes, a program that
// comes or goes, jobs that wait.
func (t *track) notice(s *Second) {
	now := [...]float64{s.V(probe.GPUClients), s.V(probe.OwnProcs)}
	changed := !t.seen || s.V(probe.Queue) > 0 || t.mem.most >= lim.signRise || t.ram.most >= lim.signRAM
	for i, v := range now {
		if v != t.procs[i] && !math.IsNaN(v) && !math.IsNaN(t.procs[i]) {
			changed = true
		}
	}
	t.procs, t.seen = now, true
	if changed {
		t.sign = s.T
	}
}

// climb holds a level of the last seconds.
type climb struct {
	v     [11]float64
	at    int64
	begun bool
	most  float64 // growth within ten seconds
}

// rise adds a second and returns how far the level has grown within three; NaN
// where it can't be read.
func (c *climb) rise(at int64, now float64) float64 {
	gone := min(max(at-c.at, 0), int64(len(c.v)))
	if !c.begun {
		c.begun, gone = true, int64(len(c.v))
	}
	for range gone {
		copy(c.v[1:], c.v[:len(c.v)-1])
		c.v[0] = math.NaN()
	}
	c.at, c.v[0] = at, now
	c.most = growth(c.v[:])
	return growth(c.v[:4])
}

// growth is how far the first level is above the least of those before.
func growth(v []float64) float64 {
	most := math.NaN()
	for _, x := range v[1:] {
		if d := v[0] - x; d > most || math.IsNaN(most) {
			most = d
		}
	}
	return most
}

// step puts a second where it belongs.
func (t *track) step(s *Second, raw Kind) {
	switch {
	case !t.begun:
		t.enter(raw, s.T)
	case raw == t.kind && !(raw == Idle && len(t.pend) > 0):
		t.flush()
	case t.kind == Unread:
		t.leave()
		t.enter(raw, s.T)
	default:
		t.pend = append(t.pend, pending{t.s.kept(s), raw})
		t.decide()
		return
	}
	t.count(s)
}

// decide looks whether what is pending is the next phase, or belongs to this one.
func (t *track) decide() {
	var n [Gap + 1]int
	for _, p := range t.pend {
		n[p.raw]++
	}
	to, switches, step := t.kind, false, t.s.step()
	switch {
	case n[Unread] >= unread(step):
		to, switches = Unread, true
	case t.kind == Idle:
		quiet := 0
		for i := len(t.pend) - 1; i >= 0 && t.pend[i].raw == Idle; i-- {
			quiet++
		}
		if quiet >= begins(step)+2 {
			t.flush()
			return
		}
		if n[Busy]+n[Loading] >= begins(step) {
			to, switches = Loading, true
			if n[Busy] > n[Loading] {
				to = Busy
			}
		}
	case t.kind == Loading:
		switch {
		case n[Busy] >= begins(step):
			to, switches = Busy, true
		case n[Idle] >= settle(step):
			to, switches = Idle, true
		}
	case t.kind == Busy && len(t.pend) > bridge(step):
		to, switches = Idle, true
		if 3*n[Loading] >= len(t.pend) {
			to = Loading
		}
	}
	if !switches && len(t.pend) >= pends(step) {
		switches = true
		for k, c := range n {
			if c > n[to] {
				to = Kind(k)
			}
		}
	}
	if !switches {
		return
	}
	if to == t.kind {
		t.flush()
		return
	}
	list := t.pend
	t.pend = nil
	t.leave()
	t.enter(to, list[0].sec.T)
	for i := range list {
		t.count(&list[i].sec)
	}
	clear(list)
	t.pend = list[:0]
}

// flush counts what is pending to the phase that goes on.
func (t *track) flush() {
	for i := range t.pend {
		t.count(&t.pend[i].sec)
	}
	clear(t.pend)
	t.pend = t.pend[:0]
}

func (t *track) enter(k Kind, at int64) {
	t.kind, t.begun = k, true
	t.whole, t.window = t.newSegment(k, at, false), t.newWindow(at)
}

// count adds a second to the phase and its window.
func (t *track) count(s *Second) {
	if s.T-t.window.from >= int64(window(t.s.step())) {
		t.endWindow()
		t.window = t.newWindow(s.T)
	}
	t.window.add(s)
	for _, g := range [2]*Segment{t.whole, t.window} {
		for _, tl := range g.Tallies {
			if tl != nil {
				tl.Add(s)
			}
		}
	}
}

// leave ends the phase.
func (t *track) leave() {
	t.endWindow()
	t.window = nil
	if t.whole.Seconds > 0 {
		t.emit(t.whole)
	}
	t.whole, t.begun = nil, false
}

// close ends the phase with what is pending.
func (t *track) close() {
	if !t.begun {
		return
	}
	t.flush()
	t.leave()
}

func (t *track) endWindow() {
	w := t.window
	if w.Seconds == 0 {
		return
	}
	w.Step = t.s.step()
	t.noteBest(w)
	if w.Seconds >= w.Least() {
		w.Whole = t.whole
		t.emit(w)
	}
	t.whole.merge(w)
}

// noteBest keeps the best clock that a minute under load has shown.
func (t *track) noteBest(w *Segment) {
	if d := w.Load(probe.ClockSM); d != nil && d.n >= w.Least()/2 {
		t.best = max(t.best, d.Quantile(0.5))
	}
}

func (t *track) emit(g *Segment) {
	t.seal(g)
	if t.s.p.Closed != nil {
		t.s.p.Closed(g)
	}
}

// seal writes down what the track knows.
func (t *track) seal(g *Segment) {
	g.From, g.To = time.Unix(g.from, 0).UTC(), time.Unix(g.to, 0).UTC()
	g.Device, g.BestClock, g.Floor, g.Cards, g.Step = t.device, t.best, t.floor, len(t.s.parts), t.s.step()
}

// open returns copies of the phase and of its window as they stand.
func (t *track) open() []*Segment {
	if !t.begun || t.window.Seconds+t.whole.Seconds == 0 {
		return nil
	}
	whole := t.whole.clone()
	whole.merge(t.window)
	w := *t.window
	w.Whole, w.Step = t.whole, t.s.step()
	best := t.best
	t.noteBest(&w)
	t.seal(whole)
	t.seal(&w)
	t.best = best
	whole.Open, w.Open = true, true
	list := []*Segment{whole}
	if w.Seconds > 0 {
		list = append(list, &w)
	}
	return list
}
