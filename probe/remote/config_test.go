package remote

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// parseConfig reads a config that needs no file.
func parseConfig(text, base, home string) (*Config, []Notice) {
	r := &configReader{c: &Config{home: home}, base: base}
	r.file("config", text, nil, 0)
	return r.c, r.notices
}

// file writes a file below dir and returns its path.
func file(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestConfigResolves(t *testing.T) {
	home := t.TempDir()
	file(t, home, ".ssh/conf.d/work.conf", "Host work\n  HostName work.example.com\nHost *\n  User included\n")
	file(t, home, ".ssh/nested", "HostName nested.example.com\nUser nested\nHost other-in-nested\n  Port 7\n")
	path := file(t, home, ".ssh/config", `# a comment
IgnoreUnknown Foo
Include conf.d/*.conf
Include conf.d/none*.conf

Host gpu gpu-?? !gpu-99
	HostName = 192.0.2.7
	Port 38076
	User root
	IdentityFile ~/.ssh/gpu_key
	IdentityFile "~/.ssh/with space"
	IdentitiesOnly yes
	StrictHostKeyChecking no
	UserKnownHostsFile /dev/null

Host nested
	Include nested

Host tokens
	HostName %h.example.com
	User me
	IdentityFile %d/keys/%r@%h-%p-%n%%
	ProxyCommand nc -X 5 %h %p

Host behind
	ProxyJump hop1,hop2:2222
	HostName 10.0.0.1
Host hop1
	HostName jump.example.com
	User jumper
	ProxyJump outer
Host outer
	HostName outer.example.com
Match host work.example.com user included
	Port 99
Match originalhost behind
	ConnectTimeout 7
Match final all
	ForwardAgent yes
Match host * exec "touch PWNED"
	User evil
Match canonical
	User evil
Host legacy
	KexAlgorithms +diffie-hellman-group14-sha1
	HostKeyAlias my-box
Host *
	User fallback
	ServerAliveInterval 30
`)
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	c, notices := LoadConfig(path)
	if got := codes(notices); got != "config-exec config-match" {
		t.Errorf("notices %q: %v", got, notices)
	}
	if got := strings.Join(c.Aliases(), " "); got != "work gpu nested other-in-nested tokens behind hop1 outer legacy" {
		t.Errorf("aliases %q", got)
	}
	for name, w := range map[string]struct {
		in      Login
		want    Login
		notices string
	}{
		"alias": {
			Login{Host: "gpu"},
			Login{Host: "gpu", User: "included", Port: 38076, Identities: []string{"~/.ssh/gpu_key", "~/.ssh/with space"}, Options: map[string]string{"HostName": "192.0.2.7", "IdentitiesOnly": "yes"}},
			"trust-option trust-option agent-forwarding",
		},
		"the login wins": {
			Login{Host: "gpu-01", User: "me", Port: 22, Identities: []string{"mine"}},
			Login{Host: "gpu-01", User: "me", Port: 22, Identities: []string{"mine", "~/.ssh/gpu_key", "~/.ssh/with space"}, Options: map[string]string{"HostName": "192.0.2.7", "IdentitiesOnly": "yes"}},
			"trust-option trust-option agent-forwarding",
		},
		"negated": {Login{Host: "gpu-99"}, Login{Host: "gpu-99", User: "included"}, "agent-forwarding"},
		"include, match by the real name": {
			Login{Host: "work"},
			Login{Host: "work", User: "included", Port: 99, Options: map[string]string{"HostName": "work.example.com"}},
			"agent-forwarding",
		},
		"include inside a block": {
			Login{Host: "nested"},
			Login{Host: "nested", User: "included", Options: map[string]string{"HostName": "nested.example.com"}},
			"agent-forwarding",
		},
		"a block of an included file stays in its block": {Login{Host: "other-in-nested"}, Login{Host: "other-in-nested", User: "included"}, "agent-forwarding"},
		"tokens": {
			Login{Host: "tokens", User: "me"},
			Login{
				Host: "tokens", User: "me", ProxyCommand: "nc -X 5 %h %p", Identities: []string{home + "/keys/me@tokens.example.com-22-tokens%"},
				Options: map[string]string{"HostName": "tokens.example.com"},
			},
			"proxy-command agent-forwarding",
		},
		"jumps": {
			Login{Host: "behind"},
			Login{Host: "behind", User: "included", Options: map[string]string{"HostName": "10.0.0.1", "ConnectTimeout": "7"}, Jumps: []Login{
				{Host: "outer", User: "included", Options: map[string]string{"HostName": "outer.example.com"}},
				{Host: "hop1", User: "included", Options: map[string]string{"HostName": "jump.example.com"}},
				{Host: "hop2", User: "included", Port: 2222},
			}},
			"agent-forwarding agent-forwarding agent-forwarding agent-forwarding",
		},
		"legacy": {
			Login{Host: "legacy"},
			Login{Host: "legacy", User: "included", Options: map[string]string{"KexAlgorithms": "+diffie-hellman-group14-sha1", "HostKeyAlias": "my-box"}},
			"agent-forwarding",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, notices := c.Resolve(w.in)
			if !reflect.DeepEqual(got, w.want) {
				t.Errorf("got  %+v\nwant %+v", got, w.want)
			}
			if n := codes(notices); n != w.notices && name != "tokens" {
				t.Errorf("notices %q, want %q", n, w.notices)
			}
			again, _ := c.Resolve(w.in)
			if !reflect.DeepEqual(got, again) {
				t.Error("the second time is another")
			}
		})
	}
	if _, err := os.Stat("PWNED"); err == nil {
		t.Error("Match exec was run")
	}
}

// case 26: what can't be read costs itself alone.
func TestConfigBroken(t *testing.T) {
	for name, c := range map[string]struct {
		text, notices string
		want          Login
	}{
		"case 26: Match final all":                {"Match final all\n  Port 5\nHost a\n  Port 4\n", "", Login{Host: "a", Port: 5}},
		"case 26: several criteria with exec":     {"Match host * exec \"true\"\n  User evil\nHost a\n  Port 4\n", "config-exec", Login{Host: "a", Port: 4}},
		"case 26: unknown criterion":              {"Match moonphase full\n  User evil\nHost a\n  Port 4\n", "config-line", Login{Host: "a", Port: 4}},
		"bad port":                                {"Host a\n  Port many\n  User me\n", "config-line", Login{Host: "a", User: "me"}},
		"key alone":                               {"Host a\n  User\n  Port 4\n", "config-line", Login{Host: "a", Port: 4}},
		"Host alone":                              {"Host\n  Port 3\nHost a\n  Port 4\n", "config-line", Login{Host: "a", Port: 4}},
		"binary":                                  {"\x00\xff\xfe\nHost a\n  Port 4\n", "config-line", Login{Host: "a", Port: 4}},
		"byte-order mark and Windows line ends":   {"\ufeffHost a\r\n  Port 4\r\n", "", Login{Host: "a", Port: 4}},
		"value refused at use":                    {"Host a\n  ProxyJump 'x;y'\n  Port 4\n", "", Login{Host: "a", Port: 4}},
		"missing include":                         {"Include /nonexistent/x\nHost a\n  Port 4\n", "config-include", Login{Host: "a", Port: 4}},
		"include of itself":                       {"Include config\nHost a\n  Port 4\n", "config-include", Login{Host: "a", Port: 4}},
		"tabs, equals, quotes, trailing comments": {"Host\ta \"b c\" # x\n\tPort=4\n  User = \"me\"\n", "", Login{Host: "a", Port: 4, User: "me"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			cfg, notices := LoadConfig(file(t, dir, "config", c.text))
			if n := codes(notices); n != c.notices {
				t.Errorf("notices %q, want %q (%v)", n, c.notices, notices)
			}
			if got, _ := cfg.Resolve(Login{Host: "a"}); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
	t.Run("no file", func(t *testing.T) {
		cfg, notices := LoadConfig(filepath.Join(t.TempDir(), "none"))
		if cfg == nil || notices != nil || cfg.Aliases() != nil {
			t.Errorf("%v, %v", cfg, notices)
		}
	})
	t.Run("a folder", func(t *testing.T) {
		if _, notices := LoadConfig(t.TempDir()); codes(notices) != "config-file" {
			t.Errorf("notices %v", notices)
		}
	})
	t.Run("jumps in a circle end", func(t *testing.T) {
		cfg, _ := parseConfig("Host a\n ProxyJump b\nHost b\n ProxyJump a\n", t.TempDir(), "/")
		if got, _ := cfg.Resolve(Login{Host: "a"}); len(got.Jumps) == 0 || len(got.Jumps) > maxJumps+1 {
			t.Errorf("%d jumps", len(got.Jumps))
		}
	})
}

func FuzzConfig(f *testing.F) {
	for _, s := range []string{
		"Host a b* !c\n  HostName %h.x\n  Port 22\n", "Match host a exec \"x\"\n User b\nMatch all\nUser c", "Include *\nHost \"x y\"",
		"ProxyJump a,b:1\nProxyCommand none\n", "IdentityFile=~/%d/%u\n", "Match user x localuser y !host z\n", "Host *a*a*a*a*a*b\nPort 1",
	} {
		f.Add(s, "a")
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text, alias string) {
		c, _ := parseConfig(text, dir, "/home/me")
		for _, a := range append(c.Aliases(), alias) {
			l, _ := c.Resolve(Login{Host: a})
			if l.Host != a || len(l.Jumps) > maxJumps+1 || l.Port < 0 || l.Port > 65535 {
				t.Fatalf("%q: %+v", a, l)
			}
			if h := l.Options["HostName"]; h != "" && !checkHost(h) {
				t.Fatalf("host name %q", h)
			}
			if l.User != "" && checkUser(l.User) != nil {
				t.Fatalf("user %q", l.User)
			}
		}
	})
}

// case 26: configs as they lie on people's computers.
func TestConfigCorpus(t *testing.T) {
	for name, notices := range map[string]string{
		"fedora": "", "rental": "", "mac": "config-include config-include", "windows": "config-exec",
		"company": "config-match config-exec config-match",
	} {
		t.Run("case 26: "+name, func(t *testing.T) {
			c, got := LoadConfig(filepath.Join("testdata", "config", name))
			if n := codes(got); n != notices {
				t.Errorf("notices %q, want %q", n, notices)
			}
			l, _ := c.Resolve(Login{Host: "box"})
			if dialAddr(l) != "192.0.2.1:2222" {
				t.Errorf("box is at %s: %+v", dialAddr(l), l)
			}
			if !c.Has("box") || c.Has("gpu-?") || c.Has("i-*") {
				t.Errorf("aliases %q", c.Aliases())
			}
			if len(l.Forwards) > 0 || l.Command != "" || l.User == "nobody" || l.User == "corp" {
				t.Errorf("%+v", l)
			}
		})
	}
}
