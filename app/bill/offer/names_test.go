package offer

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"rentgen/app/money"
	"rentgen/assets/texts"
)

// TestEverythingHasAName asks for the texts of every term, group, option and
// word in both languages.
func TestEverythingHasAName(t *testing.T) {
	var all []texts.Phrase
	for _, d := range Defs() {
		all = append(all, d.ID.Name(), d.ID.Help(), d.ID.Question(), d.Group.Name())
		for _, o := range d.Options {
			all = append(all, d.OptionName(o))
		}
		if u := d.UnitName(); d.Unit != "" {
			all = append(all, u)
		} else if !u.IsZero() {
			t.Errorf("%s has a unit", d.ID)
		}
	}
	for _, u := range Units() {
		all = append(all, u.Name(), u.Per())
	}
	for _, m := range Machines() {
		all = append(all, m.Name())
	}
	for _, p := range Parts() {
		all = append(all, p.Name())
	}
	for _, s := range Statuses() {
		all = append(all, s.Name())
	}
	for _, m := range Marks() {
		all = append(all, m.Name())
	}
	for _, l := range texts.Langs() {
		for _, p := range all {
			if !texts.For(l).Has(p.Key) {
				t.Errorf("%s: no text for %q", l, p.Key)
			}
		}
	}
	if len(Groups()) != 9 {
		t.Errorf("groups %v", Groups())
	}
}

func TestValueText(t *testing.T) {
	for _, c := range []struct {
		id            TermID
		value, en, zh string
	}{
		{DataDiskDay, "0.0066", "¥0.0066 a GB and day", "¥0.0066 每\u2009GB\u2009每天"},
		{MinCharge, "0.01", "¥0.01", "¥0.01"},
		{ReleaseAfter, "360", "360\u2009h", "360\u2009小时"},
		{DataDiskFree, "1500", "1,500\u2009GB", "1,500\u2009GB"},
		{CPUCores, "12", "12", "12"},
		{Root, "true", "yes", "是"},
		{Docker, "false", "no", "否"},
		{Interruption, "none", "not interrupted", "不中断"},
		{Root, "perhaps", "perhaps", "perhaps"},
	} {
		d, _ := DefOf(c.id)
		for l, want := range map[texts.Lang]string{texts.English: c.en, texts.Chinese: c.zh} {
			if got := d.ValueText(texts.For(l), c.value, "CNY"); got != want {
				t.Errorf("%s %s: %q, want %q", c.id, c.value, got, want)
			}
		}
	}
}

func TestWhen(t *testing.T) {
	en, zh := texts.For(texts.English), texts.For(texts.Chinese)
	if !(Term{}).When().IsZero() || en.Say(Term{Date: Undated}.When()) != "page without a date" {
		t.Error("undated")
	}
	if got := zh.Say(Term{Date: "2026-10-02"}.When()); got != "页面日期\u20092026-10-02" {
		t.Errorf("%q", got)
	}
}

func TestInputErrorSays(t *testing.T) {
	e := &InputError{Field: "payment.price", Value: "1,880\n50", Allowed: texts.P("offer.allowed.flag"), Line: 3, Column: 8}
	if got, want := e.Error(), "Line 3, column 8: payment.price: “1,880 50” can't be used. Allowed: true or false."; got != want {
		t.Errorf("%q", got)
	}
	if got, want := texts.For(texts.Chinese).Say(e.Phrase()), "第 3 行第 8 列，payment.price：“1,880 50”用不了。可以填：true 或 false。"; strings.ReplaceAll(got, "\u2009", " ") != want {
		t.Errorf("%q", got)
	}
	empty := &InputError{Field: "name", Allowed: texts.P("offer.allowed.flag")}
	if got, want := empty.Error(), "name: nothing is filled in. Allowed: true or false."; got != want {
		t.Errorf("%q", got)
	}
	long := &InputError{Field: "name", Value: strings.Repeat("长", 500), Allowed: texts.P("offer.allowed.flag")}
	if n := len([]rune(long.Error())); n > 150 {
		t.Errorf("an error of %d characters", n)
	}
	wrapped := fmt.Errorf("plan: %w", InputErrors{e, empty})
	var one *InputError
	if !errors.As(wrapped, &one) || one != e || len(Inputs(wrapped)) != 2 || len(Inputs(errors.New("x"))) != 0 {
		t.Error("the errors within aren't found")
	}
	if len(Inputs(fmt.Errorf("plan: %w", e))) != 1 {
		t.Error("a single error isn't found")
	}
}

func TestQuestionText(t *testing.T) {
	qs := []Question{{Offer: "AutoDL 4090", Term: StopIP}, {Offer: "B", Term: Root}, {Offer: "AutoDL 4090", Term: Bandwidth}}
	want := map[texts.Lang]string{
		texts.English: `Hello, I am thinking of renting “AutoDL 4090”. Before I order, could you please answer these questions?

1. While the instance is stopped, is the public IP still billed?
2. How much public bandwidth does the instance have, up and down? Is it shared with others?

A link to the page that says so would help too. Thank you.


Hello, I am thinking of renting “B”. Before I order, could you please answer one question?

1. Do I get root?

A link to the page that says so would help too. Thank you.
`,
		texts.Chinese: `您好，我准备租用“AutoDL 4090”，下单前想确认下面几个问题，麻烦逐条答复：

1. 实例关机期间，公网 IP 还收费吗？
2. 公网带宽上下行各是多少？是否与别人共用？

如果有对应的文档页面，也请附上链接。谢谢。


您好，我准备租用“B”，下单前想确认一个问题，麻烦答复：

1. 是否提供 root 权限？

如果有对应的文档页面，也请附上链接。谢谢。
`,
	}
	for l, w := range want {
		if got := strings.ReplaceAll(QuestionText(texts.For(l), qs), "\u2009", " "); got != w {
			t.Errorf("%s:\n%s", l, got)
		}
		if QuestionText(texts.For(l), nil) != "" {
			t.Error("no questions make a message")
		}
	}
}

func TestStart(t *testing.T) {
	balance := money.Int(36)
	o, errs := Start("autodl", Five{
		Card: Card{Name: "RTX 4090"}, Unit: Hour, Price: money.MustParse("1.88"), DataDiskGB: money.Int(30), Balance: &balance,
	})
	if len(errs) > 0 {
		t.Fatal(errs[0])
	}
	if o.Name != "AutoDL RTX 4090" || o.Currency != "CNY" || o.Machine != Container || o.Card.Part != Whole || o.Count != 1 {
		t.Errorf("%+v", o)
	}
	if v, x, _ := o.Rat(DataDisk); v.Point.String() != "80" || x.Status != Typed {
		t.Errorf("disk %v", v)
	}
	if v, _, _ := o.Rat(Balance); v.Point.String() != "36" {
		t.Errorf("balance %v", v)
	}
	if _, ok := o.Terms[Granularity]; ok {
		t.Error("a rule was copied into the offer, where it would not be renewed")
	}
	own, errs := Start("", Five{Name: "Bob", Card: Card{Name: "L20"}, Unit: Month, Price: money.Int(900), Currency: "CNY", Machine: BareMetal})
	if len(errs) > 0 || own.Term(Balance).Status != Unknown {
		t.Errorf("%v %+v", errs, own)
	}
}

func TestStartSaysWhatIsWrong(t *testing.T) {
	for field, f := range map[string]Five{
		"card.name":     {Unit: Hour},
		"payment.unit":  {Card: Card{Name: "L20"}, Unit: "fortnight"},
		"payment.price": {Card: Card{Name: "L20"}, Unit: Hour, Price: money.Int(-1)},
		"payment.hours": {Card: Card{Name: "L20"}, Unit: Pack},
		"payment.units": {Card: Card{Name: "L20"}, Unit: Quota, DrawPerHour: money.Int(1)},
		"currency":      {Card: Card{Name: "L20"}, Unit: Hour, Currency: "yuan"},
		"machine":       {Card: Card{Name: "L20"}, Unit: Hour, Machine: "pod"},
		"data_disk_gb":  {Card: Card{Name: "L20"}, Unit: Hour, DataDiskGB: money.Int(-5)},
	} {
		if _, errs := Start("autodl", f); len(errs) != 1 || errs[0].Field != field || errs[0].Allowed.IsZero() {
			t.Errorf("%s: %v", field, errs)
		}
	}
	if _, errs := Start("nobody", Five{Card: Card{Name: "L20"}, Unit: Hour, Currency: "CNY", Machine: VM}); len(errs) != 1 || errs[0].Field != "provider" {
		t.Errorf("%v", errs)
	}
}

// TestCheckCatchesEachField breaks one thing of a good offer at a time.
func TestCheckCatchesEachField(t *testing.T) {
	mib := -1.0
	minus := money.Int(-1)
	term := func(id TermID, x Term) func(*Offer) {
		return func(o *Offer) { o.Terms = map[TermID]Term{id: x} }
	}
	for field, f := range map[string]func(*Offer){
		"name":                             func(o *Offer) { o.Name = "a\x00b" },
		"note":                             func(o *Offer) { o.Note = strings.Repeat("x", 5000) },
		"count":                            func(o *Offer) { o.Count = 5000 },
		"cards":                            func(o *Offer) { o.Cards = -1 },
		"card.part":                        func(o *Offer) { o.Card.Part = "half" },
		"card.vram_mib":                    func(o *Offer) { o.Card.VRAM = &mib },
		"payment.included_hours":           func(o *Offer) { o.Payment.IncludedHours = &minus },
		"payment.overage":                  func(o *Offer) { o.Payment.Overage = &minus },
		"payment.draw_per_hour":            func(o *Offer) { o.Payment.DrawPerHour = minus },
		"terms.nonsense":                   term("nonsense", Term{Value: "1", Status: Typed}),
		"terms.root":                       term(Root, Term{Value: "yes", Status: Typed}),
		"terms.root.status":                term(Root, Term{Value: "true", Status: "heard"}),
		"terms.root.source":                term(Root, Term{Value: "true", Status: Known, Date: "2026-01-01"}),
		"terms.root.date":                  term(Root, Term{Value: "true", Status: Told, Date: "2026-13-01"}),
		"terms.root.mark":                  term(Root, Term{Value: "true", Status: Told, Mark: "rumour"}),
		"terms.granularity_s":              term(Granularity, Term{Value: "0", Status: Typed}),
		"terms.tax_share":                  term(Tax, Term{Value: "8", Status: Typed}),
		"terms.refund":                     term(Refund, Term{Value: "all", Status: Typed}),
		"terms.ram_gb.also[0]":             term(RAM, Term{Value: "64", Status: Typed, Also: []Term{{Value: "much", Status: Typed}}}),
		"terms.release_after_stopped_h":    term(ReleaseAfter, Term{Value: "nan", Status: Typed}),
		"terms.traffic_price_gb":           term(Traffic, Term{Value: "1e-30", Status: Typed}),
		"terms.stop_disk_price_gb_month":   term(StopDiskPrice, Term{Value: "", Status: Typed}),
		"terms.interruption_notice_s":      term(Notice, Term{Value: "-3", Status: Typed}),
		"terms.data_disk_price_gb_day":     term(DataDiskDay, Term{Value: " 1", Status: Typed}),
		"terms.data_disk_price_gb_month":   term(DataDiskMonth, Term{Value: "Inf", Status: Typed}),
		"terms.system_disk_price_gb_month": term(SystemDiskPrice, Term{Value: "1e16", Status: Typed}),
	} {
		o := Offer{
			Name: "x", Currency: "CNY", Count: 1, Cards: 1, Card: Card{Name: "L20"}, Machine: VM, Payment: Payment{Unit: Hour, Price: money.Int(1)},
		}
		if es := o.Check(); len(es) > 0 {
			t.Fatal(es[0])
		}
		f(&o)
		if es := o.Check(); len(es) != 1 || es[0].Field != field || es[0].Allowed.IsZero() {
			t.Errorf("%s: %v", field, es)
		}
	}
}
