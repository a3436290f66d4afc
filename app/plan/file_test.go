package plan

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"rentgen/app/advice"
	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/app/workload"
)

const whole = `version: 1
name: 每天四百张
currency: CNY
days: 30
start: 2026-12-01
job:
  model: sdxl
  precision: fp16
  width: 1024
  height: 1024
  batch: 4
  controlnets: 2
  vae_tiling: false
  upscaler: {scale: 4, tile: 0}
use:
  pattern: screen
  pictures: {per_day: 400}
  days_per_week: 5
  hours_per_sitting: 1.5
questions: {duration: short, sensitivity: none, fail_share: 0.2}
own: {hourly_rate: "50", setup_h: 3, weekly_h: 0}
cross_region: true
save_every: 10
rates:
  - {from: USD, to: CNY, rate: "7.1", date: 2026-11-30}
measured:
  - {job: k, card: RTX 4090, seconds_per_picture: 6.5, date: 2026-11-29, source: log 12}
offers:
  - name: AutoDL 4090
    currency: CNY
    count: 1
    card: {name: RTX 4090, part: whole}
    machine: container
    payment: {unit: hour, price: "1.88"}
    terms: {data_disk_gb: 100, ip_price_h: unknown}
seed: 7
`

func mustRead(t *testing.T, text string) Plan {
	t.Helper()
	p, err := Read([]byte(text))
	if err != nil {
		t.Fatalf("%v", err)
	}
	return p
}

func TestRead(t *testing.T) {
	p := mustRead(t, whole)
	if p.Name != "每天四百张" || p.Job.Upscaler == nil || p.Job.Upscaler.Tile == nil || *p.Job.Upscaler.Tile != 0 || p.Job.VAETiling == nil || *p.Job.VAETiling {
		t.Errorf("%+v", p)
	}
	if p.Use.Pattern != workload.Screen || p.Use.Pictures.PerDay != 400 || p.Own.HourlyRate.String() != "50" || !p.Own.WeeklyH.IsZero() || p.Seed != 7 {
		t.Errorf("%+v", p)
	}
	if len(p.Offers) != 1 || p.Offers[0].Payment.Price.String() != "1.88" || len(p.Rates) != 1 || *p.Measured[0].SecondsPerPic != 6.5 {
		t.Errorf("%+v", p)
	}
}

func TestWhatIsNotInAFileStaysAsItStarts(t *testing.T) {
	for _, text := range []string{"", "# nothing yet\n", "version: 1\n", "---\n", "job:\nuse:\noffers:\n"} {
		if p := mustRead(t, text); !same(reflect.ValueOf(p), reflect.ValueOf(New())) {
			t.Errorf("%q: %+v", text, p)
		}
	}
}

// TestBadFiles: every fault names field, value and line, and gives no plan.
func TestBadFiles(t *testing.T) {
	for _, c := range []struct {
		text, field, value string
		line               int
	}{
		{"version: 2\n", "version", "2", 1},
		{"name: a\nnmae: b\n", "nmae", "nmae", 2},
		{"name: a\nname: b\n", "name", "name", 2},
		{"days: thirty\n", "days", "thirty", 1},
		{"days: 30.5\n", "days", "30.5", 1},
		{"days: -1\n", "days", "-1", 1},
		{"days: 99999\n", "days", "99999", 1},
		{"days:\n", "days", "", 1},
		{"days: [30]\n", "days", "[...]", 1},
		{"currency: cny\n", "currency", "cny", 1},
		{"currency: RMB元\n", "currency", "RMB元", 1},
		{"job: sdxl\n", "job", "sdxl", 1},
		{"job:\n  model: sdxl\n  colour: red\n", "job.colour", "colour", 3},
		{"job:\n  width: 0x400\n", "job.width", "0x400", 2},
		{"job:\n  width: 1e99\n", "job.width", "1e99", 2},
		{"job:\n  compile: yes\n", "job.compile", "yes", 2},
		{"job:\n  hires: {scale: .nan}\n", "job.hires.scale", ".nan", 2},
		{"use: {hours_per_sitting: .inf}\n", "use.hours_per_sitting", ".inf", 1},
		{"use: {pictures: 400}\n", "use.pictures", "400", 1},
		{"questions: {duration: brief}\n", "questions.duration", "brief", 1},
		{"questions:\n  fail_share: 1.5\n", "questions.fail_share", "1.5", 2},
		{"questions:\n  multi_card: -2\n", "questions.multi_card", "-2", 2},
		{"own: {hourly_rate: -50}\n", "own.hourly_rate", "-50", 1},
		{"own: {setup_h: 2h}\n", "own.setup_h", "2h", 1},
		{"own: {weekly_h: 1,5}\n", "own.5", "5", 1},
		{"cross_region: 1\n", "cross_region", "1", 1},
		{"start: 1.12.2026\n", "start", "1.12.2026", 1},
		{"days: 30\nstart: 2026-02-30\n", "start", "2026-02-30", 2},
		{"start: [2026-12-01]\n", "start", "[...]", 1},
		{"save_every: -1\n", "save_every", "-1", 1},
		{"rates: {from: USD}\n", "rates", "{...}", 1},
		{"rates:\n- {from: USD, to: CNY, rate: 0, date: 2026-11-30}\n", "rates[0].rate", "0", 2},
		{"rates:\n- {from: USD, to: CNY, rate: 7.1, date: 30.11.2026}\n", "rates[0].date", "30.11.2026", 2},
		{"rates:\n- {from: USD, to: CNY, rate: 7.1}\n", "rates[0].date", "", 2},
		{"measured:\n- {job: k, card: RTX 4090, peak_mib: 0}\n", "measured[0].peak_mib", "0", 2},
		{"measured:\n- {card: RTX 4090}\n", "measured[0].job", "", 2},
		{"offers:\n- {name: a, colour: red}\n", "offers[0].colour", "colour", 2},
		{"offers:\n- {name: a}\n- {name: b, payment: {unit: hour, price: cheap}}\n", "offers[1].payment.price", "cheap", 3},
		{"name: \"a\\x1b[2J\"\n", "name", "a\x1b[2J", 1},
		{"name: &a x\ncurrency: *a\n", "currency", "*a", 2},
		{"name: !!binary aGk=\n", "name", "aGk=", 1},
		{"seed: -1\n", "seed", "-1", 1},
		{"- a\n", "plan", "[...]", 1},
		{"name: a\n---\nname: b\n", "plan", "---", 2},
		{"job:\n\tmodel: sdxl\n", "plan", "TAB", 2},
		{"name: [a\n", "plan", "", 1},
		{"name: " + strings.Repeat("x", 401) + "\n", "name", "", 1},
		{"name: " + strings.Repeat("x", 200) + "\n", "name", "", 1},
	} {
		p, err := Read([]byte(c.text))
		var in *offer.InputError
		if !errors.As(err, &in) {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if in.Field != c.field || c.value != "" && in.Value != c.value || c.line != in.Line || in.Column < 1 || in.Allowed.IsZero() {
			t.Errorf("%q: %+v", c.text, *in)
		}
		if strings.Contains(in.Error(), "planfile.") || !strings.Contains(in.Error(), fmt.Sprint(c.line)) {
			t.Errorf("%q: %s", c.text, in.Error())
		}
		if !same(reflect.ValueOf(p), reflect.ValueOf(Plan{})) {
			t.Errorf("%q gives a part of a plan: %+v", c.text, p)
		}
	}
}

func TestAllFaultsInTheirOrder(t *testing.T) {
	_, err := Read([]byte("days: x\njob: {width: y}\noffers:\n- {colour: red}\nnmae: a\n"))
	var lines []int
	for _, e := range offer.Inputs(err) {
		lines = append(lines, e.Line)
	}
	if !reflect.DeepEqual(lines, []int{1, 2, 4, 5}) {
		t.Errorf("%v: %v", lines, err)
	}
}

func TestTooLong(t *testing.T) {
	_, err := Read(bytes.Repeat([]byte("# x\n"), MaxBytes/4+1))
	if offer.Inputs(err) == nil {
		t.Error(err)
	}
}

// same is DeepEqual in which numbers are equal by value, and nothing is equal
// to an empty list.
func same(a, b reflect.Value) bool {
	if a.Type() == ratType {
		return a.Interface().(money.Rat).Cmp(b.Interface().(money.Rat)) == 0
	}
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			if !same(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return same(a.Elem(), b.Elem())
	case reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !same(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Map:
		if a.Len() != b.Len() {
			return false
		}
		for _, k := range a.MapKeys() {
			if !b.MapIndex(k).IsValid() || !same(a.MapIndex(k), b.MapIndex(k)) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

// fill puts random values of the allowed kind into every field.
func fill(r *rand.Rand, v reflect.Value) {
	if v.Type() == ratType {
		v.Set(reflect.ValueOf(money.Frac(r.Int64N(1e9), []int64{1, 2, 4, 5, 10, 100, 1000}[r.IntN(7)])))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if r.IntN(4) > 0 {
				fill(r, v.Field(i))
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(r, v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1+r.IntN(3), 3))
		for i := range v.Len() {
			fill(r, v.Index(i))
		}
	case reflect.String:
		words := []string{"sdxl", "连续出图", "true", "null", "~", "1e3", "0x10", "2026-11-30", "- a: b #c", " two  blanks ", "\"'", "é\u2028\ufeff", "", "{", "*a", "!x", "yes"}
		v.SetString(words[r.IntN(len(words))])
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(r.Int64N(5000))
	case reflect.Uint64:
		v.SetUint(r.Uint64())
	case reflect.Float64:
		v.SetFloat([]float64{0, 0.1, 1.0 / 3, 1e-7, 12345.678, 1e14}[r.IntN(6)])
	}
}

func TestWrittenIsReadBack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	offers := mustRead(t, whole).Offers
	for range 500 {
		p := New()
		fill(r, reflect.ValueOf(&p.Job).Elem())
		fill(r, reflect.ValueOf(&p.Use).Elem())
		fill(r, reflect.ValueOf(&p.Own).Elem())
		fill(r, reflect.ValueOf(&p.Name).Elem())
		fill(r, reflect.ValueOf(&p.Measured).Elem())
		p.Seed = r.Uint64()
		p.Days, p.SaveEvery, p.CrossRegion = 1+r.IntN(maxDays), r.IntN(100), r.IntN(2) == 0
		if r.IntN(2) == 0 {
			p.Start = time.Unix(r.Int64N(1<<33), 0).UTC().Format(time.DateOnly)
		}
		p.Questions.Duration, p.Questions.Docker, p.Questions.FailShare = advice.Durations()[r.IntN(3)], true, new(float64)
		p.Rates = money.Rates{{From: "USD", To: "CNY", Value: money.MustParse("7.123456789"), Date: "2026-11-30"}}
		for i := range p.Measured {
			one := r.Float64() + 0.1
			p.Measured[i] = workload.Measured{Job: "sdxl: a, b", Card: "RTX 4090", SecondsPerPic: &one, Date: "2026-11-30"}
		}
		if r.IntN(2) == 0 {
			p.Offers = offers
		}
		b, err := Write(p)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Read(b)
		if err != nil {
			t.Fatalf("%v\n%s", err, b)
		}
		if !same(reflect.ValueOf(got), reflect.ValueOf(p)) {
			t.Fatalf("read back\n%+v\nwant\n%+v\nfrom\n%s", got, p, b)
		}
	}
}

// TestEmptyPlanIsWritten: a plan that was just made is kept like another.
func TestEmptyPlanIsWritten(t *testing.T) {
	for _, p := range []Plan{{}, New()} {
		b, err := Write(p)
		if err != nil {
			t.Fatal(err)
		}
		mustRead(t, string(b))
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte("days: 30\n"))
	f.Add([]byte("a: &a [*a]\n"))
	f.Add([]byte("job: {model: sdxl"))
	f.Add([]byte("\xff\xfe"))
	f.Add([]byte("? - a\n: b\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := Read(b)
		if err != nil {
			if len(offer.Inputs(err)) == 0 {
				t.Fatalf("%q: %v", b, err)
			}
			_ = err.Error()
			return
		}
		out, err := Write(p)
		if err != nil {
			t.Fatalf("%q: %v", b, err)
		}
		again, err := Read(out)
		if err != nil {
			t.Fatalf("%q is written\n%s\n%v", b, out, err)
		}
		if !same(reflect.ValueOf(again), reflect.ValueOf(p)) && p.Days > 0 && p.Currency != "" {
			t.Fatalf("%q: %+v\nread back %+v\nfrom\n%s", b, p, again, out)
		}
	})
}
