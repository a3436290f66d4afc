package store

import (
	"context"
	"fmt"
	"math"
	"time"

	"rentgen/app/chronicle"
	"rentgen/app/judge"
	"rentgen/probe"
)

// chronicleParts is into how many parts a span is cut to be summed up: what a
// rollup at its ends adds is less than one.
const chronicleParts = 400

// Chronicle gathers what a report of a span of a recording says: readings summed
// up from the coarsest tier that is fine enough, gaps, events, and the verdicts
// that were kept of it. Zero bounds stand for its ends. Costs, Picture and Made
// are left to the caller.
func (s *Store) Chronicle(ctx context.Context, recording int64, from, to time.Time) (chronicle.Report, error) {
	rec, err := s.Recording(ctx, recording)
	if err != nil {
		return chronicle.Report{}, err
	}
	r := chronicle.Report{From: from, To: to, Log: chronicle.Log{
		ID: rec.ID, Host: rec.HostName, Demo: rec.Demo, Open: rec.Open, Source: rec.Source, Imported: rec.Imported,
		From: rec.From, To: rec.To, Cards: rec.Devices, Lost: rec.Lost,
	}}
	if rec.From.IsZero() {
		r.From, r.To = time.Time{}, time.Time{}
	} else {
		if r.From.Before(rec.From) {
			r.From = rec.From
		}
		if end := rec.To.Add(time.Second); r.To.IsZero() || r.To.After(end) {
			r.To = end
		}
		if !r.From.Before(r.To) { // all of the log lies outside
			r.From, r.To = time.Time{}, time.Time{}
		}
	}
	span := Span{Recording: recording, From: from, To: to}
	if r.Gaps, err = s.Gaps(ctx, span); err == nil {
		r.Events, err = s.Events(ctx, span)
	}
	var kept judge.Kept
	if err == nil {
		kept, err = s.Judged(ctx, recording)
	}
	if err != nil {
		return chronicle.Report{}, fmt.Errorf("report: %w", err)
	}
	r.Judged = kept.Version > 0
	for _, v := range kept.Verdicts {
		if (to.IsZero() || v.From.Before(to)) && (from.IsZero() || v.To.After(from)) {
			r.Verdicts = append(r.Verdicts, v)
		}
	}
	if r.From.IsZero() || !r.From.Before(r.To) {
		return r, nil
	}
	add := func(gpu string, m probe.Metric) error {
		series, err := s.Query(ctx, Query{Recording: recording, GPU: gpu, Metric: m, From: r.From, To: r.To, Points: chronicleParts})
		if err != nil {
			return err
		}
		if len(series.Points) > 0 {
			r.Readings = append(r.Readings, sumUp(gpu, m, series.Points))
		}
		return nil
	}
	for _, d := range rec.Devices {
		for _, m := range gpuMetrics {
			if err := add(d.UUID, m); err != nil {
				return chronicle.Report{}, fmt.Errorf("report: %w", err)
			}
		}
	}
	for _, m := range systemMetrics {
		if err := add(machineUUID, m); err != nil {
			return chronicle.Report{}, fmt.Errorf("report: %w", err)
		}
	}
	return r, nil
}

// sumUp puts the points of a metric together.
func sumUp(gpu string, m probe.Metric, points []Point) chronicle.Reading {
	out := chronicle.Reading{GPU: gpu, Metric: m, Min: math.Inf(1), Max: math.Inf(-1)}
	sum := 0.0
	for _, p := range points {
		if p.N == 0 {
			if out.N == 0 {
				out.State, out.Raw = p.State, p.Raw
			}
			continue
		}
		out.N += p.N
		out.Min, out.Max = min(out.Min, p.Min), max(out.Max, p.Max)
		out.Rise += p.Rise
		sum += p.Mean * float64(p.N)
		out.State, out.Raw = probe.OK, ""
	}
	if out.N == 0 {
		out.Min, out.Max, out.Mean = math.NaN(), math.NaN(), math.NaN()
		return out
	}
	out.Mean = sum / float64(out.N)
	return out
}
