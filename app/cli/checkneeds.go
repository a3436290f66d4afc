package cli

import (
	"cmp"
	"time"

	"rentgen/app/bill/offer"
	"rentgen/app/bill/sheet"
	"rentgen/app/guide"
	"rentgen/app/money"
)

// planNeeds are what the plan of --plan asks of an instance, and its offers.
type planNeeds struct {
	j      *job
	needs  guide.Needs
	offers []offer.Offer
}

// needs reads the plan of --plan; without one nothing is known.
func (j *job) needs() (planNeeds, error) {
	path, given := j.flags["plan"]
	if !given {
		return planNeeds{j: j}, nil
	}
	f, err := j.planOf(path, needJob)
	if err != nil {
		return planNeeds{}, err
	}
	a := f.result.Fit
	n := guide.Needs{
		Job: cmp.Or(f.Name, a.Job.Model), VRAMLowGiB: &a.VRAM.Low, VRAMHighGiB: &a.VRAM.High, DiskGB: &a.Disk.GB.High,
		UnderContract: f.Questions.Sensitivity == "contract",
	}
	if s := secondsOf(f.reference()); s != nil {
		n.WarmHighS = &s.High
	}
	return planNeeds{j, n, f.Visible()}, nil
}

// of are the needs with the price of a provider's hour, where an offer has one; a
// plan with a single offer means that one.
func (p planNeeds) of(provider string) guide.Needs {
	n := p.needs
	for _, o := range p.offers {
		if o.Provider != provider && (len(p.offers) > 1 || o.Provider != "" && provider != "") {
			continue
		}
		hour, ok := o.Hour()
		if !ok {
			continue
		}
		n.PriceHour = p.j.c.T("cli.check.hour", "amount", sheet.Money(p.j.c, hour, o.Currency))
		n.Cost = func(d time.Duration) string {
			return sheet.Money(p.j.c, hour.Mul(money.Frac(int64(d/time.Second), 3600)), o.Currency)
		}
		break
	}
	return n
}
