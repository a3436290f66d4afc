//go:build linux

package stream

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestWhatStaysOfOurProgramIsSaid removes it from a host whose rm says that it
// worked and does nothing.
func TestWhatStaysOfOurProgramIsSaid(t *testing.T) {
	for name, rm := range map[string]string{"works": "", "does nothing": "#!/bin/sh\nexit 0\n"} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			if rm != "" {
				bin := t.TempDir()
				if err := os.WriteFile(filepath.Join(bin, "rm"), []byte(rm), 0o700); err != nil { //nolint:gosec // a program
					t.Fatal(err)
				}
				p.env = append(p.env, "PATH="+bin+":/usr/bin:/bin")
			}
			h := p.host(t, nil)
			h.Start()
			AwaitPhase(t, h, Live)
			mine := filepath.Join(p.home, "cache", "agent-123456789abc")
			if err := os.WriteFile(mine, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			err := h.RemoveHelper(ctx)
			_, there := os.Stat(mine)
			var e *Error
			switch {
			case rm == "" && (err != nil || there == nil):
				t.Fatalf("error %v, still there %v", err, there == nil)
			case rm != "" && (!errors.As(err, &e) || e.Kind != KindBootstrap || there != nil):
				t.Fatalf("error %v, still there %v", err, there == nil)
			}
		})
	}
}

// TestRemoveHelperOnce removes it from a host that nothing watches.
func TestRemoveHelperOnce(t *testing.T) {
	p := newPlace(t)
	dir := filepath.Join(p.home, "cache")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "agent-123456789abc"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	h := p.host(t, nil)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := h.RemoveHelperOnce(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
	if s := h.State(); s.Phase != Off {
		t.Errorf("phase %v", s.Phase)
	}
}
