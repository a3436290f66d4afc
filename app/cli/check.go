package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"rentgen/app/guide"
	"rentgen/app/guide/board"
	"rentgen/app/guide/report"
	guiderun "rentgen/app/guide/run"
	"rentgen/app/guide/track"
	"rentgen/probe/target"
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
	if err := j.onlyWith("--paste CHECK", "exit", "command", "context"); err != nil {
		return err
	}
	closeLog := j.logging()
	defer closeLog()
	if _, list := j.flags["hosts"]; list || len(j.args) > 1 {
		return j.checkMany(ctx)
	}
	if len(j.args) == 0 {
		return &UsageError{Code: "missing", Field: "TARGET", Allowed: j.cmd.usage()}
	}
	if err := j.checkValues(); err != nil {
		return err
	}
	needs, err := j.needs()
	if err != nil {
		return err
	}
	r, err := j.checkOne(ctx, j.args[0], checking{opening: opening{prompt: j.prompter()}, needs: needs, progress: func(s string) {
		fmt.Fprintln(j.p.Stderr, s)
	}})
	if r != nil {
		if err != nil {
			j.say("cli.check.broken")
		}
		if werr := j.printReport(r); werr != nil {
			return werr
		}
		if err == nil && !j.is("json") {
			j.further(ctx, r)
		}
	}
	if err != nil {
		return err
	}
	return verdictCode(guide.Verdict(r.Verdict))
}

// further says what can be done with a report, and that one of a login line that
// isn't saved is kept nowhere.
func (j *job) further(ctx context.Context, r *report.Report) {
	t, err := j.resolve(ctx, j.args[0], j.reach().Config())
	switch {
	case err != nil:
	case t.Kind == target.SSH && t.ID == "":
		j.say("cli.check.unsaved", "command", "rentgen host add NAME LOGINLINE")
	case t.ID != "" && r.Message() != "":
		name := j.args[0]
		if strings.ContainsAny(name, " \t") {
			name = strconv.Quote(name)
		}
		j.say("cli.check.message", "command", "rentgen report "+name+" --message")
	}
}

// scope is what is asked for with --track and --step; a step may be that of a check.
func (j *job) scope() (board.Scope, error) {
	s := board.Scope{Track: guide.Track(j.flags["track"])}
	id := j.flags["step"]
	switch {
	case id == "":
	default:
		var steps, checks []string
		for _, t := range track.All() {
			if s.Track != "" && s.Track != t.ID {
				continue
			}
			for _, st := range t.Steps {
				steps = append(steps, st.ID)
				for _, c := range st.Checks {
					if !slices.Contains(checks, string(c)) {
						checks = append(checks, string(c))
					}
				}
			}
		}
		switch {
		case slices.Contains(steps, id):
			s.Step = id
		case slices.Contains(checks, id):
			s.Check = guide.CheckID(id)
		default:
			return s, &UsageError{Code: "value", Field: "--step", Value: id, Allowed: strings.Join(append(steps, checks...), ", ")}
		}
	}
	return s, nil
}

// onlyWith is the error of flags that mean something beside another one only.
func (j *job) onlyWith(other string, names ...string) error {
	return j.without("with", other, names)
}

// notWith is the error of flags that another one leaves without a meaning.
func (j *job) notWith(other string, names ...string) error {
	return j.without("notwith", other, names)
}

func (j *job) without(code, other string, names []string) error {
	for _, name := range names {
		if _, given := j.flags[name]; given {
			return &UsageError{Code: code, Field: "--" + name, Allowed: other}
		}
	}
	return nil
}

// level is how long a run may take.
func (j *job) level() guide.Level {
	if l := j.flags["level"]; l != "" {
		return guide.Level(l)
	}
	return guide.Quick
}

// valueNames are what --set takes, and valueForms what each looks like.
var (
	valueNames = []string{
		guiderun.ValueDir, guiderun.ValueURL, guiderun.ValueHost, guiderun.ValuePeer, guiderun.ValueSSHPort, guiderun.ValueUIPort, guiderun.ValueUIDir, guiderun.ValueHFEndpoint,
		guiderun.ValuePython, guiderun.ValueDriver, guiderun.ValueSudo,
	}
	valueForms = map[string]string{
		guiderun.ValueDir: "/DIR", guiderun.ValueUIDir: "/DIR", guiderun.ValueURL: "https://HOST/FILE", guiderun.ValueHFEndpoint: "https://HOST",
		guiderun.ValueHost: "NAME, ADDRESS", guiderun.ValuePeer: "NAME, ADDRESS", guiderun.ValueSSHPort: "1-65535", guiderun.ValueUIPort: "1-65535",
		guiderun.ValuePython: "/DIR/python, python3", guiderun.ValueDriver: "570.124.04", guiderun.ValueSudo: "yes, no",
	}
)

// checkValues says which value of --set can't be used, before anything is
// connected to.
func (j *job) checkValues() error {
	for _, p := range j.pairs("set") {
		if !slices.Contains(valueNames, p[0]) {
			return &UsageError{Code: "value", Field: "--set", Value: p[0], Allowed: strings.Join(valueNames, ", ")}
		}
		if _, err := guiderun.CheckValue(p[0], p[1]); err != nil {
			return &UsageError{Code: "value", Field: "--set " + p[0], Value: p[1], Allowed: valueForms[p[0]]}
		}
	}
	return nil
}

// setValues gives a board the values of --set.
func (j *job) setValues(b *board.Board) error {
	for _, p := range j.pairs("set") {
		if err := b.SetValue(p[0], p[1]); err != nil {
			return fmt.Errorf("set a value: %w", err)
		}
	}
	return nil
}

// paste judges what stands on standard input as the output of a check.
func (j *job) paste(ctx context.Context) error {
	if err := j.notWith("--paste", "step", "level", "set", "plan", "hosts", "trust-new", "password-stdin"); err != nil {
		return err
	}
	if j.flags["track"] == "" {
		return &UsageError{Code: "missing", Field: "--track", Allowed: "--track shared, --track dedicated, --track network"}
	}
	code, err := strconv.Atoi(j.flags["exit"])
	if err != nil {
		return &UsageError{Code: "missing", Field: "--exit", Allowed: "--exit 0, --exit 1, --exit 127"}
	}
	known, err := guide.ReadContext([]byte(j.flags["context"]))
	if err != nil {
		return &UsageError{Code: "value", Field: "--context", Value: j.flags["context"], Allowed: contextForm(err)}
	}
	j.askForOutput()
	out, err := io.ReadAll(io.LimitReader(j.in, guide.MaxOutput+1))
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
		err = j.printCheck(one, "", true)
	}
	if err != nil {
		return err
	}
	return verdictCode(v.Verdict)
}

// askForOutput says on a terminal what is waited for: the command to run and the
// end of what is pasted. Otherwise nothing would be seen to happen.
func (j *job) askForOutput() {
	f, ok := j.stdinFile()
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return
	}
	command := j.flags["command"]
	if command == "" {
		command, _ = guiderun.CommandOf(guide.CheckID(j.flags["paste"]), guide.Track(j.flags["track"]), guiderun.Values{})
	}
	j.say("cli.check.paste", "command", command)
}

// contextForm is what a context may be where one can't be read: of a wrong key all
// keys, of a wrong value what the key takes.
func contextForm(err error) string {
	var kind *json.UnmarshalTypeError
	t := reflect.TypeFor[guide.Context]()
	if errors.As(err, &kind) && kind.Field != "" {
		for i := range t.NumField() {
			if keyOf(t.Field(i)) == kind.Field {
				return `{"` + kind.Field + `": ` + kindWord(t.Field(i).Type) + "}"
			}
		}
	}
	var keys []string
	for i := range t.NumField() {
		keys = append(keys, `"`+keyOf(t.Field(i))+`": `+kindWord(t.Field(i).Type))
	}
	return "{" + strings.Join(keys, ",") + "}"
}

func keyOf(f reflect.StructField) string {
	key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return key
}

// kindWord is an example of a kind of value.
func kindWord(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true"
	case reflect.String:
		return `"TEXT"`
	case reflect.Slice, reflect.Array:
		return "[]"
	}
	return "1"
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
