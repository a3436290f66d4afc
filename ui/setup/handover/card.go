package handover

import (
	"bytes"
	"image"
	"image/png"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/guide"
	"rentgen/app/guide/report"
	"rentgen/ui/setup"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// card is the page "Card report".
type card struct {
	p    Params
	h    *setup.Here
	root *container.Scroll

	copied, save, saveText *widgets.Button
	missing                *widget.Label
	picture                *canvas.Image
	drawn                  string // Markdown of what is shown
	painted                []byte // PNG of it, nil while it is being made
	asked                  int    // counts pictures that were asked for, so that an older one is dropped
}

func newCard(p Params, h *setup.Here) *card {
	c := h.Texts
	k := &card{p: p, h: h, missing: widgets.Words(""), picture: &canvas.Image{FillMode: canvas.ImageFillContain}}
	k.copied = widgets.Primary(c.T("handover.card.copy"), theme.Icon("copy"), func() {
		h.Copy(k.drawn)
		h.Say(guide.Pass, c.T("setup.copied"), "")
	})
	k.save = widgets.NewButton(c.T("handover.card.png"), fynetheme.DocumentSaveIcon(), func() { h.Save(c.T("handover.card.file")+".png", k.painted) })
	k.saveText = widgets.NewButton(c.T("handover.card.md"), fynetheme.DocumentSaveIcon(), func() {
		h.Save(c.T("handover.card.file")+".md", []byte(k.drawn))
	})
	k.missing.Importance = widget.LowImportance
	more := widgets.Row(
		widgets.NewButton(c.T("setup.page.items"), nil, func() { h.Show(setup.PageItems) }),
		widgets.NewButton(c.T("setup.page.pictures"), nil, func() { h.Show("pictures") }),
	)
	k.root = container.NewVScroll(widgets.Left(820, widgets.Inset(6, container.NewVBox(
		widgets.Words(c.T("handover.card.why")), widgets.Row(k.copied, k.save, k.saveText), k.missing, more,
		widgets.Card(1, container.New(&sheet{k.picture}, k.picture)),
	))))
	return k
}

// Content is the page.
func (k *card) Content() fyne.CanvasObject { return k.root }

// Leave drops what is being painted.
func (k *card) Leave() { k.asked++ }

// Sync brings the page up to date.
func (k *card) Sync() {
	made := k.p.Card(k.h.Host().ID, k.h.Texts.Lang)
	text := made.Markdown()
	if text == k.drawn && k.painted != nil {
		return
	}
	k.drawn = text
	k.tell(made)
	k.paint(made)
}

// tell names the figures that aren't known yet.
func (k *card) tell(made *report.Card) {
	c := k.h.Texts
	var list []string
	for _, r := range made.Rows {
		if !r.Known {
			list = append(list, r.Label)
		}
	}
	text := c.T("handover.card.whole")
	if len(list) > 0 {
		text = c.T("handover.card.missing", "list", listed(c, list))
	}
	widgets.SetWords(k.missing, text)
}

// paint makes the picture off the UI thread.
func (k *card) paint(made *report.Card) {
	k.asked++
	n, h := k.asked, k.h
	k.painted = nil
	widgets.Able(k.save, false)
	h.Go(func() {
		var b bytes.Buffer
		err := made.PNG(&b)
		var img image.Image
		if err == nil {
			img, err = png.Decode(bytes.NewReader(b.Bytes()))
		}
		h.Do(func() {
			if n != k.asked {
				return
			}
			if err != nil {
				h.Say(guide.Warn, h.Texts.T("handover.card.failed"), err.Error())
				return
			}
			k.painted = b.Bytes()
			k.picture.Image = img
			widgets.Able(k.save, true)
			k.picture.Refresh()
			k.root.Refresh()
		})
	})
}

// sheet gives a picture the height that belongs to its width.
type sheet struct{ picture *canvas.Image }

const sheetWidth = 560

// MinSize implements fyne.Layout.
func (s *sheet) MinSize([]fyne.CanvasObject) fyne.Size {
	if s.picture.Image == nil {
		return fyne.NewSize(sheetWidth, widgets.Scaled(320))
	}
	b := s.picture.Image.Bounds()
	return fyne.NewSize(sheetWidth, sheetWidth*float32(b.Dy())/float32(max(b.Dx(), 1)))
}

// Layout implements fyne.Layout.
func (s *sheet) Layout(o []fyne.CanvasObject, size fyne.Size) {
	o[0].Move(fyne.NewPos(0, 0))
	o[0].Resize(size)
}
