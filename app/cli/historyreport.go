package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"rentgen/app/judge"
	"rentgen/app/judge/court"
	"rentgen/store"
)

// runHistoryReport writes what a span of a log shows as Markdown; with --json
// the text stands in an object.
func runHistoryReport(ctx context.Context, j *job) error {
	id, from, to, err := j.logSpan()
	if err != nil {
		return err
	}
	s, err := j.readStore(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	r, err := s.Chronicle(ctx, id, from, to)
	if errors.Is(err, store.ErrNotFound) {
		return noLog(j.args[0])
	}
	if err != nil {
		return fmt.Errorf("report of the log: %w", err)
	}
	if !r.Judged {
		if r.Verdicts, err = j.verdictsOf(ctx, s, id, from, to); err != nil {
			return err
		}
		r.Judged = true
	}
	r.Made = time.Now()
	var text bytes.Buffer
	if err := r.Markdown(&text, j.c); err != nil {
		return err
	}
	out := text.Bytes()
	if j.is("json") {
		return j.printJSON(map[string]any{"id": id, "format": "md", "demo": r.Log.Demo, "text": text.String()})
	}
	if name := j.flags["out"]; name != "" && name != "-" {
		return writeWhole(name, out)
	}
	if _, err := j.p.Stdout.Write(out); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// verdictsOf judges a span of a log that was not judged yet.
func (j *job) verdictsOf(ctx context.Context, s *store.Store, id int64, from, to time.Time) ([]judge.Verdict, error) {
	rec, err := s.Recording(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("report of the log: %w", err)
	}
	set := j.setting(ctx)
	set.Track = j.machineOf(ctx, rec.HostID)
	k, err := court.Over(ctx, s.Messages(ctx, id, from, to), set, j.reached())
	if err != nil {
		return nil, fmt.Errorf("judge the log: %w", err)
	}
	return k.Verdicts, nil
}

// writeWhole puts a file in its place once it is whole.
func writeWhole(name string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".rentgen-*")
	if err != nil {
		return outTrouble(name, err)
	}
	_, err = f.Write(b)
	err = errors.Join(err, f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return outTrouble(name, err)
	}
	return nil
}

// outTrouble is a file that can't be written, as bad input.
func outTrouble(name string, err error) error {
	var path *os.PathError
	var link *os.LinkError
	if errors.As(err, &path) {
		err = path.Err
	} else if errors.As(err, &link) { // the other file is ours
		err = link.Err
	}
	return &UsageError{Code: "outfile", Field: "--out", Value: name, Allowed: err.Error()}
}
