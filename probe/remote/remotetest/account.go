package remotetest

import (
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// Login is an account of this computer made for one test.
type Login struct {
	User, Password string
}

// Account makes a throw-away account with a password and removes it after the
// test. Other accounts are never touched. It skips the test by name where the
// tests don't run as root on Linux.
func Account(t testing.TB) Login { return AccountWithShell(t, "/bin/sh") }

// AccountWithShell is Account with a login shell of one's own.
func AccountWithShell(t testing.TB, shell string) Login {
	t.Helper()
	FindSSHD(t)
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		t.Skipf("skipped: %s needs root, for a throw-away account", t.Name())
	}
	for _, tool := range []string{"useradd", "userdel", "chpasswd"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("skipped: %s needs %s", t.Name(), tool)
		}
	}
	if _, err := os.Stat(shell); err != nil {
		t.Skipf("skipped: %s needs %s", t.Name(), shell)
	}
	l := Login{
		User:     "rgt" + strings.ToLower(rand.Text()[:10]), // random, so it is nobody else's
		Password: rand.Text(),
	}
	if out, err := exec.Command("useradd", "--no-create-home", "--home-dir", "/nonexistent", "--shell", shell, l.User).CombinedOutput(); err != nil {
		t.Skipf("skipped: %s can't make an account: %v: %s", t.Name(), err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("userdel", l.User).CombinedOutput(); err != nil {
			t.Errorf("remove the account %s: %v: %s", l.User, err, out)
		}
	})
	set := exec.Command("chpasswd")
	set.Stdin = strings.NewReader(fmt.Sprintf("%s:%s\n", l.User, l.Password))
	if out, err := set.CombinedOutput(); err != nil {
		t.Fatalf("set the password: %v: %s", err, out)
	}
	return l
}
