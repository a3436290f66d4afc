package reach

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rentgen/app/settings"
	"rentgen/probe/remote"
)

func newReach(t *testing.T) (*Reach, *settings.Redactor) {
	t.Helper()
	var red settings.Redactor
	ssh := t.TempDir()
	config := "Host box\n  HostName region-1.example.com\n  User painter\n  Port 2222\n"
	if err := os.WriteFile(filepath.Join(ssh, "config"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return New(Params{Paths: settings.PathsIn(t.TempDir()), Redactor: &red, SSHDir: ssh}), &red
}

func TestStreamOfEveryKind(t *testing.T) {
	r, red := newReach(t)
	p, err := r.Stream(Way{Name: "Show me", Line: LineDemo, Rate: 5})
	if err != nil || !p.Demo || p.Name != "Show me" || p.Rate != 5 || p.Dial == nil {
		t.Errorf("demo: %+v, %v", p, err)
	}
	p, err = r.Stream(Way{Profile: "x", Name: "here", Line: LineLocal})
	if err != nil || p.Demo || p.ID != "x" {
		t.Errorf("this computer: %+v, %v", p, err)
	}
	conn, err := p.Dial(t.Context(), func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	proc, err := conn.Start(t.Context(), "echo $RENTGEN_AGENT")
	if err != nil {
		t.Fatal(err)
	}
	out := make([]byte, 4096)
	n, _ := proc.Stdout().Read(out)
	if got := strings.TrimSpace(string(out[:n])); got != r.p.Paths.Agent {
		t.Errorf("our program would lie in %q, want %q", got, r.p.Paths.Agent)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	p, err = r.Stream(Way{Profile: "y", Name: "card", Line: "ssh box", Password: "s3cret"})
	if err != nil || p.ID != "y" {
		t.Errorf("ssh: %+v, %v", p, err)
	}
	if got := red.Text("painter at region-1.example.com, box, said s3cret"); strings.Contains(got, "painter") ||
		strings.Contains(got, "region") || strings.Contains(got, "s3cret") {
		t.Errorf("the log would hold %q", got)
	}
}

// TestChosenNameIsHidden holds for the life of the process, whatever becomes
// of the host.
func TestChosenNameIsHidden(t *testing.T) {
	r, red := newReach(t)
	for name, line := range map[string]string{"alices box": "ssh box", "alices desk": LineLocal, "alices show": LineDemo} {
		if _, err := r.Stream(Way{Profile: "z", Name: name, Line: line}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Stream(Way{Name: "demo", Line: LineDemo}); err != nil {
		t.Fatal(err)
	}
	if err := r.Forget("z"); err != nil {
		t.Fatal(err)
	}
	got := red.Text("host=alices box, alices desk, alices show; demo")
	if strings.Contains(got, "alice") || !strings.HasSuffix(got, "; demo") {
		t.Errorf("the log would hold %q", got)
	}
}

func TestBadLine(t *testing.T) {
	r, _ := newReach(t)
	var input *remote.InputError
	if _, err := r.Stream(Way{Name: "x", Line: "ssh -p 99999 root@a"}); !errors.As(err, &input) {
		t.Errorf("got %v", err)
	}
}

func TestForget(t *testing.T) {
	r, _ := newReach(t)
	if err := r.Secrets().Set("x", remote.SecretPassword, "root@a:22", "s3cret"); err != nil {
		t.Fatal(err)
	}
	if err := r.Forget("x"); err != nil {
		t.Fatal(err)
	}
	if _, ok := r.Secrets().Get("x", remote.SecretPassword, "root@a:22"); ok {
		t.Error("the secret is still there")
	}
}

func TestReserved(t *testing.T) {
	for name, want := range map[string]bool{"demo": true, "Local": true, "mydemo": false, "": false} {
		if Reserved(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

func TestWithoutAnSSHFolder(t *testing.T) {
	r := New(Params{Paths: settings.PathsIn(t.TempDir()), SSHDir: filepath.Join(t.TempDir(), "none")})
	if len(r.Notices()) != 0 || len(r.Config().Aliases()) != 0 {
		t.Errorf("%v, %v", r.Notices(), r.Config().Aliases())
	}
}

func TestTheConfigurationIsReadAgain(t *testing.T) {
	r, _ := newReach(t)
	before := r.Config()
	config := "Host box other\n  HostName region-2.example.com\n"
	if err := os.WriteFile(filepath.Join(r.p.SSHDir, "config"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := r.Config().Aliases(); len(got) != 1 {
		t.Errorf("it changed unasked: %q", got)
	}
	r.Reread()
	if got := r.Config().Aliases(); len(got) != 2 || len(before.Aliases()) != 1 {
		t.Errorf("names are %q, before %q", got, before.Aliases())
	}
	if l, _ := r.Config().Resolve(remote.Login{Host: "box"}); !strings.Contains(l.Hop()+l.Option("HostName"), "region-2") {
		t.Errorf("box is %+v", l)
	}
}
