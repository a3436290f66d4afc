package main

import (
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/BurntSushi/toml"
)

// TestFyneAppToml keeps the file that Fyne's tools read and the code in step.
func TestFyneAppToml(t *testing.T) {
	var file struct {
		Details struct {
			Icon, Name, ID, Version string
			Build                   int
		}
		Migrations struct {
			FyneDo bool `toml:"fyneDo"`
		}
	}
	if _, err := toml.DecodeFile("../FyneApp.toml", &file); err != nil {
		t.Fatal(err)
	}
	d := file.Details
	if d.ID != appID || d.Name != appName || d.Version != appVersion || d.Build != appBuild {
		t.Errorf("FyneApp.toml says %+v; the code says %s %s %s %d", d, appID, appName, appVersion, appBuild)
	}
	if !file.Migrations.FyneDo {
		t.Error("FyneApp.toml does not say fyneDo = true, which the build tag migrated_fynedo does")
	}
	f, err := os.Open(filepath.Join("..", d.Icon))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c, err := png.DecodeConfig(f)
	if err != nil || c.Width != c.Height || c.Width < 256 {
		t.Errorf("icon: %+v, %v; want a square PNG of at least 256", c, err)
	}
}
