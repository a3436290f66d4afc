package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"rentgen/app/cli/reach"
	"rentgen/app/guide/board"
	"rentgen/app/provider"
	"rentgen/app/purse"
	"rentgen/app/purse/guard"
	"rentgen/app/purse/tariff"
	"rentgen/assets/texts"
	"rentgen/probe/stream"
	"rentgen/probe/target"
)

// ExitRefused is how guard alone ends where the stop guard refuses: stdout or
// stderr says why.
const ExitRefused = 3

// The orders to the stop guard.
const (
	guardStatus = "status"
	guardOn     = "on"
	guardOff    = "off"
	guardKeep   = "keep"
	guardResume = "resume"
	guardTest   = "test"
)

// guardFlags says which orders take a flag.
var guardFlags = map[string][]string{
	"after": {guardOn}, "countdown": {guardOn}, "on-queue": {guardOn}, "queue-port": {guardOn}, "dry-run": {guardOn}, "armed": {guardOn},
	"until": {guardKeep},
}

// guardCommand is the row of the table.
func guardCommand() command {
	return command{
		name: "guard",
		args: []arg{
			{name: "TARGET", complete: "target"},
			{name: "ORDER", optional: true, choices: []string{guardStatus, guardOn, guardOff, guardKeep, guardResume, guardTest}},
		},
		flags: append([]flagSpec{
			{name: "after", kind: kindDuration, meta: "D", preset: "30m"},
			{name: "countdown", kind: kindDuration, meta: "D", preset: "5m"},
			{name: "on-queue", kind: kindBool},
			{name: "queue-port", kind: kindNumber, meta: "PORT", preset: strconv.Itoa(guard.ComfyPort), takes: "1–65535"},
			{name: "dry-run", kind: kindBool},
			{name: "armed", kind: kindBool},
			{name: "until", kind: kindTime, meta: "TIME"},
			{name: "provider", kind: kindChoice, meta: "ID", choices: providerIDs()},
		}, trust...),
		examples: []string{
			"rentgen guard mycard",
			"rentgen guard mycard test",
			"rentgen guard mycard on --after 20m",
			"rentgen guard mycard on --armed --on-queue",
			"rentgen guard mycard keep --until '2026-11-30 08:00'",
			"rentgen guard mycard off",
		},
		run: runGuard,
	}
}

func providerIDs() []string {
	var ids []string
	for _, p := range provider.Profiles() {
		ids = append(ids, p.ID)
	}
	return ids
}

// guarding is one guard command under way.
type guarding struct {
	j       *job
	s       *session
	order   string
	profile provider.Profile
	can     guard.Eligibility
	host    guard.Host
	there   bool          // a recorder runs
	clock   *tariff.Clock // nil without a price
}

// runGuard connects, gives an order to the stop guard and says how it stands after
// it.
func runGuard(ctx context.Context, j *job) error {
	order := guardStatus
	if len(j.args) > 1 {
		order = j.args[1]
	}
	if err := j.guardFlagsFit(order); err != nil {
		return err
	}
	closeLog := j.logging()
	defer closeLog()
	s, err := j.openWith(ctx, j.args[0], opening{source: stream.SourceAgent, prompt: j.prompter()})
	if err != nil {
		return err
	}
	defer s.close()
	if s.target.Kind == target.Demo {
		return &UsageError{Code: "noguard", Field: "TARGET", Value: s.name}
	}
	if err := j.await(ctx, s.host); err != nil {
		return err
	}
	g := &guarding{j: j, s: s, order: order}
	if err := g.look(ctx); err != nil {
		return err
	}
	login, err := g.obey(ctx)
	if err != nil {
		return err
	}
	return g.print(ctx, login)
}

// guardFlagsFit holds each flag against the order that it is given with.
func (j *job) guardFlagsFit(order string) error {
	for name, orders := range guardFlags {
		if _, given := j.flags[name]; given && !slices.Contains(orders, order) {
			return &UsageError{Code: "with", Field: "--" + name, Allowed: orders[0]}
		}
	}
	if j.is("armed") && j.is("dry-run") {
		return &UsageError{Code: "notwith", Field: "--armed", Allowed: "--dry-run"}
	}
	if text, ok := j.flags["until"]; ok {
		if _, err := untilOf(text); err != nil {
			return err
		}
	}
	_, err := j.composed(guard.Eligibility{})
	return err
}

// untilOf is how long it is until a moment that has to be ahead.
func untilOf(text string) (time.Duration, error) {
	at, _ := parseTime(text, time.Local) // it was parsed once
	now := time.Now()
	if d := at.Sub(now); d > 0 {
		return d, nil
	}
	return 0, &UsageError{Code: "order", Field: "--until", Value: text, Allowed: now.Format("2006-01-02 15:04")}
}

// await connects and says the stages.
func (j *job) await(ctx context.Context, h *stream.Host) error {
	l := &link{states: make(chan stream.State, 64)}
	cancel := h.OnState(func(st stream.State) {
		select {
		case l.states <- st:
		case <-ctx.Done():
		}
	})
	defer cancel()
	h.Start()
	said := ""
	return l.wait(ctx, func(st stream.State) {
		if text := (&watch{j: j}).stage(st); text != "" && text != said {
			said = text
			fmt.Fprintln(j.p.Stderr, text)
		}
	})
}

// look finds out whose instance it is, what the rules say, and whether there is a
// recorder.
func (g *guarding) look(ctx context.Context) error {
	chosen, err := g.chosen(ctx)
	if err != nil {
		return err
	}
	r := reach.Runner(g.s.host)
	if g.profile, err = guard.Provider(ctx, r, g.s.target.Login.Host, chosen); err != nil {
		return err
	}
	g.can = guard.Eligible(g.profile)
	res, err := g.s.host.Resident(ctx)
	if err != nil {
		return err
	}
	g.take(res)
	return nil
}

func (g *guarding) take(res stream.Resident) {
	g.there = res.Running
	g.host = guard.Host{Runner: reach.Runner(g.s.host)}
	if res.There {
		g.host.Dir = res.Dir
	}
}

// chosen is the provider that the command line or Set up names, "" for neither. It
// also reads the host's tariff.
func (g *guarding) chosen(ctx context.Context) (string, error) {
	id := g.j.flags["provider"]
	if g.s.id == "" {
		return id, nil
	}
	st, err := g.j.readStore(ctx)
	if err != nil {
		return "", err
	}
	defer st.Close()
	es, err := st.PurseEntries(ctx, purse.Filter{Host: g.s.id, Kind: purse.KindTariff})
	if err != nil {
		return "", err
	}
	for _, e := range es {
		if t, err := tariff.Read(e.Body); err == nil { // the page of the purse says what is wrong with one
			g.clock = t.Clock()
		}
	}
	if id != "" {
		return id, nil
	}
	b := board.New(board.Params{Host: g.s.id, Login: loginOf(g.s.target), Store: st})
	defer b.Close()
	if err := b.Load(ctx); err != nil {
		return "", err
	}
	return b.Provider(), nil
}

// obey gives the order. login is what the test of the login said, nil where there
// was none.
func (g *guarding) obey(ctx context.Context) (login *loginJSON, err error) {
	switch g.order {
	case guardOff:
		err = g.host.Off(ctx)
	case guardKeep:
		var d time.Duration
		if text, ok := g.j.flags["until"]; ok {
			if d, err = untilOf(text); err != nil {
				return nil, err
			}
		}
		if err = g.host.Keep(ctx, d); err == nil {
			err = g.settled(ctx, func(s guard.State) bool { return s.Phase == guard.Kept })
		}
	case guardResume:
		if err = g.host.Resume(ctx); err == nil {
			err = g.settled(ctx, func(s guard.State) bool { return s.Phase != guard.Kept })
		}
	case guardOn, guardTest:
		return g.switchOn(ctx)
	}
	if errors.Is(err, guard.ErrNoRecorder) {
		err = nil // what is not there is off
		if g.order != guardOff {
			return nil, g.refuse(texts.P("guard.say.off"))
		}
	}
	return nil, err
}

// switchOn tests the rules and the login, and gives the order where both allow it.
func (g *guarding) switchOn(ctx context.Context) (*loginJSON, error) {
	if !g.can.OK {
		return nil, g.refuse(g.can.Say)
	}
	login := &loginJSON{OK: true, Sentence: g.j.c.T("cli.guard.login")}
	var refused *guard.RefusedError
	switch err := guard.Test(ctx, reach.Runner(g.s.host), g.can.Action); {
	case errors.As(err, &refused):
		login.OK, login.Sentence = false, g.j.c.Say(refused.Say)
	case err != nil:
		return nil, err
	}
	if !login.OK {
		return login, g.refuse(refused.Say)
	}
	if g.order == guardTest {
		return login, nil
	}
	o, err := g.j.composed(g.can)
	if err != nil {
		return nil, err
	}
	if !g.there {
		g.j.say("cli.guard.recorder")
		res, err := g.s.host.StartResident(ctx, stream.ResidentOptions{})
		if err != nil {
			return nil, err
		}
		g.take(res)
	}
	err = g.host.Switch(ctx, o)
	if errors.As(err, &refused) {
		return login, g.refuse(refused.Say)
	}
	if err != nil {
		return login, err
	}
	return login, g.settled(ctx, func(s guard.State) bool { return s.Order.Given.Equal(o.Given) })
}

// composed makes the order of the flags.
func (j *job) composed(can guard.Eligibility) (guard.Order, error) {
	o := guard.NewOrder(can)
	o.DryRun, o.OnQueue, o.Given = !j.is("armed"), j.is("on-queue"), time.Now().UTC().Truncate(time.Second)
	if d := j.duration("after"); d > 0 {
		o.After = d
	}
	if d := j.duration("countdown"); d > 0 {
		o.Countdown = d
	}
	check := o
	if text := j.flags["queue-port"]; text != "" {
		o.QueuePort, _ = strconv.Atoi(text) // it was parsed once
		check.OnQueue, check.QueuePort = true, o.QueuePort
	}
	var in *texts.InputError
	if err := check.Check(); errors.As(err, &in) {
		return o, &UsageError{Code: "value", Field: "--" + in.Field, Value: j.flags[in.Field], Allowed: j.c.Say(in.Allowed)}
	}
	return o, nil
}

// takenWithin is how long the program on the host may take to look at its order;
// it looks each second.
const takenWithin = 15 * time.Second

// settled waits until the guard on the host has looked at what it was told, so that
// what is said next is of it. Where nothing watches there is nothing to wait for.
func (g *guarding) settled(ctx context.Context, done func(guard.State) bool) error {
	end := time.Now().Add(takenWithin)
	tick := time.NewTicker(300 * time.Millisecond)
	defer tick.Stop()
	for {
		r, err := g.host.Read(ctx)
		if err != nil {
			return err
		}
		if r.State.Phase != guard.Silent && done(r.State) || !g.there || !r.State.On || time.Now().After(end) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// refuse says why and ends the command.
func (g *guarding) refuse(why texts.Phrase) error {
	if g.j.is("json") {
		out := g.out(guard.Report{State: guard.State{Phase: guard.Off}}, nil)
		if err := g.j.printJSON(out); err != nil {
			return err
		}
	}
	fmt.Fprintln(g.j.p.Stderr, g.j.c.Say(why))
	fmt.Fprintln(g.j.p.Stderr, g.j.c.Say(g.can.Limit))
	return answered{ExitRefused}
}
