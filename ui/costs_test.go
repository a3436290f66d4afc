package ui_test

import (
	"testing"
	"time"

	"rentgen/assets/texts"
	"rentgen/probe/demo"
	"rentgen/ui/hosts"
	"rentgen/ui/shots"
	"rentgen/ui/uitest"
)

// TestAllCostsOpenFromHome: the button on Home's card leads to the costs of the
// chosen host; of the demo and this computer none is offered.
func TestAllCostsOpenFromHome(t *testing.T) {
	for _, l := range texts.Langs() {
		c := texts.For(l)
		s := open(t, shots.Options{Lang: l, Hosts: []hosts.Saved{box}})
		s.Feed("box", demo.Params{Cards: 1}, 5*time.Minute, real)
		s.Win.Choose("box")
		s.Win.Frame().Show("home")
		s.Win.Refresh()
		uitest.Press(t, s.Canvas(), c.T("costs.open"))
		if !uitest.Sees(s.Canvas(), c.T("costs.lines")) || !uitest.Sees(s.Canvas(), c.T("costs.noprice")) {
			t.Errorf("%q", uitest.Texts(s.Canvas()))
		}
		uitest.Press(t, s.Canvas(), c.T("costs.view.budget"))
		if !uitest.Sees(s.Canvas(), c.T("costs.budget.host", "name", box.Name)) {
			t.Errorf("%q", uitest.Texts(s.Canvas()))
		}
	}
}
