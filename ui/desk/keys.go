package desk

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
)

// AddKeys makes undo and redo of a window those of the desk while on says that
// a page of it is seen: Ctrl+Z, and Ctrl+Y or Ctrl+Shift+Z.
func (d *Desk) AddKeys(c fyne.Canvas, on func() bool) {
	key := func(do func()) func(fyne.Shortcut) {
		return func(fyne.Shortcut) {
			if c.Overlays().Top() == nil && on() {
				do()
			}
		}
	}
	c.AddShortcut(&fyne.ShortcutUndo{}, key(d.Undo))
	c.AddShortcut(&fyne.ShortcutRedo{}, key(d.Redo))
	c.AddShortcut(&desktop.CustomShortcut{
		KeyName: fyne.KeyZ, Modifier: fyne.KeyModifierShortcutDefault | fyne.KeyModifierShift,
	}, key(d.Redo))
}
