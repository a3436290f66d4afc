package ui_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"rentgen/app/guide"
	"rentgen/app/guide/guidetest"
	"rentgen/app/guide/ledger"
	"rentgen/app/guide/move"
	"rentgen/app/plan"
	"rentgen/app/workload"
	"rentgen/assets/texts"
	"rentgen/probe/demo"
	"rentgen/ui/hosts"
	"rentgen/ui/setup/around"
	"rentgen/ui/setup/handover"
	"rentgen/ui/shots"
	"rentgen/ui/uitest"
)

// keep keeps a ledger of an instance that started so long ago.
func keep(t *testing.T, s *shots.Stage, ago time.Duration) {
	t.Helper()
	l := ledger.Ledger{Started: shots.Now.Add(-ago), Job: "sdxl", Card: "RTX 4090", Pictures: 4}
	l.Set(ledger.Warm, 6.5, ledger.Ran, shots.Now)
	if err := s.Win.Guide("box").Put(guide.KindLedger, "1", l); err != nil {
		t.Fatal(err)
	}
}

// TestCardReportKnowsAllRooms: the clocks come from Watch, the seconds from the
// ledger, the cost from the plan's price, and no name of the host is in it.
func TestCardReportKnowsAllRooms(t *testing.T) {
	s := setUp(t, shots.Options{Plans: []plan.Plan{shots.Illustrator()}})
	keep(t, s, 2*time.Hour)
	s.Feed("box", demo.Params{Cards: 1}, 40*time.Minute, nil)
	s.Win.Setup().Show(handover.PageCard)
	c := s.Win.Texts()
	uitest.Press(t, s.Canvas(), c.T("handover.card.copy"))
	text := strings.ReplaceAll(s.App.Clipboard().Content(), `\`, "")
	for _, want := range []string{c.T("report.card.clocks"), "MHz", "6.5", "3.39", "AutoDL"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	for _, row := range []string{"clocks", "power", "seconds", "cost"} {
		if strings.Contains(text, c.T("report.card."+row)+" | –") {
			t.Errorf("%s has no figure in\n%s", row, text)
		}
	}
	if strings.Contains(text, "seetacloud") || strings.Contains(text, "example.com") {
		t.Error(text)
	}
}

// TestHoursReachThePlan: the hours since the instance's start become days and hours
// of use, and an undo takes them back.
func TestHoursReachThePlan(t *testing.T) {
	s := setUp(t, shots.Options{Plans: []plan.Plan{shots.Illustrator()}})
	keep(t, s, 6*24*time.Hour)
	s.Win.Setup().Show(handover.PageMove)
	c := s.Win.Texts()
	if !uitest.Sees(s.Canvas(), c.T("handover.renew.offers", "hourly", "AutoDL 4090", "monthly", "Month card A")) {
		t.Errorf("%q", uitest.Texts(s.Canvas()))
	}
	uitest.Press(t, s.Canvas(), c.T("handover.renew.take"))
	if u := s.Win.Desk().Plan().Use; u.Pattern != workload.Screen || u.DaysPerWeek != 7 || u.HoursPerSitting < 20 {
		t.Errorf("%+v", u)
	}
	s.Win.Desk().Undo()
	if u := s.Win.Desk().Plan().Use; u.HoursPerSitting != 4 {
		t.Errorf("%+v", u)
	}
}

// TestManyMachines: a saved host is checked over its own connection, and what was
// found is kept there; others are added by a click.
func TestManyMachines(t *testing.T) {
	s := setUp(t, shots.Options{})
	s.Runner = guidetest.Shell{Env: []string{"PATH=/nowhere"}}.Exec
	s.Win.Setup().Show(around.PageMachines)
	c := s.Win.Texts()
	name := s.Host("box").Name
	uitest.Field(t, s.Canvas(), c.T("around.machines.form")).SetText(fmt.Sprintf("%s\nother ssh -p 2222 root@192.0.2.7\nlocal", name))
	if !uitest.Sees(s.Canvas(), c.T("around.machines.bad.kind")) {
		t.Errorf("this computer is taken: %q", uitest.Texts(s.Canvas()))
	}
	uitest.Press(t, s.Canvas(), c.T("around.machines.check", "n", 2))
	for _, want := range []string{c.T("fleet.state.fail"), c.T("fleet.state.failed")} {
		if !uitest.Sees(s.Canvas(), want) {
			t.Errorf("%q is not seen in %q", want, uitest.Texts(s.Canvas()))
		}
	}
	if v := s.Win.Guide("box").View(guide.Shared); v.Verdict != guide.Fail {
		t.Errorf("kept at the host: %q", v.Verdict)
	}
	before := len(s.Win.Book().Hosts())
	uitest.Tap(t, s.Canvas(), "other")
	uitest.Press(t, s.Canvas(), c.T("around.machines.choose"))
	if all := s.Win.Book().Hosts(); len(all) != before+1 || s.Win.Book().Chosen().Name != "other" {
		t.Errorf("%d hosts, chosen %q", len(all), s.Win.Book().Chosen().Name)
	}
}

// TestALoginLineOfASavedHostIsThatHost: what was chosen there holds for the list,
// and what was found there is kept.
func TestALoginLineOfASavedHostIsThatHost(t *testing.T) {
	s := setUp(t, shots.Options{})
	s.Runner = guidetest.Shell{Env: []string{"PATH=/nowhere"}}.Exec
	s.Win.Guide("box").SetTrack(guide.Dedicated)
	s.Win.Setup().Show(around.PageMachines)
	c := s.Win.Texts()
	uitest.Field(t, s.Canvas(), c.T("around.machines.form")).SetText("mine " + rentedBox.Line)
	uitest.Press(t, s.Canvas(), c.T("around.machines.check", "n", 1))
	if v := s.Win.Guide("box").View(guide.Dedicated); v.Verdict != guide.Fail {
		t.Errorf("kept at the host: %q; seen %q", v.Verdict, uitest.Texts(s.Canvas()))
	}
}

// entries are what is kept of one host.
type entries struct {
	guide.Store
	list []guide.Entry
}

func (e entries) GuideEntries(_ context.Context, host string) ([]guide.Entry, error) {
	if host != "box" {
		return nil, errors.New("unreadable")
	}
	return e.list, nil
}

// TestPackageIsRemembered: a window that starts says that a package ends within
// three days, and nothing before.
func TestPackageIsRemembered(t *testing.T) {
	for days, want := range map[int]bool{2: true, 5: false} {
		body := fmt.Sprintf(`{"end":%q}`, shots.Now.AddDate(0, 0, days).Format(time.RFC3339))
		kept := entries{list: []guide.Entry{{Kind: guide.KindMove, Key: "package", Body: []byte(body)}}}
		s := open(t, shots.Options{Lang: texts.English, Hosts: []hosts.Saved{rentedBox}, Guide: kept})
		var n *fyne.Notification
		if want {
			says := move.EndOf(shots.Now.AddDate(0, 0, days), shots.Now).Says()
			n = fyne.NewNotification(s.Win.Texts().T("app.name"), s.Win.Texts().T("handover.package.ring", "host", rentedBox.Name, "says", s.Win.Texts().Say(says)))
		}
		test.AssertNotificationSent(t, n, func() {
			if err := s.Win.Start(t.Context()); err != nil {
				t.Error(err)
			}
			s.Win.Close() // waits for it
		})
	}
}
