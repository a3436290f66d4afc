package desk

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	"fyne.io/fyne/v2"

	"rentgen/app/plan"
)

// Desk holds the plans. Its methods belong to the UI thread.
type Desk struct {
	p      Params
	papers []*paper
	at     *paper // the open one; never nil after New
	save   *saver
	unread error // of the list of plans
	failed []failure
	ctx    context.Context // of everything that runs aside
	end    context.CancelFunc

	// gone is the plan that was deleted last, with its place in the list.
	gone   *paper
	goneAt int

	result  plan.Result
	version uint64 // counts what the answer depends on
	known   uint64 // the version that result answers
	tardy   bool   // evaluating takes longer than typing bears
	working bool   // an evaluation is under way off the UI thread
	chances chances

	hear      map[int]func() // of changes
	hearDraws map[int]func() // of chances
	next      int
}

// New returns a desk with the plan of a first start; Load brings the kept ones.
func New(p Params) *Desk {
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Go == nil {
		p.Go = func(f func()) { go f() }
	}
	if p.Do == nil {
		p.Do = fyne.Do
	}
	d := &Desk{p: p, version: 1, hear: make(map[int]func()), hearDraws: make(map[int]func())}
	d.ctx, d.end = context.WithCancel(context.Background())
	d.save = newSaver(d)
	d.at = d.fresh(p.First())
	d.papers = []*paper{d.at}
	return d
}

// fresh returns a plan that is not kept until it is edited.
func (d *Desk) fresh(p plan.Plan) *paper {
	p = clone(p)
	return &paper{
		rec:  Record{ID: rand.Text(), Name: p.Name, Updated: d.p.Now()},
		read: true, fresh: true, plan: p,
	}
}

// Load reads the kept plans and opens the one that was changed last. With an
// error the desk works all the same, and Fault says what happened.
func (d *Desk) Load(ctx context.Context) error {
	all, err := d.p.Store.Plans(ctx)
	return d.adopt(all, err)
}

// adopt takes the kept plans over, beside those that were made meanwhile.
func (d *Desk) adopt(all []Record, err error) error {
	d.unread = nil
	if err != nil {
		d.unread = fmt.Errorf("read the plans: %w", err)
		d.changed()
		return d.unread
	}
	if len(all) == 0 {
		d.changed()
		return nil
	}
	old := d.papers
	d.papers = nil
	latest := 0
	for i, r := range all {
		d.papers = append(d.papers, &paper{rec: r})
		if r.Updated.After(all[latest].Updated) {
			latest = i
		}
	}
	slices.SortStableFunc(d.papers, func(a, b *paper) int { return a.rec.Position - b.rec.Position })
	open := all[latest].ID
	for _, p := range old {
		if p.fresh {
			continue
		}
		open = d.at.rec.ID
		if i := slices.IndexFunc(d.papers, func(o *paper) bool { return o.rec.ID == p.rec.ID }); i >= 0 {
			d.papers[i] = p
		} else {
			d.papers = append(d.papers, p)
		}
	}
	d.Open(open)
	d.changed() // also where the open plan stayed
	return nil
}

// Plan returns the open plan, which the caller must not change; empty when it
// can't be read.
func (d *Desk) Plan() plan.Plan { return d.at.plan }

// ID returns the open plan's.
func (d *Desk) ID() string { return d.at.rec.ID }

// Name returns the open plan's, also of one that can't be read.
func (d *Desk) Name() string { return d.at.rec.Name }

// Unreadable returns the text of a plan that can't be read, as it is kept, and
// why; nil for a plan that can. Such a plan stays as it is: nothing changes it.
func (d *Desk) Unreadable() (body []byte, err error) {
	return d.at.rec.Body, d.at.err
}

// Fault returns why plans could not be read or the latest changes are not kept,
// nil when all is well.
func (d *Desk) Fault() error {
	if d.unread != nil {
		return d.unread
	}
	if len(d.failed) > 0 {
		return d.failed[0].err
	}
	return nil
}

// Retry does again what failed.
func (d *Desk) Retry() {
	failed := d.failed
	d.failed = nil
	for _, f := range failed {
		d.save.put(f.id, f.task)
	}
	if d.unread != nil {
		d.p.Go(func() {
			all, err := d.p.Store.Plans(d.ctx)
			d.p.Do(func() { _ = d.adopt(all, err) }) // Fault says it
		})
		return
	}
	d.changed()
}

// OnChange calls f after every change of the plan, the list or what they come
// to; cancel ends that.
func (d *Desk) OnChange(f func()) (cancel func()) { return d.listen(d.hear, f) }

func (d *Desk) listen(to map[int]func(), f func()) func() {
	d.next++
	n := d.next
	to[n] = f
	return func() { delete(to, n) }
}

func (d *Desk) changed() { tell(d.hear) }

func tell(all map[int]func()) {
	ids := make([]int, 0, len(all))
	for id := range all {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		if f, still := all[id]; still {
			f()
		}
	}
}

// Edit changes the open plan. Edits in a row with the same what, as typing in
// one field makes, are one step of undo; "" always makes a step of its own.
func (d *Desk) Edit(what string, f func(p *plan.Plan)) {
	if d.at.err != nil || !d.at.edit(what, d.p.Now(), f) {
		return
	}
	d.gone = nil
	d.touch()
}

// Trial returns the open plan as an edit would make it, and edits nothing.
func (d *Desk) Trial(f func(p *plan.Plan)) plan.Plan {
	p := clone(d.at.plan)
	f(&p)
	return p
}

// touch takes a changed plan over.
func (d *Desk) touch() {
	d.keep(d.at)
	d.stale()
	d.changed()
}

// stale says that the answer is an old one.
func (d *Desk) stale() {
	d.version++
	d.chances.drop()
}

// Undo takes the last step back: what was typed and can't be used, the deletion
// of a plan, or the last edit of the open one.
func (d *Desk) Undo() {
	if len(d.at.drafts) > 0 {
		d.at.drafts = nil
		d.changed()
		return
	}
	if d.gone != nil {
		d.Restore()
		return
	}
	if d.at.back(false) {
		d.touch()
	}
}

// Redo does again what Undo took back.
func (d *Desk) Redo() {
	if d.at.back(true) {
		d.touch()
	}
}

// CanUndo reports whether there is a step to take back.
func (d *Desk) CanUndo() bool { return len(d.at.drafts) > 0 || d.gone != nil || len(d.at.undo) > 0 }

// CanRedo reports whether there is a step to do again.
func (d *Desk) CanRedo() bool { return len(d.at.redo) > 0 }

// SetDraft keeps what was typed into a field and can't be used; the plan keeps
// its last good value. An empty draft of an unknown field is none.
func (d *Desk) SetDraft(field, text string) {
	if old, ok := d.at.drafts[field]; ok && old == text {
		return
	}
	if d.at.drafts == nil {
		d.at.drafts = make(map[string]string)
	}
	d.at.drafts[field] = text
	d.changed()
}

// DropDraft forgets what was typed into a field.
func (d *Desk) DropDraft(field string) {
	if _, ok := d.at.drafts[field]; ok {
		delete(d.at.drafts, field)
		d.changed()
	}
}

// Draft returns what was typed into a field and can't be used.
func (d *Desk) Draft(field string) (text string, ok bool) {
	text, ok = d.at.drafts[field]
	return text, ok
}

// Drafts returns how many fields hold what can't be used: the answer is then
// that of the last good values.
func (d *Desk) Drafts() int { return len(d.at.drafts) }

// Result returns what the open plan comes to. Where evaluating is slow it is
// the last answer, and OnChange tells when the new one is there.
func (d *Desk) Result() plan.Result {
	if d.known == d.version || d.at.err != nil {
		return d.result
	}
	if d.tardy {
		d.evaluateAside()
		return d.result
	}
	began := d.p.Now()
	d.result, d.known = d.p.Evaluate(d.at.plan), d.version
	d.tardy = d.p.Now().Sub(began) > slow
	return d.result
}

// Pending reports whether Result is an old answer and a new one on its way.
func (d *Desk) Pending() bool { return d.known != d.version && d.at.err == nil }

func (d *Desk) evaluateAside() {
	if d.working {
		return // the end of it looks again
	}
	d.working = true
	version, p := d.version, d.at.plan
	d.p.Go(func() {
		began := d.p.Now()
		r := d.p.Evaluate(p)
		took := d.p.Now().Sub(began)
		d.p.Do(func() {
			d.working = false
			d.tardy = took > slow
			if version > d.known {
				d.result, d.known = r, version
			}
			d.changed() // who looks asks for the newer answer, if one is due
		})
	})
}

// Close ends the draws and returns when everything is kept; from any goroutine
// but the one that Do runs on.
func (d *Desk) Close() {
	d.end()
	d.save.wait()
}
