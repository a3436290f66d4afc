package plan

import (
	"fmt"
	"reflect"
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
	if !reflect.DeepEqual(p.Job, workload.Job{}) {
		d.adopt("job", cat.Check(p.Job))
	}
	if p.Use != (workload.Use{}) {
		d.adopt("use", workload.CheckUse(p.Use))
	}
	for i, o := range p.Offers {
		d.adopt(fmt.Sprintf("offers[%d]", i), o.Check())
	}
	for i, m := range p.Measured {
		if _, ok := cat.Card(m.Card); !ok {
			d.reject(fmt.Sprintf("measured[%d].card", i), m.Card, texts.P("planfile.allowed.card"))
		}
	}
	return d.errs
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
