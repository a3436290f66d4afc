// Package measuring offers, over Plan and Bill, what was measured on the user's own
// hosts in the place of estimates. Nothing is replaced before the user says so; what
// was replaced is told with its log and date, and one step of undo takes it back.
package measuring

import (
	"context"
	"reflect"
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"rentgen/app/plan"
	"rentgen/app/purse/measured"
	"rentgen/assets/texts"
	"rentgen/ui/desk"
)

// Params say what a Model works with.
type Params struct {
	Desk *desk.Desk
	// Read returns what was measured of all hosts, off the UI thread.
	Read func(ctx context.Context) ([]measured.Measured, error)
	// Sound reports whether a plan can be reckoned with; nil takes every one.
	Sound func(p plan.Plan) bool
	// Go runs slow work, Do brings its result to the UI thread; nil takes a
	// goroutine and fyne.Do.
	Go func(f func())
	Do func(f func())
}

// Model is what can be put into the open plan, the same for all places. Its methods
// belong to the UI thread.
type Model struct {
	p       Params
	all     []measured.Measured
	err     error
	reading bool
	hear    []func()

	of      *plan.Plan // the plan that offered is for
	offered []measured.Change
	late    map[string]string // what was put off, by plan
	done    map[string]done   // what was put in last, by plan, until it is read or undone
}

// done is what was put into a plan, and the plan that came of it.
type done struct {
	made []measured.Change
	plan plan.Plan
}

// New returns a model that knows nothing; Load reads.
func New(p Params) *Model {
	if p.Go == nil {
		p.Go = func(f func()) { go f() }
	}
	if p.Do == nil {
		p.Do = fyne.Do
	}
	return &Model{p: p, late: make(map[string]string), done: make(map[string]done)}
}

// OnChange calls f when what is offered may be another.
func (m *Model) OnChange(f func()) { m.hear = append(m.hear, f) }

func (m *Model) changed() {
	for _, f := range m.hear {
		f()
	}
}

// Load reads again what was measured.
func (m *Model) Load() {
	if m.reading {
		return
	}
	m.reading = true
	m.p.Go(func() {
		all, err := m.p.Read(context.Background())
		m.p.Do(func() {
			m.reading, m.err = false, err
			if err == nil {
				m.all = all
			}
			m.of = nil
			m.changed()
		})
	})
}

// Offered returns what could be replaced in the open plan, without what was put off.
func (m *Model) Offered() []measured.Change {
	list := m.fresh()
	if len(list) == 0 || m.late[m.p.Desk.ID()] == mark(list) {
		return nil
	}
	return list
}

// fresh looks at the open plan as it is now.
func (m *Model) fresh() []measured.Change {
	if len(m.all) == 0 {
		return nil
	}
	p := m.p.Desk.Plan()
	if m.of != nil && same(*m.of, p) {
		return m.offered
	}
	m.of, m.offered = &p, nil
	if _, err := m.p.Desk.Unreadable(); err == nil && (m.p.Sound == nil || m.p.Sound(p)) {
		var r *plan.Result
		if now := m.p.Desk.Result(); !m.p.Desk.Pending() {
			r = &now
		}
		m.offered = measured.Offered(p, r, m.all)
	}
	if d := m.done[m.p.Desk.ID()]; slices.ContainsFunc(m.offered, func(c measured.Change) bool {
		return slices.ContainsFunc(d.made, func(o measured.Change) bool { return o.ID == c.ID })
	}) {
		delete(m.done, m.p.Desk.ID()) // it was undone, or there is something newer
	}
	return m.offered
}

// mark tells offers apart, whatever the language.
func mark(list []measured.Change) string {
	var all []string
	for _, c := range list {
		all = append(all, c.ID, texts.For(texts.English).Say(c.Say))
	}
	return strings.Join(all, "\x00")
}

// Later puts off what is offered now, until it is something else.
func (m *Model) Later() {
	m.late[m.p.Desk.ID()] = mark(m.fresh())
	m.changed()
}

// Use puts changes into the open plan, in one step of undo.
func (m *Model) Use(ids []string) {
	want := func(c measured.Change) bool { return slices.Contains(ids, c.ID) }
	id := m.p.Desk.ID()
	var made []measured.Change
	m.p.Desk.Edit("", func(p *plan.Plan) { *p, made = measured.Choose(*p, m.all, want) })
	if len(made) > 0 {
		m.done[id] = done{made, m.p.Desk.Plan()}
	}
	m.changed()
}

// Done returns what was put into the open plan last, and whether that is the last
// step that undo takes back.
func (m *Model) Done() (made []measured.Change, last bool) {
	m.fresh()
	d := m.done[m.p.Desk.ID()]
	return d.made, len(d.made) > 0 && same(d.plan, m.p.Desk.Plan())
}

// Fault returns why nothing could be read the last time, nil when all is well.
func (m *Model) Fault() error { return m.err }

func same(a, b plan.Plan) bool { return reflect.DeepEqual(a, b) }

// Read forgets what Done returns.
func (m *Model) Read() {
	delete(m.done, m.p.Desk.ID())
	m.changed()
}

// Undo takes back what was put in, where it was the last step.
func (m *Model) Undo() {
	if _, last := m.Done(); last {
		m.p.Desk.Undo()
	}
}

// Sure are the ids of changes that need no word of the user about the job.
func Sure(list []measured.Change) []string {
	var ids []string
	for _, c := range list {
		if c.Sure {
			ids = append(ids, c.ID)
		}
	}
	return ids
}
