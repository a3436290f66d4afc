package ui

import (
	fynetheme "fyne.io/fyne/v2/theme"

	"rentgen/assets/texts"
	"rentgen/ui/theme"
)

func (w *Window) catalogue() *texts.Catalogue {
	if l := texts.Lang(w.p.Settings.Lang); l != "" {
		return texts.For(l)
	}
	return texts.For(w.p.System)
}

func (w *Window) applyTheme() {
	w.look = [2]any{w.p.Settings.Theme, w.p.Settings.FontScale}
	ground := theme.System
	switch w.p.Settings.Theme {
	case "light":
		ground = theme.Light
	case "dark":
		ground = theme.Dark
	}
	w.p.App.Settings().SetTheme(theme.New(theme.Params{Ground: ground, Scale: float32(w.p.Settings.FontScale)}))
}

func (w *Window) setLang(l texts.Lang) {
	w.p.Settings.Lang = string(l)
	w.settingsChanged(true)
}

// flipTheme goes to the other of light and dark.
func (w *Window) flipTheme() {
	w.p.Settings.Theme = "light"
	if theme.Current() == theme.PaletteOf(fynetheme.VariantLight) { // light now
		w.p.Settings.Theme = "dark"
	}
	w.settingsChanged(true)
}

// settingsChanged saves the choices and, where they are of the look, shows the
// window in it. What was drawn in the old look is built anew.
func (w *Window) settingsChanged(look bool) {
	save := w.saver.save(w.p.Settings)
	if look {
		w.c = w.catalogue()
		w.guides.retext(w.c)
		fyneWords(w.c.Lang)
		if now := [2]any{w.p.Settings.Theme, w.p.Settings.FontScale}; now != w.look {
			w.applyTheme()
		}
		if w.desk != nil {
			w.desk.Refirst()
		}
		w.frame.Retext(w.c)
		if w.page != nil {
			w.page.Retext(w.c)
		}
		w.refresh()
	}
	w.p.Go(func() {
		if err := save(); err != nil {
			w.p.Do(func() { w.say(w.c.T("window.settings.unsaved"), err.Error()) })
		}
	})
}
