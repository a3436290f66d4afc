package setup

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/guide"
	"rentgen/app/guide/board"
	"rentgen/app/guide/track"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// head says which kind of instance this is, where the user stands in one
// sentence, and runs the checks.
type head struct {
	w         *Place
	kinds     map[guide.Track]*widgets.Button
	providers *widgets.Select
	choices   []Choice
	filling   bool // the select is set by us
	progress  *widget.Label
	run, stop *widgets.Button
	shape     *widget.Icon
	sentence  *widget.Label
	leads     *widgets.Tap  // opens the item that the sentence is about
	after     *widget.Label // what is said behind it
	bar       *bar
	notices   *fyne.Container
	noticeKey string
	line      *fyne.Container
	box       *fyne.Container
}

func newHead(w *Place) *head {
	c := w.c
	h := &head{
		w: w, kinds: make(map[guide.Track]*widgets.Button), progress: widgets.Small(""), shape: widget.NewIcon(nil),
		sentence: widgets.Words(""), after: widgets.Words(""), bar: newBar(), notices: container.NewVBox(),
	}
	kinds := container.New(layout.NewCustomPaddedHBoxLayout(0))
	for _, t := range []guide.Track{guide.Shared, guide.Dedicated} {
		h.kinds[t] = widgets.Quiet(c.T("setup.track."+string(t)), nil, func() { w.board.SetTrack(t); w.Changed() })
		kinds.Add(h.kinds[t])
	}
	h.providers = widgets.NewSelect(nil, nil)
	h.providers.PlaceHolder = c.T("setup.provider.none")
	h.providers.OnChanged = func(string) {
		if i := h.providers.SelectedIndex(); !h.filling && i >= 0 {
			w.board.SetProvider(h.choices[i].ID)
			w.Changed()
		}
	}
	h.run = widgets.Primary(c.T("setup.run"), fynetheme.MenuDropDownIcon(), h.menu)
	h.run.IconPlacement = widget.ButtonIconTrailingText
	h.stop = widgets.NewButton(c.T("setup.stop"), fynetheme.MediaStopIcon(), func() { w.board.Stop() })
	h.sentence.SizeName = fynetheme.SizeNameSubHeadingText
	h.sentence.TextStyle.Bold = true
	h.progress.Importance, h.after.Importance = widget.LowImportance, widget.LowImportance
	h.line = container.NewHBox(kinds, widgets.AtLeast(fyne.NewSize(widgets.Scaled(170), 1), h.providers), layout.NewSpacer(),
		h.progress, h.stop, h.run)
	h.after.SizeName = fynetheme.SizeNameCaptionText
	h.leads = widgets.NewTap(container.NewBorder(nil, nil, container.NewCenter(h.shape), nil, h.sentence), func() {
		if next := w.view(w.track()).Next; next != "" {
			w.Reveal(next)
		}
	})
	h.box = container.New(layout.NewCustomPaddedVBoxLayout(0), h.line,
		h.leads, h.after, h.bar.box, h.notices)
	return h
}

// sayRunning is the sentence while nothing has failed yet.
const sayRunning = "track.say.running"

func (h *head) sync() {
	w, c := h.w, h.w.c
	at := w.track()
	for t, b := range h.kinds {
		want := widget.LowImportance
		if t == at {
			want = widget.MediumImportance
		}
		if b.Importance != want {
			b.Importance = want
			b.Refresh()
		}
	}
	h.syncProviders()
	v := w.view(at)
	net := w.view(guide.Network)
	running := v.Running || net.Running
	res := shape(track.Done, v.Verdict)
	if v.Running {
		res = shape(track.Running, v.Verdict)
	}
	if h.shape.Resource == nil || h.shape.Resource.Name() != res.Name() {
		h.shape.SetResource(res)
	}
	live := v
	switch {
	case v.Running && net.Running: // one run of both
		live.Done, live.Total = v.Done+net.Done, v.Total+net.Total
	case net.Running:
		live = net
	}
	text := c.Say(v.Sentence)
	if v.Running && v.Sentence.Key == sayRunning {
		text = c.T(sayRunning, "n", live.Done, "of", live.Total)
	}
	if v.Sentence.IsZero() {
		text = c.T("setup.never")
	}
	widgets.SetWords(h.sentence, text)
	var after []string
	for _, p := range v.After {
		after = append(after, c.Say(p))
	}
	said := strings.Join(after, " · ")
	if never(v) && !running {
		said = c.T("track." + string(at) + ".intro")
	}
	widgets.SetWords(h.after, said)
	if widgets.SetShown(h.after, said != "") {
		h.box.Refresh()
	}
	words, part := "", float32(0)
	if running {
		words = c.T("setup.progress", "done", live.Done, "total", live.Total)
		if live.Total > 0 {
			part = float32(live.Done) / float32(live.Total)
		}
		if !live.Since.IsZero() {
			words = c.T("setup.progress.since", "progress", words, "time", texts.Duration(c, max(w.p.Now().Sub(live.Since), 0).Truncate(time.Second)))
		}
	}
	h.bar.set(part)
	widgets.SetText(h.progress, words)
	changed := widgets.SetShown(h.stop, running)
	changed = widgets.SetShown(h.run, !running) || changed
	widgets.Able(h.run, w.host.Live)
	if changed {
		h.line.Refresh()
	}
	h.syncNotices(v, net)
}

func (h *head) syncProviders() {
	w := h.w
	if w.p.Providers == nil {
		return
	}
	all := w.p.Providers(w.c)
	if !slices.Equal(all, h.choices) {
		h.choices = all
		names := make([]string, 0, len(all))
		for _, p := range all {
			names = append(names, p.Name)
		}
		h.providers.Options = names
	}
	at := slices.IndexFunc(all, func(p Choice) bool { return p.ID == w.board.Provider() })
	if at != h.providers.SelectedIndex() {
		h.filling = true
		if at < 0 {
			h.providers.ClearSelected()
		} else {
			h.providers.SetSelectedIndex(at)
		}
		h.filling = false
	}
}

// syncNotices says what is in the way: no connection, a run that broke off, a
// store that fails.
func (h *head) syncNotices(v, net track.View) {
	w, c := h.w, h.w.c
	var rows []fyne.CanvasObject
	key := ""
	add := func(id string, v guide.Verdict, sentence, foreign string, do ...fyne.CanvasObject) {
		key += id + sentence + "\x00" + foreign + "\x00"
		rows = append(rows, notice(v, sentence, foreign, do...))
	}
	host := w.host
	if err := w.board.Fault(); err != nil {
		add("store", guide.Fail, c.T("setup.unsaved"), err.Error(), widgets.NewButton(c.T("setup.retry"), nil, func() {
			w.board.Retry()
			w.Changed()
		}))
	}
	running, cut := v.Running || net.Running, false
	if missing := v.Missing + net.Missing; !running && (missing > 0 || !v.Fault.IsZero() || !net.Fault.IsZero()) {
		sentence := c.T("setup.cut", "n", missing)
		for _, f := range []texts.Phrase{net.Fault, v.Fault} {
			if !f.IsZero() {
				sentence = c.Say(f)
			}
		}
		again := widgets.NewButton(c.T("setup.resume"), nil, func() { w.ran(w.board.Resume()) })
		widgets.Able(again, host.Live && missing > 0)
		do := []fyne.CanvasObject{again}
		if !host.Live && !host.Busy && host.Connect != nil {
			do = append(do, widgets.Primary(c.T("watch.connect"), nil, host.Connect))
		}
		cut = true
		add(fmt.Sprint("cut", missing, host.Live, host.Busy), guide.Warn, sentence, "", do...)
	}
	if e, err := w.board.Estimate(Scope{}, guide.Quick); err == nil && !running && !cut && host.Live && never(v) && len(e.Checks) > 0 {
		add("first", guide.NotRun, c.T("setup.first", "n", len(e.Checks), "time", roughly(c, e.Takes)), "",
			widgets.Primary(c.T("setup.first.do"), theme.Icon("play"), func() { w.start(Scope{}, guide.Quick) }))
	}
	if !running && !v.Changed.IsZero() && v.Stale > 0 {
		again := widgets.NewButton(c.T("setup.run.again", "n", v.Stale), nil, func() { w.start(Scope{Track: v.Track, Stale: true}, guide.Thorough) })
		widgets.Able(again, host.Live)
		add(fmt.Sprint("stale", v.Stale, host.Live), guide.Warn, c.Say(v.Changed), "", again)
	}
	switch {
	case host.ID == "":
		add("paper", guide.NotRun, c.T("setup.paper"), "", widgets.NewButton(c.T("frame.add"), fynetheme.ContentAddIcon(), w.p.Add))
	case host.Busy:
		add("busy", guide.NotRun, c.T("setup.busy", "state", host.Words), "")
	case !host.Live && host.Connect != nil && !cut:
		sentence := c.T("setup.offline")
		if host.Next != "" {
			sentence = c.T("setup.offline.next", "sentence", sentence, "next", host.Next)
		}
		add("off", guide.Warn, sentence, "", widgets.Primary(c.T("watch.connect"), nil, host.Connect))
	}
	if host.Demo {
		add("demo", guide.NotRun, c.T("setup.demo"), "")
	}
	if key == h.noticeKey {
		return
	}
	h.noticeKey = key
	h.notices.Objects = rows
	h.notices.Refresh()
	w.root.Refresh()
}

// never reports whether nothing of a track was run or pasted yet.
func never(v track.View) bool {
	for _, s := range v.Steps {
		for _, cv := range s.Checks {
			if cv.Record != nil {
				return false
			}
		}
	}
	return true
}

// notice is a sentence with what the system said and what can be done.
func notice(v guide.Verdict, sentence, foreign string, do ...fyne.CanvasObject) fyne.CanvasObject {
	text := container.NewVBox(widgets.Words(sentence))
	if foreign != "" {
		text.Add(raw(foreign))
	}
	return widgets.Card(2, container.NewBorder(nil, nil, icon(verdictOf(v).Icon()), container.NewVBox(widgets.Row(do...)), text))
}

// menu offers what can be run, with what it takes.
func (h *head) menu() {
	w, c := h.w, h.w.c
	var list []*fyne.MenuItem
	add := func(key string, s Scope, l guide.Level, pairs ...any) {
		v, err := w.board.Estimate(s, l)
		if err != nil || len(v.Checks) == 0 {
			return
		}
		text := c.T(key, append(pairs, "n", len(v.Checks), "time", roughly(c, v.Takes))...)
		if v.Cost != "" {
			text = c.T("setup.run.cost", "text", text, "cost", v.Cost)
		}
		list = append(list, fyne.NewMenuItem(text, func() { w.start(s, l) }))
	}
	for _, l := range guide.Levels() {
		add("setup.run.level", Scope{}, l, "level", c.T("setup.level."+string(l)))
	}
	all := len(list)
	if w.view(w.track()).Stale+w.view(guide.Network).Stale > 0 {
		add("setup.run.stale", Scope{Stale: true}, guide.Thorough)
	}
	add("setup.run.network", Scope{Track: guide.Network}, guide.Thorough)
	if w.items != nil {
		if s := w.items.chosen(); s != nil {
			add("setup.run.step", Scope{Track: w.items.trackOf(s.Step.ID), Step: s.Step.ID}, guide.Thorough, "item", s.Step.Number, "title", stepTitle(c, s.Step))
		}
	}
	if all < len(list) {
		list = slices.Insert(list, all, fyne.NewMenuItemSeparator())
	}
	if len(list) == 0 {
		w.ran(board.ErrNothing)
		return
	}
	widget.ShowPopUpMenuAtRelativePosition(fyne.NewMenu("", list...), w.p.Window.Canvas(), fyne.NewPos(0, h.run.Size().Height), h.run)
}

// roughly is how long something takes, to the second.
func roughly(c *texts.Catalogue, d time.Duration) string {
	return texts.Duration(c, max(d.Round(time.Second), time.Second))
}

// start runs checks, or says why they can't be.
func (w *Place) start(s Scope, l guide.Level) { w.ran(w.board.Run(s, l)) }

func (w *Place) ran(err error) {
	w.note.clear()
	var bad *texts.InputError
	switch {
	case err == nil:
	case errors.Is(err, board.ErrBusy):
		w.note.say(guide.Warn, w.c.T("setup.norun.busy"), "")
	case errors.Is(err, board.ErrNothing):
		w.note.say(guide.Warn, w.c.T("setup.norun.nothing"), "")
	case errors.Is(err, guide.ErrOffline):
		w.note.say(guide.Fail, w.c.T("setup.offline"), "")
	case errors.As(err, &bad):
		w.note.say(guide.Fail, w.c.Say(bad.Phrase()), "")
	default:
		w.note.say(guide.Fail, w.c.T("setup.norun"), err.Error())
	}
	w.Changed()
}

// track is the one that is shown.
func (w *Place) track() guide.Track {
	if t := w.board.Track(); t == guide.Dedicated {
		return t
	}
	return guide.Shared
}

func (w *Place) view(t guide.Track) track.View { return w.board.View(t) }

// stepTitle is the name of a step.
func stepTitle(c *texts.Catalogue, s track.Step) string { return c.T("track." + s.ID + ".title") }

// empty is the page without any instance.
func (w *Place) empty() fyne.CanvasObject {
	c := w.c
	title := heading(c.T("setup.empty"))
	title.SizeName = fynetheme.SizeNameSubHeadingText
	add := widgets.Primary(c.T("frame.add"), fynetheme.ContentAddIcon(), w.p.Add)
	paste := widgets.NewButton(c.T("setup.empty.paste"), theme.Icon("copy"), func() {
		w.paper = true
		w.sync()
	})
	return container.NewVScroll(widgets.Column(widgets.Scaled(620), container.NewVBox(widgets.Gap(1, 24), title,
		widgets.Words(c.T("setup.empty.what")), widgets.Gap(1, 6), container.NewHBox(add, paste),
		widgets.Words(c.T("setup.empty.paste.what")))))
}
