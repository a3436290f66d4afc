package measuring

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/purse/measured"
	"rentgen/ui/widgets"
)

// listHigh is the most that a list of figures takes of a window of usual height.
const listHigh = 380

// choose lets figures be taken one by one. What is sure is ticked.
func (n *Notice) choose(all []measured.Change) {
	c := n.c
	ticked := make(map[string]bool)
	var panel *widgets.Panel
	take := widgets.Primary(c.T("measuring.take"), nil, nil)
	tend := func() {
		any := false
		for _, on := range ticked {
			any = any || on
		}
		widgets.Able(take, any)
	}
	rows := container.NewVBox()
	for _, ch := range all {
		ticked[ch.ID] = ch.Sure
		check := widget.NewCheck("", func(on bool) {
			ticked[ch.ID] = on
			tend()
		})
		check.Checked = ch.Sure
		text := container.NewVBox(widgets.Words(c.Say(ch.Say)))
		if !ch.Sure {
			why := "measuring.unsure"
			if ch.Kind == measured.Utilisation {
				why = "measuring.far"
			}
			note := widgets.Words(c.T(why))
			note.Importance = widget.WarningImportance
			text.Add(note)
		}
		rows.Add(container.NewBorder(nil, nil, container.NewVBox(check), nil, text))
	}
	take.OnTapped = func() {
		var ids []string
		for _, ch := range all { // in their order
			if ticked[ch.ID] {
				ids = append(ids, ch.ID)
			}
		}
		panel.Close()
		n.m.Use(ids)
	}
	tend()
	panel = n.panel(container.NewBorder(widgets.Words(c.T("measuring.what")), nil, nil, nil, n.scroll(rows)),
		widgets.Quiet(c.T("measuring.cancel"), nil, func() { panel.Cancel() }), take)
	panel.Show()
}

// list tells what was put in, sentence by sentence.
func (n *Notice) list(made []measured.Change) {
	rows := container.NewVBox()
	for _, ch := range made {
		rows.Add(widgets.Words(n.c.Say(ch.Say)))
	}
	var panel *widgets.Panel
	panel = n.panel(n.scroll(rows), widgets.Primary(n.c.T("measuring.close"), nil, func() { panel.Cancel() }))
	panel.Show()
}

func (n *Notice) scroll(o fyne.CanvasObject) fyne.CanvasObject {
	s := container.NewVScroll(o)
	return widgets.AtLeast(fyne.NewSize(10, min(listHigh, n.canvas().Size().Height-260)), s)
}

func (n *Notice) panel(content fyne.CanvasObject, buttons ...fyne.CanvasObject) *widgets.Panel {
	first, _ := buttons[len(buttons)-1].(fyne.Focusable)
	return widgets.NewPanel(widgets.PanelParams{
		Canvas: n.canvas(), Title: n.c.T("measuring.title"), Content: content, Buttons: buttons, Width: 620, First: first,
	})
}
