package report

import (
	"fmt"
	"image/png"
	"io"
	"strings"

	"rentgen/app/guide"
	"rentgen/assets/texts"
)

// The page, in pixels.
const (
	pageWidth = 1080
	margin    = 56
	maxHeight = 6000
	// maxThings are the findings that the picture spells out; the rest is counted.
	maxThings = 6
)

// flow writes a page from top to bottom.
type flow struct {
	c     *canvas
	y     float64
	write func(s style, x, y float64, text string)
}

func (f *flow) room() float64 { return pageWidth - 2*margin }

// par writes a paragraph at a distance from the left, with a gap before it.
func (f *flow) par(s style, indent, gap float64, text string) {
	if text == "" {
		return
	}
	f.y += gap
	for _, l := range f.c.wrap(s, text, f.room()-indent) {
		f.y += s.size * 1.4
		f.write(s, margin+indent, f.y-s.size*0.35, l)
	}
}

// signed writes a paragraph behind the sign of a verdict.
func (f *flow) signed(v Verdict, stale bool, s style, gap float64, text string) {
	f.c.sign(v, stale, margin, f.y+gap+s.size*0.22, s.size)
	f.par(s, s.size*1.5, gap, text)
}

func (f *flow) rule(gap float64) {
	f.y += gap
	f.c.line(margin, pageWidth-margin, f.y)
	f.y += 2
}

var (
	head    = style{size: 44, bold: true, color: ink}
	lead    = style{size: 32, bold: true, color: ink}
	section = style{size: 28, bold: true, color: ink}
	body    = style{size: 24, color: ink}
	strong  = style{size: 24, bold: true, color: ink}
	small   = style{size: 20, color: soft}
)

// drawPage lays a page out twice: once to know its height, once to draw it.
func drawPage(w io.Writer, lay func(f *flow)) error {
	c, err := newCanvas()
	if err != nil {
		return err
	}
	f := &flow{c: c, y: margin, write: c.text}
	lay(f)
	c.paper(pageWidth, min(int(f.y)+margin, maxHeight))
	f.y = margin
	lay(f)
	if err := png.Encode(w, c.img); err != nil {
		return fmt.Errorf("write the picture: %w", err)
	}
	return nil
}

// PNG writes the report as a picture of one page: the sentence, the entries,
// what to see to, what was left out, and how far a pass goes.
func (r *Report) PNG(w io.Writer) error { return drawPage(w, r.lay) }

func (r *Report) lay(f *flow) {
	f.par(head, 0, 0, r.Title())
	f.signed(r.Verdict, false, lead, 16, r.Sentence)
	for _, n := range r.Notes() {
		f.par(small, 0, 8, n)
	}
	for _, t := range r.Tracks {
		f.rule(28)
		f.par(section, 0, 20, t.Title)
		if t.Sentence != r.Sentence {
			f.signed(t.Verdict, false, body, 4, t.Sentence)
		}
		for _, a := range t.After {
			f.par(small, 0, 6, a)
		}
		for _, s := range r.StepsOf(t.ID) {
			r.layStep(f, s)
		}
	}
	r.layThings(f)
	if len(r.Skips) > 0 {
		f.rule(28)
		f.par(section, 0, 20, r.t("report.left"))
		for _, s := range r.Skips {
			f.par(body, 0, 10, s.Title+" · "+s.Reason+" · "+r.stamp(s.Time)+" · "+r.until(s))
		}
	}
	f.rule(28)
	f.par(small, 0, 14, r.t("report.page.foot", "time", r.stamp(r.Made)))
}

// layStep writes an entry with what must be known beside its verdict.
func (r *Report) layStep(f *flow, s Step) {
	f.signed(s.Verdict, s.Shape() == "◌", strong, 14, fmt.Sprint(s.Number, " ", s.Title))
	f.par(body, strong.size*1.5, 0, r.Result(s))
	for _, c := range s.Checks {
		if marks := r.Marks(c); len(marks) > 0 {
			f.par(small, strong.size*1.5, 2, r.Pair(c.Title, strings.Join(marks, " · ")))
		}
	}
}

// layThings writes what is to be seen to, the worst first.
func (r *Report) layThings(f *flow) {
	n := 0
	for _, want := range []guide.Verdict{guide.Fail, guide.Warn} {
		for _, s := range r.Steps {
			for _, c := range s.Checks {
				if c.Verdict != Verdict(want) || c.Skipped != "" {
					continue
				}
				if n++; n == 1 {
					f.rule(28)
					f.par(section, 0, 20, r.t("report.things"))
				}
				if n <= maxThings {
					f.signed(c.Verdict, c.Stale != "", strong, 14, c.Title)
					f.par(body, strong.size*1.5, 0, c.Sentence)
					f.par(body, strong.size*1.5, 4, c.Remedy)
				}
			}
		}
	}
	if n > maxThings {
		f.par(small, 0, 14, r.t("report.page.more", "n", n-maxThings))
	}
}

// PNG writes the card report as a picture.
func (k *Card) PNG(w io.Writer) error { return drawPage(w, k.lay) }

// labels is where the figures of a card report begin.
const labels = 360

func (k *Card) lay(f *flow) {
	f.par(head, 0, 0, k.Title)
	for _, n := range k.notes() {
		f.par(small, 0, 8, n)
	}
	for _, r := range k.Rows {
		f.rule(18)
		top := f.y
		f.par(body, 0, 12, r.Label)
		left := f.y
		f.y = top
		value := lead
		if !r.Known {
			value = style{size: lead.size, bold: true, color: soft}
		}
		f.par(value, labels, 8, r.Value)
		f.par(small, labels, 0, r.Note)
		f.y = max(f.y, left)
	}
	f.rule(18)
	f.par(small, 0, 14, k.t("report.page.foot", "time", texts.DateYear(texts.For(k.Lang), k.Made)))
}
