package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

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
	if errors.As(err, &path) {
		err = path.Err
	}
	return &UsageError{Code: "outfile", Field: "--out", Value: name, Allowed: err.Error()}
}
