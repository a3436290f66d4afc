package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rentgen/probe"
)

// childWindow is a process that has the folder and a window; it ends with its
// standard input.
func childWindow(dir string) error {
	s, err := Open(context.Background(), Params{Dir: dir, Now: testNow})
	if err != nil {
		return err
	}
	s.Serve(func() { fmt.Println("raised") })
	fmt.Println("ready", s.Writer())
	_, _ = io.Copy(io.Discard, os.Stdin)
	return s.Close()
}

// childSecond is a command run while a window is open.
func childSecond(dir string) error {
	ctx := context.Background()
	if err := Raise(ctx, dir); err != nil {
		return err
	}
	s, err := Open(ctx, Params{Dir: dir, Now: testNow})
	if err != nil {
		return err
	}
	if s.Writer() {
		return errors.New("two writers")
	}
	if _, err := s.SaveHost(ctx, Host{Name: "taken", Line: "ssh root@192.0.2.7"}); !errors.Is(err, ErrNameTaken) {
		return fmt.Errorf("name taken: %w", err)
	}
	h, err := s.SaveHost(ctx, Host{Name: "second", Line: "ssh root@192.0.2.8"})
	if err != nil {
		return err
	}
	r, err := s.StartRecording(ctx, RecordingStart{HostID: h.ID})
	if err != nil {
		return err
	}
	r.Message(inventory())
	for i := range 300 {
		r.Message(tick(uint64(i+1), hourZero.Add(time.Duration(i)*time.Second), 7))
	}
	r.Message(&probe.Gap{From: hourZero.Add(10 * time.Minute), To: hourZero.Add(11 * time.Minute), Reason: probe.GapLink})
	if err := r.Close("stopped"); err != nil {
		return err
	}
	if err := s.SetRetention(ctx, Retention{Seconds: 24 * time.Hour}); err != nil {
		return err
	}
	fmt.Println("recorded", r.ID())
	return s.Close()
}

func TestSecondProcessHandsItsWritesOver(t *testing.T) {
	// A folder whose path is too long for a socket takes the short way round.
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), strings.Repeat("long", 30))} {
		s := open(t, dir)
		raised := make(chan bool, 1)
		if err := Raise(t.Context(), dir); !errors.Is(err, ErrNoWindow) {
			t.Errorf("raise without a window: %v", err)
		}
		s.Serve(func() { raised <- true })
		if _, err := s.SaveHost(t.Context(), Host{Name: "taken", Line: "ssh root@192.0.2.1"}); err != nil {
			t.Fatal(err)
		}
		cmd := childCommand(t.Context(), t, "second", dir)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v %s", err, cmd.Stderr)
		}
		var id int64
		if _, err := fmt.Sscanf(string(out), "recorded %d", &id); err != nil {
			t.Fatalf("%q: %v", out, err)
		}
		select {
		case <-raised:
		default:
			t.Error("the window was not raised")
		}
		rec, err := s.Recording(t.Context(), id)
		if err != nil || rec.HostName != "second" || rec.Open || rec.Reason != "stopped" || rec.Gaps != 1 || len(rec.Devices) != 2 {
			t.Errorf("%+v, %v", rec, err)
		}
		if out := query(t, s, Query{Recording: id, GPU: cardA, Metric: probe.UtilGPU}); len(out.Points) != 300 {
			t.Errorf("%d points", len(out.Points))
		}
		if r, err := s.Retention(t.Context()); err != nil || r.Seconds != 24*time.Hour || r.Minutes != 0 {
			t.Errorf("%+v, %v", r, err)
		}
		if info, err := os.Stat(s.back.(*owner).srv.path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("socket: %v, %v", info, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWriterGoneIsFollowed(t *testing.T) {
	dir := t.TempDir()
	cmd := childCommand(t.Context(), t, "window", dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(pipe)
	if !lines.Scan() || lines.Text() != "ready true" {
		t.Fatalf("%q", lines.Text())
	}
	s := open(t, dir)
	if s.Writer() {
		t.Fatal("two writers")
	}
	r := record(t, s, hourZero, 100)
	first := r.ID()
	if err := Raise(t.Context(), dir); err != nil {
		t.Error(err)
	}
	if !lines.Scan() || lines.Text() != "raised" {
		t.Errorf("%q", lines.Text())
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	// The recording goes on, in this process now.
	for i := 100; i < 200; i++ {
		r.Message(tick(uint64(i+1), hourZero.Add(time.Duration(i)*time.Second), 50))
	}
	if _, err := s.SaveHost(t.Context(), Host{Name: "after", Line: "ssh root@192.0.2.9"}); err != nil {
		t.Fatal(err)
	}
	if err := r.Close("stopped"); err != nil {
		t.Fatal(err)
	}
	if !s.Writer() {
		t.Error("nobody writes")
	}
	rec, err := s.Recording(t.Context(), r.ID())
	if err != nil || r.ID() == first || rec.Reason != "stopped" || rec.To.Unix() != hourZero.Unix()+199 || len(rec.Devices) != 2 {
		t.Errorf("%+v (first was %d), %v", rec, first, err)
	}
}

// raiseSoon raises the window once its process has made itself known.
func raiseSoon(t *testing.T, dir string, raised <-chan bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		err := Raise(ctx, dir)
		if err == nil {
			break
		}
		if !errors.Is(err, ErrNoWindow) || !pause(ctx, 10*time.Millisecond) {
			t.Fatal(err)
		}
	}
	select {
	case <-raised:
	case <-ctx.Done():
		t.Fatal("the window was not raised")
	}
}

func TestWindowBesideACommandIsRaised(t *testing.T) {
	dir := t.TempDir()
	command := open(t, dir)
	window := open(t, dir)
	if window.Writer() {
		t.Fatal("two writers")
	}
	raised := make(chan bool, 1)
	window.Serve(func() { raised <- true })
	raiseSoon(t, dir, raised)
	if err := command.Close(); err != nil {
		t.Fatal(err)
	}
	raiseSoon(t, dir, raised) // the window writes itself now, or is about to
	if err := window.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Raise(t.Context(), dir); !errors.Is(err, ErrNoWindow) {
		t.Errorf("raise after the end: %v", err)
	}
}

func TestOnlyTheHolderOfTheTokenIsHeard(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	s.Serve(func() { t.Error("raised by a stranger") })
	a, err := readAddress(dir)
	if err != nil {
		t.Fatal(err)
	}
	a.Token = "guessed"
	if err := writeAddress(dir, a); err != nil {
		t.Fatal(err)
	}
	if err := Raise(t.Context(), dir); err == nil {
		t.Error("a wrong token was accepted")
	}
}
