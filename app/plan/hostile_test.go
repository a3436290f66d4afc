package plan

import (
	"testing"

	"rentgen/app/bill/offer"
)

// TestHostileFiles: what can't be a plan is refused with a place and a field.
func TestHostileFiles(t *testing.T) {
	one := "{name: A, card: {name: RTX 4090}, machine: container, payment: {unit: hour, price: 1}}"
	for name, c := range map[string]struct {
		text, field string
		line        int
		allowed     string
	}{
		"an offer by reference": {"offers:\n- &a " + one + "\n- *a\n", "offers[1]", 3, "planfile.allowed.alias"},
		"a word":                {"hello", "plan", 1, "planfile.allowed.keys"},
		"a list":                {"- a\n- b\n", "plan", 1, "planfile.allowed.keys"},
		"a list as offer":       {"offers:\n- [a]\n", "offers[0]", 2, ""},
		"GB18030":               {"version: 1\nname: \xb2\xe5\xbb\xad\n", "plan", 2, "planfile.allowed.utf8"},
	} {
		_, err := Read([]byte(c.text))
		es := offer.Inputs(err)
		if len(es) == 0 {
			t.Errorf("%s: taken", name)
			continue
		}
		e := es[0]
		if e.Field != c.field || e.Line != c.line || c.allowed != "" && e.Allowed.Key != c.allowed {
			t.Errorf("%s: %+v", name, e)
		}
	}
}
