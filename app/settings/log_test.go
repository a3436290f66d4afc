package settings

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestLogMasks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "logs", "rentgen.log")
	var r Redactor
	r.Secret("s3cret!")
	r.Host("region-1.example.com")
	r.Host("region-1.example.com")
	r.Host("192.0.2.7")
	r.User("root")
	r.User("a")
	log, c, err := OpenLog(path, &r)
	if err != nil {
		t.Fatal(err)
	}
	log = log.With("host", "region-1.example.com")
	log.Info("login with s3cret!", "password", "other", "err", errors.New("192.0.2.7: a said no"), "user", "a",
		slog.Group("hop", "addr", "a@192.0.2.7:22"), "n", 7)
	log.WithGroup("g").Info("said: Password: hunter2", "key", "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got := string(b)
	for _, bad := range []string{"s3cret", "other", "192.0.2.7", "example.com", "hunter2", "abc", "a@"} {
		if strings.Contains(got, bad) {
			t.Errorf("%q stands in the log: %s", bad, got)
		}
	}
	for _, want := range []string{"host=host-1", "host-2: user-1 said no", "hop.addr=user-1@host-2:22", "n=7", "password=***"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing: %s", want, got)
		}
	}
}

func TestRedactorLeavesWordsAlone(t *testing.T) {
	var r Redactor
	r.User("art")
	r.Secret("x!")
	if got := r.Text("start art artist art"); got != "start user-1 artist user-1" {
		t.Errorf("got %q", got)
	}
	if got := r.Text("dial 203.0.113.9:22 with driver 550.54.15"); got != "dial address:22 with driver 550.54.15" {
		t.Errorf("got %q", got)
	}
	if got := r.Text("ax!b"); got != "a***b" {
		t.Errorf("a secret inside a word: %q", got)
	}
}

func TestLogIsCapped(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rentgen.log")
	c := &cappedFile{path: path, limit: 1000}
	if err := c.open(); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 100 {
				fmt.Fprintf(c, "goroutine %d line %d\n", g, i)
			}
		})
	}
	wg.Wait()
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{path, path + ".1"} {
		st, err := os.Stat(p)
		if err != nil || st.Size() > 1000 || st.Size() == 0 {
			t.Errorf("%s: %v, %v", p, st, err)
		}
	}
	if _, err := c.Write([]byte("late")); err == nil {
		t.Error("a write after Close succeeds")
	}
	tail, err := Tail(path, 60)
	if err != nil || len(tail) > 60 || !strings.HasPrefix(string(tail), "goroutine") {
		t.Errorf("tail %q, %v", tail, err)
	}
	if b, err := Tail(path+".none", 10); err != nil || b != nil {
		t.Errorf("tail of nothing: %q, %v", b, err)
	}
}

func TestLogThatCannotBeOpened(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	log, c, err := OpenLog(filepath.Join(file, "rentgen.log"), &Redactor{})
	if err == nil {
		t.Fatal("no error")
	}
	log.Info("goes nowhere")
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}
