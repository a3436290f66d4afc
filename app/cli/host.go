package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"rentgen/app/cli/reach"
	"rentgen/probe/remote"
	"rentgen/probe/stream"
	"rentgen/store"
)

type hostJSON struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Line    string `json:"line"`
	Created string `json:"created"`
}

func hostOut(h store.Host) hostJSON {
	return hostJSON{ID: h.ID, Name: h.Name, Line: h.Line, Created: moment(h.Created)}
}

// runHostAdd saves a host under a name.
func runHostAdd(ctx context.Context, j *job) error {
	name, line := strings.TrimSpace(j.args[0]), strings.TrimSpace(j.args[1])
	if reach.Reserved(name) {
		return &UsageError{Code: "reserved", Field: "NAME", Value: name}
	}
	if !reach.Reserved(line) {
		login, err := remote.ParseLogin(line)
		if err != nil {
			return err
		}
		if login.Password != "" {
			j.say("cli.password.argument")
		}
		for _, n := range login.Notices {
			j.notice(n)
		}
		line = login.Line()
	}
	s, err := j.writeStore(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	h, err := s.SaveHost(ctx, store.Host{Name: name, Line: line})
	if err != nil {
		return fmt.Errorf("save host: %w", err)
	}
	if j.is("json") {
		return j.printJSON(hostOut(h))
	}
	j.say("cli.host.added", "name", h.Name, "line", h.Line)
	return nil
}

// runHostList prints the saved hosts.
func runHostList(ctx context.Context, j *job) error {
	s, err := j.readStore(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	hosts, err := s.Hosts(ctx)
	if err != nil {
		return fmt.Errorf("read the saved hosts: %w", err)
	}
	if j.is("json") {
		list := []hostJSON{}
		for _, h := range hosts {
			list = append(list, hostOut(h))
		}
		return j.printJSON(list)
	}
	if len(hosts) == 0 {
		j.say("cli.host.none")
		return nil
	}
	var rows [][2]string
	for _, h := range hosts {
		rows = append(rows, [2]string{h.Name, h.Line})
	}
	columns(j.p.Stdout, rows)
	return nil
}

// runHostForget removes a host with its secrets, its machine's identity and, if
// asked, its logs and our program there. What may fail comes first, so that a
// host that stays listed can still be reached.
func runHostForget(ctx context.Context, j *job) error {
	if _, err := os.Stat(j.paths.Database); err != nil {
		return &UsageError{Code: "nohost", Field: "NAME", Value: j.args[0]}
	}
	s, err := j.writeStore(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	h, err := s.HostByName(ctx, j.args[0])
	if errors.Is(err, store.ErrNotFound) {
		return &UsageError{Code: "nohost", Field: "NAME", Value: j.args[0]}
	}
	if err != nil {
		return fmt.Errorf("find the host: %w", err)
	}
	withLogs, remove := j.is("with-logs"), j.is("remove-helper") && h.Line != reach.LineDemo
	if withLogs && remove {
		if err := notRecording(ctx, s, h.ID); err != nil {
			return err
		}
	}
	if remove {
		if err := j.removeHelper(ctx, h); err != nil {
			j.say("cli.host.kept", "name", h.Name)
			return err
		}
	}
	if err := s.ForgetHost(ctx, h.ID, withLogs); err != nil {
		return fmt.Errorf("forget the host: %w", err)
	}
	if err := j.reach().Forget(h.ID); err != nil {
		return err
	}
	if !remove && h.Line != reach.LineDemo {
		j.say("cli.host.stays", "name", h.Name, "path", j.helperFolder(h))
	}
	if j.is("json") {
		return j.printJSON(hostOut(h))
	}
	j.say("cli.host.forgotten", "name", h.Name)
	return nil
}

// notRecording is store.ErrStillRecording while a log of the host is written.
func notRecording(ctx context.Context, s *store.Store, id string) error {
	list, err := s.Recordings(ctx, store.Filter{Host: id})
	if err != nil {
		return fmt.Errorf("look for open logs: %w", err)
	}
	for _, r := range list {
		if r.Open {
			return store.ErrStillRecording
		}
	}
	return nil
}

// removeHelper connects to a host and deletes our program there.
func (j *job) removeHelper(ctx context.Context, h store.Host) error {
	closeLog := j.logging()
	defer closeLog()
	w := reach.Way{
		Profile: h.ID, Name: h.Name, Line: h.Line, TrustNew: j.is("trust-new"), Prompt: j.prompter(), Notice: j.notice,
	}
	if j.is("password-stdin") {
		var err error
		if w.Password, err = readPassword(j.in); err != nil {
			return err
		}
	}
	p, err := j.reach().Stream(w)
	if err != nil {
		return err
	}
	return stream.New(p).RemoveHelperOnce(ctx)
}

// helperFolder is where our program usually lies on a host.
func (j *job) helperFolder(h store.Host) string {
	if h.Line == reach.LineLocal {
		return filepath.Join(j.paths.Agent, "rentgen")
	}
	return "~/.cache/rentgen"
}

// offerHosts are saved hosts for completion; trouble offers none.
func (j *job) offerHosts(ctx context.Context) [][2]string {
	s, err := j.readStore(ctx)
	if err != nil {
		return nil
	}
	defer s.Close()
	hosts, err := s.Hosts(ctx)
	if err != nil {
		return nil
	}
	var out [][2]string
	for _, h := range hosts {
		out = append(out, [2]string{h.Name, h.Line})
	}
	return out
}

func (j *job) offerAliases() [][2]string {
	return pairs(j.reach().Config().Aliases(), j.c.T("cli.target.alias"))
}
