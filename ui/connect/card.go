package connect

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/assets/texts"
	"rentgen/probe/remote"
	"rentgen/ui/widgets"
)

// newCard sets its content on a panel with room round it.
func newCard(o fyne.CanvasObject) fyne.CanvasObject { return widgets.Card(8, o) }

// message is a line with a sign before it that wraps and may be absent.
type message struct {
	box   *fyne.Container
	label *widget.Label
}

func newMessage(icon fyne.Resource, text string) *message {
	m := &message{label: widgets.Words(text)}
	m.box = container.NewBorder(nil, nil, container.NewVBox(widgets.Gap(1, 1), widget.NewIcon(icon)), nil, m.label)
	return m
}

func newError() *message {
	m := newMessage(theme.NewErrorThemedResource(theme.ErrorIcon()), "")
	m.set("")
	return m
}

// set shows a text; "" hides the line.
func (m *message) set(text string) {
	widgets.SetWords(m.label, text)
	if text == "" {
		m.box.Hide()
	} else {
		m.box.Show()
	}
}

// NoticeText returns a notice of the parser in words.
func NoticeText(c *texts.Catalogue, n remote.Notice) string {
	key := "remote.notice." + n.Code
	if !c.Has(key) {
		key = "remote.notice.other"
	}
	pairs := []any{"code", n.Code}
	for k, v := range n.Args {
		pairs = append(pairs, k, v)
	}
	return c.T(key, pairs...)
}

// inputText returns what is wrong with a field and what is allowed.
func inputText(c *texts.Catalogue, e *remote.InputError) string {
	return texts.Input(c, e.Field, e.Value, e.Allowed)
}

// fieldRow is a label beside a field, with room for what is wrong under it.
type fieldRow struct {
	label *widget.Label
	box   *fyne.Container
	err   *message
}

func newFieldRow(field fyne.CanvasObject) *fieldRow {
	r := &fieldRow{label: widget.NewLabel(""), err: newError()}
	r.box = container.NewVBox(
		container.NewBorder(nil, nil, widgets.AtLeast(fyne.NewSize(widgets.Scaled(130), 1), r.label), nil, field),
		container.NewBorder(nil, nil, widgets.Gap(widgets.Scaled(130), 1), nil, r.err.box),
	)
	return r
}
