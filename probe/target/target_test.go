package target_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"rentgen/probe/remote"
	"rentgen/probe/target"
)

func TestResolve(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(file, []byte("Host pod gpu.example.com demo\n  User root\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, notices := remote.LoadConfig(file)
	if len(notices) > 0 {
		t.Fatal(notices)
	}
	saved := func(name string) (target.Saved, bool) {
		s, ok := map[string]target.Saved{
			"mine":          {ID: "1", Name: "mine", Line: "ssh -p 38076 root@192.0.2.7"},
			"pod":           {ID: "2", Name: "pod", Line: "root@192.0.2.8"},
			"here":          {ID: "3", Name: "here", Line: "local"},
			"toy":           {ID: "4", Name: "toy", Line: "demo"},
			"我的 4090":       {ID: "5", Name: "我的 4090", Line: "root@192.0.2.9"},
			"spoilt":        {ID: "6", Name: "spoilt", Line: "ssh -p x"},
			"gpu.saved.net": {ID: "7", Name: "gpu.saved.net", Line: "root@192.0.2.10"},
		}[name]
		return s, ok
	}
	for _, c := range []struct {
		text string
		kind target.Kind
		id   string
		host string
		port int
	}{
		{" mine ", target.SSH, "1", "192.0.2.7", 38076},
		{"pod", target.SSH, "2", "192.0.2.8", 0},            // a saved name before an alias
		{"gpu.saved.net", target.SSH, "7", "192.0.2.10", 0}, // and before a login line
		{"我的 4090", target.SSH, "5", "192.0.2.9", 0},        // a name with a space
		{"here", target.Local, "3", "", 0},                  //
		{"toy", target.Demo, "4", "", 0},                    //
		{"ssh -p 22 root@pod", target.SSH, "", "pod", 22},   // a line before an alias
		{"root@192.0.2.1:2222", target.SSH, "", "192.0.2.1", 2222},
		{"gpu.example.com", target.SSH, "", "gpu.example.com", 0},
		{"demo", target.SSH, "", "demo", 0}, // an alias before the demo
		{"local", target.Local, "", "", 0},
	} {
		got, err := target.Resolve(c.text, saved, cfg)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got.Kind != c.kind || got.ID != c.id || got.Login.Host != c.host || got.Login.Port != c.port || got.Name == "" {
			t.Errorf("%q: %+v", c.text, got)
		}
	}
	if got, err := target.Resolve("demo", nil, nil); err != nil || got.Kind != target.Demo || got.ID == "" {
		t.Errorf("demo: %+v, %v", got, err)
	}
	for _, text := range []string{"", "nothing", "Local", "-p", "a\x1b[31mb"} {
		_, err := target.Resolve(text, saved, cfg)
		var unknown *target.UnknownError
		if !errors.As(err, &unknown) || unknown.ExitCode() != 64 || len(unknown.Allowed) != 5 {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"ssh -p 99999 root@192.0.2.1", "spoilt", "root@"} {
		_, err := target.Resolve(text, saved, cfg)
		var input *remote.InputError
		if !errors.As(err, &input) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
