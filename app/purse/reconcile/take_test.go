package reconcile

import (
	"errors"
	"strings"
	"testing"
	"time"

	"rentgen/app/purse"
	"rentgen/app/purse/meter"
	"rentgen/app/purse/pursetest"
)

// TestTakeKeepsTheBill: what is kept names file, span and sum; a bill older than
// the price says so, and a store that fails is told.
func TestTakeKeepsTheBill(t *testing.T) {
	store := &pursetest.Store{}
	book := meter.NewBook(meter.BookParams{Store: store, Now: func() time.Time { return at(12, 0).AddDate(1, 0, 0) }})
	if err := book.SetTariff(t.Context(), "h", autodl(t)); err != nil {
		t.Fatal(err)
	}
	b := mustRead(t, load(t, "autodl-like"))
	in := Into{Book: book, Store: store, File: "bill.csv", Now: at(12, 0)}
	r, err := Take(t.Context(), b, in)
	if err != nil || r.Priced || !strings.Contains(english(r.Say), "A price is kept here, but none for those days") {
		t.Errorf("%v: %s", err, english(r.Say))
	}
	es, err := store.PurseEntries(t.Context(), purse.Filter{Kind: purse.KindBill})
	if err != nil || len(es) != 1 || !es[0].Time.Equal(in.Now) || !strings.Contains(string(es[0].Body), `"file":"bill.csv","currency":"CNY"`) {
		t.Errorf("%+v %v", es, err)
	}
	failure := errors.New("disk I/O error")
	store.Fail(failure)
	if _, err := Take(t.Context(), b, in); !errors.Is(err, failure) {
		t.Errorf("%v", err)
	}
}
