//go:build linux

package stream

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"rentgen/probe"
	"rentgen/probe/remote"
	"rentgen/probe/remote/remotetest"
)

// cases 11 and 12: a server that runs commands and refuses every subsystem, as
// dropbear without its sftp server does. Our program and a file get there all
// the same, and nothing but a shell is ever asked for: scp is sftp under
// another name since OpenSSH 9.
func TestNoFileTransferProtocol(t *testing.T) {
	place := newPlace(t)
	var mu sync.Mutex
	var commands []string
	server := remotetest.New(t, remotetest.Options{NoAuth: true, Exec: func(e *remotetest.Exec) int {
		mu.Lock()
		commands = append(commands, e.Command)
		mu.Unlock()
		e.Command = "HOME=" + quote(place.home) + "; export HOME; exec " + e.Command
		return remotetest.Shell(e)
	}})
	known := remote.OpenKnownHosts(filepath.Join(t.TempDir(), "known_hosts"), "")
	h := place.host(t, func(p *Params) {
		p.Dial = func(ctx context.Context, _ func(string)) (remote.Conn, error) {
			c, err := remote.Dial(ctx, remote.Params{
				Profile: "t", Login: remote.Login{User: "root", Host: server.Host, Port: server.Port},
				Known: known, TrustNew: true, Agent: "none", Home: place.home,
			})
			if err != nil {
				return nil, err
			}
			return c, nil
		}
	})
	h.Start()
	if s := AwaitPhase(t, h, Live); s.Source != probe.SourceAgent || s.Reason != "" {
		t.Fatalf("state %+v", s)
	}
	onlyProgram(t, filepath.Join(place.home, "cache"))
	if err := h.Upload(t.Context(), File{Path: "~/a file", Data: []byte("whole")}); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(place.home, "a file")); err != nil || string(b) != "whole" {
		t.Errorf("%q, %v", b, err)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(commands) < 2 {
		t.Errorf("commands %q", commands)
	}
	for _, c := range commands {
		if c != remote.Shell {
			t.Errorf("command %q", c)
		}
	}
}
