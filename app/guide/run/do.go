package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/check"
)

// EventKind says what an Event tells.
type EventKind string

// The kinds of events.
const (
	Started EventKind = "started" // the command runs
	Ended   EventKind = "ended"   // Record holds what it gave
	Blocked EventKind = "blocked" // Record names the failed check that it rests on
	// Wanting says that the command needs a value that is not known, Event.Need.
	Wanting EventKind = "wanting"
)

// Event tells how a run goes on.
type Event struct {
	Check  guide.CheckID
	Kind   EventKind
	Record *guide.Record // of Ended and Blocked
	Need   string        // of Wanting: the value's name
}

// Params is what a run needs.
type Params struct {
	Runner guide.Runner
	// Forwarder opens the forward that the check "tunnel" tries; nil: that check is
	// run as its command says, on the instance.
	Forwarder guide.Forwarder
	Track     guide.Track
	Checks    []guide.CheckID // in order; a parent that stands behind its child is run before
	Level     guide.Level
	Values    Values
	Edited    map[guide.CheckID]string // commands as the user wrote them
	Known     guide.Context            // what is known from elsewhere
	Failed    map[guide.CheckID]bool   // parents that failed before
	// Timeouts replace the time limits of checks; that of "" is for the look at the
	// instance before them.
	Timeouts map[guide.CheckID]time.Duration
	Now      func() time.Time // nil is time.Now
	Event    func(Event)      // from one goroutine, in order; nil: nobody listens
}

// Do runs checks and tells of each as it ends. The error is that of the link
// (guide.ErrOffline in its chain) or of the context, or says that a value can't be
// used; what was not told of has not been run, and another Do with the rest goes on
// where this one stopped. Without checks it looks at the instance alone.
func Do(ctx context.Context, p Params) (guide.Run, error) {
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Event == nil {
		p.Event = func(Event) {}
	}
	values, err := p.Values.clean()
	if err != nil {
		return guide.Run{}, err
	}
	for _, id := range p.Checks {
		if !known(id) {
			return guide.Run{}, fmt.Errorf("no check is called %q", id)
		}
	}
	p.Values = values
	edited := map[guide.CheckID]string{}
	for id, text := range p.Edited {
		if edited[id], err = CheckCommand(text); err != nil {
			return guide.Run{}, err
		}
	}
	p.Edited = edited
	d := &doing{p: p, left: parentsFirst(p.Checks), know: p.Known, failed: map[guide.CheckID]guide.CheckID{}, inRun: map[guide.CheckID]bool{}}
	for id, bad := range p.Failed {
		if bad {
			d.failed[id] = id
		}
	}
	for _, id := range d.left {
		d.inRun[id] = true
		delete(d.failed, id) // it gets another chance
	}
	if v := values[ValueDir]; v != "" {
		d.know.Dir = &v
	}
	if v := values[ValueHFEndpoint]; v != "" {
		d.know.HFEndpoint = &v
	}
	if len(d.left) == 0 { // asked for the run of the instance alone
		_, err := d.shell(ctx)
		return d.run, err
	}
	if p.Forwarder != nil { // ours to do, while the shell's time is not running
		if i := slices.Index(d.left, guide.Tunnel); i >= 0 {
			d.left = append(slices.Delete(d.left, i, i+1), guide.Tunnel)
		}
	}
	for len(d.left) > 0 {
		if err := ctx.Err(); err != nil {
			return d.run, err
		}
		if id := d.left[0]; d.ready(id) {
			if d.unrunnable(id) {
				continue
			}
			if d.ours(id) {
				d.tunnel(ctx)
				continue
			}
		}
		on, err := d.shell(ctx)
		if err != nil {
			return d.run, err
		}
		if !on {
			return d.run, errors.New("the instance's shell ended before the first command")
		}
	}
	return d.run, ctx.Err()
}

// after are the checks that a check waits for: those it rests on, and the one that
// shows where its directory may lie.
func after(id guide.CheckID) []guide.CheckID {
	list := slices.Clone(defOf(id).Parents)
	if id == guide.DiskMount || id == guide.DiskSpeed {
		list = append(list, guide.DiskDf)
	}
	return list
}

// parentsFirst is the list without doubles, what a check waits for before it.
func parentsFirst(ids []guide.CheckID) []guide.CheckID {
	var out []guide.CheckID
	var add func(id guide.CheckID)
	add = func(id guide.CheckID) {
		if slices.Contains(out, id) {
			return
		}
		for _, first := range after(id) {
			if slices.Contains(ids, first) {
				add(first)
			}
		}
		out = append(out, id)
	}
	for _, id := range ids {
		add(id)
	}
	return out
}

// doing is a run under way. Its fields belong to Do's goroutine.
type doing struct {
	p      Params
	left   []guide.CheckID                 // not told of yet, in order
	inRun  map[guide.CheckID]bool          // checks of this run that have not ended
	failed map[guide.CheckID]guide.CheckID // failed or blocked, with the failure at the root
	know   guide.Context
	run    guide.Run
	looked bool   // the instance was looked at, or can't be
	blind  bool   // the look hangs: go without
	dir    string // a directory that may persist, from disk.df
}

// see takes what the shell told of the instance.
func (d *doing) see(l look) {
	set(&d.run.Boot, l.run.Boot)
	set(&d.run.PID1, l.run.PID1)
	set(&d.run.Driver, l.run.Driver)
	set(&d.run.Instance, l.run.Instance)
	own := d.know.HFEndpoint
	fillKnown(&d.know, l.know)
	if own != nil { // what was set for the run wins
		d.know.HFEndpoint = own
	}
}

// values are those of the run with what was found out.
func (d *doing) values() Values {
	v := make(Values, len(d.p.Values)+1)
	for name, s := range d.p.Values {
		v[name] = s
	}
	if v[ValueDriver] == "" && driverVersion.MatchString(d.run.Driver) {
		v[ValueDriver] = d.run.Driver
	}
	if v[ValueDir] == "" {
		v[ValueDir] = d.dir
	}
	return v
}

// command of a check as it is now known, and whether the user wrote it.
func (d *doing) command(id guide.CheckID) (text string, edited bool, err error) {
	text, err = CommandOf(id, d.p.Track, d.values())
	if own := d.p.Edited[id]; own != "" && own != text {
		return own, true, nil
	}
	return text, false, err
}

// ready reports whether everything that the check rests on is known.
func (d *doing) ready(id guide.CheckID) bool {
	if id == guide.DockerGPU && !d.looked && d.p.Values[ValueDriver] == "" {
		return false // the system image is chosen by the driver
	}
	return !slices.ContainsFunc(after(id), func(p guide.CheckID) bool { return d.inRun[p] })
}

// unrunnable ends a check that is blocked or lacks a value, and tells of it.
func (d *doing) unrunnable(id guide.CheckID) bool {
	if root, ok := d.blocker(id); ok {
		d.blocked(id, root)
		return true
	}
	_, _, err := d.command(id)
	var need *NeedError
	switch {
	case err == nil:
		return false
	case errors.As(err, &need):
		d.drop(id)
		d.p.Event(Event{Check: id, Kind: Wanting, Need: need.Name})
	default: // it has no command on this track
		d.drop(id)
	}
	return true
}

// ours reports whether this computer runs a check itself.
func (d *doing) ours(id guide.CheckID) bool {
	_, edited, _ := d.command(id)
	return id == guide.Tunnel && d.p.Forwarder != nil && !edited
}

// blocker is the failure that a check rests on.
func (d *doing) blocker(id guide.CheckID) (guide.CheckID, bool) {
	for _, p := range defOf(id).Parents {
		if root, ok := d.failed[p]; ok {
			return root, true
		}
	}
	return "", false
}

func (d *doing) drop(id guide.CheckID) {
	d.left = slices.DeleteFunc(d.left, func(o guide.CheckID) bool { return o == id })
	delete(d.inRun, id)
}

func (d *doing) blocked(id, root guide.CheckID) {
	d.drop(id)
	d.failed[id] = root
	d.p.Event(Event{Check: id, Kind: Blocked, Record: &guide.Record{
		Input: guide.Input{Check: id, Track: d.p.Track, Context: d.know}, Time: d.p.Now(), Run: d.run, BlockedBy: root,
	}})
}

// ended judges a record as far as others rest on it, and tells of it.
func (d *doing) ended(r guide.Record) {
	d.drop(r.Check)
	o := check.Judge(r.Input)
	if o.Verdict == guide.Fail {
		d.failed[r.Check] = r.Check
	}
	if r.Check == guide.GPUSMI {
		if v, ok := o.Facts["driver"].(string); ok && d.run.Driver == "" && driverVersion.MatchString(v) {
			d.run.Driver = v
		}
	}
	fillKnown(&d.know, learn(o))
	if l, ok := o.Facts["persistent_candidates"].([]string); ok && r.Check == guide.DiskDf && len(l) > 0 {
		if dir, err := CheckValue(ValueDir, l[0]); err == nil {
			d.dir = dir
		}
	}
	r.Run = d.run
	d.p.Event(Event{Check: r.Check, Kind: Ended, Record: &r})
}

// record puts together what a check gave.
func (d *doing) record(c *sent, timedOut bool) guide.Record {
	know := d.know
	if c.again {
		yes := true
		know.RetriesDone = &yes
	}
	if dir := d.values()[ValueDir]; dir != "" {
		know.Dir = &dir
	}
	if c.id == guide.DiskMount && !c.edited && strings.Contains(c.text, probeSaid) {
		ok := bytes.Contains(c.out, []byte(probeSaid))
		know.ProbeOK = &ok
	}
	return guide.Record{
		Input: guide.Input{
			Check: c.id, Track: d.p.Track, Command: c.text, Exit: c.exit, Stdout: c.out, Stderr: c.err, TimedOut: timedOut, Context: know,
		},
		Time: d.p.Now(), Duration: c.took, Edited: c.edited,
	}
}

// probeSaid is what disk.mount's command says when its probe file was written.
const probeSaid = "probe file: written and removed"
