package verdict

import (
	"time"

	"rentgen/app/judge"
	"rentgen/assets/texts"
	"rentgen/ui/chart"
)

// Bands are the verdicts of one card as strips of a chart. They are put into
// words once for each version; filling a chart allocates nothing. The zero value
// is ready.
type Bands struct {
	set     bool
	version uint64
	gpu     string
	c       *texts.Catalogue
	list    []chart.Band
	open    []bool
}

// Set takes the verdicts of a version; of another card than gpu only what is
// said of the whole machine. It does nothing where none of that changed.
func (b *Bands) Set(c *texts.Catalogue, vs []judge.Verdict, version uint64, gpu string, names Names) {
	if b.set && b.version == version && b.gpu == gpu && b.c == c {
		return
	}
	b.set, b.version, b.gpu, b.c = true, version, gpu, c
	b.list, b.open = b.list[:0], b.open[:0]
	for i := range vs {
		v := &vs[i]
		if v.GPU != "" && v.GPU != gpu {
			continue
		}
		b.list = append(b.list, chart.Band{
			From: v.From.UnixMilli(), To: v.To.UnixMilli(), Level: ChartLevel(v.Level),
			Text: joined(c, Sentence(c, v, names), Sure(c, v)),
		})
		b.open = append(b.open, v.Open)
	}
}

// Fill adds the bands that touch a span to d; one that goes on reaches now.
func (b *Bands) Fill(d *chart.Data, from, to, now time.Time) {
	d.Banded = true
	a, z, n := from.UnixMilli(), to.UnixMilli(), now.UnixMilli()
	for i, x := range b.list {
		if b.open[i] {
			x.To = max(x.To, n)
		}
		if x.To >= a && x.From <= z {
			d.Bands = append(d.Bands, x)
		}
	}
}
