// Package guidetest runs scripts for tests as an instance would.
package guidetest

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"time"

	"rentgen/app/guide"
)

// Shell is a Runner that runs scripts with a shell of this machine.
type Shell struct {
	Command []string // {"/bin/sh"} when empty; {"busybox", "sh"}
	Dir     string   // where scripts start
	Env     []string // the whole environment; nil: that of the test
	// Before, where not nil, is asked before each script; its error is that of the
	// link, and the script isn't run.
	Before func(e guide.Exec) error
	// After, where not nil, may change what a script gave.
	After func(e guide.Exec, o *guide.Output)
}

// Exec runs a script.
func (s Shell) Exec(ctx context.Context, e guide.Exec) (guide.Output, error) {
	if s.Before != nil {
		if err := s.Before(e); err != nil {
			return guide.Output{}, err
		}
	}
	if e.Timeout == 0 {
		e.Timeout = 60 * time.Second
	}
	if e.Limit == 0 {
		e.Limit = guide.MaxOutput
	}
	limited, cancel := context.WithTimeout(ctx, e.Timeout)
	defer cancel()
	argv := s.Command
	if len(argv) == 0 {
		argv = []string{"/bin/sh"}
	}
	argv = append(append(append([]string{}, argv...), "-c", e.Script, "sh"), e.Args...)
	cmd := exec.CommandContext(limited, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = s.Dir, s.Env, bytes.NewReader(e.Stdin)
	cmd.WaitDelay = time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	start := time.Now()
	err := cmd.Run()
	o := guide.Output{Stdout: cut(out.Bytes(), e.Limit), Stderr: cut(errs.Bytes(), e.Limit), Duration: time.Since(start)}
	o.Truncated = out.Len() > e.Limit || errs.Len() > e.Limit
	if cmd.ProcessState != nil {
		o.Exit = cmd.ProcessState.ExitCode()
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return o, ctx.Err()
	case limited.Err() != nil:
		o.Exit, o.TimedOut = -1, true
	case err != nil && !errors.As(err, &exit):
		return o, err
	}
	if e.Out != nil && len(o.Stdout) > 0 {
		e.Out(o.Stdout)
	}
	if s.After != nil {
		s.After(e, &o)
	}
	return o, nil
}

func cut(b []byte, limit int) []byte { return b[:min(len(b), limit)] }

// Shells are those of this machine that scripts are tried with.
func Shells() []Shell {
	l := []Shell{{}}
	for _, c := range [][]string{{"bash", "--posix"}, {"busybox", "sh"}} {
		if _, err := exec.LookPath(c[0]); err == nil {
			l = append(l, Shell{Command: c})
		}
	}
	return l
}

// Path is the PATH of this machine, for an Env.
func Path() string { return "PATH=" + os.Getenv("PATH") }
