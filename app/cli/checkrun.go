package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"rentgen/app/cli/reach"
	"rentgen/app/guide"
	"rentgen/app/guide/board"
	"rentgen/app/guide/report"
	guiderun "rentgen/app/guide/run"
	"rentgen/app/guide/track"
	"rentgen/assets/texts"
	"rentgen/probe/stream"
	"rentgen/probe/target"
)

// checking is how one host of a command is checked.
type checking struct {
	opening
	needs    planNeeds
	progress func(string) // hears what is going on
}

// again is how often a run goes on after its link broke.
const again = 3

// checkOne connects to a host, runs what was asked for and makes the report of it.
// With an error in the middle the report holds what had come; before, it is nil.
func (j *job) checkOne(ctx context.Context, text string, how checking) (*report.Report, error) {
	scope, err := j.scope()
	if err != nil {
		return nil, err
	}
	how.source = stream.SourceNone
	s, err := j.openWith(ctx, text, how.opening)
	if err != nil {
		return nil, err
	}
	defer s.close()
	l := &link{states: make(chan stream.State, 64)}
	cancel := s.host.OnState(func(st stream.State) {
		select {
		case l.states <- st:
		case <-ctx.Done():
		}
	})
	defer cancel()
	provider := ""
	params := board.Params{
		Host: s.id, Login: loginOf(s.target), Needs: func() guide.Needs { return how.needs.of(provider) },
		Runner: func() guide.Runner { return reach.Runner(s.host) }, Forwarder: func() guide.Forwarder { return reach.Forwarder(s.host) },
	}
	if s.id != "" {
		st, err := j.writeStore(ctx)
		if err != nil {
			return nil, err
		}
		defer st.Close()
		params.Store = st
	}
	news := make(chan struct{}, 1)
	params.Changed = func() {
		select {
		case news <- struct{}{}:
		default:
		}
	}
	b := board.New(params)
	defer b.Close()
	if err := b.Load(ctx); err != nil {
		j.say("cli.check.unreadable", "err", err)
	}
	before := b.Values()[guiderun.ValueSudo]
	if err := j.setValues(b); err != nil {
		return nil, err
	}
	if b.Values()[guiderun.ValueSudo] != before { // allowed for this run, not for ever
		defer func() { _ = b.SetValue(guiderun.ValueSudo, before) }()
	}
	if scope.Track != "" && scope.Track != guide.Network && (s.id == "" || !chosen(b)) {
		b.SetTrack(scope.Track)
	}
	provider = b.Provider()
	s.host.Start()
	say := func(st stream.State) {
		if text := (&watch{j: j}).stage(st); text != "" {
			how.progress(text)
		}
	}
	if err := l.wait(ctx, say); err != nil {
		return nil, err
	}
	p := &progress{j: j, b: b, scope: scope, say: how.progress, seen: map[string]bool{}, total: map[guide.Track]int{}}
	err = p.drive(ctx, l, news, say, j.level())
	if err == nil {
		err = b.Fault()
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return j.reportOf(b, hostOf(s), views(b, scope), nil), err
}

// chosen reports whether the user chose a track for the host.
func chosen(b *board.Board) bool {
	return slices.ContainsFunc(b.Entries(guide.KindTrack), func(e guide.Entry) bool { return strings.Contains(string(e.Body), `"track":`) })
}

// loginOf is what Set up may know of how a host is reached.
func loginOf(t target.Target) board.Login {
	if t.Kind != target.SSH {
		return board.Login{}
	}
	return board.Login{Line: t.Login.Line(), Host: t.Login.Host, User: t.Login.User, Port: t.Login.Port}
}

// views are the tracks that a command is about. Of a step it is that step alone,
// and its verdict.
func views(b *board.Board, s board.Scope) []track.View {
	list := []track.View{}
	tracks := []guide.Track{s.Track}
	if s.Track == "" {
		tracks = []guide.Track{b.Track(), guide.Network}
		if s.Step != "" || s.Check != "" {
			tracks = append(tracks, guide.Tracks()...)
		}
	}
	for _, t := range tracks {
		v := b.View(t)
		if s.Step == "" && s.Check == "" {
			list = append(list, v)
			continue
		}
		i := slices.IndexFunc(v.Steps, func(st track.StepView) bool {
			return st.Step.ID == s.Step || s.Check != "" && slices.Contains(st.Step.Checks, s.Check)
		})
		if i < 0 {
			continue
		}
		one := v.Steps[i]
		if s.Check != "" {
			one.Items = nil
			one.Checks = slices.DeleteFunc(slices.Clone(one.Checks), func(c track.CheckView) bool { return c.ID != s.Check })
			one.Verdict, one.Line = one.Checks[0].Verdict, one.Checks[0].Line
		}
		v.Steps, v.Verdict, v.Sentence, v.After, v.Folded = []track.StepView{one}, one.Verdict, one.Line, nil, nil
		return []track.View{v}
	}
	return list
}

// link hears how the connection goes.
type link struct{ states chan stream.State }

// wait waits for the connection. A link that was never up is not waited for.
func (l *link) wait(ctx context.Context, say func(stream.State)) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case st := <-l.states:
			switch st.Phase {
			case stream.Live:
				return nil
			case stream.Failed, stream.Waiting:
				if st.Err == nil {
					return errors.New("the connection failed")
				}
				return st.Err
			}
			say(st)
		}
	}
}

// back waits for a connection that broke to stand again.
func (l *link) back(ctx context.Context, say func(stream.State)) error {
	var last error
	for tries := 0; ; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case st := <-l.states:
			switch st.Phase {
			case stream.Live:
				return nil
			case stream.Waiting:
				last = st.Err
				if tries++; tries > again {
					return last
				}
			case stream.Failed:
				return st.Err
			}
			say(st)
		}
	}
}

// progress runs checks and tells of each as it ends.
type progress struct {
	j     *job
	b     *board.Board
	scope board.Scope
	say   func(string)

	mu    sync.Mutex
	since time.Time // when the run began
	seen  map[string]bool
	told  int
	total map[guide.Track]int
}

// drive runs what was asked for. A run whose link broke goes on once it stands
// again.
func (p *progress) drive(ctx context.Context, l *link, news <-chan struct{}, say func(stream.State), level guide.Level) error {
	p.since = time.Now()
	start := func() error { return p.b.Run(p.scope, level) }
	for n := 0; ; n++ {
		if err := start(); errors.Is(err, board.ErrNothing) {
			return nil
		} else if err != nil {
			return fmt.Errorf("start the checks: %w", err)
		}
		p.attend(ctx, news)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		f := p.fault()
		switch {
		case f == nil:
			return nil
		case f.says.Key != linkFault || n >= again:
			return f
		}
		p.say(p.j.c.T("cli.check.link"))
		if err := l.back(ctx, say); err != nil {
			return err
		}
		start = p.b.Resume
	}
}

// linkFault is what a board says of a run whose link broke.
const linkFault = "track.fault.link"

// faultError is why a run could not go on, in the board's words.
type faultError struct{ says texts.Phrase }

// Error returns the sentence in English.
func (e *faultError) Error() string { return texts.For(texts.English).Say(e.says) }

// ExitCode is that of checks that could not run.
func (e *faultError) ExitCode() int { return ExitNotRun }

// fault is why the run stopped, nil where it came to its end.
func (p *progress) fault() *faultError {
	for _, t := range guide.Tracks() {
		if v := p.b.View(t); !v.Fault.IsZero() {
			return &faultError{v.Fault}
		}
	}
	return nil
}

// attend waits for the end of a run and tells of checks as they end.
func (p *progress) attend(ctx context.Context, news <-chan struct{}) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		_ = p.b.Wait(context.WithoutCancel(ctx)) // one that is stopped ends at once
	}()
	stop := ctx.Done()
	for {
		select {
		case <-stop:
			p.b.Stop()
			stop = nil
		case <-news:
			p.tell()
		case <-over:
			p.tell()
			return
		}
	}
}

// tell says which checks have ended since it was called last.
func (p *progress) tell() {
	p.mu.Lock()
	defer p.mu.Unlock()
	var views []track.View
	all := 0
	for _, t := range guide.Tracks() {
		v := p.b.View(t)
		views = append(views, v)
		p.total[t] = max(p.total[t], v.Total)
		all += p.total[t]
	}
	for _, v := range views {
		for _, s := range v.Steps {
			for _, c := range s.Checks {
				if c.Record == nil || c.Record.Time.Before(p.since) || c.State == track.Running || c.State == track.Queued {
					continue
				}
				key := string(v.Track) + "/" + string(c.ID)
				if !p.seen[key] {
					p.seen[key] = true
					p.told++
					p.say(p.j.c.T("cli.check.ended", "n", p.told, "of", max(all, p.told), "check", p.j.c.T("track.check."+string(c.ID)), "line", p.j.c.Say(c.Line)))
				}
			}
		}
	}
}
