package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"rentgen/assets/texts"
	"rentgen/store"
)

type logJSON struct {
	ID    int64    `json:"id"`
	Host  string   `json:"host"`
	Demo  bool     `json:"demo"`
	Open  bool     `json:"open"`
	From  *string  `json:"from"`
	To    *string  `json:"to"`
	GPUs  []string `json:"gpus"`
	Gaps  int      `json:"gaps"`
	Lost  int64    `json:"lost"`
	Bytes int64    `json:"bytes"`
	// Imported is the file that it was read from, null where it was watched.
	Imported *string `json:"imported"`
}

// runHistoryList prints every log that was kept, newest first.
func runHistoryList(ctx context.Context, j *job) error {
	s, err := j.readStore(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	logs, err := s.Recordings(ctx, store.Filter{})
	if err != nil {
		return fmt.Errorf("read the history: %w", err)
	}
	if j.is("json") {
		list := []logJSON{}
		for _, r := range logs {
			list = append(list, logOut(r))
		}
		return j.printJSON(list)
	}
	if len(logs) == 0 {
		j.say("cli.history.none")
		return nil
	}
	for _, r := range logs {
		fmt.Fprintln(j.p.Stdout, j.logLine(r))
	}
	return nil
}

func logOut(r store.Recording) logJSON {
	out := logJSON{
		ID: r.ID, Host: r.HostName, Demo: r.Demo, Open: r.Open, GPUs: []string{}, Gaps: r.Gaps, Lost: r.Lost, Bytes: r.Bytes,
	}
	at := func(t time.Time) *string { // a log without a reading has no span
		if t.IsZero() {
			return nil
		}
		s := moment(t)
		return &s
	}
	out.From, out.To = at(r.From), at(r.To)
	if r.Imported != "" {
		out.Imported = &r.Imported
	}
	for _, d := range r.Devices {
		out.GPUs = append(out.GPUs, d.Name)
	}
	return out
}

func (j *job) logLine(r store.Recording) string {
	span := j.c.T("cli.history.empty")
	if !r.From.IsZero() {
		span = j.c.T("cli.history.span", "from", texts.DateTime(j.c, r.From), "length", texts.Duration(j.c, r.To.Sub(r.From)))
	}
	name := r.HostName
	if r.Demo {
		name += " " + j.c.T("cli.live.demo")
	}
	var cards []string
	for _, d := range r.Devices {
		if d.Name != "" { // a log need not name them
			cards = append(cards, d.Name)
		}
	}
	parts := []string{pad(fmt.Sprint(r.ID), 5, true), pad(name, 20, false), span}
	if len(cards) > 0 {
		parts = append(parts, listed(j.c, strings.Join(cards, ", ")))
	}
	parts = append(parts, texts.Bytes(float64(r.Bytes)))
	if r.Gaps > 0 {
		parts = append(parts, j.c.T("cli.history.gaps", "n", r.Gaps))
	}
	if r.Imported != "" {
		parts = append(parts, j.c.T("cli.history.from", "name", r.Imported))
	}
	if r.Open {
		parts = append(parts, j.c.T("cli.history.open"))
	}
	return strings.Join(parts, "  ")
}

// runHistoryExport writes one log as CSV, with --json as the lines of probe.
func runHistoryExport(ctx context.Context, j *job) error {
	id, from, to, err := j.logSpan()
	if err != nil {
		return err
	}
	s, err := j.readStore(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	if _, csv := j.flags["format"]; j.is("json") && !csv {
		err = j.exportLines(ctx, s, id, from, to)
	} else {
		err = s.ExportCSV(ctx, j.p.Stdout, id, from, to)
	}
	if errors.Is(err, store.ErrNotFound) {
		return noLog(j.args[0])
	}
	if err != nil {
		return fmt.Errorf("export the log: %w", err)
	}
	return nil
}

// exportLines writes a log as probe --json writes what it reads.
func (j *job) exportLines(ctx context.Context, s *store.Store, id int64, from, to time.Time) error {
	rec, err := s.Recording(ctx, id)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(j.p.Stdout, 64<<10)
	lines := newJSONLines(w, rec.HostName, rec.Demo)
	for m, err := range s.Messages(ctx, id, from, to) {
		if err == nil {
			err = lines.message(m)
		}
		if err != nil {
			return errors.Join(err, w.Flush())
		}
	}
	return w.Flush()
}

// logSpan is the log and the part of it that a command line names.
func (j *job) logSpan() (id int64, from, to time.Time, err error) {
	id, err = strconv.ParseInt(j.args[0], 10, 64)
	if err != nil || id <= 0 {
		return 0, from, to, noLog(j.args[0])
	}
	from, to, err = j.span()
	return id, from, to, err
}

func noLog(value string) error {
	return &UsageError{Code: "nolog", Field: "ID", Value: value, Allowed: "rentgen history list"}
}

// offerLogs are the logs for completion.
func (j *job) offerLogs(ctx context.Context) [][2]string {
	s, err := j.readStore(ctx)
	if err != nil {
		return nil
	}
	defer s.Close()
	logs, err := s.Recordings(ctx, store.Filter{Limit: 30})
	if err != nil {
		return nil
	}
	var out [][2]string
	for _, r := range logs {
		out = append(out, [2]string{fmt.Sprint(r.ID), strings.TrimSpace(j.logLine(r))})
	}
	return out
}
