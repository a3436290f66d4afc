//go:build linux && cgo

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"rentgen/probe/guard"
)

// stopTime bounds how long a command may take to answer.
const stopTime = time.Minute

// podName is what a pod's name looks like.
var podName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]{3,63}$`)

// actor gives the commands that guard.CommandOf fixes.
type actor struct {
	folders []string
	euid    func() int
	env     func(name string) string
}

func newActor() *actor {
	return &actor{folders: guard.Folders(), euid: os.Geteuid, env: hostEnv}
}

// hostEnv reads a variable of this login or, since a platform gives its own to the
// container's first process alone, of that one.
func hostEnv(name string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	b, err := os.ReadFile("/proc/1/environ")
	if err != nil {
		return ""
	}
	for kv := range bytes.SplitSeq(b, []byte{0}) {
		if k, v, found := strings.Cut(string(kv), "="); found && k == name {
			return v
		}
	}
	return ""
}

// ready says why a command can't be given, "" where it can.
func (a *actor) ready(action guard.Action) (guard.Why, string) {
	c, ok := guard.CommandOf(action)
	switch {
	case !ok:
		return guard.WhyOrder, string(action)
	case c.Root && a.euid() != 0:
		return guard.WhyRoot, ""
	}
	if _, err := a.find(c.Name); err != nil {
		return guard.WhyCommand, err.Error()
	}
	if c.Pod && !podName.MatchString(a.env("RUNPOD_POD_ID")) {
		return guard.WhyPod, ""
	}
	if !a.hasKey(c) {
		return guard.WhyKey, ""
	}
	return "", ""
}

// hasKey reports whether a command that asks the provider has what it asks with.
func (a *actor) hasKey(c guard.Command) bool {
	if c.Key == "" || a.env(c.Key) != "" {
		return true
	}
	for _, name := range c.KeyFiles {
		if st, err := os.Stat(filepath.Join(homeOf(a.env("HOME")), name)); err == nil && st.Mode().IsRegular() {
			return true
		}
	}
	return false
}

// find looks a command up in the fixed folders, never on PATH. What others can
// change is passed over.
func (a *actor) find(name string) (string, error) {
	for _, dir := range a.folders {
		path := filepath.Join(dir, name)
		st, err := os.Stat(path)
		if err != nil || !st.Mode().IsRegular() || st.Mode().Perm()&0o111 == 0 || st.Mode().Perm()&0o022 != 0 {
			continue
		}
		if s, ok := st.Sys().(*syscall.Stat_t); !ok || (s.Uid != 0 && int(s.Uid) != a.euid()) {
			continue
		}
		return path, nil
	}
	return "", fmt.Errorf("no %s in %s", name, strings.Join(a.folders, ", "))
}

// act gives the command and waits for its end. An error holds what it said.
func (a *actor) act(action guard.Action) error {
	if why, detail := a.ready(action); why != "" {
		return fmt.Errorf("%s %s", why, detail)
	}
	c, _ := guard.CommandOf(action) // it is ready
	path, err := a.find(c.Name)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	args := make([]string, len(c.Args))
	env := []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", "HOME=" + homeOf(a.env("HOME"))}
	for i, s := range c.Args {
		if args[i] = s; s == guard.PodArg {
			args[i] = a.env("RUNPOD_POD_ID")
		}
	}
	if c.Pod {
		// The command asks RunPod in the pod's own name; the key stays in the
		// process's environment and is kept nowhere.
		for _, name := range []string{"RUNPOD_POD_ID", c.Key} {
			if v := a.env(name); v != "" {
				env = append(env, name+"="+v)
			}
		}
	}
	cmd := exec.CommandContext(ctx, path, args...)
	said := &tail{}
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = env, "/", said, said
	// What it starts may hold its output open for ever.
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %s", path, err, said)
	}
	return nil
}

func homeOf(s string) string {
	if filepath.IsAbs(s) {
		return filepath.Clean(s)
	}
	return "/root"
}

// tail keeps the end of what a command says.
type tail struct{ b []byte }

func (t *tail) Write(p []byte) (int, error) {
	const most = 256
	t.b = append(t.b, p...)
	if len(t.b) > most {
		t.b = append(t.b[:0], t.b[len(t.b)-most:]...)
	}
	return len(p), nil
}

func (t *tail) String() string { return string(bytes.TrimSpace(t.b)) }
