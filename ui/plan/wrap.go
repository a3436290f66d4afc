package plan

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"rentgen/ui/widgets"
)

// say gives a label of words another text, if it is another: drawing texts is
// most of what an edit costs.
func say(l *widget.Label, text string) {
	if l.Text != text {
		widgets.SetWords(l, text)
	}
}

// relay lays a container out anew without drawing what is in it.
func relay(c *fyne.Container) {
	if c.Layout != nil {
		c.Layout.Layout(c.Objects, c.Size())
	}
}
