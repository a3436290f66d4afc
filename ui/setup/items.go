package setup

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"rentgen/app/guide"
	"rentgen/app/guide/track"
	"rentgen/ui/widgets"
)

// memory is what of the page of items is the user's: what is open and what was
// typed. It outlives another language.
type memory struct {
	at     string                   // the item that is shown
	own    bool                     // the user chose it
	open   map[guide.CheckID]bool   // checks that were unfolded or folded by hand
	raw    map[guide.CheckID]bool   // whose raw output is unfolded
	edit   map[guide.CheckID]string // commands being edited
	drafts map[string]string        // of fields, by item and field
	more   bool                     // what else is said of an item is shown
	whole  map[guide.CheckID]bool   // long commands that are shown to their end
	folded bool                     // the checks that can't apply are listed
	offset float32
}

func newMemory() *memory {
	return &memory{
		open: make(map[guide.CheckID]bool), raw: make(map[guide.CheckID]bool), edit: make(map[guide.CheckID]string),
		drafts: make(map[string]string), whole: make(map[guide.CheckID]bool),
	}
}

// items is the page of items: the list at the left, the chosen one at the right.
type items struct {
	w      *Place
	m      *memory
	list   *list
	detail *detail
	box    *fyne.Container
	shared track.View // of the track that is shown
	net    track.View
}

func (w *Place) makeItems(*Here) Body {
	m := newMemory()
	if w.items != nil { // the same host in another language
		m = w.items.m
	}
	p := &items{w: w, m: m}
	p.list = newList(p)
	p.detail = newDetail(p)
	p.box = container.New(&columns{}, p.list.box, p.detail.box)
	w.items = p
	return p
}

// Content implements Body.
func (p *items) Content() fyne.CanvasObject { return p.box }

// Leave implements Body.
func (p *items) Leave() { p.keep() }

// keep notes where the user is, for the page that takes this one's place.
func (p *items) keep() { p.m.offset = p.detail.scroll.Offset.Y }

// Sync implements Body.
func (p *items) Sync() {
	was := p.shared.Running || never(p.shared)
	p.shared, p.net = p.w.view(p.w.track()), p.w.view(guide.Network)
	// Who has chosen nothing is shown what the sentence is about, once a run has
	// ended or what was kept is read.
	leads := was && !p.shared.Running && !never(p.shared) && !p.m.own && p.shared.Next != p.m.at
	if leads || p.chosen() == nil {
		p.m.at = p.shared.Next
		if p.chosen() == nil && len(p.shared.Steps) > 0 {
			p.m.at = p.shared.Steps[0].Step.ID
		}
		p.m.offset = 0
	}
	p.list.sync()
	p.detail.sync()
}

// steps are all that are listed, in order.
func (p *items) steps() []*track.StepView {
	var all []*track.StepView
	for _, v := range []*track.View{&p.shared, &p.net} {
		for i := range v.Steps {
			all = append(all, &v.Steps[i])
		}
	}
	return all
}

// chosen is the item that is shown, nil while there is none.
func (p *items) chosen() *track.StepView {
	for _, s := range p.steps() {
		if s.Step.ID == p.m.at {
			return s
		}
	}
	return nil
}

func (p *items) trackOf(step string) guide.Track { return p.viewOf(step).Track }

func (p *items) viewOf(step string) *track.View {
	for _, s := range p.net.Steps {
		if s.Step.ID == step {
			return &p.net
		}
	}
	return &p.shared
}

// open shows an item by its id; from then on the user has chosen.
func (p *items) open(step string) {
	p.m.own = true
	if p.m.at == step {
		return
	}
	p.m.at, p.m.offset = step, 0
	if p.chosen() == nil {
		p.Sync()
		return
	}
	p.list.sync()
	p.detail.sync()
}

// escape ends what is being edited, and reports whether anything was.
func (p *items) escape() bool { return p.detail.escape() }

// columns lays the list beside the item.
type columns struct{}

const (
	listWidth = 316 // beside text of the usual size
	gapWidth  = 6
)

func (columns) split(width float32) float32 { return min(widgets.Scaled(listWidth), width*0.36) }

// MinSize implements fyne.Layout.
func (l columns) MinSize(o []fyne.CanvasObject) fyne.Size {
	a, b := o[0].MinSize(), o[1].MinSize()
	return fyne.NewSize(a.Width+b.Width+gapWidth, max(a.Height, b.Height))
}

// Layout implements fyne.Layout.
func (l columns) Layout(o []fyne.CanvasObject, size fyne.Size) {
	left := l.split(size.Width)
	o[0].Move(fyne.NewPos(0, 0))
	o[0].Resize(fyne.NewSize(left, size.Height))
	o[1].Move(fyne.NewPos(left+gapWidth, 0))
	o[1].Resize(fyne.NewSize(size.Width-left-gapWidth, size.Height))
}
