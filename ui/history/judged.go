package history

import (
	"context"
	"slices"
	"time"

	"rentgen/app/judge"
	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/ui/chart"
	"rentgen/ui/verdict"
)

// judged is what the open log was found to mean.
type judged struct {
	log  int64
	to   time.Time // of the log, when it was judged
	kept judge.Kept
}

// judge asks what the open log means, unless that is known.
func (b *board) judge() {
	if b.w.p.Judge == nil || b.log == nil || b.log.From.IsZero() {
		b.judging.stop()
		b.setVerdicts()
		return
	}
	log := *b.log
	if b.meaning.log == log.ID && b.meaning.to.Equal(log.To) {
		return
	}
	if b.meaning.log != log.ID {
		b.meaning = judged{}
		b.setVerdicts()
	}
	ask(&b.judging, func(ctx context.Context) (judge.Kept, error) {
		return b.w.p.Judge(ctx, log)
	}, func(k judge.Kept, err error) {
		if err != nil {
			b.trouble("history.fail.judge", err)
			return
		}
		b.meaning = judged{log: log.ID, to: log.To, kept: k}
		b.setVerdicts()
		b.load()
	})
}

// judges says that the log is being judged.
func (b *board) judges(on bool) {
	if on && len(b.meaning.kept.Verdicts) == 0 {
		b.verdict.SetText(b.w.c.T("history.judging"))
	}
}

// setVerdicts says in a line what the log, or the marked span, means.
func (b *board) setVerdicts() {
	from, to := b.span()
	list := b.verdictsIn(from, to)
	text := ""
	if v, ok := gravest(list); ok {
		text = b.w.c.T("history.verdict", "sentence", b.w.c.Say(v.Say))
		if n := len(list) - 1; n > 0 {
			text = b.w.c.T("history.verdict.more", "sentence", b.w.c.Say(v.Say), "n", texts.Count(int64(n)))
		}
	}
	b.verdict.SetText(text)
	b.more.Hidden = len(list) == 0 || b.w.p.Verdicts == nil
	b.verdictRow.Hidden = b.w.p.Judge == nil
	b.verdictRow.Refresh()
}

// verdictsIn are those of the shown cards and the machine that touch a span, by
// time.
func (b *board) verdictsIn(from, to time.Time) []judge.Verdict {
	if b.log == nil || b.meaning.log != b.log.ID {
		return nil
	}
	cards := b.shownCards()
	var list []judge.Verdict
	for _, v := range b.meaning.kept.Verdicts {
		if (v.GPU == "" || holds(cards, v.GPU)) && v.From.Before(to) && v.To.After(from) {
			list = append(list, v)
		}
	}
	slices.SortStableFunc(list, func(a, b judge.Verdict) int { return a.From.Compare(b.From) })
	return list
}

// rank orders levels, the gravest first.
func rank(l judge.Level) int {
	return slices.Index([]judge.Level{judge.Fail, judge.Warn, judge.Info, judge.Good, judge.Unknown}, l)
}

// gravest is the verdict to say first: of the gravest level the longest.
func gravest(list []judge.Verdict) (judge.Verdict, bool) {
	if len(list) == 0 {
		return judge.Verdict{}, false
	}
	return slices.MinFunc(list, func(a, b judge.Verdict) int {
		if d := rank(a.Level) - rank(b.Level); d != 0 {
			return d
		}
		return int(b.To.Sub(b.From)/time.Second) - int(a.To.Sub(a.From)/time.Second)
	}), true
}

// addBands draws verdicts under the axis, the gravest over the others.
func addBands(c *texts.Catalogue, d *chart.Data, verdicts []judge.Verdict, gpus []probe.Device) {
	list := slices.Clone(verdicts)
	slices.SortStableFunc(list, func(a, b judge.Verdict) int { return rank(b.Level) - rank(a.Level) })
	for _, v := range list {
		if v.GPU != "" && !holds(gpus, v.GPU) {
			continue
		}
		d.Bands = append(d.Bands, chart.Band{
			From: v.From.UnixMilli(), To: v.To.UnixMilli(), Level: verdict.ChartLevel(v.Level), Text: c.Say(v.Say),
		})
	}
}

// seeVerdicts opens the list of what was found in the span.
func (b *board) seeVerdicts() {
	from, to := b.span()
	if list := b.verdictsIn(from, to); len(list) > 0 && b.w.p.Verdicts != nil {
		b.w.p.Verdicts(list, func(v judge.Verdict) {
			pad := max(v.To.Sub(v.From)/4, 10*time.Second)
			b.group.SetView(v.From.Add(-pad), v.To.Add(pad))
			b.group.Select(v.From, v.To)
		})
	}
}
