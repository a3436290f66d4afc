package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Settings are a person's choices. They belong to one goroutine (the
// window's).
type Settings struct {
	Lang      string  // "zh", "en"; "" follows the system
	Theme     string  // "dark", "light"; "" follows the system
	FontScale float64 // size of text against the theme's, 0.8 to 2; applies at once
	Scale     float64 // size of the whole window, FYNE_SCALE, 0.5 to 4; 0 leaves it to the screen; applies at the next start
	Rate      float64 // readings a second of a new watch: 1, 2, 5 or 10
	Record    bool    // keep a log of every watch but the demo's
	Welcomed  bool    // the first-run page was left once
	Window    Window  // where the window stood

	path  string
	other map[string]json.RawMessage // keys of a newer version, written back as they were
}

// Window is the size of the window when it was last closed, in Fyne's units; 0
// for none.
type Window struct {
	Width  float32 `json:"width"`
	Height float32 `json:"height"`
}

// Rates are the readings a second that can be chosen.
func Rates() []float64 { return []float64{1, 2, 5, 10} }

// Default returns the settings of a first start, to be saved at path.
func Default(path string) *Settings {
	return &Settings{FontScale: 1, Rate: 1, Record: true, path: path}
}

// Load reads the settings file. Without one it returns the defaults. A file
// that is no JSON object is set aside under a new name and the defaults are
// returned together with a *DamagedError, so the program can go on and say so.
// A single value that is out of range is replaced by its default.
func Load(path string) (*Settings, error) {
	s := Default(path)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, fmt.Errorf("read settings: %w", err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(b, &all); err != nil {
		aside := fmt.Sprintf("%s.damaged-%d", path, time.Now().Unix())
		if err := os.Rename(path, aside); err != nil {
			return s, fmt.Errorf("set damaged settings aside: %w", err)
		}
		return s, &DamagedError{Aside: aside, Err: err}
	}
	for _, f := range s.fields() {
		if raw, ok := all[f.key]; ok {
			f.read(raw)
			delete(all, f.key)
		}
	}
	s.other = all
	s.repair()
	return s, nil
}

// DamagedError says that the settings file could not be read and where it was
// put.
type DamagedError struct {
	Aside string
	Err   error
}

// Error says what happened to the file.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("settings were damaged and are now at %s: %v", e.Aside, e.Err)
}

// Unwrap returns the parser's error.
func (e *DamagedError) Unwrap() error { return e.Err }

type field struct {
	key   string
	value any // pointer into the Settings
}

// read leaves the default in place when the value has another type.
func (f field) read(raw json.RawMessage) { _ = json.Unmarshal(raw, f.value) }

func (s *Settings) fields() []field {
	return []field{
		{"lang", &s.Lang},
		{"theme", &s.Theme},
		{"font_scale", &s.FontScale},
		{"scale", &s.Scale},
		{"rate_hz", &s.Rate},
		{"record", &s.Record},
		{"welcomed", &s.Welcomed},
		{"window", &s.Window},
	}
}

func (s *Settings) repair() {
	d := Default(s.path)
	if !slices.Contains([]string{"", "zh", "en"}, s.Lang) {
		s.Lang = d.Lang
	}
	if !slices.Contains([]string{"", "dark", "light"}, s.Theme) {
		s.Theme = d.Theme
	}
	if !within(s.FontScale, 0.8, 2) {
		s.FontScale = d.FontScale
	}
	if s.Scale != 0 && !within(s.Scale, 0.5, 4) {
		s.Scale = d.Scale
	}
	if !slices.Contains(Rates(), s.Rate) {
		s.Rate = d.Rate
	}
	if !within(float64(s.Window.Width), 0, 20000) || !within(float64(s.Window.Height), 0, 20000) {
		s.Window = d.Window
	}
}

func within(x, low, high float64) bool { return !math.IsNaN(x) && x >= low && x <= high }

// Save writes the file whole or not at all.
func (s *Settings) Save() error {
	all := maps.Clone(s.other)
	if all == nil {
		all = make(map[string]json.RawMessage)
	}
	for _, f := range s.fields() {
		raw, err := json.Marshal(f.value)
		if err != nil {
			return fmt.Errorf("encode setting %s: %w", f.key, err)
		}
		all[f.key] = raw
	}
	b, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("encode settings: %w", err)
	}
	if err := writeFile(s.path, append(b, '\n')); err != nil {
		return fmt.Errorf("save settings: %w", err)
	}
	return nil
}

// writeFile replaces path by a file written and synced under another name, so
// that a crash leaves either the old or the new one.
func writeFile(path string, b []byte) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".settings-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
