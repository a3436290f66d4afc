package setup

import (
	"fmt"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/guide"
	"rentgen/app/guide/track"
	"rentgen/app/provider"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/widgets"
)

// card is a check of the item that is shown. Its buttons stay the same objects
// for as long as the item is open, so that a result takes the keyboard from
// nobody.
type card struct {
	d      *detail
	id     guide.CheckID
	opened bool // unfolded, unless the user said otherwise
	cv     track.CheckView

	tap              *widgets.Tap
	arrow, icon      *widget.Icon
	name, line       *widget.Label
	body             *fyne.Container
	seen, do, proof  *part
	fixes            map[string]*widgets.Button
	message          *widgets.Button
	command          *command
	run, paste, skip *widgets.Button
	copied           *widgets.Button
	meta             *widget.Label
	raw              *rawOutput
	box              *fyne.Container
}

func newCard(d *detail, id guide.CheckID) *card {
	c := d.p.w.c
	k := &card{
		d: d, id: id, arrow: widget.NewIcon(nil), icon: widget.NewIcon(nil), name: widget.NewLabel(checkName(c, id)), line: widget.NewLabel(""),
		fixes: make(map[string]*widgets.Button), meta: widgets.Small(""),
	}
	k.name.TextStyle.Bold = true
	k.line.Truncation = fyne.TextTruncateEllipsis
	k.meta.Importance = widget.LowImportance
	k.meta.Wrapping = fyne.TextWrapWord
	k.meta.Hide()
	k.tap = widgets.NewTap(container.NewBorder(nil, nil, container.NewHBox(container.NewCenter(k.arrow), container.NewCenter(k.icon), k.name), nil, k.line), k.toggle)
	k.tap.OnNear = func() {
		if d.p.w.p.Window.Canvas().Focused() == fyne.Focusable(k.tap) {
			d.see(k.tap)
		}
	}
	k.seen, k.do, k.proof = newPart(c.T("setup.part.seen")), newPart(c.T("setup.part.do")), newPart(c.T("setup.part.proof"))
	k.command = newCommand(k)
	k.message = d.button("setup.message", nil, func() { d.p.w.showMessage(k.view(), k.cv) })
	k.run = d.button("setup.run.check", theme.Icon("play"), k.runThis)
	k.copied = d.quiet("setup.copy", theme.Icon("copy"), func() { d.p.w.p.Copy(k.cv.Command) })
	k.paste = d.quiet("setup.paste", fynetheme.ContentPasteIcon(), func() { d.p.w.askPaste(k.view().Track, k.cv) })
	k.skip = d.quiet("setup.skip", nil, func() { d.p.w.askSkip(string(id), k.name.Text) })
	k.raw = newRawOutput(k)
	k.body = container.NewVBox()
	if why := checkWhy(c, id); why != "" {
		k.body.Add(named(c.T("setup.part.why"), widgets.Words(why)))
	}
	k.body.Add(k.seen.box)
	k.body.Add(k.do.box)
	k.body.Add(k.proof.box)
	k.body.Add(named(c.T("setup.part.command"), container.NewVBox(k.command.box,
		container.New(widgets.NewFlow(4, d.width), k.run, k.command.all, k.command.change, k.copied, k.paste, k.skip), k.meta)))
	k.body.Add(k.raw.box)
	k.box = widgets.Card(3, container.NewVBox(k.tap, k.body))
	return k
}

// checkWhy is what a check looks at and why, "" where nothing is said of it.
func checkWhy(c *texts.Catalogue, id guide.CheckID) string {
	if key := "setup.why." + string(id); c.Has(key) {
		return c.T(key)
	}
	return ""
}

func (k *card) view() *track.View { return k.d.p.viewOf(k.d.of) }

// unfolded reports whether the body is shown.
func (k *card) unfolded() bool {
	if on, by := k.d.p.m.open[k.id]; by {
		return on
	}
	return k.opened
}

func (k *card) toggle() {
	k.d.p.m.open[k.id] = !k.unfolded()
	k.d.again()
}

// sync brings the card up to date and reports whether its size may be another.
func (k *card) sync(cv *track.CheckView, v *track.View) (changed bool) {
	w, c := k.d.p.w, k.d.p.w.c
	k.cv = *cv
	if res := shape(cv.State, cv.Verdict); k.icon.Resource == nil || k.icon.Resource.Name() != res.Name() {
		k.icon.SetResource(res)
	}
	line := c.Say(cv.Line)
	if cv.Line.IsZero() || cv.State == track.Running || cv.State == track.Queued {
		line = stateWords(c, cv.State, cv.Verdict)
	}
	open := k.unfolded()
	if open { // the findings stand below
		line = stateWords(c, cv.State, cv.Verdict)
	}
	widgets.SetText(k.line, line)
	sign := fynetheme.MenuExpandIcon()
	if open {
		sign = fynetheme.MenuDropDownIcon()
	}
	if k.arrow.Resource == nil || k.arrow.Resource.Name() != sign.Name() {
		k.arrow.SetResource(sign)
	}
	changed = widgets.SetShown(k.body, open)
	if !open {
		return changed
	}
	changed = k.seen.set(k.seenKey(), k.seenParts) || changed
	changed = k.do.set(k.doKey(), k.doParts) || changed
	changed = k.proof.set(strings.Join(append(k.proved(), cv.Outcome.Lines...), "\n"), k.proofParts) || changed
	changed = k.command.sync() || changed
	able := w.host.Live && !v.Running && cv.State != track.Folded && cv.Wants == ""
	widgets.Able(k.run, able)
	changed = widgets.SetShown(k.skip, cv.Skipped == nil) || changed
	meta := k.metaText()
	if k.meta.Text != meta {
		k.meta.SetText(meta)
		widgets.SetShown(k.meta, meta != "")
		changed = true
	}
	return k.raw.sync() || changed
}

// seenKey tells what was seen apart by what it says.
func (k *card) seenKey() string {
	c, cv := k.d.p.w.c, &k.cv
	var b strings.Builder
	for _, f := range cv.Outcome.Findings {
		fmt.Fprint(&b, f.Verdict, c.Say(f.Says), "\x00")
	}
	has := cv.Record != nil
	fmt.Fprint(&b, has, cv.State, cv.BlockedBy, c.Say(cv.StaleWhy), c.Say(cv.Job), c.Say(cv.Fine), cv.Blocks, cv.Tight, cv.Wants, leftKey(cv.Skipped))
	return b.String()
}

// seenParts are the findings, worst first, and what they mean for the user.
func (k *card) seenParts() []fyne.CanvasObject {
	w, c, cv := k.d.p.w, k.d.p.w.c, &k.cv
	var rows []fyne.CanvasObject
	if cv.Skipped != nil {
		rows = append(rows, k.d.leftOut(string(k.id), cv.Skipped)...)
	}
	if cv.State == track.Blocked {
		parent := cv.BlockedBy
		rows = append(rows, container.NewBorder(nil, nil, icon(theme.Skip.Icon()),
			container.NewVBox(k.d.quiet("setup.blocked.show", nil, func() { w.items.openCheck(parent) })),
			widgets.Words(c.T("setup.blocked", "name", checkName(c, parent)))))
	}
	if !cv.StaleWhy.IsZero() {
		rows = append(rows, container.NewBorder(nil, nil, icon(theme.Stale.Icon()), nil, widgets.Words(c.Say(cv.StaleWhy))))
	}
	if !cv.Job.IsZero() {
		v := guide.Pass
		switch {
		case cv.Blocks:
			v = guide.Fail
		case cv.Tight:
			v = guide.Warn
		}
		rows = append(rows, said(v, c.Say(cv.Job)))
	}
	switch {
	case cv.Record != nil && cv.Record.BlockedBy == "":
		for _, f := range cv.Outcome.Findings {
			rows = append(rows, said(f.Verdict, c.Say(f.Says)))
		}
	case cv.Wants != "":
		rows = append(rows, said(guide.NotRun, c.T("setup.wants", "value", c.T("setup.value."+cv.Wants))))
	case len(rows) == 0:
		rows = append(rows, said(guide.NotRun, c.T("setup.notrun")))
	}
	if !cv.Fine.IsZero() {
		l := widgets.Words(c.Say(cv.Fine))
		l.Importance = widget.LowImportance
		rows = append(rows, l)
	}
	return rows
}

func (k *card) doKey() string {
	c := k.d.p.w.c
	var b strings.Builder
	p := k.d.p.w.board.Profile()
	for _, f := range k.cv.Outcome.Findings {
		if text, from := remedy(c, p, k.id, f); text != "" {
			fmt.Fprint(&b, text, from, f.Provider, "\x00")
		}
	}
	for _, f := range k.fixList() {
		fmt.Fprint(&b, f.ID, f.Shown, "\x00")
	}
	return b.String()
}

func (k *card) fixList() []Fix {
	w := k.d.p.w
	if w.p.Fixes == nil || k.cv.Record == nil || k.cv.State == track.Left {
		return nil
	}
	return w.p.Fixes(k.cv.Outcome, w.board.Profile(), w.board.Values())
}

// doParts say what to do, with what can be done from here.
func (k *card) doParts() []fyne.CanvasObject {
	w, c := k.d.p.w, k.d.p.w.c
	var rows []fyne.CanvasObject
	theirs := false
	last := ""
	for _, f := range k.cv.Outcome.Findings {
		text, from := remedy(c, w.board.Profile(), k.id, f)
		theirs = theirs || f.Provider
		if text == "" || text == last {
			continue
		}
		last = text
		l := widgets.Words(text)
		l.Selectable = true
		rows = append(rows, l)
		if from != "" {
			source := widgets.Small(from)
			source.Importance = widget.LowImportance
			source.Wrapping = fyne.TextWrapBreak
			rows = append(rows, source)
		}
	}
	row := container.New(widgets.NewFlow(4, k.d.width))
	for _, f := range k.fixList() {
		b := k.fixes[f.ID]
		if b == nil {
			b = k.d.button("setup.apply", nil, nil)
			k.fixes[f.ID] = b
		}
		b.OnTapped = func() { w.askFix(f, k.view().Track) }
		rows = append(rows, widgets.Words(c.Say(f.Says)))
		row.Add(b)
	}
	if theirs && w.p.Message != nil {
		row.Add(k.message)
	}
	if len(row.Objects) > 0 {
		rows = append(rows, row)
	}
	return rows
}

// remedy is what to do about a finding: the provider's own way where its profile
// has one, with its source and date.
func remedy(c *texts.Catalogue, p provider.Profile, id guide.CheckID, f guide.Finding) (text, from string) {
	text, by := track.Remedy(c, p, id, f)
	if by.Source == "" {
		return text, ""
	}
	return text, c.T("setup.source", "source", by.Source, "date", by.Date)
}

// proved is what was proved about directories, as the item beside it has it.
func (k *card) proved() []string {
	s := k.d.p.chosen()
	if s == nil || k.id != guide.DiskMount && k.id != guide.CachePersist {
		return nil
	}
	var all []string
	for _, iv := range s.Items {
		for _, e := range iv.Evidence {
			if iv.Item.Page == "survival" {
				all = append(all, k.d.p.w.c.Say(e))
			}
		}
	}
	return all
}

// proofParts are what was proved, and the lines that the verdict rests on.
func (k *card) proofParts() []fyne.CanvasObject {
	var rows []fyne.CanvasObject
	for _, text := range k.proved() {
		rows = append(rows, widgets.Words(text))
	}
	lines := k.cv.Outcome.Lines
	more := len(lines) - proofLines
	if more > 0 {
		lines = lines[:proofLines]
	}
	text := strings.Join(lines, "\n")
	if more > 0 {
		text += "\n…"
	}
	if text == "" {
		return rows
	}
	l := raw(text)
	l.Wrapping, l.Truncation = fyne.TextWrapOff, fyne.TextTruncateEllipsis // a number that is broken is another one
	return append(rows, l)
}

// proofLines are shown of what a verdict rests on; the rest is in the raw output.
const proofLines = 5

// metaText says when and how a result came about.
func (k *card) metaText() string {
	r := k.cv.Record
	if r == nil || r.BlockedBy != "" {
		return ""
	}
	w, c := k.d.p.w, k.d.p.w.c
	var parts []string
	if r.Duration > 0 {
		parts = append(parts, took(c, r.Duration))
	}
	parts = append(parts, when(c, r.Time, w.p.Now()))
	if r.Run.Driver != "" {
		parts = append(parts, c.T("setup.meta.driver", "driver", r.Run.Driver))
	}
	switch {
	case r.TimedOut:
		parts = append(parts, c.T("setup.meta.timeout"))
	default:
		parts = append(parts, c.T("setup.meta.exit", "exit", r.Exit))
	}
	if r.Pasted {
		parts = append(parts, c.T("setup.meta.pasted"))
	}
	if r.Edited {
		parts = append(parts, c.T("setup.meta.edited"))
	}
	if r.Laptop {
		parts = append(parts, c.T("setup.meta.laptop"))
	}
	return strings.Join(parts, " · ")
}

// took is how long a check took; below ten seconds, tenths tell something.
func took(c *texts.Catalogue, d time.Duration) string {
	if d < 10*time.Second {
		return texts.WithUnit(texts.Number(d.Seconds(), 1), "s")
	}
	return texts.Duration(c, d)
}

// when is a moment: the minute today, with the date before.
func when(c *texts.Catalogue, t, now time.Time) string {
	if t.IsZero() {
		return texts.Dash
	}
	if t.Local().YearDay() == now.Local().YearDay() && t.Local().Year() == now.Local().Year() {
		return texts.Minute(t)
	}
	return texts.DateTime(c, t)
}

// runThis runs the check alone.
func (k *card) runThis() {
	k.d.p.w.start(Scope{Track: k.view().Track, Check: k.id}, guide.Thorough)
}

// openCheck shows a check in the first item that has it.
func (p *items) openCheck(id guide.CheckID) {
	for _, s := range p.steps() {
		for _, cv := range s.Checks {
			if cv.ID == id {
				p.m.open[id] = true
				if p.m.at == s.Step.ID {
					p.detail.again()
				} else {
					p.open(s.Step.ID)
				}
				return
			}
		}
	}
}
