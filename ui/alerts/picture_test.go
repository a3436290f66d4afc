package alerts

import (
	"os"
	"path/filepath"
	"testing"

	"rentgen/app/purse/alert"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/uitest"
)

// TestPictures writes the list as PNG into RENTGEN_PICTURES, to be looked at.
func TestPictures(t *testing.T) {
	dir := os.Getenv("RENTGEN_PICTURES")
	if dir == "" {
		t.Skip("RENTGEN_PICTURES is not set")
	}
	for _, lang := range texts.Langs() {
		for _, ground := range []theme.Ground{theme.Dark, theme.Light} {
			save := func(name string, f *fixture) {
				uitest.Save(t, filepath.Join(dir, "alerts-"+name+"-"+string(lang)+"-"+string(ground)+".png"), f.w.Canvas())
			}
			f := newFixture(t, lang, ground)
			save("empty", f)
			some(f.s)
			f.s.Seen(f.s.Alerts()[2].ID)
			f.s.Snooze(f.s.Alerts()[3].ID, alert.UntilOver)
			f.Refresh()
			save("full", f)
			f.byID[f.order[0]].menu()
			save("menu", f)
			f = newFixture(t, lang, ground)
			some(f.s)
			f.w.Resize(f.w.Canvas().Size().AddWidthHeight(264, 80))
			f.w.SetContent(f.foot())
			f.Open()
			save("panel", f)
		}
	}
}
