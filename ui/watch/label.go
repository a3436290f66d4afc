package watch

import (
	"strings"

	"fyne.io/fyne/v2"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/probe/stream"
	"rentgen/ui/hosts"
	"rentgen/ui/live"
)

// label is a text that draws only when it changes.
type label struct{ widget.Label }

func newLabel() *label {
	l := &label{}
	l.ExtendBaseWidget(l)
	return l
}

func newSmall() *label {
	l := newLabel()
	l.SizeName = fynetheme.SizeNameCaptionText
	return l
}

func (l *label) set(s string) {
	if l.Text != s {
		l.SetText(s)
	}
}

// quiet greys the text of an old reading.
func (l *label) quiet(on bool) {
	want := widget.MediumImportance
	if on {
		want = widget.LowImportance
	}
	if l.Importance != want {
		l.Importance = want
		l.Refresh()
	}
}

func truncated(l *label) *label {
	l.Truncation = fyne.TextTruncateEllipsis
	return l
}

// valueText says a reading; one that is missing is a dash.
func valueText(c *texts.Catalogue, v probe.Value, m probe.Metric) string {
	n, ok := v.Ok()
	if !ok {
		return texts.Dash
	}
	if m == probe.PState {
		return "P" + texts.Number(n, 0)
	}
	return texts.Value(c, n, m.Info().Unit)
}

// missing says why a reading of a card is missing, or of the machine where gpu
// is ""; "" where it is there.
func (b *board) missing(gpu string, v probe.Value) string {
	c := b.w.c
	switch {
	case v.State == probe.OK:
		return ""
	case v.State != probe.Unsupported:
	case gpu == "":
		return c.T("watch.missing.machine")
	case b.device(gpu).Parent != "":
		return c.T("watch.missing.slice")
	}
	return texts.Missing(c, v.State.String(), v.Raw)
}

// ofText says a part of a whole: "402 of 450 W".
func ofText(c *texts.Catalogue, part, whole probe.Value, m probe.Metric) string {
	p, ok := part.Ok()
	w, all := whole.Ok()
	if !ok {
		return texts.Dash
	}
	if !all || w <= 0 {
		return valueText(c, part, m)
	}
	if m.Info().Unit == "MiB" {
		return texts.MiBOf(c, p, w)
	}
	return c.T("format.of", "part", texts.Number(p, 0), "whole", texts.Value(c, w, m.Info().Unit))
}

// pairText says two readings of one unit, the unit once: "0.1 / 2 MB/s".
func pairText(c *texts.Catalogue, a, b probe.Value, ma, mb probe.Metric) string {
	x, y := valueText(c, a, ma), valueText(c, b, mb)
	n, unit, ok := strings.Cut(x, "\u2009")
	if _, other, _ := strings.Cut(y, "\u2009"); ok && other == unit {
		x = n
	}
	return x + " / " + y
}

// chipText is a host in one line: its name, and its cards' load while live.
func chipText(c *texts.Catalogue, h *hosts.Host, w hosts.Words) string {
	if h.State().Phase != stream.Live {
		return c.T("watch.chip", "name", hosts.NameOf(c, h), "state", w.Short)
	}
	var load []string
	for _, d := range h.Live().Cards() {
		load = append(load, valueText(c, h.Live().Value(d.UUID, live.Of(probe.UtilGPU)), probe.UtilGPU))
		if len(load) == 4 {
			if len(h.Live().Cards()) > 4 {
				load = append(load, "…")
			}
			break
		}
	}
	if len(load) == 0 {
		return c.T("watch.chip", "name", hosts.NameOf(c, h), "state", w.Short)
	}
	return c.T("watch.chip", "name", hosts.NameOf(c, h), "state", strings.Join(load, " "))
}
