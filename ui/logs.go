package ui

import (
	"context"
	"fmt"
	"io"
	"time"

	"rentgen/app/chronicle"
	"rentgen/app/judge"
	"rentgen/assets/texts"
	"rentgen/store"
	"rentgen/ui/sense"
)

// LogStore is what reading logs as a whole needs; *store.Store is one.
type LogStore interface {
	Messages(ctx context.Context, recording int64, from, to time.Time) judge.Messages
	Chronicle(ctx context.Context, recording int64, from, to time.Time) (chronicle.Report, error)
	ImportLog(ctx context.Context, r io.Reader, p store.ImportParams) (store.Imported, error)
}

// senseLog is a log as it is judged.
func (w *Window) senseLog(log store.Recording) sense.Log {
	h := sense.Host{ID: log.HostID, Name: log.HostName, Demo: log.Demo, Track: w.guides.trackOf(log.HostID)}
	return sense.Log{
		ID: log.ID, Host: h, From: log.From, To: log.To, Open: log.Open,
		Messages: func(ctx context.Context) judge.Messages {
			return w.p.Logs.Messages(ctx, log.ID, time.Time{}, time.Time{})
		},
	}
}

// newestLogs is how many logs are looked at for some that were never judged.
const newestLogs = 200

// endedLogs are the logs that have ended, nil where they can't be read.
func (w *Window) endedLogs() func(ctx context.Context) ([]sense.Log, error) {
	if w.p.Logs == nil || w.p.History == nil {
		return nil
	}
	return func(ctx context.Context) ([]sense.Log, error) {
		all, err := w.p.History.Recordings(ctx, store.Filter{NoDemo: true, Limit: newestLogs})
		if err != nil {
			return nil, fmt.Errorf("list the logs: %w", err)
		}
		var list []sense.Log
		for _, r := range all {
			if !r.Open && !r.From.IsZero() {
				list = append(list, w.senseLog(r))
			}
		}
		return list, nil
	}
}

// judgeLog says what a log means, nil where logs can't be read.
func (w *Window) judgeLog() func(ctx context.Context, log store.Recording) (judge.Kept, error) {
	if w.p.Logs == nil {
		return nil
	}
	return func(ctx context.Context, log store.Recording) (judge.Kept, error) {
		return w.sense.JudgeLog(ctx, w.senseLog(log))
	}
}

// differLogs says what differs between two logs.
func (w *Window) differLogs() func(ctx context.Context, a, b store.Recording) ([]texts.Phrase, error) {
	if w.p.Logs == nil {
		return nil
	}
	return func(ctx context.Context, a, b store.Recording) ([]texts.Phrase, error) {
		return w.sense.Differ(ctx, w.senseLog(a), w.senseLog(b))
	}
}

// importLog takes a file of readings in.
func (w *Window) importLog() func(ctx context.Context, name string, in io.Reader) (int64, error) {
	if w.p.Logs == nil {
		return nil
	}
	return func(ctx context.Context, name string, in io.Reader) (int64, error) {
		done, err := w.p.Logs.ImportLog(ctx, in, store.ImportParams{Name: name, Location: time.Local})
		if p, ok := store.ImportPhrase(err); ok {
			return 0, &said{w.spoken().Say(p), err}
		}
		if err != nil {
			return 0, fmt.Errorf("import: %w", err)
		}
		return done.Recording, nil
	}
}

// said is an error in the words of the window.
type said struct {
	words string
	err   error
}

// Error returns the words.
func (s *said) Error() string { return s.words }

// Unwrap returns the cause.
func (s *said) Unwrap() error { return s.err }

// reportLog writes what a span of a log shows, nil where logs can't be read. A
// log that was never judged is judged first.
func (w *Window) reportLog() func(ctx context.Context, out io.Writer, log store.Recording, from, to time.Time, picture string) error {
	if w.p.Logs == nil {
		return nil
	}
	return func(ctx context.Context, out io.Writer, log store.Recording, from, to time.Time, picture string) error {
		kept, err := w.sense.JudgeLog(ctx, w.senseLog(log))
		if err != nil {
			return err
		}
		r, err := w.p.Logs.Chronicle(ctx, log.ID, from, to)
		if err != nil {
			return fmt.Errorf("report: %w", err)
		}
		if log.Open { // what was found of it so far is kept nowhere
			r.Judged, r.Verdicts = true, within(kept.Verdicts, from, to)
		}
		r.Picture, r.Made = picture, w.p.Now()
		if g, ok := w.sense.Glance(log.HostID); ok && g.Priced && !log.Demo {
			r.Costs = append(r.Costs, g.Say)
		}
		return r.Markdown(out, w.spoken())
	}
}

// within are the verdicts that touch a span.
func within(vs []judge.Verdict, from, to time.Time) (list []judge.Verdict) {
	for _, v := range vs {
		if v.From.Before(to) && v.To.After(from) {
			list = append(list, v)
		}
	}
	return list
}
