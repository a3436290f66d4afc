package plan

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"rentgen/app/advice"
	"rentgen/app/money"
	"rentgen/app/workload"
	"rentgen/assets/texts"
)

// MostDays is the longest span of a bill. A plan kept by an older version may
// have maxDays.
const MostDays = 366

const (
	maxName = 120 // characters
	maxDays = 3660
	maxSave = 1_000_000
)

// decode reads the top of a file.
func (d *decoder) decode(root *yaml.Node, f *file) {
	if root != nil && root.ShortTag() != "!!null" {
		d.value("", root, reflect.ValueOf(f).Elem())
	}
}

// reject is bad for a field that was read.
func (d *decoder) reject(field, value string, allowed texts.Phrase) {
	n := d.place(field)
	if n == nil {
		n = &yaml.Node{}
	}
	d.bad(field, value, n, allowed)
}

// check is what holds for every plan, whatever the catalogue says.
func (d *decoder) check(p Plan) {
	if len([]rune(p.Name)) > maxName {
		d.reject("name", p.Name, texts.P("planfile.allowed.text", "n", maxName))
	}
	if p.Currency != "" {
		d.currency("currency", p.Currency)
	}
	d.between("days", p.Days, 0, maxDays)
	d.date("start", p.Start, false)
	d.between("save_every", p.SaveEvery, 0, maxSave)
	if r := p.Own.HourlyRate; r != nil {
		d.notNegative("own.hourly_rate", *r)
	}
	d.notNegative("own.setup_h", p.Own.SetupH)
	d.notNegative("own.weekly_h", p.Own.WeeklyH)
	for i, r := range p.Rates {
		field := fmt.Sprintf("rates[%d].", i)
		d.currency(field+"from", r.From)
		d.currency(field+"to", r.To)
		if r.Value.Sign() <= 0 {
			d.reject(field+"rate", r.Value.String(), texts.P("planfile.allowed.positive"))
		}
		d.date(field+"date", r.Date, true)
	}
	d.questions(p.Questions)
	for i, m := range p.Measured {
		d.measured(fmt.Sprintf("measured[%d].", i), m)
	}
}

func (d *decoder) questions(q advice.Questions) {
	d.oneOf("questions.duration", q.Duration, advice.Durations())
	d.oneOf("questions.sensitivity", q.Sensitivity, advice.Sensitivities())
	d.oneOf("questions.load", q.Load, advice.Loads())
	d.between("questions.multi_card", q.MultiCard, 0, 64)
	if s := q.FailShare; s != nil && !(*s >= 0 && *s <= 1) {
		d.reject("questions.fail_share", strconv.FormatFloat(*s, 'g', -1, 64), texts.P("planfile.allowed.share"))
	}
}

func (d *decoder) measured(field string, m workload.Measured) {
	for name, v := range map[string]*float64{
		"seconds_per_picture": m.SecondsPerPic, "peak_mib": m.PeakMiB, "startup_s": m.StartupSeconds, "first_picture_s": m.FirstPictureSecs,
	} {
		if v != nil && (!(*v > 0) || math.IsInf(*v, 0)) {
			d.reject(field+name, strconv.FormatFloat(*v, 'g', -1, 64), texts.P("planfile.allowed.positive"))
		}
	}
	if m.Job == "" {
		d.reject(field+"job", "", texts.P("planfile.allowed.job"))
	}
	d.date(field+"date", m.Date, false)
}

func (d *decoder) currency(field string, c money.Currency) {
	if !c.Valid() {
		d.reject(field, string(c), texts.P("planfile.allowed.currency"))
	}
}

func (d *decoder) between(field string, v, low, high int) {
	if v < low || v > high {
		d.reject(field, strconv.Itoa(v), texts.P("planfile.allowed.between", "low", low, "high", high))
	}
}

func (d *decoder) notNegative(field string, r money.Rat) {
	if r.Sign() < 0 {
		d.reject(field, r.String(), texts.P("planfile.allowed.notnegative"))
	}
}

func (d *decoder) oneOf(field, value string, list []string) {
	if value != "" && !slices.Contains(list, value) {
		d.reject(field, value, texts.P("planfile.allowed.of", "list", strings.Join(list, ", ")))
	}
}

func (d *decoder) date(field, value string, needed bool) {
	if value == "" && !needed {
		return
	}
	if _, err := time.Parse(time.DateOnly, value); err != nil {
		d.reject(field, value, texts.P("planfile.allowed.date"))
	}
}
