package offer

import (
	"reflect"
	"strings"
	"testing"
)

const sampleYAML = `- name: AutoDL 4090
  provider: autodl
  currency: CNY
  count: 1
  card: {name: RTX 4090, part: whole}
  machine: container
  payment: {unit: hour, price: "1.88"}
  terms: {data_disk_gb: 100, stop_bills_ip: {value: true, status: told, date: 2026-11-01}, ip_price_h: unknown}
`

func TestReadYAML(t *testing.T) {
	offers, err := ReadYAML([]byte(sampleYAML))
	if err != nil {
		t.Fatal(err)
	}
	o := offers[0]
	if o.Name != "AutoDL 4090" || o.Payment.Price.String() != "1.88" || o.Payment.Unit != Hour || o.Cards != 1 {
		t.Errorf("%+v", o)
	}
	want := map[TermID]Term{
		DataDisk: {Value: "100", Status: Typed},
		StopIP:   {Value: "true", Status: Told, Date: "2026-11-01"},
		IPPrice:  {Status: Unknown},
	}
	if !reflect.DeepEqual(o.Terms, want) {
		t.Errorf("%+v", o.Terms)
	}
	b, err := WriteYAML(offers)
	if err != nil {
		t.Fatal(err)
	}
	again, err := ReadYAML(b)
	if err != nil || !reflect.DeepEqual(again, offers) {
		t.Errorf("%v\n%s\n%+v", err, b, again)
	}
}

func TestYAMLErrorsSayWhere(t *testing.T) {
	for _, c := range []struct {
		old, new, field, value string
		line, column           int
	}{
		{`"1.88"`, `"1,88"`, "offers[0].payment.price", "1,88", 7, 32},
		{`"1.88"`, `-1`, "offers[0].payment.price", "-1", 7, 32},
		{`hour,`, `fortnight,`, "offers[0].payment.unit", "fortnight", 7, 19},
		{`count: 1`, `count: 0`, "offers[0].count", "0", 4, 10},
		{`currency:`, `curency:`, "offers[0].curency", "curency", 3, 3},
		{`: unknown`, `: often`, "offers[0].terms.ip_price_h", "often", 8, 104},
		{`ip_price_h`, `ip_price`, "offers[0].terms.ip_price", "ip_price", 8, 92},
		{`value: true`, `value: maybe`, "offers[0].terms.stop_bills_ip", "maybe", 8, 53},
		{`2026-11-01`, `yesterday`, "offers[0].terms.stop_bills_ip.date", "yesterday", 8, 79},
		{`machine: container`, ``, "", "", 0, 0},
		{`count: 1`, `name: again`, "offers[0].name", "name", 4, 3},
		{`  currency: CNY`, "\tcurrency: CNY", "YAML", "TAB", 3, 1},
	} {
		text := strings.Replace(sampleYAML, c.old, c.new, 1)
		offers, err := ReadYAML([]byte(text))
		if c.field == "" {
			if err != nil {
				t.Errorf("%q: %v", c.old, err)
			}
			continue
		}
		es := Inputs(err)
		if len(es) == 0 || offers != nil {
			t.Errorf("%q: no error", c.new)
			continue
		}
		e := es[0]
		if e.Field != c.field || c.value != "" && e.Value != c.value || e.Line != c.line || e.Column != c.column || e.Allowed.IsZero() {
			t.Errorf("%q: %+v", c.new, e)
		}
	}
}
