package board

import (
	"context"
	"errors"
	"slices"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/ledger"
	"rentgen/app/guide/run"
)

// takes is about how long a run of a level takes; a thorough one of an instance
// ends with a load test.
func takes(ids []guide.CheckID, l guide.Level) time.Duration {
	t := run.Takes(ids)
	if loads(ids, l) {
		t += ledger.LoadTakes
	}
	return t
}

// loads reports whether a run of these checks ends with a load test: one of a
// whole instance that asks whether PyTorch can use the card.
func loads(ids []guide.CheckID, l guide.Level) bool {
	return l == guide.Thorough && len(ids) > 1 && slices.Contains(ids, guide.TorchCUDA)
}

// stress keeps the card busy for a minute, where a thorough run found that PyTorch
// can use it, and keeps what it did beside the times of the start. The error is
// that of the link or of ctx.
func (b *Board) stress(ctx context.Context, w *work, r guide.Runner) error {
	i := slices.IndexFunc(w.plan.Legs, func(l leg) bool { return loads(l.Checks, w.plan.Level) })
	if i < 0 {
		return nil
	}
	b.mu.Lock()
	can := b.latest[slot{w.plan.Legs[i].Track, guide.TorchCUDA}].Outcome.Verdict == guide.Pass
	b.mu.Unlock()
	if !can {
		return nil
	}
	test, err := ledger.RunLoad(ctx, r, b.p.Now)
	switch {
	case errors.Is(err, ledger.ErrNoLoad):
		test = ledger.LoadTest{At: b.p.Now(), Failed: bounded(err.Error(), maxReason)}
	case err != nil:
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	key, l := guide.Stamp(test.At), ledger.Ledger{Started: test.At}
	for _, e := range b.entriesLocked(guide.KindLedger) { // by time: the latest one counts
		if old, err := ledger.Read(e.Body); err == nil {
			key, l = e.Key, old
		}
	}
	l.Test = &test
	return b.putLocked(guide.KindLedger, key, l)
}
