package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/board"
	"rentgen/app/guide/ledger"
	"rentgen/app/guide/report"
	"rentgen/probe"
	"rentgen/store"
)

const (
	busyPct    = 90                  // a card is under load from here on
	busyPoints = 60                  // fewer points say nothing
	loadSpan   = 30 * 24 * time.Hour // how far back is looked
)

// underLoad is what the logs of a host have of its first card while it was busy,
// nil where it never was for long.
func underLoad(ctx context.Context, s *store.Store, host string) (*report.Load, error) {
	logs, err := s.Recordings(ctx, store.Filter{Host: host})
	if err != nil {
		return nil, fmt.Errorf("read the logs: %w", err)
	}
	for _, l := range logs { // newest first
		if len(l.Devices) == 0 || l.To.IsZero() || time.Since(l.To) > loadSpan {
			continue
		}
		series := map[probe.Metric]map[int64]float64{}
		for _, m := range []probe.Metric{probe.UtilGPU, probe.ClockSM, probe.Power, probe.PowerCap} {
			got, err := s.Query(ctx, store.Query{Recording: l.ID, GPU: l.Devices[0].UUID, Metric: m, Points: 20_000})
			if errors.Is(err, store.ErrNotFound) {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("read a log: %w", err)
			}
			series[m] = map[int64]float64{}
			for _, p := range got.Points {
				if p.N > 0 && !math.IsNaN(p.Mean) {
					series[m][p.T.Unix()] = p.Mean
				}
			}
		}
		if load := busy(series); load != nil {
			return load, nil
		}
	}
	return nil, nil
}

// busy sums up the points at which a card was under load.
func busy(series map[probe.Metric]map[int64]float64) *report.Load {
	var clocks []float64
	var power, limit float64
	n, last := 0, int64(0)
	for at, util := range series[probe.UtilGPU] {
		clock, ok := series[probe.ClockSM][at]
		watts, ok2 := series[probe.Power][at]
		if util < busyPct || !ok || !ok2 {
			continue
		}
		clocks, power, n, last = append(clocks, clock), power+watts, n+1, max(last, at)
		limit = max(limit, series[probe.PowerCap][at])
	}
	if n < busyPoints {
		return nil
	}
	slices.Sort(clocks)
	return &report.Load{SMLow: clocks[n/20], SMHigh: clocks[n-1-n/20], Power: power / float64(n), PowerCap: limit, At: time.Unix(last, 0)}
}

// lastPicture is the latest measured time of a picture, nil where none was.
func lastPicture(b *board.Board) *report.Picture {
	for _, e := range slices.Backward(b.Entries(guide.KindLedger)) {
		l, err := ledger.Read(e.Body)
		if err != nil {
			continue
		}
		if f, ok := l.Stages[ledger.Warm]; ok && f.Seconds > 0 && f.From != ledger.Typed {
			at := f.At
			if at.IsZero() {
				at = e.Time
			}
			return &report.Picture{Seconds: f.Seconds, Job: l.Model, At: at}
		}
	}
	return nil
}
