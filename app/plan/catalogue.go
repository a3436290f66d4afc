package plan

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"rentgen/app/bill/offer"
	"rentgen/app/workload"
	"rentgen/assets/texts"
)

// ReadFor is Read with Check: for commands that must work with what was read.
func ReadFor(cat *workload.Catalogue, b []byte) (Plan, error) {
	p, d := read(b)
	if len(d.errs) == 0 {
		for _, e := range Check(cat, p) {
			if n := d.place(e.Field); n != nil && e.Line == 0 {
				e.Line, e.Column = n.Line, n.Column
			}
			d.errs = append(d.errs, e)
		}
	}
	return p, d.result()
}

// Check returns what makes no sense in a plan, though it can be read: values
// beyond their range, unknown models and cards, offers with faults. An empty
// job, use or list of offers is no fault.
func Check(cat *workload.Catalogue, p Plan) []*offer.InputError {
	d := &decoder{at: map[string]*yaml.Node{}}
	d.check(p)
	if !slices.ContainsFunc(d.errs, func(e *offer.InputError) bool { return e.Field == "days" }) {
		d.between("days", p.Days, 1, MostDays)
	}
	if !reflect.DeepEqual(p.Job, workload.Job{}) {
		d.adopt("job", nearModels(cat, p.Job.Model, cat.Check(p.Job)))
	}
	if p.Use != (workload.Use{}) {
		d.adopt("use", workload.CheckUse(p.Use))
	}
	for i, o := range p.Offers {
		d.adopt(fmt.Sprintf("offers[%d]", i), o.Check())
	}
	for _, i := range offer.Doubles(p.Offers) {
		d.reject(fmt.Sprintf("offers[%d].name", i), p.Offers[i].Name, texts.P("offer.allowed.other_name"))
	}
	for i, m := range p.Measured {
		if _, ok := cat.Card(m.Card); !ok {
			d.reject(fmt.Sprintf("measured[%d].card", i), m.Card, texts.P("planfile.allowed.card", "list", nearCards(cat, m.Card)))
		}
	}
	return d.errs
}

// near is how many names are offered instead of an unknown one.
const near = 3

// nearModels names the models that may be meant, instead of all there are.
func nearModels(cat *workload.Catalogue, said string, errs []*offer.InputError) []*offer.InputError {
	for _, e := range errs {
		if e.Field == "job.model" && said != "" {
			var ids []string
			for _, m := range cat.Models() {
				ids = append(ids, m.ID)
			}
			e.Allowed = texts.P("planfile.allowed.model", "list", strings.Join(texts.Nearest(ids, said, near), ", "))
		}
	}
	return errs
}

func nearCards(cat *workload.Catalogue, said string) string {
	var names []string
	for _, k := range cat.Cards() {
		names = append(names, k.Name)
	}
	return strings.Join(texts.Nearest(names, said, near), ", ")
}

// notes say of each card that the catalogue doesn't have, once, which names it
// may be meant by. Such a card may be a person's own, so that it is no fault.
func notes(cat *workload.Catalogue, p Plan) []texts.Phrase {
	var all []texts.Phrase
	said := map[string]bool{}
	for i, o := range p.Offers {
		name := o.Card.Name
		if _, known := cat.Card(name); known || name == "" || o.Hidden || said[name] {
			continue
		}
		said[name] = true
		all = append(all, texts.P("planfile.note.card", "field", fmt.Sprintf("offers[%d].card.name", i), "card", name, "list", nearCards(cat, name)))
	}
	return all
}

// adopt takes over the errors of a block of the plan.
func (d *decoder) adopt(block string, errs []*offer.InputError) {
	for _, e := range errs {
		if e.Field != block && !strings.HasPrefix(e.Field, block+".") {
			e.Field = within(block, e.Field)
		}
		d.errs = append(d.errs, e)
	}
}
