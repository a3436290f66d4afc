package guard

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"time"

	"rentgen/probe"
)

// Params is what a guard needs of the world.
type Params struct {
	// Dir is the guard's folder on the host, of mode 0700. It need not be there:
	// who switches the guard on makes it.
	Dir string
	// Root stands for "/" where signals are read; "" is the machine itself.
	Root string
	// Run is the machine's present run.
	Run probe.Run
	// Ready says why a command can't be given, "" where it can. It is asked when an
	// order comes and again before the command is given.
	Ready func(Action) (Why, string)
	// Act gives the command that stands for an action and waits for its end.
	Act func(Action) error
	// Queue asks how many jobs a program has; nil asks it on this machine.
	Queue func(port int) probe.Value
	// Signals reads the others; nil reads the machine.
	Signals func(now time.Time, mono time.Duration, ports []int) Signals
	// Now is the wall clock and Mono the monotonic one; nil Now is time.Now.
	Now  func() time.Time
	Mono func() time.Duration
}

// stillThere is how long after the command the machine may go on: a shutdown
// announces itself for a minute, a container is given time to end.
const stillThere = 10 * time.Minute

// Guard is the stop guard on the host: it follows the files of its folder and
// decides each second. It is for one goroutine.
type Guard struct {
	p    Params
	dir  folder
	boot string

	watch  *Watch
	order  stamp
	state  State
	shown  string // what the file of the state says
	wrote  time.Duration
	acted  time.Duration // when the command was given; 0 not
	queue  probe.Value
	queued time.Duration // when the queue was asked
	asked  bool
}

// stamp tells one version of a file from the next.
type stamp struct {
	time time.Time
	size int64
	ok   bool
}

// Open returns the guard of a folder, which may hold an order and the state of an
// earlier program.
func Open(p Params) (*Guard, error) {
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Queue == nil {
		p.Queue = askQueue
	}
	if p.Signals == nil {
		p.Signals = NewMeter(p.Root).Read
	}
	if p.Mono == nil || p.Ready == nil || p.Act == nil {
		return nil, errors.New("guard: Mono, Ready and Act are needed")
	}
	g := &Guard{p: p, dir: folder(p.Dir), boot: Boot(p.Run)}
	if b, err := g.dir.read(StateFile, maxState); err == nil {
		if s, err := ParseState(b); err == nil {
			g.state = s
		}
	}
	return g, nil
}

// On reports whether there is an order.
func (g *Guard) On() bool { return g.watch != nil }

// State returns the latest state.
func (g *Guard) State() State { return g.state }

// Second takes the readings of a second: it looks for a new order, decides, shows
// the state in its file, and gives the command when the time has come. It returns
// the state. A sample is only read.
func (g *Guard) Second(s *probe.Sample) State {
	mono := g.p.Mono()
	g.follow()
	if g.watch == nil {
		g.show(State{Phase: Off, Time: g.p.Now(), DryAt: g.state.DryAt, DryOf: g.state.DryOf, Boot: g.boot}, mono)
		return g.state
	}
	in := Input{Now: g.p.Now(), Mono: mono, Sample: s, Keep: g.dir.keep()}
	if g.acted != 0 {
		if mono-g.acted > stillThere {
			g.show(g.watch.Stood(""), mono)
		}
		return g.state
	}
	o := g.watch.order
	if o.OnQueue {
		if !g.asked || mono-g.queued >= queueEvery || mono < g.queued {
			g.queue, g.queued, g.asked = g.p.Queue(o.QueuePort), mono, true
		}
	}
	in.Signals = g.p.Signals(in.Now, mono, o.Watched())
	in.Signals.Queue = g.queue
	before := g.state.Phase
	state, act := g.watch.Look(in)
	if state.Phase == Would && before != Would {
		g.note(state)
	}
	if act {
		state = g.act(state, mono)
	}
	g.show(state, mono)
	return g.state
}

// follow takes over an order that has come, changed or gone.
func (g *Guard) follow() {
	var now stamp
	st, err := os.Lstat(g.dir.path(OrderFile))
	if err == nil {
		now = stamp{st.ModTime(), st.Size(), true}
	}
	if now == g.order {
		return
	}
	g.order = now
	if !now.ok {
		if !errors.Is(err, fs.ErrNotExist) {
			g.order = stamp{} // look again
		}
		g.watch = nil
		return
	}
	g.acted, g.asked = 0, false
	b, err := g.dir.read(OrderFile, maxOrder)
	var o Order
	if err == nil {
		o, err = ParseOrder(b)
	}
	g.watch = New(o, g.state, g.boot)
	if err != nil {
		g.watch.Refuse(WhyOrder, err.Error())
		return
	}
	if why, detail := g.p.Ready(o.Action); why != "" {
		g.watch.Refuse(why, detail)
	}
}

// act writes the record and gives the command. Whatever goes wrong ends in a
// refusal: nothing is tried twice.
func (g *Guard) act(s State, mono time.Duration) State {
	if why, detail := g.p.Ready(s.Order.Action); why != "" {
		return g.watch.Refuse(why, detail)
	}
	if err := g.note(s); err != nil {
		return g.watch.Refuse(WhyRecord, err.Error())
	}
	g.show(s, mono)
	g.acted = max(mono, 1)
	if err := g.p.Act(s.Order.Action); err != nil {
		g.acted = 0
		return g.watch.Refuse(WhyFailed, err.Error())
	}
	return s
}

func (g *Guard) note(s State) error {
	b, err := json.Marshal(StopOf(s, g.watch.Peaks()))
	if err != nil {
		return err
	}
	return g.dir.record(b)
}

// showEvery is how often the file of a state is written while only its times move.
const showEvery = 10 * time.Second

// show keeps the state and writes its file. What goes on in the file while nothing
// but the time moves is written more seldom, so that a quiet machine's disk is
// left alone. A disk that is full costs the file, not the guard.
func (g *Guard) show(s State, mono time.Duration) {
	lasting := s.Phase != g.state.Phase
	g.state = s
	head := s
	head.Time, head.Idle, head.Since = time.Time{}, 0, time.Time{}
	head.Busy = nil
	for _, r := range s.Busy {
		r.Value = 0
		head.Busy = append(head.Busy, r)
	}
	key, err := json.Marshal(head)
	if err != nil || (string(key) == g.shown && mono-g.wrote < showEvery && mono >= g.wrote) {
		return
	}
	if s.Phase == Off && (string(key) == g.shown || !g.dir.there()) {
		return
	}
	b, err := json.Marshal(s)
	if err != nil || g.dir.write(StateFile, append(b, '\n'), lasting) != nil {
		return
	}
	g.shown, g.wrote = string(key), mono
}
