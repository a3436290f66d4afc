package setup

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/guide"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// rawOutput is what a check printed, folded and named as what it is: the words
// of the instance, not ours.
type rawOutput struct {
	k      *card
	fold   *widgets.Button
	copied *widgets.Button
	holder *fyne.Container
	box    *fyne.Container
	key    string
}

func newRawOutput(k *card) *rawOutput {
	r := &rawOutput{k: k, holder: container.NewVBox()}
	r.fold = k.d.quiet("setup.raw", nil, func() {
		k.d.p.m.raw[k.id] = !k.d.p.m.raw[k.id]
		k.d.again()
	})
	r.fold.Alignment = widget.ButtonAlignLeading
	r.copied = k.d.quiet("setup.raw.copy", theme.Icon("copy"), func() {
		if rec := k.cv.Record; rec != nil {
			k.d.p.w.p.Copy(guide.Clean(append(append([]byte{}, rec.Stdout...), rec.Stderr...), 0))
		}
	})
	r.box = container.NewVBox(container.NewHBox(r.fold, r.copied), r.holder)
	return r
}

// sync brings the output up to date and reports whether its size may be another.
func (r *rawOutput) sync() (changed bool) {
	rec, open := r.k.cv.Record, r.k.d.p.m.raw[r.k.id]
	has := rec != nil && rec.BlockedBy == ""
	changed = widgets.SetShown(r.box, has)
	sign := fynetheme.MenuExpandIcon()
	if open {
		sign = fynetheme.MenuDropDownIcon()
	}
	if r.fold.Icon != sign {
		r.fold.SetIcon(sign)
	}
	changed = widgets.SetShown(r.copied, open) || changed
	key := ""
	if has && open {
		key = rec.Time.String() + r.k.d.p.w.c.T("setup.raw")
	}
	if key == r.key {
		return changed
	}
	r.key = key
	r.holder.Objects = nil
	if key != "" {
		r.add("setup.raw.stdout", rec.Stdout)
		r.add("setup.raw.stderr", rec.Stderr)
	}
	r.holder.Refresh()
	return true
}

const (
	rawLines = 120     // shown of each stream; the rest can be copied
	rawBytes = 1 << 16 // read of each stream for that
	rawWidth = 400     // characters of a line
)

// add shows a stream under its name.
func (r *rawOutput) add(name string, b []byte) {
	c := r.k.d.p.w.c
	if len(b) == 0 {
		if name == "setup.raw.stdout" {
			r.holder.Add(widgets.Small(c.T("setup.raw.none")))
		}
		return
	}
	lines := strings.Split(strings.TrimRight(guide.Clean(b, rawBytes), "\n"), "\n")
	cut := len(lines) > rawLines || len(b) > rawBytes
	if len(lines) > rawLines {
		lines = lines[:rawLines]
	}
	for i, l := range lines {
		lines[i] = widgets.Short(strings.ReplaceAll(l, "\t", "    "), rawWidth)
	}
	r.holder.Add(widgets.Small(c.T(name)))
	text := widget.NewLabel(strings.Join(lines, "\n"))
	text.TextStyle.Monospace = true
	text.SizeName = fynetheme.SizeNameCaptionText
	text.Selectable = true
	r.holder.Add(widgets.Card(2, container.NewHScroll(text)))
	if cut {
		r.holder.Add(widgets.Small(c.T("setup.raw.cut", "n", len(lines))))
	}
}
