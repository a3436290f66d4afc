package ui_test

import (
	"context"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"

	"rentgen/app/guide"
	"rentgen/app/plan"
	"rentgen/assets/texts"
	"rentgen/probe/demo"
	"rentgen/store"
	"rentgen/ui/hosts"
	"rentgen/ui/setup"
	"rentgen/ui/shots"
	"rentgen/ui/uitest"
)

// rentedBox is an instance of a provider that its login gives away.
var rentedBox = hosts.Saved{ID: "box", Name: "AutoDL 4090", Line: "ssh -p 38076 root@connect.westb.seetacloud.com", Created: shots.Now}

// setUp opens Set up on a connected host.
func setUp(t *testing.T, o shots.Options) *shots.Stage {
	t.Helper()
	o.Hosts, o.Lang = append([]hosts.Saved{rentedBox}, o.Hosts...), texts.English
	s := open(t, o)
	s.Feed("box", demo.Params{Cards: 1}, 0, real)
	s.Win.Frame().Show(setup.Key)
	return s
}

func TestSetUpKnowsTheJobAndThePrice(t *testing.T) {
	s := setUp(t, shots.Options{Plans: []plan.Plan{shots.Illustrator()}})
	if s.Win.Guide("box").Provider() != "autodl" || !uitest.Sees(s.Canvas(), "AutoDL") {
		t.Errorf("the provider is %q", s.Win.Guide("box").Provider())
	}
	uitest.Press(t, s.Canvas(), "Run")
	if !uitest.Sees(s.Canvas(), "¥") {
		t.Errorf("no cost of a run: %q", uitest.Texts(s.Canvas()))
	}
	s.Canvas().Overlays().Top().Hide()
	s.Found("box")
	s.Win.Setup().Reveal("shared.4")
	if !uitest.Sees(s.Canvas(), "44.4 GB") {
		t.Errorf("the job's disk is not asked for: %q", uitest.Texts(s.Canvas()))
	}
	s.Win.Desk().Edit("", func(p *plan.Plan) { p.Job.Upscaler, p.Job.Model = nil, "sd1.5" })
	if uitest.Sees(s.Canvas(), "44.4 GB") {
		t.Error("another job asks for the same disk")
	}
}

func TestTheReportMasksTheHost(t *testing.T) {
	s := setUp(t, shots.Options{})
	s.Found("box")
	_ = s.Win.Guide("box").Skip("shared.3", "asked at connect.westb.seetacloud.com")
	s.Win.Setup().Show(setup.PageReport)
	if uitest.Sees(s.Canvas(), "seetacloud") || !uitest.Sees(s.Canvas(), "asked at") {
		t.Errorf("the login host is in the report: %q", uitest.Texts(s.Canvas()))
	}
	test.Tap(uitest.Check(t, s.Canvas(), s.Win.Texts().T("setup.report.redact")))
	if !uitest.Sees(s.Canvas(), "seetacloud") {
		t.Error("it is masked though nobody wants that")
	}
}

func TestEveryHostHasItsOwnBoard(t *testing.T) {
	pod := hosts.Saved{ID: "pod", Name: "Pod", Line: "ssh -p 40022 root@192.0.2.7", Created: shots.Now}
	s := setUp(t, shots.Options{Hosts: []hosts.Saved{pod}})
	s.Found("box")
	if !uitest.Sees(s.Canvas(), "RTX 4090 answers") && !uitest.Sees(s.Canvas(), "Fix") && !uitest.Sees(s.Canvas(), "You can") {
		t.Errorf("nothing was found: %q", uitest.Texts(s.Canvas()))
	}
	s.Win.Choose("pod")
	if !uitest.Sees(s.Canvas(), "Not checked yet") || uitest.Sees(s.Canvas(), "Fix before") {
		t.Errorf("another host shows %q", uitest.Texts(s.Canvas()))
	}
}

func TestProgressOutlivesTheWindow(t *testing.T) {
	st, err := store.Open(t.Context(), store.Params{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	if _, err := st.SaveHost(t.Context(), store.Host{ID: "box", Name: "AutoDL 4090", Line: rentedBox.Line}); err != nil {
		t.Fatal(err)
	}
	s := setUp(t, shots.Options{Guide: st})
	s.Found("box")
	s.Win.Setup().Reveal("shared.2")
	if err := s.Win.Guide("box").Tick("verified", true, "done on Sunday", nil); err != nil {
		t.Fatal(err)
	}
	s.Win.Close()
	s = setUp(t, shots.Options{Guide: st})
	s.Win.Setup().Reveal("shared.1")
	seen := false
	for _, text := range uitest.Texts(s.Canvas()) {
		seen = seen || text == "done on Sunday"
	}
	if !seen || uitest.Sees(s.Canvas(), "Run them") {
		t.Errorf("after another start: %q", uitest.Texts(s.Canvas()))
	}
}

func TestClosingTheWindowEndsARun(t *testing.T) {
	s := setUp(t, shots.Options{})
	waiting, ended := make(chan struct{}, 16), make(chan struct{}, 16)
	s.Aside = true
	s.Runner = func(ctx context.Context, _ guide.Exec) (guide.Output, error) {
		waiting <- struct{}{}
		<-ctx.Done()
		ended <- struct{}{}
		return guide.Output{}, ctx.Err()
	}
	if err := s.Win.Guide("box").Run(setup.Scope{Track: guide.Shared}, guide.Quick); err != nil {
		t.Fatal(err)
	}
	<-waiting
	s.Win.Close()
	<-ended
}

func TestAMessageNamesNobody(t *testing.T) {
	s := setUp(t, shots.Options{})
	b := s.Win.Guide("box")
	b.Paste(guide.Input{
		Check: guide.GPUSMI, Track: guide.Shared, Command: "nvidia-smi", Exit: 9,
		Stdout: []byte("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n"),
	})
	s.Win.Setup().Reveal("shared.5")
	uitest.Press(t, s.Canvas(), s.Win.Texts().T("setup.message"))
	uitest.Press(t, s.Canvas(), texts.For(texts.Chinese).T("setup.message.lang"))
	var all string
	for _, text := range uitest.Texts(s.Canvas()) {
		all += text + "\n"
	}
	if !strings.Contains(all, "您好") || strings.Contains(all, "seetacloud") || !strings.Contains(all, "NVIDIA-SMI has failed") {
		t.Errorf("the message is %q", all)
	}
}

// TestNoItemIsWiderThanItsRoom opens every item in the narrowest window with the
// largest text.
func TestNoItemIsWiderThanItsRoom(t *testing.T) {
	if raceOn {
		t.Skip("the same without the race detector")
	}
	for _, l := range texts.Langs() {
		s := open(t, shots.Options{Lang: l, Hosts: []hosts.Saved{rentedBox}, Scale: 1.5, Size: fyne.NewSize(1024, 700)})
		s.Feed("box", demo.Params{Cards: 1}, 0, real)
		s.Win.Frame().Show(setup.Key)
		b := s.Win.Guide("box")
		for _, of := range []guide.Track{guide.Shared, guide.Dedicated} {
			b.SetTrack(of)
			for _, v := range []guide.Track{of, guide.Network} {
				for _, st := range b.View(v).Steps {
					s.Win.Setup().Reveal(st.Step.ID)
					uitest.Visible(s.Canvas(), func(o fyne.CanvasObject) {
						sc, ok := o.(*container.Scroll)
						if ok && sc.Direction == container.ScrollVerticalOnly && sc.Content.MinSize().Width > sc.Size().Width {
							t.Errorf("%s, %s: %v wide in a room of %v", l, st.Step.ID, sc.Content.MinSize().Width, sc.Size().Width)
						}
					})
				}
			}
		}
	}
}
