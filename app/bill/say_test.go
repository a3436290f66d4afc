package bill

import (
	"errors"
	"testing"

	"rentgen/app/money"
	"rentgen/assets/texts"
)

func TestEveryProblemIsSaid(t *testing.T) {
	for _, lang := range []texts.Lang{texts.English, texts.Chinese} {
		c := texts.For(lang)
		for _, p := range money.Problems() {
			said := Say(&money.FieldError{Field: "hours", Value: "-3", Problem: p})
			if text := c.Say(said); text == "" || text == said.Key {
				t.Errorf("%s: %s isn't said", lang, p)
			}
		}
	}
	if p := Say(errors.New("other")); !p.IsZero() {
		t.Errorf("another error is said as %s", p.Key)
	}
}
