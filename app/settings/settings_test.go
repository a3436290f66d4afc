package settings

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestHome(t *testing.T) {
	dir := t.TempDir()
	got, err := HomeOf(func(k string) string {
		if k == EnvHome {
			return dir
		}
		return ""
	})
	if err != nil || got != dir {
		t.Fatalf("HomeOf with %s = %q, %v; want %q", EnvHome, got, err, dir)
	}
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("HOME", dir)
	t.Setenv("AppData", dir)
	got, err = HomeOf(func(string) string { return "" })
	if err != nil || filepath.Base(got) != "rentgen" || !strings.HasPrefix(got, dir) {
		t.Fatalf("HomeOf without it = %q, %v; want a folder rentgen below %q", got, err, dir)
	}
	for _, p := range reflect.ValueOf(PathsIn(dir)).Fields() {
		if !strings.HasPrefix(p.String(), dir) {
			t.Errorf("%q lies outside the home", p)
		}
	}
}

func TestKeyring(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want bool
	}{
		{nil, true},
		{map[string]string{EnvHome: "/x"}, false},
		{map[string]string{EnvHome: "/x", EnvKeyring: "1"}, true},
		{map[string]string{EnvHome: "/x", EnvKeyring: "0"}, false},
	} {
		if got := KeyringOn(func(k string) string { return c.env[k] }); got != c.want {
			t.Errorf("%v: keyring %v, want %v", c.env, got, c.want)
		}
	}
}

func TestMakeIsPrivate(t *testing.T) {
	p := PathsIn(filepath.Join(t.TempDir(), "home"))
	if err := p.Make(); err != nil {
		t.Fatal(err)
	}
	st, err := os.Stat(p.Home)
	if err != nil {
		t.Fatal(err)
	}
	if os.PathSeparator == '/' && st.Mode().Perm() != 0o700 {
		t.Errorf("home has mode %v", st.Mode())
	}
}

func TestSaveLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "settings.json")
	s, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(s, Default(path)) {
		t.Fatalf("first start: %+v", s)
	}
	s.Lang, s.Theme, s.FontScale, s.Scale, s.Rate, s.Record = "zh", "light", 1.25, 1.5, 5, false
	s.Welcomed, s.Window = true, Window{1280, 800}
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	got, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	got.other = nil
	if !reflect.DeepEqual(got, s) {
		t.Fatalf("got %+v, want %+v", got, s)
	}
	names, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	hidden, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*"))
	if len(names)+len(hidden) != 1 {
		t.Errorf("left behind: %q %q", names, hidden)
	}
}

func TestKeysOfANewerVersionSurvive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(path, []byte(`{"rate_hz": 2, "currency": {"home": "CNY"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Load(path)
	if err != nil || s.Rate != 2 {
		t.Fatalf("%+v, %v", s, err)
	}
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	b, _ := os.ReadFile(path)
	if !strings.Contains(string(b), `"home": "CNY"`) {
		t.Errorf("lost a key: %s", b)
	}
}

func TestOutOfRange(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	bad := `{"lang":"fr","theme":7,"font_scale":99,"scale":-1,"rate_hz":100,"record":"no","window":{"width":1e30}}`
	if err := os.WriteFile(path, []byte(bad), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	s.other = nil
	if !reflect.DeepEqual(s, Default(path)) {
		t.Errorf("got %+v", s)
	}
}

func TestDamagedFileIsSetAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(path, []byte("{half"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Load(path)
	var damaged *DamagedError
	if !errors.As(err, &damaged) || s == nil || !s.Record {
		t.Fatalf("got %+v, %v", s, err)
	}
	if b, err := os.ReadFile(damaged.Aside); err != nil || string(b) != "{half" {
		t.Errorf("set aside: %q, %v", b, err)
	}
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err != nil {
		t.Errorf("after saving: %v", err)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"lang":"zh"}`))
	f.Add([]byte(`{"window":{"width":1e400}}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "settings.json")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Load(path)
		var damaged *DamagedError
		if err != nil && !errors.As(err, &damaged) {
			t.Fatal(err)
		}
		if err := s.Save(); err != nil {
			t.Fatal(err)
		}
	})
}
