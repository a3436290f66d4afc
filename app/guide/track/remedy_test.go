package track

import (
	"testing"

	"rentgen/app/guide"
	"rentgen/app/provider"
	"rentgen/assets/texts"
)

func TestRemedy(t *testing.T) {
	c := texts.For(texts.English)
	f := guide.Finding{Code: "unread", Do: texts.P("check.any.unread.do")}
	p := provider.Profile{Remedies: map[string]provider.Remedy{
		"disk.df/unread": {Text: map[texts.Lang]string{texts.English: "Open the console."}, Said: provider.Said{Source: "a page", Date: "2026-11"}},
	}}
	if text, by := Remedy(c, p, guide.DiskDf, f); text != "Open the console." || by.Source != "a page" {
		t.Errorf("%q, %+v", text, by)
	}
	// Another check, and a language that the profile doesn't speak, take the general one.
	if text, by := Remedy(c, p, guide.DiskMount, f); text != c.T("check.any.unread.do") || by.Source != "" {
		t.Errorf("%q, %+v", text, by)
	}
	zh := texts.For(texts.Chinese)
	if text, _ := Remedy(zh, p, guide.DiskDf, f); text != zh.T("check.any.unread.do") {
		t.Error(text)
	}
}
