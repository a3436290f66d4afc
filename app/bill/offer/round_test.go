package offer

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"rentgen/app/money"
)

// random makes an offer that Check accepts.
type random struct{ *rand.Rand }

func pick[T any](r random, all []T) T { return all[r.IntN(len(all))] }

func (r random) name() string {
	alphabet := []rune("aZ09 '\"|\\,;:=+-@#&*{}[]%!?~图报价·é€ー\u3000")
	rs := make([]rune, 1+r.IntN(12))
	for i := range rs {
		rs[i] = pick(r, alphabet)
	}
	if s := tidied(string(rs)); s != "" {
		return s
	}
	return "x"
}

func (r random) rat() money.Rat {
	return money.Frac(r.Int64N(1_000_000), pick(r, []int64{1, 10, 1000, 1024}))
}

func (r random) value(d Def) string {
	switch d.Kind {
	case KindFlag:
		return strconv.FormatBool(r.IntN(2) == 0)
	case KindChoice:
		return pick(r, d.Options)
	case KindCount:
		return strconv.Itoa(1 + r.IntN(5000))
	case KindShare:
		return money.Frac(int64(r.IntN(1001)), 1000).String()
	}
	return r.rat().String()
}

func (r random) term(d Def, also int) Term {
	status := pick(r, Statuses())
	if status == Unknown {
		return Term{Status: Unknown}
	}
	t := Term{Value: r.value(d), Status: status}
	if status == Known || r.IntN(2) == 0 {
		t.Source, t.Date, t.Mark = r.name(), pick(r, []string{"2026-11-30", "2023-08", Undated}), pick(r, Marks())
	}
	for range also {
		a := r.term(d, 0)
		if a.Status != Unknown {
			t.Also = append(t.Also, a)
		}
	}
	return t
}

func (r random) offer() Offer {
	o := Offer{
		Name: r.name(), Currency: pick(r, []money.Currency{"CNY", "USD", "JPY"}), Count: 1 + r.IntN(30), Cards: 1 + r.IntN(8),
		Card: Card{Name: r.name(), Part: pick(r, Parts()), Guaranteed: r.IntN(2) == 0}, Machine: pick(r, Machines()),
		Payment: Payment{Unit: pick(r, Units()), Price: r.rat()},
		Hidden:  r.IntN(2) == 0, Example: r.IntN(2) == 0,
	}
	if r.IntN(2) == 0 {
		o.Provider = pick(r, ids())
	}
	if r.IntN(2) == 0 {
		mib := float64(r.IntN(100_000)+1) / 4
		o.Card.VRAM = &mib
	}
	switch o.Payment.Unit {
	case Pack:
		o.Payment.Hours = r.rat().Add(money.Int(1))
	case Quota:
		o.Payment.Units, o.Payment.DrawPerHour = money.Int(500), money.MustParse("2.5")
	}
	if r.IntN(2) == 0 {
		h, over := r.rat(), r.rat()
		o.Payment.IncludedHours, o.Payment.Overage = &h, &over
	}
	if r.IntN(2) == 0 {
		o.Note = tidied(r.name() + "\n" + r.name())
	}
	for _, d := range Defs() {
		if r.IntN(3) == 0 {
			if o.Terms == nil {
				o.Terms = map[TermID]Term{}
			}
			o.Terms[d.ID] = r.term(d, r.IntN(3))
		}
	}
	return o
}

// TestRoundTrip writes and reads random offers in both forms.
func TestRoundTrip(t *testing.T) {
	r := random{rand.New(rand.NewPCG(1, 2))}
	for range 300 {
		offers := []Offer{r.offer(), r.offer()}
		if offers[0].Name == offers[1].Name {
			offers[1].Name += "2"
		}
		for name, f := range map[string]struct {
			write func([]Offer) ([]byte, error)
			read  func([]byte) ([]Offer, error)
		}{"YAML": {WriteYAML, ReadYAML}, "CSV": {WriteCSV, ReadCSV}} {
			b, err := f.write(offers)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			again, err := f.read(b)
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, b)
			}
			if !same(again, offers) {
				t.Fatalf("%s: read\n%+v\nof\n%+v\n%s", name, again, offers, b)
			}
		}
	}
}

// TestBandsHoldTheirPoint checks every number of random offers.
func TestBandsHoldTheirPoint(t *testing.T) {
	r := random{rand.New(rand.NewPCG(3, 4))}
	wide := 0
	for range 300 {
		o := r.offer().Filled()
		for _, d := range Defs() {
			b, x, known := o.Rat(d.ID)
			if b.High.Less(b.Point) || b.Point.Less(b.Low) {
				t.Fatalf("%s: %v", d.ID, b)
			}
			if known && (x.Status == Unknown || d.Kind == KindFlag || d.Kind == KindChoice) || !known && !b.IsZero() {
				t.Fatalf("%s: known %v of %+v", d.ID, known, x)
			}
			if b.Wide() {
				wide++
			}
		}
	}
	if wide == 0 {
		t.Error("no band had any width")
	}
}

// same compares offers by value: equal rationals may be kept in two ways.
func same(a, b []Offer) bool {
	plain := func(o Offer) Offer {
		tidy := func(v money.Rat) money.Rat { return money.MustParse(v.String()) }
		p := &o.Payment
		p.Price, p.Hours, p.DrawPerHour, p.Units = tidy(p.Price), tidy(p.Hours), tidy(p.DrawPerHour), tidy(p.Units)
		if p.IncludedHours != nil {
			h := tidy(*p.IncludedHours)
			p.IncludedHours = &h
		}
		if p.Overage != nil {
			over := tidy(*p.Overage)
			p.Overage = &over
		}
		return o
	}
	return slices.EqualFunc(a, b, func(x, y Offer) bool { return reflect.DeepEqual(plain(x), plain(y)) })
}

// TestUnfinishedOfferIsKept guards that a plan can hold an offer before it is
// finished, though a file of offers can't.
func TestUnfinishedOfferIsKept(t *testing.T) {
	o := Offer{Count: 1, Cards: 1, Card: Card{Part: Whole}}
	n, err := o.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Decode(n)
	if err != nil || !reflect.DeepEqual(again, o) {
		t.Errorf("%v %+v", err, again)
	}
	if _, err := DecodeWhole(n); len(Inputs(err)) == 0 {
		t.Error("an empty offer was taken as finished")
	}
	if _, err := WriteYAML([]Offer{o}); len(Inputs(err)) == 0 {
		t.Error("an empty offer was written")
	}
}

// readsBack checks that whatever is read is written and read again the same.
func readsBack(t *testing.T, b []byte, read func([]byte) ([]Offer, error), write func([]Offer) ([]byte, error)) {
	offers, err := read(b)
	if err != nil {
		es := Inputs(err)
		if len(es) == 0 || offers != nil {
			t.Fatalf("%v with %d offers", err, len(offers))
		}
		for _, e := range es {
			if e.Field == "" || e.Line < 1 || e.Column < 1 || e.Allowed.IsZero() || e.Error() == "" {
				t.Fatalf("%+v", e)
			}
		}
		return
	}
	for _, o := range offers {
		if es := o.Check(); len(es) > 0 {
			t.Fatalf("read what Check faults: %v", es[0])
		}
	}
	out, err := write(offers)
	if err != nil {
		t.Fatal(err)
	}
	again, err := read(out)
	if err != nil || !same(again, offers) {
		t.Fatalf("%v\n%q\n%+v\n%+v", err, out, offers, again)
	}
	if twice, err := write(again); err != nil || !bytes.Equal(out, twice) {
		t.Fatalf("written twice: %q and %q", out, twice)
	}
}

func FuzzReadYAML(f *testing.F) {
	f.Add([]byte(sampleYAML))
	f.Add([]byte("- &a {name: *a}"))
	f.Add([]byte("[]"))
	f.Add([]byte("- name: !!binary aGk=\n- {}\n---\n"))
	f.Add([]byte("- {name: a, currency: CNY, card: b, machine: vm, payment: {unit: day}, note: \"a\\r\\nb\"}"))
	f.Fuzz(func(t *testing.T, b []byte) { readsBack(t, b, ReadYAML, WriteYAML) })
}

func FuzzReadCSV(f *testing.F) {
	f.Add([]byte(sampleCSV))
	f.Add([]byte("name;currency;card;machine;unit;price;root;ip_price_h\r\n'=a;CNY;b;vm;day;1,5;yes|known|a\\|b|2026-11;\"1\n2|told\"\r\n"))
	f.Add([]byte("\xff\xfen\x00a\x00m\x00e\x00"))
	f.Add([]byte("name,note\n\xc4\xe3\xba\xc3,a\"b"))
	f.Fuzz(func(t *testing.T, b []byte) { readsBack(t, b, ReadCSV, WriteCSV) })
}
