package bill

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"rentgen/app/bill/offer"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/uitest"
)

// TestPictures writes the place as PNG into RENTGEN_PICTURES, to be looked at.
// RENTGEN_PICTURES_ONLY narrows it to names that hold one of the given words.
func TestPictures(t *testing.T) {
	dir := os.Getenv("RENTGEN_PICTURES")
	if dir == "" {
		t.Skip("RENTGEN_PICTURES is not set")
	}
	only := strings.Fields(os.Getenv("RENTGEN_PICTURES_ONLY"))
	for _, lang := range texts.Langs() {
		for _, ground := range []theme.Ground{theme.Dark, theme.Light} {
			take := func(name string, w, h float32, offers []offer.Offer, play func(f *fixture)) {
				full := name + "-" + string(lang) + "-" + string(ground)
				wanted := len(only) == 0
				for _, o := range only {
					wanted = wanted || strings.Contains(full, o)
				}
				if !wanted {
					return
				}
				f := newFixture(t, lang, painting(offers...))
				fyne.CurrentApp().Settings().SetTheme(theme.New(theme.Params{Ground: ground}))
				f.Retext(texts.For(lang))
				f.resize(w, h)
				if play != nil {
					play(f)
				}
				f.settle()
				uitest.Save(t, filepath.Join(dir, "bill-"+full+".png"), f.win.Canvas())
			}
			take("empty-1024", 980, 662, nil, nil)
			take("three-1024", 980, 662, three(), nil)
			take("three-1280", 1152, 762, three(), nil)
			take("three-1920", 1792, 1042, three(), func(f *fixture) { f.chances = true; f.sync(); f.pictures.curves.SetCursor(120) })
			take("twelve-1280", 1152, 762, twelve(), nil)
			take("pictures-1024", 980, 662, three(), func(f *fixture) { f.drawn = true; f.sync() })
			take("explain-1280", 1152, 762, three(), func(f *fixture) { f.explain(0, "data_disk") })
			take("total-1024", 980, 662, three(), func(f *fixture) { f.explain(2, rowTotal) })
			take("ask-1280", 1152, 762, three(), func(f *fixture) { f.ask(0) })
			take("new-1280", 1152, 762, three(), func(f *fixture) { f.newOffer() })
			take("edit-1280", 1152, 762, three(), func(f *fixture) { f.edit(0) })
			take("term-1024", 980, 662, three(), func(f *fixture) { f.editTerm(0, offer.ReleaseAfter) })
			take("settings-1280", 1152, 762, three(), func(f *fixture) { f.settings() })
			take("status-1280", 1152, 762, twelve()[3:8], nil)
		}
	}
}
