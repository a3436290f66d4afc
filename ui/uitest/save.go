package uitest

import (
	"image/png"
	"os"
	"testing"

	"fyne.io/fyne/v2"
)

// Save writes what a canvas shows as a PNG, to be looked at.
func Save(t testing.TB, path string, c fyne.Canvas) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := png.Encode(f, c.Capture()); err != nil {
		t.Fatal(err)
	}
}
