package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"rentgen/app/cli/reach"
	"rentgen/app/settings"
	"rentgen/probe/remote"
	"rentgen/probe/stream"
	"rentgen/probe/target"
	"rentgen/store"
)

// session is a host that a command works with.
type session struct {
	j      *job
	host   *stream.Host
	target target.Target
	id     string
	name   string
	demo   bool
	store  *store.Store // nil until a log is kept
}

// opening is how a host is opened.
type opening struct {
	source   string          // one of stream's Source constants
	prompt   remote.Prompter // nil: nobody is asked
	password string          // read before; "" is read where --password-stdin says so
	keep     bool            // what a recorder on the host kept comes into history
}

// openWith finds the target and makes its host; nothing is connected yet.
func (j *job) openWith(ctx context.Context, text string, o opening) (*session, error) {
	r := j.reach()
	t, err := j.resolve(ctx, text, r.Config())
	if err != nil {
		return nil, err
	}
	w := reach.Way{
		Profile: t.Profile(), Name: t.Name, TrustNew: j.is("trust-new"), Rate: j.rate(), Source: o.source,
		Prompt: o.prompt, Password: o.password, Notice: j.notice, Consent: j.consent,
	}
	switch t.Kind {
	case target.Demo:
		w.Line = reach.LineDemo
	case target.Local:
		w.Line = reach.LineLocal
	default:
		w.Line = t.Login.Line()
		for _, n := range append(r.Notices(), t.Notices...) {
			j.notice(n)
		}
		if t.Login.Password != "" {
			j.redactor.Secret(t.Login.Password)
			j.say("cli.password.argument")
		}
	}
	if j.is("password-stdin") && o.password == "" {
		if w.Password, err = readPassword(j.in); err != nil {
			return nil, err
		}
	}
	s := &session{j: j, target: t, id: t.ID, name: t.Name}
	if o.keep && t.Kind != target.Demo {
		if s.store, err = j.writeStore(ctx); err != nil {
			return nil, err
		}
		w.History = s.store.Filler(store.RecordingStart{HostID: t.ID, HostName: t.Name})
	}
	p, err := r.Stream(w)
	if err != nil {
		if s.store != nil {
			_ = s.store.Close() // nothing was written yet
		}
		return nil, err
	}
	if o.source == stream.SourceNone {
		p.Source = o.source // the demo's own is another
	}
	s.host, s.demo = stream.New(p), p.Demo
	return s, nil
}

// reach opens the way to hosts with this job's folder and log.
func (j *job) reach() *reach.Reach {
	return reach.New(reach.Params{
		Paths: j.paths, Keyring: settings.KeyringOn(j.p.Getenv), Redactor: j.redactor, Log: j.log, Agents: j.p.Agents,
	})
}

// resolve finds what a word names.
func (j *job) resolve(ctx context.Context, text string, cfg *remote.Config) (target.Target, error) {
	var trouble error
	saved := func(name string) (target.Saved, bool) {
		s, err := j.readStore(ctx)
		if err != nil {
			trouble = err
			return target.Saved{}, false
		}
		defer s.Close()
		h, err := s.HostByName(ctx, name)
		if err != nil {
			if !errors.Is(err, store.ErrNotFound) {
				trouble = err
			}
			return target.Saved{}, false
		}
		return target.Saved{ID: h.ID, Name: h.Name, Line: h.Line}, true
	}
	t, err := target.Resolve(text, saved, cfg)
	if err != nil && trouble != nil {
		return t, fmt.Errorf("read the saved hosts: %w", trouble)
	}
	return t, err
}

// notice says what is worth saying and stops nothing.
func (j *job) notice(n remote.Notice) {
	var pairs []any
	for k, v := range n.Args {
		pairs = append(pairs, k, v)
	}
	j.say("remote.notice."+n.Code, pairs...)
}

// consent says what is put on the host. Naming a target on the command line is
// the consent; nothing is asked.
func (j *job) consent(_ context.Context, q stream.UploadQuestion) error {
	key := "cli.upload"
	if q.Path == "" {
		key = "cli.upload.memory"
	}
	j.say(key, "path", q.Path)
	return nil
}

// maxPassword bounds what --password-stdin reads.
const maxPassword = 64 << 10

// readPassword reads the first line of stdin.
func readPassword(r io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(r, maxPassword)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password from standard input: %w", err)
	}
	line = strings.TrimRight(line, "\r\n")
	if line == "" {
		return "", &UsageError{Code: "empty", Field: "--password-stdin", Allowed: "PASSWORD"}
	}
	return line, nil
}

// record starts a log of the session.
func (s *session) record(ctx context.Context) (recorder, error) {
	if s.store == nil {
		st, err := s.j.writeStore(ctx)
		if err != nil {
			return nil, err
		}
		s.store = st
	}
	rec, err := s.store.StartRecording(ctx, store.RecordingStart{HostID: s.id, HostName: s.name, Demo: s.demo})
	if err != nil {
		return nil, fmt.Errorf("start the log: %w", err)
	}
	return rec, nil
}

func (s *session) close() {
	s.host.Stop()
	if s.store != nil {
		if err := s.store.Close(); err != nil {
			s.j.say("cli.record.lost", "err", err)
		}
	}
}

// readStore opens the history for reading; without one it is empty.
func (j *job) readStore(ctx context.Context) (*store.Store, error) {
	s, err := store.Open(ctx, store.Params{Dir: j.paths.Database, Log: j.log, ReadOnly: true})
	if err != nil {
		return nil, fmt.Errorf("open the history: %w", err)
	}
	return s, nil
}

// writeStore opens the history for writing, beside a running window too.
func (j *job) writeStore(ctx context.Context) (*store.Store, error) {
	if err := j.paths.Make(); err != nil {
		return nil, err
	}
	s, err := store.Open(ctx, store.Params{Dir: j.paths.Database, Log: j.log})
	if err != nil {
		return nil, fmt.Errorf("open the history: %w", err)
	}
	if d := s.Damaged(); d != nil {
		j.say("cli.store.damaged", "path", d.Path)
	}
	return s, nil
}

// stdinFile returns stdin where it is a file or terminal.
func (j *job) stdinFile() (*os.File, bool) {
	f, ok := j.p.Stdin.(*os.File)
	return f, ok
}
