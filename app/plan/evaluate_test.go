package plan

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"rentgen/app/advice"
	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/app/money"
	"rentgen/app/workload"
)

func example(t testing.TB, kind string) Plan {
	t.Helper()
	p, err := ReadFor(workload.Load(), Example(kind))
	if err != nil {
		t.Fatalf("%s: %v", kind, err)
	}
	return p
}

func TestExamples(t *testing.T) {
	for _, kind := range Kinds() {
		p := example(t, kind)
		r := Evaluate(workload.Load(), p)
		if len(r.Hours) != len(p.Offers) || len(r.Sheet.Bills) < len(p.Offers) || r.Fit.VRAM.Point <= 0 {
			t.Errorf("%s: %+v", kind, r)
		}
		for _, b := range r.Sheet.Bills {
			if b.Status != sheet.OK {
				t.Errorf("%s: %s is %s: %v", kind, b.Name, b.Status, b.Why)
			}
		}
		b, err := Write(p)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ReadFor(workload.Load(), b)
		if err != nil || !same(reflect.ValueOf(again), reflect.ValueOf(p)) {
			t.Errorf("%s: %v\n%s", kind, err, b)
		}
	}
}

func TestEvaluateChangesNothing(t *testing.T) {
	p, q := example(t, "bill"), example(t, "bill")
	a := Evaluate(workload.Load(), p)
	if !same(reflect.ValueOf(p), reflect.ValueOf(q)) {
		t.Error("the plan was changed")
	}
	b := Evaluate(workload.Load(), p)
	for i := range a.Sheet.Bills {
		if a.Sheet.Bills[i].Total.Point.Cmp(b.Sheet.Bills[i].Total.Point) != 0 {
			t.Errorf("bill %d: %s, then %s", i, a.Sheet.Bills[i].Total.Point, b.Sheet.Bills[i].Total.Point)
		}
	}
}

func TestSheetParamsAreThoseOfTheResult(t *testing.T) {
	for _, kind := range Kinds() {
		p := example(t, kind)
		r := Evaluate(workload.Load(), p)
		s := sheet.Make(SheetParams(workload.Load(), p, r.Fit))
		if len(s.Bills) != len(r.Sheet.Bills) {
			t.Fatalf("%s: %d bills, then %d", kind, len(r.Sheet.Bills), len(s.Bills))
		}
		for i := range s.Bills {
			if s.Bills[i].Total.High.Cmp(r.Sheet.Bills[i].Total.High) != 0 {
				t.Errorf("%s: bill %d differs", kind, i)
			}
		}
	}
}

func TestEmptyPlanComesToNothing(t *testing.T) {
	for _, p := range []Plan{{}, New()} {
		r := Evaluate(workload.Load(), p)
		if len(r.Sheet.Bills) != 0 || len(r.Fit.Cards) != 0 || r.Advice.Choice != advice.Nothing {
			t.Errorf("%+v", r)
		}
	}
	p := example(t, "bill")
	p.Job = workload.Job{}
	p.Use = workload.Use{}
	r := Evaluate(workload.Load(), p)
	if len(r.Sheet.Bills) < 3 {
		t.Errorf("offers without a job: %+v", r.Sheet)
	}
}

func TestHoursFollowFromUse(t *testing.T) {
	p := example(t, "bill") // 5 days a week, 2 h: 21 sittings in 30 days
	r := Evaluate(workload.Load(), p)
	u := r.Sheet.Bills[0].Usage
	if u.Rented.Point.String() != "42" || u.Sessions != 21 || u.SessionH.Point.String() != "2" || u.Unattended || u.Machines != 1 {
		t.Errorf("%+v", u)
	}
	if u.Busy.Point.Sign() <= 0 || u.Pictures.String() != "8400" {
		t.Errorf("busy %s, pictures %s", u.Busy.Point, u.Pictures)
	}
	p = example(t, "advise")
	r = Evaluate(workload.Load(), p)
	for _, b := range r.Sheet.Bills {
		if u := b.Usage; !b.Mixed && (!u.Unattended || u.Sessions != 10 || u.Rented.Point.Less(u.Busy.Point)) {
			t.Errorf("%s: %+v", b.Name, u)
		}
	}
}

// TestTrainingCountsItsSteps: seconds are of a step, hours of whole trainings.
func TestTrainingCountsItsSteps(t *testing.T) {
	p := example(t, "advise")
	p.Job = workload.Job{Model: "sdxl", Kind: workload.TrainLoRA, Training: &workload.Training{Steps: 2000}}
	p.Use.Pictures, p.Use.Starts = workload.Count{Total: 3}, 3
	cat := workload.Load()
	second := 1.5
	p.Measured = []workload.Measured{{Job: cat.Filled(p.Job).Key(), Card: "RTX 4090", SecondsPerPic: &second, Date: "2026-11-29"}}
	r := Evaluate(cat, p)
	if h := r.Hours[0]; math.Abs(h.Busy.Point-2.5) > 1e-9 || h.Pictures != 3 {
		t.Errorf("three trainings of 2000 steps of 1.5 s: %+v", h)
	}
	if u := r.Sheet.Bills[0].Usage; u.Steps != 2000 || u.SaveEvery != 2000 {
		t.Errorf("nothing saved on the way: every %d of %d steps", u.SaveEvery, u.Steps)
	}
	p.SaveEvery = 250
	if u := Evaluate(cat, p).Sheet.Bills[0].Usage; u.SaveEvery != 250 {
		t.Errorf("saved every 250 steps: %d", u.SaveEvery)
	}
	for _, w := range r.Sheet.Bills[0].Usage.Waits {
		if w.ID == "first" && w.Seconds.High.Float64() > 60 {
			t.Errorf("the first step takes %s s", w.Seconds.High)
		}
	}
}

// class is 30 machines, two lessons of 2 h a week for 3 weeks.
func class(t *testing.T) Plan {
	p := example(t, "bill")
	p.Use = workload.Use{
		Pattern: workload.Timetable, Pictures: workload.Count{Total: 3000}, Machines: 30, SittingsPerWeek: 2, HoursPerSitting: 2, Weeks: 3,
		Spares: 2, StartEarlyMin: 15, Heads: 30,
	}
	return p
}

func TestClass(t *testing.T) {
	p := class(t)
	r := Evaluate(workload.Load(), p)
	b := r.Sheet.Bills[0]
	if b.Usage.Machines != 32 || b.Usage.Sessions != 6 || b.Usage.Rented.Point.String() != "432" || b.Usage.Heads != 30 {
		t.Errorf("%+v", b.Usage)
	}
	if b.PerHead == nil || b.PerHead.Point.Mul(money.Int(30)).Cmp(b.Total.Point) != 0 {
		t.Errorf("a head pays %v of %s", b.PerHead, b.Total.Point)
	}
	p.Offers[0].Cards = 8 // eight seats on a machine
	if u := Evaluate(workload.Load(), p).Sheet.Bills[0].Usage; u.Machines != 5 {
		t.Errorf("%d machines of eight cards", u.Machines)
	}
}

func TestPartOfACardIsJudgedByItsVRAM(t *testing.T) {
	p := example(t, "bill")
	small, half := 2048.0, 12288.0
	p.Offers[0].Card.Part, p.Offers[0].Card.VRAM = offer.Slice, &small
	r := Evaluate(workload.Load(), p)
	if b := r.Sheet.Bills[0]; b.Status != sheet.CardTooSmall {
		t.Errorf("2 GiB hold SDXL: %s", b.Status)
	}
	p.Job.Batch = 1
	p.Job.Width, p.Job.Height = 512, 512
	whole := Evaluate(workload.Load(), p).Sheet.Bills[1].Usage
	p.Offers[0].Card.VRAM = &half
	b := Evaluate(workload.Load(), p).Sheet.Bills[0]
	if b.Status == sheet.OK && !whole.Busy.High.Less(b.Usage.Busy.High) {
		t.Errorf("half a card is as fast as a whole one: %s h, %s h", b.Usage.Busy.High, whole.Busy.High)
	}
}

func TestUnknownCardIsNotRuledOut(t *testing.T) {
	p := example(t, "bill")
	p.Offers[0].Card.Name = "A card of tomorrow"
	b := Evaluate(workload.Load(), p).Sheet.Bills[0]
	if b.Status != sheet.OK || !b.Usage.BusyUnknown || !b.Usage.Busy.IsZero() {
		t.Errorf("%s, %+v", b.Status, b.Usage)
	}
}

func TestMeasuredReplacesTheEstimate(t *testing.T) {
	p := example(t, "bill")
	cat := workload.Load()
	seconds, startup := 7.25, 95.0
	p.Measured = []workload.Measured{{
		Job: cat.Filled(p.Job).Key(), Card: "RTX 4090", SecondsPerPic: &seconds, StartupSeconds: &startup, Date: "2026-11-29",
	}}
	u := Evaluate(cat, p).Sheet.Bills[0].Usage
	want := money.MustParse("7.25").Mul(money.Int(8400)).Quo(money.Int(3600))
	if d := u.Busy.Point.Sub(want).Float64(); !u.Measured || math.Abs(d) > 1e-5 {
		t.Errorf("busy %s, want %s; measured %v", u.Busy.Point, want, u.Measured)
	}
	var ids []string
	for _, w := range u.Waits {
		ids = append(ids, w.ID)
		if w.ID == "boot" && (!w.Measured || w.Seconds.Point.String() != "95") {
			t.Errorf("%+v", w)
		}
	}
	if fmt.Sprint(ids) != "[queue boot first]" {
		t.Errorf("waits %v", ids)
	}
}

func TestWaits(t *testing.T) {
	p := example(t, "bill")
	p.Offers[1].Terms[offer.BootWait] = offer.Term{Value: "77", Status: offer.Typed, Mark: offer.Seen}
	p.Offers[2].Terms[offer.BilledFrom] = offer.Term{Value: "order", Status: offer.Told}
	for i, want := range []string{
		"queue: free boot: free pull: free load: billed first: billed", // the platform bills from running
		"queue: free boot: billed measured load: billed first: billed",
		"queue: billed boot: billed pull: billed load: billed first: billed",
	} {
		got := ""
		for n, w := range Evaluate(workload.Load(), p).Sheet.Bills[i].Waits {
			if n > 0 {
				got += " "
			}
			got += w.ID + ": " + map[bool]string{true: "billed", false: "free"}[w.Billed]
			if w.Measured {
				got += " measured"
			}
			if s := w.Seconds; s.Point.Less(s.Low) || s.High.Less(s.Point) {
				t.Errorf("%+v", w)
			}
		}
		if got != want {
			t.Errorf("offer %d: %s, want %s", i, got, want)
		}
	}
}

// TestBandsAreOrdered over every pattern, card and unit.
func TestBandsAreOrdered(t *testing.T) {
	cat := workload.Load()
	uses := []workload.Use{
		{Pattern: workload.Screen, Pictures: workload.Count{PerDay: 300}, DaysPerWeek: 3, HoursPerSitting: 1.5},
		{Pattern: workload.LongRun, Pictures: workload.Count{Total: 20000}},
		class(t).Use,
	}
	for _, m := range cat.Models() {
		for _, use := range uses {
			p := example(t, "bill")
			p.Job, p.Use = workload.Job{Model: m.ID}, use
			r := Evaluate(cat, p)
			if v := r.Fit.VRAM; !(v.Low <= v.Point && v.Point <= v.High) || math.IsNaN(v.Point) {
				t.Errorf("%s: VRAM %+v", m.ID, v)
			}
			for _, b := range r.Sheet.Bills {
				for _, v := range []money.Band{b.Total, b.Usage.Busy, b.Usage.Rented, b.Usage.SessionH, b.WaitH} {
					if v.Point.Less(v.Low) || v.High.Less(v.Point) {
						t.Errorf("%s, %s, %s: %s %s %s", m.ID, use.Pattern, b.Name, v.Low, v.Point, v.High)
					}
				}
			}
		}
	}
}

func TestMixedNeedsBothKinds(t *testing.T) {
	mixed := func(p Plan) bool {
		for _, b := range Evaluate(workload.Load(), p).Sheet.Bills {
			if b.Mixed {
				return true
			}
		}
		return false
	}
	p := example(t, "advise")
	if !mixed(p) {
		t.Error("no bill of trying out first")
	}
	p.Questions.Proven = true
	if mixed(p) {
		t.Error("tries out what is proven")
	}
	p = example(t, "advise")
	p.Offers = p.Offers[:1]
	if mixed(p) {
		t.Error("runs on a machine that isn't offered")
	}
}

// twelve is a plan with twelve offers of all kinds.
func twelve(t testing.TB) Plan {
	p := example(t, "bill")
	base := p.Offers
	for len(p.Offers) < 12 {
		o := base[len(p.Offers)%len(base)]
		o.Name = fmt.Sprint(o.Name, " ", len(p.Offers))
		o.Payment.Price = o.Payment.Price.Add(money.Frac(int64(len(p.Offers)), 100))
		p.Offers = append(p.Offers, o)
	}
	return p
}

// BenchmarkEvaluate12Offers is an edit of a field: 16 ms at most.
func BenchmarkEvaluate12Offers(b *testing.B) {
	p, cat := twelve(b), workload.Load()
	for b.Loop() {
		Evaluate(cat, p)
	}
}

// BenchmarkChances12Offers is the drawing after it: 100 ms at most.
func BenchmarkChances12Offers(b *testing.B) {
	p, cat := twelve(b), workload.Load()
	r := Evaluate(cat, p)
	for b.Loop() {
		if _, err := Chances(b.Context(), cat, p, r, 100_000, nil); err != nil {
			b.Fatal(err)
		}
	}
}
