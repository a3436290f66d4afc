package measuring

import (
	"cmp"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/purse/measured"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// Notice is the line of a place: what could be used, and what was. It is empty where
// nothing was measured.
type Notice struct {
	m      *Model
	c      *texts.Catalogue
	canvas func() fyne.Canvas
	box    *fyne.Container
	key    string
}

// NewNotice returns a notice in a language. A nil model makes one that stays empty.
func NewNotice(m *Model, c *texts.Catalogue, canvas func() fyne.Canvas) *Notice {
	n := &Notice{m: m, c: c, canvas: canvas, box: container.NewVBox()}
	n.box.Hide()
	return n
}

// Box is what the place shows; hidden while it is empty.
func (n *Notice) Box() *fyne.Container { return n.box }

// Sync brings it up to date, and reports whether it takes another room.
func (n *Notice) Sync() bool {
	if n.m == nil {
		return false
	}
	key, row := n.row()
	if key == n.key {
		return false
	}
	n.key = key
	n.box.Objects = nil
	if row != nil {
		n.box.Objects = []fyne.CanvasObject{row}
	}
	n.box.Hidden = row == nil
	n.box.Refresh()
	return true
}

func (n *Notice) row() (key string, row fyne.CanvasObject) {
	m, c := n.m, n.c
	if err := m.Fault(); err != nil {
		return "fault", line(theme.Warn, c.T("measuring.failed"), widgets.NewButton(c.T("measuring.retry"), nil, m.Load))
	}
	if made, last := m.Done(); len(made) > 0 {
		text, key := c.T("measuring.done", "what", n.said(made)), "done"
		do := []fyne.CanvasObject{
			widgets.Quiet(c.T("measuring.each"), nil, func() { n.list(made) }),
			widgets.Quiet(c.T("measuring.close"), nil, m.Read),
		}
		if last {
			do = slices.Insert(do, 1, fyne.CanvasObject(widgets.NewButton(c.T("measuring.undo"), nil, m.Undo)))
			key += "last"
		}
		return key + text, line(theme.Pass, text, do...)
	}
	all := m.Offered()
	if len(all) == 0 {
		return "", nil
	}
	text := n.summary(all)
	sure := Sure(all)
	do := []fyne.CanvasObject{
		widgets.Quiet(c.T("measuring.each"), nil, func() { n.choose(all) }),
		widgets.Quiet(c.T("measuring.later"), nil, m.Later),
	}
	if len(sure) > 0 {
		do = slices.Insert(do, 0, fyne.CanvasObject(widgets.NewButton(c.T("measuring.use"), nil, func() { m.Use(sure) })))
	}
	return "offer" + text + mark(all), line("", text, do...)
}

func line(v theme.Verdict, text string, do ...fyne.CanvasObject) fyne.CanvasObject {
	var icon fyne.CanvasObject
	if v != "" {
		icon = container.NewVBox(widget.NewIcon(v.Icon()))
	}
	return widgets.Card(3, container.NewBorder(nil, nil, icon, container.NewVBox(widgets.Row(do...)), widgets.Words(text)))
}

// most is how many hosts a notice names.
const most = 2

// summary says what was measured, a sentence a host: first that with the latest
// figures.
func (n *Notice) summary(all []measured.Change) string {
	var hosts []string
	by := make(map[string][]measured.Change)
	for _, ch := range all {
		if !ch.Sure {
			continue
		}
		if by[ch.Host.ID] == nil {
			hosts = append(hosts, ch.Host.ID)
		}
		by[ch.Host.ID] = append(by[ch.Host.ID], ch)
	}
	newest := func(id string) int64 {
		at := int64(0)
		for _, ch := range by[id] {
			at = max(at, ch.At.Unix())
		}
		return at
	}
	slices.SortStableFunc(hosts, func(a, b string) int { return cmp.Compare(newest(b), newest(a)) })
	var parts []string
	for _, id := range hosts[:min(len(hosts), most)] {
		parts = append(parts, n.c.T("measuring.on", "host", widgets.Short(by[id][0].Host.Name, 28), "what", join(n.c, figures(n.c, by[id]))))
	}
	if more := len(hosts) - most; more > 0 {
		parts = append(parts, n.c.T("measuring.more", "n", more))
	}
	if ch := all[0]; len(hosts) == 0 && ch.Kind == measured.Utilisation {
		parts = append(parts, n.c.Say(ch.Say))
	} else if len(hosts) == 0 { // only rhythms of jobs that nobody named
		parts = append(parts, n.c.T("measuring.pace", "s", number(ch.Seconds), "source", measured.SourceIn(n.c, ch.Source),
			"host", widgets.Short(ch.Host.Name, 28), "date", texts.DateYear(n.c, ch.At)))
	}
	return sentences(n.c, parts)
}

// said tells the figures that were put in with their logs and dates.
func (n *Notice) said(made []measured.Change) string {
	var parts []string
	all := group(made)
	for _, f := range all {
		if f[0].Kind == measured.Job && slices.ContainsFunc(made, func(o measured.Change) bool { return o.Kind == measured.Start }) {
			f[0].Ready = 0 // the parts say more
		}
		for _, t := range figures(n.c, f) {
			last := f[len(f)-1]
			parts = append(parts, n.c.T("measuring.from", "what", t, "source", measured.SourceIn(n.c, last.Source), "date", texts.DateYear(n.c, last.At)))
		}
	}
	return join(n.c, parts)
}

// group puts the parts of a start together, everything else by itself.
func group(all []measured.Change) [][]measured.Change {
	var out [][]measured.Change
	at := -1
	for _, ch := range all {
		if ch.Kind == measured.Start {
			if at >= 0 {
				out[at] = append(out[at], ch)
				continue
			}
			at = len(out)
		}
		out = append(out, []measured.Change{ch})
	}
	return out
}

// figures says changes in short: of a start the sum of its parts, of figures that
// several offers take each once.
func figures(c *texts.Catalogue, all []measured.Change) []string {
	var start, ready float64
	parts := make(map[string]bool)
	var out, seen []string
	add := func(to *[]string, s string) {
		if !slices.Contains(*to, s) {
			*to = append(*to, s)
		}
	}
	for _, ch := range all {
		switch ch.Kind {
		case measured.Start:
			if !parts[ch.Part] {
				parts[ch.Part], start = true, start+ch.Seconds
			}
		case measured.Job, measured.Pace:
			if ch.Seconds > 0 {
				add(&out, c.T("measuring.seconds", "s", number(ch.Seconds)))
			}
			ready = max(ready, ch.Ready)
		case measured.Utilisation:
			add(&out, c.T("measuring.share", "share", texts.Percent(ch.Share*100)))
		case measured.Interruptions:
			add(&seen, c.T("measuring.seen", "n", ch.Seen, "h", texts.Number(ch.Hours, 0)))
		}
	}
	if len(parts) == 0 {
		start = ready
	}
	if start > 0 {
		out = slices.Insert(out, 0, c.T("measuring.start", "d", measured.Lasts(c, start)))
	}
	return append(out, seen...)
}

func number(v float64) string {
	s := texts.Number(v, 2)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

func join(c *texts.Catalogue, all []string) string {
	text := ""
	for i, s := range all {
		if i == 0 {
			text = s
			continue
		}
		text = c.T("measuring.list", "a", text, "b", s)
	}
	return text
}

// sentences sets sentences behind each other: Chinese ones without a blank.
func sentences(c *texts.Catalogue, all []string) string {
	sep := " "
	if c.Lang == texts.Chinese {
		sep = ""
	}
	return strings.Join(all, sep)
}
