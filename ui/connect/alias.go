package connect

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/probe/remote"
	"rentgen/ui/widgets"
)

// maxAliases bounds the list that is drawn; the filter finds the others.
const maxAliases = 100

// aliasTab offers the names of ~/.ssh/config.
type aliasTab struct {
	g      *Page
	filter *widgets.Entry
	list   *fyne.Container
	box    *fyne.Container
	config Config
	loaded bool
}

func newAliasTab(g *Page) *aliasTab {
	t := &aliasTab{g: g, filter: widgets.NewEntry(), list: container.NewVBox()}
	t.filter.OnChanged = func(string) { t.fill() }
	t.box = container.NewVBox()
	return t
}

// load reads the file when the tab is opened, not before: it may be long.
func (t *aliasTab) load() {
	if !t.loaded {
		t.config = t.g.p.Config()
		t.loaded = true
	}
	t.fill()
}

func (t *aliasTab) retext() {
	t.filter.SetPlaceHolder(t.g.c.T("connect.alias.filter"))
	if t.loaded {
		t.fill()
	}
}

func (t *aliasTab) fill() {
	c := t.g.c
	t.list.RemoveAll()
	n := 0
	for _, a := range t.config.Aliases {
		if !strings.Contains(strings.ToLower(a), strings.ToLower(strings.TrimSpace(t.filter.Text))) {
			continue
		}
		if n++; n > maxAliases {
			t.list.Add(widgets.Small(c.T("connect.alias.more")))
			break
		}
		l := remote.Login{Host: a}
		if t.config.Resolve != nil {
			l = t.config.Resolve(l)
		}
		name := widget.NewLabel(a)
		name.TextStyle.Bold = true
		where := widget.NewLabel(l.Hop())
		where.Truncation = fyne.TextTruncateEllipsis
		t.list.Add(widgets.NewTap(
			container.NewBorder(nil, nil, widgets.AtLeast(fyne.NewSize(200, 1), name), nil, where),
			func() { t.g.p.Add(New{Name: a, Line: remote.Login{Host: a}.Line()}) }))
	}
	t.box.RemoveAll()
	switch {
	case len(t.config.Aliases) == 0:
		t.box.Add(widgets.Words(c.T("connect.alias.none")))
	case n == 0:
		t.box.Add(t.filter)
		t.box.Add(widgets.Words(c.T("connect.alias.nomatch")))
	default:
		t.box.Add(widgets.Words(c.T("connect.alias")))
		t.box.Add(t.filter)
		t.box.Add(t.list)
	}
	for _, note := range t.config.Notices {
		t.box.Add(newMessage(theme.NewWarningThemedResource(theme.WarningIcon()), NoticeText(c, note)).box)
	}
	t.g.relayout()
}
