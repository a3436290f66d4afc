// Package prefs is the place of the person's choices: language, colours, size
// of text, how often readings are taken, whether a log is kept.
package prefs

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/settings"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// Params say what the place works with.
type Params struct {
	Texts    *texts.Catalogue
	Settings *settings.Settings
	// Changed takes over what was changed; Settings holds it already. look says
	// that the language, the colours or the size of text did.
	Changed func(look bool)
	// Home is the folder that holds everything of ours.
	Home        string
	Version     string
	Diagnostics func()
	// More are sections below the choices, such as Alerts.
	More []Section
}

// Section is a part of the place that is made elsewhere.
type Section interface {
	Content() fyne.CanvasObject
	Retext(c *texts.Catalogue)
}

// Place is the Settings place. Its methods belong to the UI thread.
type Place struct {
	p    Params
	c    *texts.Catalogue
	root *fyne.Container
}

// New returns the place.
func New(p Params) *Place {
	s := &Place{p: p, c: p.Texts, root: container.NewStack()}
	s.Retext(p.Texts)
	return s
}

// Key is "settings".
func (s *Place) Key() string { return "settings" }

// Icon is the place's sign in the rail.
func (s *Place) Icon() fyne.Resource { return theme.Icon("settings") }

// Content returns the page.
func (s *Place) Content() fyne.CanvasObject { return s.root }

// Shown brings the choices up to date: others can change them too.
func (s *Place) Shown() { s.Retext(s.c) }

// Hidden does nothing.
func (s *Place) Hidden() {}

// scales are the sizes that can be chosen.
var scales = []float64{0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2}

// Retext makes the place speak another language.
func (s *Place) Retext(c *texts.Catalogue) {
	s.c = c
	p := s.p.Settings
	col := container.NewVBox()
	head := widget.NewLabel(c.T("place.settings"))
	head.SizeName = fynetheme.SizeNameSubHeadingText
	head.TextStyle.Bold = true
	col.Add(head)
	labels := widgets.Scaled(210)
	row := func(key string, o fyne.CanvasObject) {
		l := widget.NewLabel(c.T(key))
		col.Add(container.NewBorder(nil, nil, widgets.AtLeast(fyne.NewSize(labels, 1), l), nil, o))
		if hint := key + ".hint"; c.Has(hint) {
			note := widgets.Small(c.T(hint))
			note.Wrapping = fyne.TextWrapWord
			col.Add(container.NewBorder(nil, nil, widgets.Gap(labels, 1), nil, note))
		}
	}
	row("settings.lang", choice([]string{c.T("settings.system"), c.T("settings.lang.zh"), c.T("settings.lang.en")},
		[]string{"", "zh", "en"}, p.Lang, func(v string) {
			p.Lang = v
			s.p.Changed(true)
		}))
	row("settings.theme", choice([]string{c.T("settings.system"), c.T("settings.theme.light"), c.T("settings.theme.dark")},
		[]string{"", "light", "dark"}, p.Theme, func(v string) {
			p.Theme = v
			s.p.Changed(true)
		}))
	percent := make([]string, len(scales))
	for i, x := range scales {
		percent[i] = texts.Percent(x * 100)
	}
	row("settings.font", choice(percent, scales, p.FontScale, func(v float64) {
		p.FontScale = v
		s.p.Changed(true)
	}))
	row("settings.scale", choice(append([]string{c.T("settings.system")}, percent...), append([]float64{0}, scales...), p.Scale, func(v float64) {
		p.Scale = v
		s.p.Changed(false)
	}))
	var rates []string
	for _, r := range settings.Rates() {
		rates = append(rates, c.T("watch.rate", "hz", texts.Number(r, 0)))
	}
	row("settings.rate", choice(rates, settings.Rates(), p.Rate, func(v float64) {
		p.Rate = v
		s.p.Changed(false)
	}))
	record := widgets.NewCheck(c.T("settings.record.on"), nil)
	record.SetChecked(p.Record)
	record.OnChanged = func(on bool) {
		p.Record = on
		s.p.Changed(false)
	}
	row("settings.record", record)
	home := widgets.Words(s.p.Home)
	home.Selectable = true
	home.Wrapping = fyne.TextWrapBreak
	row("settings.home", home)
	row("settings.version", widget.NewLabel(s.p.Version))
	col.Add(widgets.Gap(1, 4))
	col.Add(container.NewHBox(widgets.NewButton(c.T("watch.diagnostics"), nil, s.p.Diagnostics)))
	for _, m := range s.p.More {
		m.Retext(c)
		col.Add(widgets.Gap(1, 12))
		col.Add(m.Content())
	}
	s.root.Objects = []fyne.CanvasObject{container.NewVScroll(widgets.Inset(12, widgets.Left(widgets.Scaled(640), col)))}
	s.root.Refresh()
}

// choice is a list to choose from whose entries stand for values.
func choice[T comparable](names []string, values []T, now T, changed func(T)) fyne.CanvasObject {
	sel := widgets.NewSelect(names, nil)
	for i, v := range values {
		if v == now {
			sel.SetSelectedIndex(i)
		}
	}
	if sel.Selected == "" {
		sel.PlaceHolder = fmt.Sprint(now)
	}
	sel.OnChanged = func(string) {
		if i := sel.SelectedIndex(); i >= 0 {
			changed(values[i])
		}
	}
	return container.NewHBox(widgets.AtLeast(fyne.NewSize(widgets.Scaled(180), 1), sel))
}
