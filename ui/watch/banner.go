package watch

import (
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/probe/stream"
	"rentgen/ui/hosts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// cardName is how a card is called on the page.
func cardName(c *texts.Catalogue, d probe.Device) string {
	return c.T("watch.card", "index", strconv.Itoa(d.Index), "name", modelName(d))
}

// modelName is a card's model, and a slice's size beside it; newer drivers have
// that in the name.
func modelName(d probe.Device) string {
	name := strings.TrimPrefix(d.Name, "NVIDIA ")
	if d.Profile != "" && !strings.Contains(name, d.Profile) {
		name += " " + d.Profile
	}
	return name
}

func rateText(c *texts.Catalogue, hz float64) string {
	return c.T("watch.rate", "hz", texts.Number(hz, 0))
}

// infoText is the line of facts about the open card and how it is read.
func (b *board) infoText() string {
	c := b.w.c
	inv := b.host.Live().Inventory()
	var parts []string
	if len(b.cards) > 0 {
		d := b.device(b.open)
		name := modelName(d)
		if len(b.cards) > 1 {
			name = cardName(c, d)
		}
		parts = append(parts, name)
		if n, ok := b.total(b.open).Ok(); ok {
			parts = append(parts, texts.WithUnit(texts.Number(n, 0), "MiB"))
		}
		if d.Virtual {
			parts = append(parts, c.T("watch.slice"))
		}
	} else if inv != nil && inv.System.Hostname != "" {
		parts = append(parts, inv.System.Hostname)
	}
	if inv != nil {
		if inv.Driver != "" {
			parts = append(parts, c.T("watch.driver", "version", inv.Driver))
		}
		if inv.CUDA != "" {
			parts = append(parts, c.T("watch.cuda", "version", inv.CUDA))
		}
		parts = append(parts, hosts.SourceText(c, inv.Source))
		if hz := b.host.Rate(); hz > 0 {
			parts = append(parts, rateText(c, hz))
		}
		if inv.Demo {
			parts = append([]string{c.T("watch.demo")}, parts...)
		}
	}
	return strings.Join(parts, " · ")
}

// banner says in one line what is not as it should be: old readings, a broken
// link, simple readings; with what can be done.
type banner struct {
	b    *board
	icon *widget.Icon
	text *label
	act  *widgets.Button
	do   func()
	last string
	box  *fyne.Container
}

func newBanner(b *board) *banner {
	n := &banner{b: b, icon: widget.NewIcon(nil), text: truncated(newLabel())}
	n.act = widgets.NewButton("", nil, func() {
		if n.do != nil {
			n.do()
		}
	})
	n.box = widgets.Card(2, container.NewBorder(nil, nil, n.icon, n.act, n.text))
	n.box.Hide()
	return n
}

func (n *banner) set(icon fyne.Resource, text, act string, do func()) {
	n.do = do
	key := text + "\x00" + act
	if key == n.last {
		return
	}
	n.last = key
	n.text.set(text)
	n.icon.SetResource(icon)
	n.act.SetText(act)
	n.act.Hidden = act == ""
	n.box.Hidden = text == ""
	n.box.Refresh()
	n.b.root.Refresh()
}

func (n *banner) update() {
	c, h := n.b.w.c, n.b.host
	st := h.State()
	w := hosts.WordsOf(c, st, n.b.w.p.Now())
	switch st.Phase {
	case stream.Off:
		n.set(theme.Skip.Icon(), c.T("watch.banner.old", "sentence", w.Sentence, "age", n.age()), c.T("watch.connect"), h.Connect)
	case stream.Connecting:
		n.set(theme.Coloured("live", theme.ColorBusy), c.T("watch.banner.old", "sentence", w.Sentence, "age", n.age()),
			c.T("watch.cancel"), h.Leave)
	case stream.Waiting, stream.Failed:
		v := theme.Stale
		if st.Phase == stream.Failed {
			v = theme.Fail
		}
		act, do := c.T("watch.retry"), h.Connect
		if change := ChangeOf(st.Err); change != nil && n.b.w.p.Actions.Replace != nil {
			act, do = c.T("watch.changed"), func() { n.b.w.p.Actions.Replace(h, change) }
		}
		n.set(v.Icon(), c.T("watch.banner.old", "sentence", w.Sentence, "age", n.age()), act, do)
	case stream.Stale:
		n.set(theme.Stale.Icon(), w.Sentence, c.T("watch.retry"), h.Connect)
	case stream.Paused:
		n.set(theme.Icon("pause"), w.Sentence, c.T("watch.resume"), h.Resume)
	case stream.Live:
		inv := h.Live().Inventory()
		if _, err := h.Logging(); err != nil {
			n.set(theme.Warn.Icon(), c.T("hosts.log.failed.sentence", "error", err.Error()), "", nil)
			return
		}
		for _, t := range n.b.tiles {
			if kind := t.fault(); kind != "" && t.dev.UUID == n.b.open {
				n.set(theme.Fail.Icon(), c.T("watch.banner.card", "event", c.T("event."+kind)), "", nil)
				return
			}
		}
		if inv != nil && inv.Source == probe.SourceSMI && inv.Reason != "" && len(n.b.cards) > 0 {
			text := hosts.SimpleText(c, inv.Reason)
			if inv.Detail != "" {
				text = c.T("watch.banner.detail", "sentence", text, "detail", inv.Detail)
			}
			n.set(fynetheme.InfoIcon(), text, "", nil)
			return
		}
		n.set(nil, "", "", nil)
	}
}

func (n *banner) age() string {
	newest := n.b.host.Live().Newest()
	if newest.IsZero() {
		return texts.Dash
	}
	return texts.Duration(n.b.w.c, n.b.w.p.Now().Sub(newest))
}

// nocard is what stands in the cards' place where there is none.
type nocard struct {
	b    *board
	icon *widget.Icon
	what *widget.Label
	next *widget.Label
	said *widget.Label
	last probe.Mode
	box  *fyne.Container
}

func newNoCard(b *board) *nocard {
	n := &nocard{b: b, icon: widget.NewIcon(nil), what: widgets.Words(""), next: widgets.Words(""), said: widgets.Words("")}
	n.what.TextStyle.Bold = true
	n.said.TextStyle.Monospace = true
	n.said.Selectable = true
	n.said.Hide()
	n.box = widgets.Card(6, container.NewVBox(container.NewBorder(nil, nil, n.icon, nil, n.what), n.next, n.said))
	n.update()
	return n
}

func (n *nocard) update() {
	inv := n.b.host.Live().Inventory()
	if inv == nil || inv.Mode == n.last {
		return
	}
	n.last = inv.Mode
	mode := inv.Mode
	if mode == "" || mode == probe.ModeGPU {
		mode = probe.ModeFault
	}
	c := n.b.w.c
	n.icon.SetResource(theme.Fail.Icon())
	if mode == probe.ModeNoGPU {
		n.icon.SetResource(theme.Skip.Icon())
	}
	widgets.SetWords(n.what, c.T("stream.mode."+string(mode)))
	widgets.SetWords(n.next, c.T("stream.mode."+string(mode)+".next"))
	n.said.SetText(inv.Detail)
	n.said.Hidden = inv.Detail == "" || mode == probe.ModeNoGPU
}
