package ui_test

import (
	"testing"
	"time"

	"rentgen/app/bill/offer"
	"rentgen/app/guide/day"
	"rentgen/app/plan"
	"rentgen/ui/setup/life"
	"rentgen/ui/shots"
	"rentgen/ui/uitest"
)

// TestWaitsReachTheBill: what was waited for the card becomes a measured term of
// the provider's offers, and an undo takes it back.
func TestWaitsReachTheBill(t *testing.T) {
	s := setUp(t, shots.Options{Plans: []plan.Plan{shots.Illustrator()}})
	queue, boot := 7*time.Minute, 40*time.Second
	for i, none := range []int{0, 2} {
		w := day.Wait{Begin: true, State: day.Answered, Started: shots.Now.Add(time.Duration(i-9) * time.Hour), Queue: &queue, Boot: &boot}
		w.Answered = w.Started.Add(queue + boot)
		for range none {
			w.NoCard = append(w.NoCard, w.Started)
		}
		e, err := w.Entry()
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Win.Guide("box").Put(e.Kind, e.Key, e.Body); err != nil {
			t.Fatal(err)
		}
	}
	s.Win.Setup().Show(life.PageDay)
	uitest.Press(t, s.Canvas(), s.Win.Texts().T("life.day.take"))
	took := 0
	for _, o := range s.Win.Desk().Plan().Offers {
		if o.Provider != "autodl" {
			if _, ok := o.Terms[offer.NoCardShare]; ok {
				t.Errorf("%s of %q took it too", o.Name, o.Provider)
			}
			continue
		}
		took++
		if o.Terms[offer.QueueWait].Value != "420" || o.Terms[offer.BootWait].Value != "40" || o.Terms[offer.NoCardShare].Value != "0.500" || o.Terms[offer.QueueWait].Mark != offer.Seen {
			t.Errorf("%+v", o.Terms)
		}
	}
	if took == 0 {
		t.Fatal("no offer of the provider")
	}
	s.Win.Desk().Undo()
	for _, o := range s.Win.Desk().Plan().Offers {
		if _, ok := o.Terms[offer.NoCardShare]; ok {
			t.Error("still there after an undo")
		}
	}
}
