package home

import (
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"

	"rentgen/assets/texts"
	"rentgen/probe/stream"
	"rentgen/ui/chart"
	"rentgen/ui/hosts"
	"rentgen/ui/theme"
	"rentgen/ui/verdict"
	"rentgen/ui/widgets"
)

// sparkSpan is what the sparks show.
const sparkSpan = 15 * time.Minute

// Place is the Home place. Its methods belong to the UI thread.
type Place struct {
	p     Params
	c     *texts.Catalogue
	root  *fyne.Container
	group *chart.Group
	page  *page // nil while there is no host
	shown bool
	seen  seen
	form  *priceForm // the question what it costs, nil before the first
	guard *guardForm // the panel of the stop guard
}

// seen is what the page was brought up to date with.
type seen struct {
	host    *hosts.Host
	n       int // of hosts
	live    uint64
	model   uint64
	judging uint64
	phase   stream.Phase
	second  int64
}

// page are the parts of the page of a chosen host.
type page struct {
	now    *nowCard
	next   *nextCard
	away   *awayCard
	cost   *costCard
	alerts *alertsCard
	others *othersCard
}

// New returns the place, not shown yet.
func New(p Params) *Place {
	if p.Now == nil {
		p.Now = time.Now
	}
	if p.Do == nil {
		p.Do = fyne.Do
	}
	if p.Go == nil {
		p.Go = func(f func()) { go f() }
	}
	w := &Place{p: p, c: p.Texts, root: container.NewStack(), group: chart.NewPacedGroup(p.Pace)}
	w.group.SetShown(false)
	w.group.SetSpan(sparkSpan)
	w.build()
	return w
}

// Key is "home".
func (w *Place) Key() string { return "home" }

// Icon is the place's sign in the rail.
func (w *Place) Icon() fyne.Resource { return theme.Icon("home") }

// Content returns the page.
func (w *Place) Content() fyne.CanvasObject { return w.root }

// Shown starts drawing.
func (w *Place) Shown() {
	w.shown = true
	w.group.SetShown(true)
	w.seen = seen{}
	w.Tick()
}

// Hidden stops drawing.
func (w *Place) Hidden() {
	w.shown = false
	w.group.SetShown(false)
}

// Retext makes the place speak another language.
func (w *Place) Retext(c *texts.Catalogue) {
	w.c = c
	w.build()
}

// build makes the page anew.
func (w *Place) build() {
	w.seen = seen{}
	if w.page != nil {
		w.page.now.retire()
		w.page = nil
	}
	if w.p.Book.Chosen() == nil {
		w.root.Objects = []fyne.CanvasObject{w.empty()}
		w.root.Refresh()
		return
	}
	k := &page{}
	k.now, k.next, k.away = newNowCard(w), newNextCard(w), newAwayCard(w)
	k.cost, k.alerts, k.others = newCostCard(w), newAlertsCard(w), newOthersCard(w)
	w.page = k
	left := widgets.Stacked(6, k.now.box, k.next.box, k.away.box)
	right := widgets.Stacked(6, k.cost.box, k.alerts.box)
	w.root.Objects = []fyne.CanvasObject{container.NewVScroll(widgets.BesideBar(widgets.Inset(6,
		widgets.Stacked(6, container.New(&columns{left: 0.6, gap: 6}, left, right), k.others.box))))}
	w.root.Refresh()
	w.Tick()
}

// Tick brings the page up to date. It costs next to nothing where nothing changed
// and may be called as often as a few times a second.
func (w *Place) Tick() {
	h := w.p.Book.Chosen()
	if (h == nil) != (w.page == nil) {
		w.build()
		return
	}
	if h == nil {
		return
	}
	_, judging := w.p.Model.Verdicts(h.ID)
	is := seen{h, 0, h.Live().Version(), w.p.Model.Version(), judging, h.State().Phase, w.p.Now().Unix()}
	is.n = w.seen.n
	if is.second != w.seen.second { // the list is copied to be counted
		is.n = len(w.p.Book.Hosts())
	}
	if is == w.seen {
		return
	}
	was := w.seen
	w.seen = is
	k := w.page
	if is.live != was.live || is.host != was.host || is.second != was.second {
		k.now.update(h)
	}
	if is.host != was.host && widgets.SetShown(k.away.box, h.Line != hosts.LineLocal) {
		w.root.Refresh()
	}
	if is.model != was.model || is.host != was.host || is.second != was.second || is.phase != was.phase {
		k.next.update(h)
		k.away.update(h)
		k.cost.update(h)
		k.alerts.update()
		k.others.update(h)
	}
	k.now.line.Update(w.p.Model.Verdicts(h.ID))
	if w.shown && is.live != was.live {
		w.group.Redraw()
	}
}

// empty says what belongs here and what to do first.
func (w *Place) empty() fyne.CanvasObject {
	c := w.c
	buttons := widgets.Row(widgets.Primary(c.T("home.empty.add"), fynetheme.ContentAddIcon(), w.p.Actions.Add))
	if w.p.Actions.Plan != nil {
		buttons.Add(widgets.NewButton(c.T("home.empty.plan"), nil, w.p.Actions.Plan))
	}
	if w.p.Actions.Demo != nil {
		buttons.Add(widgets.NewButton(c.T("home.empty.demo"), nil, w.p.Actions.Demo))
	}
	title := widgets.Words(c.T("home.empty"))
	title.SizeName, title.TextStyle.Bold = fynetheme.SizeNameSubHeadingText, true
	return container.NewVScroll(widgets.Column(widgets.Scaled(620), container.NewVBox(
		widgets.Gap(1, 24), title, widgets.Words(c.T("home.empty.what")), widgets.Gap(1, 6), container.NewHBox(buttons))))
}

// Why opens the panel that looks for a minute at the chosen host.
func (w *Place) Why() {
	h := w.p.Book.Chosen()
	if h == nil {
		return
	}
	verdict.OpenWhy(verdict.WhyParams{
		Params: w.verdictParams(), Host: h.ID, Name: hosts.NameOf(w.c, h), Look: w.p.Model.Why, Do: w.p.Do, Go: w.p.Go,
		Copy: w.p.Actions.Copy,
	})
}
