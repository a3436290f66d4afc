package theme

import (
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	fynetheme "fyne.io/fyne/v2/theme"
	"golang.org/x/image/font/sfnt"

	"rentgen/assets/fonts"
	"rentgen/assets/texts"
)

// face says which characters a font file holds.
type face struct {
	f   *sfnt.Font
	buf sfnt.Buffer
}

func parse(t *testing.T, b []byte) *face {
	t.Helper()
	f, err := sfnt.Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	return &face{f: f}
}

func (f *face) has(t *testing.T, r rune) bool {
	t.Helper()
	i, err := f.f.GlyphIndex(&f.buf, r)
	if err != nil {
		t.Fatal(err)
	}
	return i != 0
}

// shownStyles are the styles the window writes in.
var shownStyles = map[string]fyne.TextStyle{
	"regular": {}, "bold": {Bold: true}, "mono": {Monospace: true}, "italic": {Italic: true},
}

// TestEveryRuneHasAGlyph looks every character of every text up in our face and
// in Fyne's own of the same style; what neither holds would be drawn as a black
// diamond.
func TestEveryRuneHasAGlyph(t *testing.T) {
	test.NewTempApp(t)
	runes := map[rune]string{}
	for _, l := range texts.Langs() {
		c := texts.For(l)
		for _, k := range c.Keys() {
			for _, r := range c.T(k) {
				runes[r] = string(l) + " " + k
			}
		}
		for what, s := range formats(c) {
			for _, r := range s {
				runes[r] = what
			}
		}
	}
	if len(runes) < 200 {
		t.Fatalf("only %d characters found", len(runes))
	}
	th := New(Params{})
	for name, style := range shownStyles {
		ours, theirs := parse(t, th.Font(style).Content()), parse(t, fynetheme.DefaultTheme().Font(style).Content())
		for r, where := range runes {
			if r != '\n' && !ours.has(t, r) && !theirs.has(t, r) {
				t.Errorf("%s: no glyph for %q (U+%04X) of %s", name, r, r, where)
			}
		}
	}
}

// formats are all signs that numbers, units and times are written with.
func formats(c *texts.Catalogue) map[string]string {
	at := time.Date(2026, 11, 29, 10, 40, 0, 0, time.UTC)
	m := map[string]string{
		"numbers": "0123456789,.+" + texts.Number(-1.5, 1) + texts.Dash,
		"signs":   "≤ ≥ − ≈ √ × · … – — ° % ¥ $ € £ ₩",
		"blanks":  " \u00a0\u2009",
		"band":    texts.Band(c, 1, 2, "MiB"),
		"span":    texts.Span(c, at, at.Add(48*time.Hour)) + texts.DateYear(c, at) + texts.Zone(at),
		"length":  texts.Duration(c, 76*time.Hour) + texts.Duration(c, time.Minute) + texts.Age(c, time.Second),
	}
	for _, unit := range []string{"%", "MiB", "MB/s", "B", "W", "°C", "MHz", "J", "cores"} {
		m["unit "+unit] = texts.Value(c, 1234.5, unit)
	}
	return m
}

// TestFontsHoldWhatTheyShould reads GB 2312's first and last characters of each
// level, the punctuation, and that no Latin crept in.
func TestFontsHoldWhatTheyShould(t *testing.T) {
	for name, b := range map[string][]byte{"regular": fonts.Regular(), "bold": fonts.Bold()} {
		f := parse(t, b)
		for _, r := range "啊座亍齄显存独享整机租卡镜，。、；：？！（）《》【】「」％＋　 \u00a0\u2009≤≥−≈√" {
			if !f.has(t, r) {
				t.Errorf("%s lacks %q (U+%04X)", name, r, r)
			}
		}
		for r := rune(0x21); r < 0x7f; r++ {
			if f.has(t, r) {
				t.Errorf("%s holds %q, so it would take Latin over from Fyne's faces", name, r)
			}
		}
		n := 0
		for r := rune(0x4E00); r <= 0x9FFF; r++ {
			if f.has(t, r) {
				n++
			}
		}
		if n != 6763 {
			t.Errorf("%s has %d Han characters, want the 6763 of GB 2312", name, n)
		}
		family, err := f.f.Name(&f.buf, sfnt.NameIDFamily)
		if err != nil || family != "Rentgen Han" {
			t.Errorf("%s is called %q (%v): a changed font may not keep its name", name, family, err)
		}
	}
	if len(fonts.Licence()) < 4000 {
		t.Error("the licence text is not whole")
	}
}
