package setup

import (
	"context"
	"errors"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"rentgen/app/guide"
	"rentgen/app/guide/track"
	"rentgen/app/provider"
	"rentgen/assets/texts"
	"rentgen/ui/uitest"
)

// runner answers scripts by a function.
type runner func(e guide.Exec) (guide.Output, error)

func (f runner) Exec(_ context.Context, e guide.Exec) (guide.Output, error) { return f(e) }

func TestAFixIsTriedDryFirst(t *testing.T) {
	var ran []string
	var err error
	exit := 0
	r := newRig(t, func(p *Params) {
		p.Fixes = func(o guide.Outcome, _ provider.Profile, _ Values) []Fix {
			if o.Verdict != guide.Fail {
				return nil
			}
			return []Fix{{ID: "hf", Check: o.Check, Says: words("Move the cache."), Shown: "export HF_HOME=/data", Dry: guide.Exec{Script: "dry"}, Apply: guide.Exec{Script: "apply"}}}
		}
		p.Runner = func(string) guide.Runner {
			return runner(func(e guide.Exec) (guide.Output, error) {
				ran = append(ran, e.Script)
				return guide.Output{Stdout: []byte("would write one line"), Exit: exit}, err
			})
		}
	})
	r.put(guide.Shared, done(guide.TorchCUDA, guide.Fail, "On the system disk.", "Move it."))
	r.p.Reveal("shared.2")
	r.want("Move the cache.")
	exit = 1
	r.press("setup.apply")
	r.want("export HF_HOME=/data", "would write one line")
	if !uitest.Button(t, r.w.Canvas(), r.c.T("setup.fix.do")).Disabled() {
		t.Error("it can be applied though the trial failed")
	}
	r.press("frame.close")
	exit, err = 0, errors.New("link")
	r.press("setup.apply")
	if !uitest.Button(t, r.w.Canvas(), r.c.T("setup.fix.do")).Disabled() {
		t.Error("it can be applied though the link broke")
	}
	r.press("frame.close")
	err, ran = nil, nil
	r.press("setup.apply")
	if strings.Join(ran, " ") != "dry" {
		t.Fatalf("ran %q before anybody said so", ran)
	}
	r.press("setup.fix.do")
	if strings.Join(ran, " ") != "dry apply" || !r.called("run thorough shared torch.cuda") {
		t.Errorf("ran %q, calls %q", ran, r.f.calls)
	}
}

func TestTheMessageToTheProvider(t *testing.T) {
	r := newRig(t, func(p *Params) {
		p.Message = func(_ track.View, cv track.CheckView, l texts.Lang) string {
			return string(l) + " about " + string(cv.ID)
		}
	})
	cv := done(guide.TorchCUDA, guide.Fail, "The driver is gone.", "Ask the provider.")
	cv.Outcome.Findings[0].Provider = true
	r.put(guide.Shared, cv)
	r.p.Reveal("shared.2")
	r.press("setup.message")
	r.want("en about torch.cuda")
	uitest.Press(t, r.w.Canvas(), texts.For(texts.Chinese).T("setup.message.lang"))
	r.press("setup.copy")
	if r.copied != "zh about torch.cuda" {
		t.Errorf("copied %q", r.copied)
	}
}

func TestTheReport(t *testing.T) {
	var err error
	r := newRig(t, func(p *Params) {
		p.Report = func(_ context.Context, host string, f Format, l texts.Lang, redact bool) ([]byte, error) {
			if err != nil {
				return nil, err
			}
			name := host
			if redact {
				name = "***"
			}
			return []byte(string(f) + " " + string(l) + " of " + name), nil
		}
	})
	r.p.Show(PageReport)
	r.want("md en of ***")
	r.press("setup.report.copy")
	if r.copied != "md en of ***" {
		t.Errorf("copied %q", r.copied)
	}
	uitest.Press(t, r.w.Canvas(), r.c.T("setup.report.save", "format", "JSON"))
	if got := string(r.saved["rentgen-set-up.json"]); got != "json en of ***" {
		t.Errorf("saved %q", got)
	}
	test.Tap(uitest.Check(t, r.w.Canvas(), r.c.T("setup.report.redact")))
	r.want("md en of box")
	err = errors.New("no room")
	r.p.Changed()
	r.want(r.c.T("setup.report.failed"), "no room")
}

func TestHostileOutputIsShownAsItIs(t *testing.T) {
	r := newRig(t, nil)
	cv := done(guide.TorchCUDA, guide.Warn, "Could not read this output", "")
	cv.Record.Stdout = []byte("# heading\n[link](http://x)\n\x07\u202eabc")
	r.put(guide.Shared, cv)
	r.p.Reveal("shared.2")
	r.press("setup.raw")
	r.want("# heading\n[link](http://x)\nabc")
	uitest.Visible(r.w.Canvas(), func(o fyne.CanvasObject) {
		if _, ok := o.(*widget.Hyperlink); ok {
			t.Error("an output became a link")
		}
	})
}
