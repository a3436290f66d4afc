package connect

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/assets/texts"
	"rentgen/probe/remote"
	ourtheme "rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// New is a host that the person wants to have.
type New struct {
	Name     string
	Line     string // canonical login line, hosts.LineLocal or hosts.LineDemo
	Password string
	Forwards []remote.ForwardSpec // offered by the pasted line
}

// Params say what a page works with.
type Params struct {
	Window fyne.Window
	Texts  *texts.Catalogue
	// Parse reads a login line; nil takes remote.ParseLogin.
	Parse func(line string) (remote.Login, error)
	// Config reads ~/.ssh/config: its names, and what a name stands for.
	Config func() Config
	// Add takes the host that was put together.
	Add func(n New)
	// Local and Demo open the other doors, Plan that of who has no instance yet;
	// nil leaves that one out.
	Local, Demo, Plan func()
	// Edit is a host whose login line is to be changed; nil for a new one.
	Edit *New
	// Back leaves the page; nil on a first run, which has nothing behind it.
	Back func()
}

// Config is what ~/.ssh/config offers.
type Config struct {
	Aliases []string
	Resolve func(l remote.Login) remote.Login // nil leaves a login as it is
	Notices []remote.Notice
}

// Page is the page with the doors. Its methods belong to the UI thread.
type Page struct {
	p       Params
	c       *texts.Catalogue
	tab     int
	tabs    []*widgets.Button
	body    *fyne.Container
	paste   *pasteTab
	form    *formTab
	aliases *aliasTab
	column  *fyne.Container
	scroll  *container.Scroll
	root    *fyne.Container
	saving  bool
	note    *widget.Label // that the host is being saved
	problem *message      // why it was not
}

// NewPage returns the page with the paste field open.
func NewPage(p Params) *Page {
	if p.Parse == nil {
		p.Parse = remote.ParseLogin
	}
	if p.Config == nil {
		p.Config = func() Config { return Config{} }
	}
	g := &Page{p: p, root: container.NewStack(), note: widgets.Words(""), problem: newError()}
	g.note.Hide()
	// One host at a time: the way by keyboard ends here too.
	add, local := p.Add, p.Local
	g.p.Add = func(n New) {
		if !g.saving {
			g.problem.set("")
			add(n)
		}
	}
	g.p.Local = func() {
		if !g.saving {
			g.problem.set("")
			local()
		}
	}
	g.paste = newPasteTab(g)
	g.form = newFormTab(g)
	g.aliases = newAliasTab(g)
	g.Retext(p.Texts)
	if p.Edit != nil {
		g.paste.name.SetText(p.Edit.Name)
		// A name that we made from the old line follows the new one.
		if l, err := p.Parse(p.Edit.Line); err == nil && suggestedName(l) == p.Edit.Name {
			g.paste.autoName = p.Edit.Name
		}
		g.paste.setLine(p.Edit.Line)
		g.paste.read(p.Edit.Line)
		g.form.fields["name"].SetText(p.Edit.Name)
	}
	return g
}

// Content returns the page.
func (g *Page) Content() fyne.CanvasObject { return g.root }

// Paste takes a text as if it were pasted into the field for the login line.
// The field does not wait with the keyboard: a blinking cursor keeps a window
// drawing that nobody looks at.
func (g *Page) Paste(clip fyne.Clipboard) {
	g.open(0)
	g.p.Window.Canvas().Focus(g.paste.line)
	// A whole line is pasted: it takes the place of the one that stands there.
	if clip.Content() != "" {
		g.paste.setLine("")
	}
	g.paste.line.TypedShortcut(&fyne.ShortcutPaste{Clipboard: clip})
}

// Type takes a letter that was typed while nothing had the keyboard.
func (g *Page) Type(r rune) {
	if g.tab == 0 {
		g.p.Window.Canvas().Focus(g.paste.line)
		g.paste.line.TypedRune(r)
	}
}

// Retext makes the page speak another language; what was typed stays.
func (g *Page) Retext(c *texts.Catalogue) {
	g.c = c
	first := g.p.Back == nil
	title := widget.NewLabel(c.T("connect.title"))
	switch {
	case g.p.Edit != nil:
		title.SetText(c.T("connect.edit", "name", g.p.Edit.Name))
	case first:
		title.SetText(c.T("connect.welcome"))
	}
	title.SizeName = theme.SizeNameHeadingText
	title.TextStyle.Bold = true
	lead := widgets.Words(c.T("connect.lead"))
	if g.p.Edit != nil {
		widgets.SetWords(lead, c.T("connect.edit.lead"))
	}
	var back fyne.CanvasObject
	if !first {
		back = widgets.NewButton(c.T("connect.back"), theme.NavigateBackIcon(), g.p.Back)
	}
	g.tabs = nil
	row := container.NewHBox()
	for i, key := range []string{"connect.tab.paste", "connect.tab.alias", "connect.tab.form"} {
		b := widgets.Quiet(c.T(key), nil, func() { g.open(i) })
		g.tabs = append(g.tabs, b)
		row.Add(b)
	}
	g.problem.set("")
	g.paste.retext()
	g.form.retext()
	g.aliases.retext()
	g.body = container.NewStack()
	head := cardTitle(c.T("connect.have"), theme.LoginIcon())
	if g.p.Edit != nil {
		head.Hide()
	}
	have := newCard(container.NewVBox(
		head, row, g.body, g.note, g.problem.box,
	))
	show := newCard(container.NewBorder(cardTitle(c.T("connect.show"), theme.MediaPlayIcon()),
		container.NewHBox(widgets.NewButton(c.T("connect.show.do"), nil, g.p.Demo)), nil, nil,
		widgets.Words(c.T("connect.show.what"))))
	local := newCard(container.NewBorder(cardTitle(c.T("connect.local"), theme.ComputerIcon()),
		container.NewHBox(widgets.NewButton(c.T("connect.local.do"), nil, g.p.Local)), nil, nil,
		widgets.Words(c.T("connect.local.what"))))
	doors := container.NewGridWithColumns(2, show, local)
	if g.p.Plan != nil {
		choosing := newCard(container.NewBorder(cardTitle(c.T("plan.door"), ourtheme.Icon("plan")),
			container.NewHBox(widgets.NewButton(c.T("plan.door.do"), nil, g.p.Plan)), nil, nil,
			widgets.Words(c.T("plan.door.what"))))
		doors = container.NewGridWithColumns(3, choosing, show, local)
	}
	if g.p.Edit != nil {
		doors.Hide()
	}
	page := container.NewVBox(
		widgets.Gap(1, 12),
		container.NewBorder(nil, nil, nil, back, title), lead, widgets.Gap(1, 4),
		have, widgets.Gap(1, 4), doors, widgets.Gap(1, 8),
	)
	g.column = widgets.Column(widgets.Scaled(820), page)
	g.scroll = container.NewVScroll(g.column)
	g.root.Objects = []fyne.CanvasObject{g.scroll}
	g.open(g.tab)
	g.root.Refresh()
	g.Saving(g.saving)
}

// Saving says that the host is being saved; no other is taken meanwhile.
func (g *Page) Saving(on bool) {
	g.saving = on
	widgets.SetWords(g.note, g.c.T("connect.saving"))
	g.note.Hidden = !on
	if on {
		g.paste.connect.Disable()
		g.form.do.Disable()
	} else {
		g.paste.show()
		g.form.do.Enable()
	}
	g.relayout()
}

// Failed says why the host was not added, with the raw words of the system.
func (g *Page) Failed(sentence, raw string) {
	g.problem.set(sentence + "\n" + raw)
	g.relayout()
}

// Reread takes over what changed in ~/.ssh/config.
func (g *Page) Reread() {
	g.aliases.loaded = false
	if g.tab == 1 {
		g.aliases.load()
	}
}

// relayout gives the page the height that its content has by now.
func (g *Page) relayout() {
	if g.scroll != nil {
		g.scroll.Refresh()
		g.column.Refresh()
	}
}

func (g *Page) open(tab int) {
	g.tab = tab
	for i, b := range g.tabs {
		b.Importance = widget.LowImportance
		if i == tab {
			b.Importance = widget.MediumImportance
		}
		b.Refresh()
	}
	var o fyne.CanvasObject
	switch tab {
	case 0:
		o = g.paste.box
	case 1:
		g.aliases.load()
		o = g.aliases.box
	default:
		o = g.form.box
	}
	g.body.Objects = []fyne.CanvasObject{o}
	g.relayout()
}

func cardTitle(text string, icon fyne.Resource) fyne.CanvasObject {
	l := widget.NewLabel(text)
	l.TextStyle.Bold = true
	return container.NewHBox(widget.NewIcon(icon), l)
}
