package offer

import (
	"testing"

	"rentgen/app/money"
)

func TestHour(t *testing.T) {
	price := money.Frac(1, 100)
	o := Offer{Cards: 2, Payment: Payment{Unit: Minute, Price: price}}
	if got, ok := o.Hour(); !ok || got.Fixed(2) != "1.20" {
		t.Errorf("%v %v", got, ok)
	}
	for _, p := range []Payment{{Unit: Hour}, {Unit: Month, Price: price}} {
		if got, ok := (Offer{Cards: 1, Payment: p}).Hour(); ok {
			t.Errorf("%+v costs %v an hour", p, got)
		}
	}
}
