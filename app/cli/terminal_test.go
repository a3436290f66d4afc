package cli

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"rentgen/probe/remote/remotetest"
)

// terminalRun is rentgen on a terminal of its own, made by script(1).
type terminalRun struct {
	*program
	keys io.WriteCloser
}

func onTerminal(t *testing.T, home string, env []string, words ...string) *terminalRun {
	t.Helper()
	script, err := exec.LookPath("script")
	if err != nil {
		t.Skipf("skipped: %s needs script (apt-get install bsdutils)", t.Name())
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	line := "exec " + quoteWord(self)
	for _, w := range words {
		line += " " + quoteWord(w)
	}
	p := &program{t: t, cmd: exec.Command(script, "-q", "-e", "-c", line, "/dev/null"), stdout: newFollow(), stderr: newFollow()}
	p.cmd.Env = append(os.Environ(), envMain+"=1", "RENTGEN_HOME="+home, "LANG=en_US.UTF-8", "TERM=xterm", "SHELL=/bin/sh")
	p.cmd.Env = append(p.cmd.Env, env...)
	p.cmd.Stdout, p.cmd.Stderr = p.stdout, p.stderr
	keys, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	})
	return &terminalRun{p, keys}
}

func quoteWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func (r *terminalRun) answer(question, keys string) {
	r.t.Helper()
	r.stdout.until(r.t, question, 1)
	if _, err := io.WriteString(r.keys, keys); err != nil {
		r.t.Fatal(err)
	}
}

// again answers a question that is asked for the second time.
func (r *terminalRun) again(question, keys string) {
	r.t.Helper()
	r.stdout.until(r.t, question, 2)
	if _, err := io.WriteString(r.keys, keys); err != nil {
		r.t.Fatal(err)
	}
}

func TestAskedOnTheTerminal(t *testing.T) {
	_, line, env := sshHost(t, withGPU(t))
	home := t.TempDir()

	no := onTerminal(t, home, env, "probe", line, "--for", "1s")
	no.answer("Go on? (yes/no)", "no\n")
	if r := no.wait(); r.code != 67 {
		t.Errorf("answered no: %+v", r)
	}

	stop := onTerminal(t, home, env, "probe", line, "--for", "1s")
	stop.answer("Go on? (yes/no)", "\x03")
	if r := stop.wait(); r.code != 130 {
		t.Errorf("Ctrl+C at the question: %+v", r)
	}

	yes := onTerminal(t, home, env, "probe", line, "--for", "2s")
	yes.answer("Go on? (yes/no)", "yes\n")
	r := yes.wait()
	if r.code != 0 || !strings.Contains(r.out, "SHA256:") || !strings.Contains(r.out, "RTX 4090") {
		t.Errorf("answered yes: %+v", r)
	}
	if !strings.Contains(r.out, "\x1b[") || strings.Count(r.out, "TIME") < 2 {
		t.Errorf("the table is not drawn in place: %q", r.out)
	}

	if r := onTerminal(t, home, env, "probe", line, "--for", "1s").wait(); r.code != 0 || strings.Contains(r.out, "yes/no") {
		t.Errorf("asked again: %+v", r)
	}
}

func TestPasswordOnTheTerminal(t *testing.T) {
	srv := remotetest.New(t, remotetest.Options{Password: "s3cret word"})
	home := t.TempDir()
	p := onTerminal(t, home, []string{"HOME=" + t.TempDir(), "SSH_AUTH_SOCK="}, "probe", "someone@"+srv.Addr, "--for", "1s", "--trust-new")
	p.answer("Password of", "wrong\n")
	p.stdout.until(t, "That was not right", 1)
	p.again("Password of", "s3cret word\n")
	r := p.wait()
	if r.code == 66 || r.code == 67 || strings.Contains(r.out, "s3cret") {
		t.Errorf("%+v", r)
	}
}
