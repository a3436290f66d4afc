package widgets_test

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/software"
	"fyne.io/fyne/v2/test"

	"rentgen/ui/theme"
	"rentgen/ui/uitest"
	"rentgen/ui/widgets"
)

func TestWrapKeepsNumbersAndMarksTogether(t *testing.T) {
	a := test.NewTempApp(t)
	a.Settings().SetTheme(theme.New(theme.Params{}))
	for _, s := range []string{"每月用满 212 小时，包月才划算；不到就按小时。", "（100 GB − 免费 50 GB）× 每 GB 每天 ¥0.0066 × 30 晚 = ¥9.90", "averyveryverylongwordthatfitsnoline at all"} {
		for w := float32(60); w < 300; w += 7 {
			lines := widgets.Wrap(s, w, 13, fyne.TextStyle{})
			for _, l := range lines {
				if l == "" || strings.ContainsRune("，。；：、？）》”’％", []rune(l)[0]) {
					t.Fatalf("%v wide: a line begins with %q", w, l)
				}
				if m := fyne.MeasureText(l, 13, fyne.TextStyle{}).Width; m > w+14 {
					t.Errorf("%v wide: %q needs %v", w, l, m)
				}
			}
			join := func(s string) string { return strings.NewReplacer(" ", "", "\u2009", "").Replace(s) }
			if got := join(strings.Join(lines, "")); got != join(s) {
				t.Fatalf("%v wide: %q became %q", w, s, got)
			}
		}
	}
}

func TestWrapKeepsWordsAndEndsOfLines(t *testing.T) {
	a := test.NewTempApp(t)
	a.Settings().SetTheme(theme.New(theme.Params{}))
	s := "来自平台规则，grenbel/autodl citing autodl.com/docs/price（第三方转述），\n2026-10-02"
	for w := float32(190); w < 700; w += 3 {
		lines := widgets.Wrap(s, w, 13, fyne.TextStyle{})
		if last := lines[len(lines)-1]; last != "2026-10-02" {
			t.Fatalf("%v wide: the end of a line is lost: %q", w, lines)
		}
		all := "\n" + strings.Join(lines, "\n") + "\n"
		for _, word := range []string{"grenbel/autodl", "citing", "autodl.com/docs/price"} {
			if !strings.Contains(all, word) {
				t.Fatalf("%v wide: %s is broken: %q", w, word, lines)
			}
		}
		if strings.Contains(all, "（\n") {
			t.Fatalf("%v wide: a mark that opens ends a line: %q", w, lines)
		}
	}
	for w := float32(90); w < 150; w += 3 {
		if lines := widgets.Wrap("¥11,800.00–11,984.78", w, 13, fyne.TextStyle{}); len(lines) > 1 && (len(lines) != 2 || lines[0] != "¥11,800.00–") {
			t.Errorf("%v wide: a number is broken: %q", w, lines)
		}
	}
	if got := widgets.Wrap("", 100, 13, fyne.TextStyle{}); got != nil {
		t.Errorf("nothing has lines: %q", got)
	}
}

func TestChineseWordsStayWholeInLabels(t *testing.T) {
	a := test.NewTempApp(t)
	a.Settings().SetTheme(theme.New(theme.Params{}))
	l := widgets.Words("连接使用本机的 known_hosts 和 ssh-agent，密码不离开这台电脑。")
	w := a.NewWindow("")
	w.SetContent(l)
	high := float32(0)
	for width := float32(420); width > 130; width -= 7 {
		w.Resize(fyne.NewSize(width, 400))
		l.Resize(fyne.NewSize(width, 400))
		all := "\n" + strings.Join(uitest.Texts(w.Canvas())[1:], "\n") + "\n"
		if !strings.Contains(all, "known_hosts") || !strings.Contains(all, "ssh-agent") {
			t.Fatalf("%v wide: %q", width, all)
		}
		if m := l.MinSize(); m.Height < high || m.Width > 60 {
			t.Fatalf("%v wide it needs %v", width, m)
		}
		high = l.MinSize().Height
	}
	if high < 60 {
		t.Errorf("in a narrow place it is only %v high", high)
	}
	one := l.MinSize().Height
	widgets.SetWords(l, "短")
	if l.MinSize().Height >= one || !uitest.Sees(w.Canvas(), "短") {
		t.Error("another text leaves the lines of the last one")
	}
	widgets.SetWords(l, "words")
	if !uitest.Sees(w.Canvas(), "words") {
		t.Error("a text of another language is not shown")
	}
}

// TestBaselineIsWhereTextsAreDrawn looks at the pixels of the digit 5.
func TestBaselineIsWhereTextsAreDrawn(t *testing.T) {
	a := test.NewTempApp(t)
	a.Settings().SetTheme(theme.New(theme.Params{Ground: theme.Dark}))
	for _, s := range []string{"5", "−5", "¥5", "在5", " 5", "H5", "“5", "–5", "+5", "（5", "你的 5", "€5", "×5", "≥5", "最多 5", "1 台 5"} {
		for _, size := range []float32{11, 13, 22, 40} {
			x := canvas.NewText(s, theme.Current().Text)
			x.TextSize = size
			c := software.NewCanvas()
			c.SetPadded(false)
			c.SetContent(x)
			c.Resize(x.MinSize())
			img, low := c.Capture(), 0
			b := img.Bounds()
			for y := b.Min.Y; y < b.Max.Y; y++ {
				for px := b.Max.X - int(size*0.45); px < b.Max.X; px++ {
					if r, g, bl, _ := img.At(px, y).RGBA(); r+g+bl > 100_000 {
						low = y + 1
					}
				}
			}
			if got := int(widgets.Baseline(s, size, fyne.TextStyle{})); got < low-1 || got > low {
				t.Errorf("%q of %v stands at %d, said to be at %d", s, size, low, got)
			}
		}
	}
}

func TestPlainNumber(t *testing.T) {
	for in, want := range map[string]string{
		"1000": "1000", "1,000": "1000", "1,000,000": "1000000", "1,5": "1,5", " 20 ": "20", "２０．５": "20.5", "1,000.5": "1000.5",
		"1 000": "1000", "12，000": "12000", "": "", ",": ",",
	} {
		if got := widgets.PlainNumber(in); got != want {
			t.Errorf("%q reads as %q, want %q", in, got, want)
		}
	}
}
