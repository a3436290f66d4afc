package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/board"
	"rentgen/app/guide/report"
	guiderun "rentgen/app/guide/run"
	"rentgen/app/guide/track"
)

// The exit codes of check beside the others.
const (
	ExitWarn     = 1
	ExitFail     = 2
	ExitNotRun   = 3 // could not run
	ExitOnlySkip = 4 // only skips
)

// verdictCode is the exit code of a verdict, as an error that says nothing; nil is
// a pass.
func verdictCode(v guide.Verdict) error {
	switch v {
	case guide.Pass:
		return nil
	case guide.Warn:
		return answered{ExitWarn}
	case guide.Fail:
		return answered{ExitFail}
	case guide.Skip:
		return answered{ExitOnlySkip}
	}
	return answered{ExitNotRun}
}

// runCheck checks a host, several, or an output that was pasted.
func runCheck(ctx context.Context, j *job) error {
	if _, paste := j.flags["paste"]; paste {
		return j.paste(ctx)
	}
	for _, name := range []string{"exit", "command", "context"} {
		if _, given := j.flags[name]; given {
			return &UsageError{Code: "needs", Field: "--" + name, Allowed: "--paste CHECK"}
		}
	}
	closeLog := j.logging()
	defer closeLog()
	if _, list := j.flags["hosts"]; list || len(j.args) > 1 {
		return j.checkMany(ctx)
	}
	if len(j.args) == 0 {
		return &UsageError{Code: "missing", Field: "TARGET", Allowed: j.cmd.usage()}
	}
	needs, err := j.needs()
	if err != nil {
		return err
	}
	r, err := j.checkOne(ctx, j.args[0], checking{opening: opening{prompt: j.prompter()}, needs: needs, progress: func(s string) {
		fmt.Fprintln(j.p.Stderr, s)
	}})
	if r != nil {
		if werr := j.printReport(r); werr != nil {
			return werr
		}
	}
	if err != nil {
		return err
	}
	return verdictCode(guide.Verdict(r.Verdict))
}

// scope is what is asked for with --track and --step; a step may be that of a check.
func (j *job) scope() (board.Scope, error) {
	s := board.Scope{Track: guide.Track(j.flags["track"])}
	id := j.flags["step"]
	switch {
	case id == "":
	case slices.Contains(guide.Checks(), guide.CheckID(id)):
		s.Check = guide.CheckID(id)
	default:
		var steps []string
		for _, t := range track.All() {
			for _, st := range t.Steps {
				if s.Track == "" || s.Track == t.ID {
					steps = append(steps, st.ID)
				}
			}
		}
		if !slices.Contains(steps, id) {
			return s, &UsageError{Code: "value", Field: "--step", Value: id, Allowed: strings.Join(append(steps, wordsOf(guide.Checks())...), ", ")}
		}
		s.Step = id
	}
	return s, nil
}

// level is how long a run may take.
func (j *job) level() guide.Level {
	if l := j.flags["level"]; l != "" {
		return guide.Level(l)
	}
	return guide.Quick
}

// valueNames are what --set takes.
var valueNames = []string{
	guiderun.ValueDir, guiderun.ValueURL, guiderun.ValueHost, guiderun.ValuePeer, guiderun.ValueSSHPort, guiderun.ValueUIPort, guiderun.ValueUIDir, guiderun.ValueHFEndpoint,
	guiderun.ValuePython, guiderun.ValueDriver, guiderun.ValueSudo,
}

// setValues gives a board the values of --set.
func (j *job) setValues(b *board.Board) error {
	for _, p := range j.pairs("set") {
		if err := b.SetValue(p[0], p[1]); err != nil {
			return &UsageError{Code: "value", Field: "--set " + p[0], Value: p[1], Allowed: strings.Join(valueNames, ", ")}
		}
	}
	return nil
}

// paste judges what stands on standard input as the output of a check.
func (j *job) paste(ctx context.Context) error {
	if j.flags["track"] == "" {
		return &UsageError{Code: "missing", Field: "--track", Allowed: strings.Join(wordsOf(guide.Tracks()), ", ")}
	}
	code, err := strconv.Atoi(j.flags["exit"])
	if err != nil {
		return &UsageError{Code: "missing", Field: "--exit", Allowed: "0, 1, 127"}
	}
	known, err := guide.ReadContext([]byte(j.flags["context"]))
	if err != nil {
		return &UsageError{Code: "value", Field: "--context", Value: j.flags["context"], Allowed: err.Error()}
	}
	out, err := io.ReadAll(io.LimitReader(j.p.Stdin, guide.MaxOutput+1))
	if err != nil {
		return fmt.Errorf("read the output from standard input: %w", err)
	}
	in := guide.Input{
		Check: guide.CheckID(j.flags["paste"]), Track: guide.Track(j.flags["track"]), Command: j.flags["command"], Exit: code, Stdout: out, Context: known,
	}
	v, err := j.pasted(ctx, in)
	if err != nil {
		return err
	}
	one := report.One(report.Params{Lang: j.c.Lang}, v)
	if j.is("json") {
		err = j.printJSON(one)
	} else {
		err = j.printCheck(one, "")
	}
	if err != nil {
		return err
	}
	return verdictCode(v.Verdict)
}

// pasted judges an output; that of a saved host is kept like one of the window.
func (j *job) pasted(ctx context.Context, in guide.Input) (track.CheckView, error) {
	if len(j.args) > 0 {
		return j.pastedOf(ctx, in)
	}
	r := guide.Record{Input: in, Pasted: true, Time: time.Now()}
	if ours, err := guiderun.CommandOf(in.Check, in.Track, guiderun.Values{}); r.Command == "" {
		r.Command = ours
	} else {
		r.Edited = err == nil && strings.TrimSpace(r.Command) != strings.TrimSpace(ours)
	}
	b := board.New(board.Params{})
	b.Take(r)
	return shown(b, in, nil)
}

// shown is the latest of a check, as a report shows it.
func shown(b *board.Board, in guide.Input, err error) (track.CheckView, error) {
	r, o, ok := b.Latest(in.Track, in.Check)
	if !ok {
		return track.CheckView{}, errors.New("the pasted output was not judged")
	}
	return track.CheckView{ID: in.Check, State: track.Done, Verdict: o.Verdict, Record: &r, Outcome: o, Command: r.Command, Def: guiderun.DefOf(in.Check)}, err
}

func (j *job) pastedOf(ctx context.Context, in guide.Input) (track.CheckView, error) {
	var none track.CheckView
	k, err := j.kept(ctx, j.args[0], true)
	if err != nil {
		return none, err
	}
	defer k.close()
	k.board.Paste(in)
	if err := k.board.Wait(ctx); err != nil {
		return none, err
	}
	return shown(k.board, in, k.board.Fault())
}
