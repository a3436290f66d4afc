package desk

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"rentgen/app/plan"
)

// Plans returns the list of plans in its order.
func (d *Desk) Plans() []Info {
	out := make([]Info, 0, len(d.papers))
	for _, p := range d.papers {
		out = append(out, Info{ID: p.rec.ID, Name: p.rec.Name, Open: p == d.at, Updated: p.rec.Updated})
	}
	return out
}

// Refirst makes a plan that nobody touched yet that of a first start anew: its
// name is in the language of now.
func (d *Desk) Refirst() {
	if p := d.at; p.fresh && len(p.undo)+len(p.redo)+len(p.drafts) == 0 {
		p.plan = clone(d.p.First())
		p.rec.Name = p.plan.Name
		d.stale()
		d.changed()
	}
}

// Kept reports whether any plan was ever edited.
func (d *Desk) Kept() bool {
	return slices.ContainsFunc(d.papers, func(p *paper) bool { return !p.fresh })
}

func (d *Desk) find(id string) *paper {
	i := slices.IndexFunc(d.papers, func(p *paper) bool { return p.rec.ID == id })
	if i < 0 {
		return nil
	}
	return d.papers[i]
}

// Open opens a plan; an unknown id changes nothing.
func (d *Desk) Open(id string) {
	p := d.find(id)
	if p == nil || p == d.at && p.read {
		return
	}
	p.open(d.p.Decode)
	d.at = p
	d.result, d.known = plan.Result{}, 0
	d.stale()
	d.changed()
}

// Add makes a plan like that of a first start, under a name, and opens it.
func (d *Desk) Add(name string) {
	p := d.p.First()
	p.Name = d.free(name)
	d.insert(d.fresh(p))
}

// AddPlan adds a plan that came from outside, and opens it.
func (d *Desk) AddPlan(p plan.Plan) {
	p.Name = d.free(p.Name)
	d.insert(d.fresh(p))
}

// Duplicate makes a copy of a plan under a name and opens it. A plan that can't
// be read has no copy.
func (d *Desk) Duplicate(id, name string) {
	from := d.find(id)
	if from == nil {
		return
	}
	from.open(d.p.Decode)
	if from.err != nil {
		return
	}
	p := from.plan
	p.Name = d.free(name)
	d.insert(d.fresh(p))
}

func (d *Desk) insert(p *paper) {
	p.rec.Position = len(d.papers)
	d.papers = append(d.papers, p)
	d.gone = nil
	d.keepOrder()
	d.keep(p) // last: the one that was kept last is the one that opens next time
	d.Open(p.rec.ID)
}

// Rename gives a plan another name; an empty one changes nothing.
func (d *Desk) Rename(id, name string) {
	name = tidy(name)
	p := d.find(id)
	if p == nil || name == "" {
		return
	}
	p.open(d.p.Decode)
	if p.err != nil || !p.edit("", d.p.Now(), func(p *plan.Plan) { p.Name = name }) {
		return
	}
	d.gone = nil
	d.keep(p)
	d.changed()
}

// tidy makes a name that can be kept of what was typed.
func tidy(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(name, ""))
	if rs := []rune(name); len(rs) > mostName {
		name = string(rs[:mostName])
	}
	return strings.TrimSpace(name)
}

// free returns name, with a number behind it where another plan has it.
func (d *Desk) free(name string) string {
	if name = tidy(name); name == "" {
		name = tidy(d.p.First().Name)
	}
	taken := func(n string) bool {
		return slices.ContainsFunc(d.papers, func(p *paper) bool { return p.rec.Name == n })
	}
	if !taken(name) {
		return name
	}
	for i := 2; ; i++ {
		if n := name + " " + strconv.Itoa(i); !taken(n) {
			return n
		}
	}
}

// Delete takes a plan away; Undo or Restore brings it back. The last plan makes
// room for an empty one.
func (d *Desk) Delete(id string) {
	i := slices.IndexFunc(d.papers, func(p *paper) bool { return p.rec.ID == id })
	if i < 0 {
		return
	}
	p := d.papers[i]
	d.papers = slices.Delete(d.papers, i, i+1)
	d.gone, d.goneAt = p, i
	if !p.fresh {
		d.save.put(id, func(ctx context.Context) error { return d.p.Store.DeletePlan(ctx, id) })
	}
	if len(d.papers) == 0 {
		d.papers = []*paper{d.fresh(d.p.First())}
	}
	if d.at == p {
		d.Open(d.papers[min(i, len(d.papers)-1)].rec.ID)
		return
	}
	d.changed()
}

// Deleted returns the name of the plan that Restore would bring back, "" for
// none.
func (d *Desk) Deleted() string {
	if d.gone == nil {
		return ""
	}
	return d.gone.rec.Name
}

// Restore brings the plan back that was deleted last, and opens it.
func (d *Desk) Restore() {
	p := d.gone
	if p == nil {
		return
	}
	d.gone = nil
	// The empty plan that stood in for it goes again.
	if len(d.papers) == 1 && d.papers[0].fresh && len(d.papers[0].undo) == 0 {
		d.papers = nil
	}
	at := min(d.goneAt, len(d.papers))
	d.papers = slices.Insert(d.papers, at, p)
	d.keepOrder()
	d.keep(p) // last: the one that was kept last is the one that opens next time
	d.Open(p.rec.ID)
}

// keepOrder keeps the places of the plans in the list.
func (d *Desk) keepOrder() {
	for i, p := range d.papers {
		if p.rec.Position != i {
			p.rec.Position = i
			if !p.fresh {
				d.write(p)
			}
		}
	}
}

// keep saves a plan as it is now, off the UI thread. A plan that was not opened
// or can't be read keeps its body.
func (d *Desk) keep(p *paper) {
	p.fresh = false
	p.rec.Updated = d.p.Now()
	d.write(p)
}

func (d *Desk) write(p *paper) {
	rec, now, encode := p.rec, p.plan, p.read && p.err == nil
	d.save.put(rec.ID, func(ctx context.Context) error {
		if encode {
			b, err := d.p.Encode(now)
			if err != nil {
				return err
			}
			rec.Body = b
		}
		return d.p.Store.SavePlan(ctx, rec)
	})
}

// failure is what could not be done about a plan.
type failure struct {
	id   string
	task task
	err  error
}

// saved takes over how the keeping of a plan went.
func (d *Desk) saved(id string, t task, err error) {
	before := len(d.failed)
	d.failed = slices.DeleteFunc(d.failed, func(f failure) bool { return f.id == id })
	if err != nil {
		d.failed = append(d.failed, failure{id, t, err})
	}
	if before > 0 || err != nil {
		d.changed()
	}
}
