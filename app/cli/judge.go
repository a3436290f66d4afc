package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"rentgen/app/judge"
	"rentgen/app/judge/why"
	"rentgen/probe/smi/smilog"
	"rentgen/store"
)

// runJudge judges a log of the history, or one that nvidia-smi wrote.
func runJudge(ctx context.Context, j *job) error {
	name := j.args[0]
	set := j.setting(ctx)
	if id, err := strconv.ParseInt(name, 10, 64); err == nil && id > 0 {
		return j.judgeLog(ctx, id, set)
	}
	if err := j.notWith("FILE.csv", "from", "to"); err != nil {
		return err
	}
	return j.judgeFile(ctx, name, set)
}

// span is what --from and --to leave; zero where one isn't given.
func (j *job) span() (from, to time.Time, err error) {
	if v := j.flags["from"]; v != "" {
		from, _ = parseTime(v, time.Local) // checked while it was read
	}
	if v := j.flags["to"]; v != "" {
		to, _ = parseTime(v, time.Local)
	}
	if !from.IsZero() && !to.IsZero() && !from.Before(to) {
		err = &UsageError{Code: "order", Field: "--to", Value: j.flags["to"], Allowed: j.flags["from"]}
	}
	return from, to, err
}

func (j *job) judgeLog(ctx context.Context, id int64, set judge.Setting) error {
	if err := j.notWith("RECORDING", "tz", "columns"); err != nil {
		return err
	}
	from, to, err := j.span()
	if err != nil {
		return err
	}
	s, err := j.readStore(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	rec, err := s.Recording(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return &UsageError{Code: "nolog", Field: "RECORDING", Value: j.args[0], Allowed: "rentgen history list"}
	}
	if err != nil {
		return fmt.Errorf("read the history: %w", err)
	}
	if set.Track == "" {
		set.Track = j.machineOf(ctx, rec.HostID)
	}
	a, err := why.Over(ctx, why.Params{Host: rec.HostName, Setting: set}, s.Messages(ctx, id, from, to), j.reached())
	if err != nil {
		return err
	}
	a.Demo = rec.Demo
	return j.printJudged(a)
}

// judgeFile judges a log of nvidia-smi --query-gpu, "-" for standard input.
func (j *job) judgeFile(ctx context.Context, name string, set judge.Setting) error {
	p := smilog.Params{Name: filepath.Base(name)}
	var err error
	if p.Location, err = j.zone(); err != nil {
		return err
	}
	for column := range strings.SplitSeq(j.flags["columns"], ",") {
		if column = strings.TrimSpace(column); column != "" {
			p.Columns = append(p.Columns, column)
		}
	}
	in := j.in
	if name == "-" {
		p.Name = "stdin"
	} else {
		f, err := os.Open(name)
		if err != nil {
			return fileTrouble(name, err)
		}
		defer f.Close()
		in = j.waits(f)
	}
	a, err := why.Over(ctx, why.Params{Host: p.Name, Setting: set}, smilog.Read(in, p), j.reached())
	if says, ok := store.ImportPhrase(err); ok {
		return &UsageError{Code: "log", Field: "FILE.csv", Value: j.c.Say(says)}
	}
	var path *os.PathError
	if errors.As(err, &path) { // a folder opens and can't be read
		return fileTrouble(name, err)
	}
	if err != nil {
		return err
	}
	return j.printJudged(a)
}

// reached says how far a long log has come, once a week of it.
func (j *job) reached() func(time.Time) {
	var told time.Time
	return func(at time.Time) {
		if told.IsZero() {
			told = at
		}
		if at.Sub(told) >= 7*24*time.Hour {
			told = at
			j.say("cli.judge.reached", "date", at.Local().Format(time.DateOnly))
		}
	}
}
