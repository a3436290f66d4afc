// Package reach turns what a person names, a saved host, a login line, an
// alias, this computer or the demo, into a host that can be watched. The
// command line and the window both reach hosts through it.
package reach

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"rentgen/app/settings"
	"rentgen/assets/agents"
	"rentgen/probe/demo"
	"rentgen/probe/remote"
	"rentgen/probe/stream"
)

// The lines of hosts that are not reached by SSH.
const (
	LineLocal = "local"
	LineDemo  = "demo"
)

// Service is the name our secrets have in the system's keyring.
const Service = "rentgen"

// Params is what reaching hosts needs of this computer.
type Params struct {
	Paths    settings.Paths
	Keyring  bool // secrets may be kept in the system's keyring
	Redactor *settings.Redactor
	Log      *slog.Logger
	// Agents finds our program for a processor; nil is what this build holds.
	Agents func(goarch string) (gz []byte, sha256 string, ok bool)
	// SSHDir is the person's .ssh folder, only ever read; "" is the usual one.
	SSHDir string
}

// Reach reaches hosts. It is safe for use from several goroutines.
type Reach struct {
	p       Params
	known   *remote.KnownHosts
	secrets remote.Secrets

	mu      sync.Mutex
	config  *remote.Config
	notices []remote.Notice
}

// New reads the person's ssh configuration; what of it can't be read costs that
// part alone, see Notices.
func New(p Params) *Reach {
	if p.Log == nil {
		p.Log = slog.New(slog.DiscardHandler)
	}
	if p.Redactor == nil {
		p.Redactor = &settings.Redactor{}
	}
	if p.Agents == nil {
		p.Agents = agents.Find
	}
	if p.SSHDir == "" {
		if home, err := os.UserHomeDir(); err == nil {
			p.SSHDir = filepath.Join(home, ".ssh")
		}
	}
	r := &Reach{p: p, secrets: remote.NewMemory()}
	if p.Keyring {
		r.secrets = remote.NewKeyring(Service)
	}
	r.Reread()
	r.known = remote.OpenKnownHosts(p.Paths.KnownHosts, filepath.Join(p.SSHDir, "known_hosts"))
	return r
}

// Reread reads the person's ssh configuration again, for connections and
// questions from now on.
func (r *Reach) Reread() {
	config, notices := remote.LoadConfig(filepath.Join(r.p.SSHDir, "config"))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.config, r.notices = config, notices
}

// Config returns the person's ssh configuration as it was read last.
func (r *Reach) Config() *remote.Config {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.config
}

// Notices returns what could not be read of the ssh configuration.
func (r *Reach) Notices() []remote.Notice {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.notices
}

// Known returns the identities of machines met before.
func (r *Reach) Known() *remote.KnownHosts { return r.known }

// Secrets returns where secrets are remembered.
func (r *Reach) Secrets() remote.Secrets { return r.secrets }

// Way says which host and how it is watched.
type Way struct {
	// Profile is what trust and secrets are kept under: a saved host's ID, or
	// target.Target's Profile.
	Profile string
	Name    string // what the person calls it
	Line    string // login line, LineLocal or LineDemo
	// Prompt asks the person; nil: nobody can be asked.
	Prompt   remote.Prompter
	TrustNew bool
	Password string
	Rate     float64 // readings a second
	Source   string  // one of stream's Source constants
	Consent  func(ctx context.Context, q stream.UploadQuestion) error
	History  stream.History // what a recorder on the host kept; nil leaves it there
	Notice   func(remote.Notice)
	Demo     demo.Params // for LineDemo
}

// Stream returns the parameters of the host. Nothing is connected yet. The
// error is a *remote.InputError for a line that can't be used.
func (r *Reach) Stream(w Way) (stream.Params, error) {
	log := r.p.Log
	if !Reserved(w.Name) {
		r.p.Redactor.Host(w.Name) // the log has it, also once the host is forgotten
	}
	switch w.Line {
	case LineDemo:
		d := w.Demo
		d.Name, d.Rate = w.Name, w.Rate
		p := demo.StreamParams(d)
		p.Log = log
		return p, nil
	case LineLocal:
		return stream.Params{
			ID: w.Profile, Name: w.Name, Rate: w.Rate, Source: w.Source, Agents: r.p.Agents, Log: log, History: w.History,
			Dial: func(context.Context, func(string)) (remote.Conn, error) { return r.local(), nil },
		}, nil
	}
	login, err := remote.ParseLogin(w.Line)
	if err != nil {
		return stream.Params{}, fmt.Errorf("read the login line of %s: %w", w.Name, err)
	}
	r.hide(login)
	r.p.Redactor.Secret(w.Password)
	return stream.Params{
		ID: w.Profile, Name: w.Name, Rate: w.Rate, Source: w.Source, Agents: r.p.Agents, Log: log, Consent: w.Consent, History: w.History,
		Dial: func(ctx context.Context, progress func(string)) (remote.Conn, error) {
			return r.dial(ctx, w, login, log, progress)
		},
	}, nil
}

func (r *Reach) dial(ctx context.Context, w Way, login remote.Login, log *slog.Logger, progress func(string)) (remote.Conn, error) {
	c, err := remote.Dial(ctx, remote.Params{
		Profile: w.Profile, Login: login, Config: r.Config(), Known: r.known, Secrets: r.secrets,
		Prompt: w.Prompt, TrustNew: w.TrustNew, Password: w.Password, Notice: w.Notice, Log: log,
		Progress: func(s remote.Stage, _ string) { progress(string(s)) },
	})
	if err != nil {
		return nil, err // remote's errors are shown by their kind
	}
	return c, nil
}

// local is this computer; our program for it stays in our own folder.
func (r *Reach) local() remote.Conn {
	return remote.Local(remote.LocalParams{
		Env: append(os.Environ(), "RENTGEN_AGENT="+r.p.Paths.Agent),
	})
}

// hide keeps names of hosts and users out of the log, those of the ssh
// configuration too.
func (r *Reach) hide(l remote.Login) {
	full, _ := r.Config().Resolve(l)
	for _, login := range []remote.Login{l, full} {
		for _, hop := range append([]remote.Login{login}, login.Jumps...) {
			r.p.Redactor.Host(hop.Host)
			r.p.Redactor.Host(hop.Option("HostName"))
			r.p.Redactor.User(hop.User)
			r.p.Redactor.Secret(hop.Password)
		}
	}
}

// Forget removes the secrets and identities kept for a profile.
func (r *Reach) Forget(profile string) error {
	if err := r.secrets.Forget(profile); err != nil {
		return fmt.Errorf("forget the secrets: %w", err)
	}
	if err := r.known.Forget(profile); err != nil {
		return fmt.Errorf("forget the machine's identity: %w", err)
	}
	return nil
}

// Reserved reports names that a saved host must not have, since they name
// something else.
func Reserved(name string) bool {
	return strings.EqualFold(name, LineLocal) || strings.EqualFold(name, LineDemo)
}
