package widgets_test

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"rentgen/ui/widgets"
)

func TestWordsBreakByTheirLanguage(t *testing.T) {
	test.NewTempApp(t)
	l := widgets.Words("a sentence of words")
	if l.Wrapping != fyne.TextWrapWord {
		t.Error("English breaks inside of words")
	}
	widgets.SetWords(l, "一个小程序，占磁盘 4.7\u2009MB")
	if l.Wrapping != fyne.TextWrapBreak || l.Text == "" {
		t.Error("Chinese breaks only at its few spaces")
	}
	widgets.SetWords(l, "words again")
	if l.Wrapping != fyne.TextWrapWord {
		t.Error("the way to break stays that of the last text")
	}
}
