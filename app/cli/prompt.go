package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"rentgen/probe/remote"
)

// prompter returns who asks the person, nil without a terminal: what would be
// asked is then an error that says so. With --password-stdin standard input is
// taken and nothing is asked either.
func (j *job) prompter() remote.Prompter {
	f, ok := j.stdinFile()
	if !ok || j.is("password-stdin") || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return &terminal{j: j, in: f, lines: bufio.NewReader(f)}
}

// terminal asks on the terminal.
type terminal struct {
	j     *job
	in    *os.File
	lines *bufio.Reader
}

var errDeclined = errors.New("declined")

// HostKey shows a machine's identity on first sight.
func (t *terminal) HostKey(ctx context.Context, q remote.HostKeyQuestion) (remote.HostKeyAnswer, error) {
	t.j.say("cli.ask.hostkey", "hop", q.Hop, "type", q.Key.Type, "fingerprint", q.Key.Fingerprint)
	yes, err := t.confirm(ctx, "cli.ask.hostkey.yes")
	return remote.HostKeyAnswer{Trust: yes}, err
}

// Secret asks for a password, a passphrase or what the host wants to know.
func (t *terminal) Secret(ctx context.Context, q remote.SecretQuestion) (remote.SecretAnswer, error) {
	c := t.j.c
	if q.Attempt > 1 {
		t.j.say("cli.ask.again")
	}
	if q.Instruction != "" {
		t.j.say("cli.ask.said", "said", q.Instruction)
	}
	question := c.T("cli.ask."+q.Kind, "hop", q.Hop, "file", q.File, "prompt", strings.TrimSpace(q.Prompt))
	secret, err := t.read(ctx, question, q.Echo)
	if err != nil {
		return remote.SecretAnswer{}, err
	}
	t.j.redactor.Secret(secret)
	return remote.SecretAnswer{Secret: secret}, nil
}

// ProxyCommand asks whether a command of the ssh configuration may run here.
func (t *terminal) ProxyCommand(ctx context.Context, hop, command string) (bool, error) {
	t.j.say("cli.ask.proxy", "hop", hop, "command", command)
	return t.confirm(ctx, "cli.ask.proxy.yes")
}

func (t *terminal) confirm(ctx context.Context, key string) (bool, error) {
	answer, err := t.read(ctx, t.j.c.T(key), true)
	if err != nil {
		return false, err
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes", "是":
		return true, nil
	}
	return false, nil
}

// read asks one question and waits for the line or the end of ctx. The
// terminal is put back in order in both cases.
func (t *terminal) read(ctx context.Context, question string, echo bool) (string, error) {
	fd := int(t.in.Fd())
	state, err := term.GetState(fd)
	if err != nil {
		return "", fmt.Errorf("ask on the terminal: %w", err)
	}
	if !echo {
		silence(fd)
		defer func() { _ = term.Restore(fd, state) }()
	}
	fmt.Fprint(t.j.p.Stderr, question+" ")
	type answer struct {
		text string
		err  error
	}
	got := make(chan answer, 1)
	go func() {
		if echo {
			text, err := t.lines.ReadString('\n')
			if errors.Is(err, io.EOF) {
				err = errDeclined
			}
			got <- answer{strings.TrimRight(text, "\r\n"), err}
			return
		}
		b, err := term.ReadPassword(fd)
		if errors.Is(err, io.EOF) {
			err = errDeclined
		}
		got <- answer{string(b), err}
	}()
	select {
	case a := <-got:
		if !echo {
			fmt.Fprintln(t.j.p.Stderr)
		}
		return a.text, a.err
	case <-ctx.Done():
		_ = term.Restore(fd, state)
		fmt.Fprintln(t.j.p.Stderr)
		return "", ctx.Err()
	}
}
