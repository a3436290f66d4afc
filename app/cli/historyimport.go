package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	_ "time/tzdata" // zones by name also where the system has none, as on Windows

	"rentgen/assets/texts"
	"rentgen/store"
)

type importJSON struct {
	ID      int64  `json:"id"`
	Host    string `json:"host"`
	File    string `json:"file"`
	Samples int    `json:"samples"`
	GPUs    int    `json:"gpus"`
	From    string `json:"from"`
	To      string `json:"to"`
	Gaps    int    `json:"gaps"`
	Events  int    `json:"events"`
	LeftOut int    `json:"left_out"`
}

// runHistoryImport reads a log from a file into the history.
func runHistoryImport(ctx context.Context, j *job) error {
	p := store.ImportParams{Name: j.args[0], HostName: j.flags["name"], Again: j.is("again")}
	var err error
	if p.Location, err = j.zone(); err != nil {
		return err
	}
	for name := range strings.SplitSeq(j.flags["columns"], ",") {
		if name = strings.TrimSpace(name); name != "" {
			p.Columns = append(p.Columns, name)
		}
	}
	in := j.in
	if p.Name == "-" {
		p.Name = "stdin"
		in = onlyReader{in} // a pipe can't be rewound though it says so
	} else {
		f, err := os.Open(p.Name)
		if err != nil {
			return fileTrouble(p.Name, err)
		}
		defer f.Close()
		if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
			in = onlyReader{j.waits(f)}
		} else {
			in = f
		}
	}
	s, err := j.writeStore(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	if p.HostName != "" {
		h, err := s.HostByName(ctx, p.HostName)
		switch {
		case err == nil:
			p.HostID, p.HostName = h.ID, h.Name
		case !errors.Is(err, store.ErrNotFound):
			return fmt.Errorf("import a log: %w", err)
		}
	}
	got, err := s.ImportLog(ctx, in, p)
	var before *store.ImportedError
	if errors.As(err, &before) {
		says, _ := store.ImportPhrase(err)
		return &UsageError{Code: "again", Field: "FILE.csv", Value: j.c.Say(says), Allowed: "--again"}
	}
	if says, ok := store.ImportPhrase(err); ok {
		return &UsageError{Code: "log", Field: "FILE.csv", Value: j.c.Say(says)}
	}
	var path *os.PathError
	if errors.As(err, &path) && path.Path == j.args[0] { // a folder opens and can't be read
		return fileTrouble(j.args[0], err)
	}
	if err != nil {
		return fmt.Errorf("import a log: %w", err)
	}
	return j.imported(ctx, s, got)
}

// onlyReader hides what else a reader can do.
type onlyReader struct{ io.Reader }

// fileTrouble is a file that can't be opened, as bad input.
func fileTrouble(name string, err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return &UsageError{Code: "file", Field: "FILE.csv", Value: name, Allowed: err.Error()}
}

// zones are examples of time zones.
const zones = "Asia/Shanghai, Europe/Berlin, UTC, +08:00"

// zone is the time zone that a log was written in.
func (j *job) zone() (*time.Location, error) {
	name := j.flags["tz"]
	if name == "" {
		return time.Local, nil
	}
	if loc, err := time.LoadLocation(name); err == nil {
		return loc, nil
	}
	for _, layout := range []string{"-07:00", "-0700", "-07"} {
		if t, err := time.Parse(layout, name); err == nil {
			_, offset := t.Zone()
			return time.FixedZone(name, offset), nil
		}
	}
	return nil, &UsageError{Code: "tz", Field: "--tz", Value: name, Allowed: zones}
}

// imported says what came of a log.
func (j *job) imported(ctx context.Context, s *store.Store, got store.Imported) error {
	rec, err := s.Recording(ctx, got.Recording)
	if err != nil {
		return fmt.Errorf("import a log: %w", err)
	}
	if j.is("json") {
		return j.printJSON(importJSON{
			ID: rec.ID, Host: rec.HostName, File: rec.Imported, Samples: got.Samples, GPUs: got.Cards, From: moment(got.From), To: moment(got.To),
			Gaps: got.Gaps, Events: got.Events, LeftOut: got.LeftOut,
		})
	}
	say := func(key string, pairs ...any) { fmt.Fprintln(j.p.Stdout, j.c.T(key, pairs...)) }
	say("cli.history.imported", "id", rec.ID, "n", got.Samples, "gpus", got.Cards,
		"from", texts.DateTime(j.c, got.From), "to", texts.DateTime(j.c, got.To), "name", rec.Imported)
	for _, l := range []struct {
		key string
		n   int
	}{{"cli.history.imported.gaps", got.Gaps}, {"cli.history.imported.events", got.Events}, {"cli.history.imported.out", got.LeftOut}} {
		if l.n > 0 {
			say(l.key, "n", l.n)
		}
	}
	if keep, err := s.Retention(ctx); err == nil && keep.Seconds > 0 && time.Since(got.From) > keep.Seconds {
		say("cli.history.imported.old", "days", int(keep.Seconds.Hours()/24))
	}
	return nil
}
