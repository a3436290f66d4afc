package prefs

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/test"

	"rentgen/app/purse"
	"rentgen/app/purse/alert"
	"rentgen/app/purse/pursetest"
	"rentgen/app/purse/push"
	"rentgen/app/settings"
	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/uitest"
	"rentgen/ui/widgets"
)

var en = texts.For(texts.English)

const canary = "canary-7d21f0"

// fakePush sends nothing; what it is told it keeps.
type fakePush struct {
	targets map[string]*push.Target
	secrets []string
	tests   []string
	soft    error
	refuse  error
}

func newFakePush() *fakePush {
	f := &fakePush{targets: map[string]*push.Target{}}
	for _, form := range push.Forms() {
		f.targets[form.ID] = &push.Target{Form: form}
	}
	return f
}

func (f *fakePush) Targets() []push.Target {
	var out []push.Target
	for _, form := range push.Forms() {
		out = append(out, *f.targets[form.ID])
	}
	return out
}

func (f *fakePush) Set(_ context.Context, form, address, secret string) (bool, error) {
	if address == "" && f.targets[form].Host != "" {
		f.secrets = append(f.secrets, " "+secret)
		return true, f.soft
	}
	host, err := f.targets[form].Form.Host(address)
	if err != nil {
		return false, err
	}
	f.secrets = append(f.secrets, address+" "+secret)
	f.targets[form].Host = host
	return true, f.soft
}

func (f *fakePush) Turn(_ context.Context, form string, on bool) error {
	f.targets[form].On = on
	return nil
}

func (f *fakePush) Forget(_ context.Context, form string) error {
	*f.targets[form] = push.Target{Form: f.targets[form].Form}
	return nil
}

func (f *fakePush) Test(_ context.Context, form string) error {
	f.tests = append(f.tests, form)
	return f.refuse
}

type fixture struct {
	*Alerts
	store *pursetest.Store
	rules *alert.Engine
	push  *fakePush
	w     fyne.Window
	queue []func()
	hold  bool
	guard int
}

func newFixture(t *testing.T, lang texts.Lang, ground theme.Ground) *fixture {
	t.Helper()
	a := test.NewTempApp(t)
	a.Settings().SetTheme(theme.New(theme.Params{Ground: ground}))
	f := &fixture{store: &pursetest.Store{}, push: newFakePush()}
	e, err := alert.New(t.Context(), alert.Params{Store: f.store})
	if err != nil {
		t.Fatal(err)
	}
	f.rules = e
	f.w = test.NewTempWindow(t, nil)
	f.w.SetPadded(false)
	f.Alerts = NewAlerts(AlertsParams{
		Texts: texts.For(lang), Canvas: f.w.Canvas(), Rules: e, Push: f.push, Guard: func() { f.guard++ },
		Go: func(g func()) {
			if f.hold {
				f.queue = append(f.queue, g)
				return
			}
			g()
		},
		Do: func(g func()) { g() },
	})
	f.w.SetContent(container.NewVScroll(widgets.Inset(12, widgets.Left(widgets.Scaled(640), f.Content()))))
	f.w.Resize(fyne.NewSize(820, 700))
	return f
}

func (f *fixture) sees(t *testing.T, part string) {
	t.Helper()
	if !uitest.Sees(f.w.Canvas(), strings.ReplaceAll(part, "\u2009", " ")) {
		t.Errorf("%q is not seen; there is %q", part, uitest.Texts(f.w.Canvas()))
	}
}

// entry is the field that stands with a text of a rule's unit or shows a value.
func (f *fixture) entry(t *testing.T, value string) *widgets.Entry {
	t.Helper()
	var found *widgets.Entry
	uitest.Visible(f.w.Canvas(), func(o fyne.CanvasObject) {
		if e, ok := o.(*widgets.Entry); ok && e.Text == value {
			found = e
		}
	})
	if found == nil {
		t.Fatalf("no field with %q", value)
	}
	return found
}

func TestRulesAreKeptAsTheyAreChosen(t *testing.T) {
	f := newFixture(t, texts.English, theme.Dark)
	f.sees(t, "Nothing rings while this computer sleeps")
	uitest.Press(t, f.w.Canvas(), en.T("alert.sleep.guard"))
	if f.guard != 1 {
		t.Error("the stop guard isn't opened")
	}
	uitest.Check(t, f.w.Canvas(), en.T("alert.rule.heat")).SetChecked(false)
	if f.rules.Rules().On(purse.AlertHeat) || !f.entry(t, "85").Disabled() {
		t.Error("heat is still wanted")
	}
	idle := f.entry(t, "15")
	idle.SetText("３０")
	idle.OnSubmitted("")
	if got := f.rules.Rules().IdleMinutes; got != 30 {
		t.Errorf("idle for %d", got)
	}
	for _, bad := range []string{"0", "-3", "99999", "soon", ""} {
		idle.SetText(bad)
		idle.OnLeave()
		if f.rules.Rules().IdleMinutes != 30 || idle.Text != "30" {
			t.Errorf("%q was taken: %d, %q", bad, f.rules.Rules().IdleMinutes, idle.Text)
		}
		f.sees(t, "from 1 to 1,440 min can")
	}
	idle.OnLeave() // what was put back is no fault
	if uitest.Sees(f.w.Canvas(), "from 1 to 1,440 min can") {
		t.Error("the fault stays when it is mended")
	}
	uitest.Check(t, f.w.Canvas(), en.T("alert.quiet")).SetChecked(true)
	uitest.Check(t, f.w.Canvas(), en.T("alert.quiet.faults")).SetChecked(false)
	uitest.Visible(f.w.Canvas(), func(o fyne.CanvasObject) {
		if s, ok := o.(*widgets.Select); ok && s.Selected == "23:00" {
			s.SetSelected("22:30")
		}
	})
	if q := f.rules.Rules().Quiet; q != (alert.Quiet{On: true, From: 22*60 + 30, To: 8 * 60}) {
		t.Errorf("%+v", q)
	}
	f.Retext(texts.For(texts.Chinese))
	f.sees(t, "免打扰")
	f.entry(t, "30")
}

// TestQuickChanges: while one is being kept others come; the last one counts.
func TestQuickChanges(t *testing.T) {
	f := newFixture(t, texts.English, theme.Dark)
	f.hold = true
	for _, k := range alert.Kinds() {
		uitest.Check(t, f.w.Canvas(), en.T("alert.rule."+string(k))).SetChecked(false)
	}
	if len(f.queue) != 1 {
		t.Errorf("%d writes at once", len(f.queue))
	}
	f.hold = false
	f.queue[0]()
	if n := len(f.rules.Rules().Off); n != len(alert.Kinds()) || f.store.Saves() != 2 {
		t.Errorf("%d are off after %d writes", n, f.store.Saves())
	}
	f.store.Fail(errors.New("disk full"))
	uitest.Check(t, f.w.Canvas(), en.T("alert.rule.idle")).SetChecked(true)
	f.sees(t, "disk full")
}

func TestPushFormIsSetUp(t *testing.T) {
	f := newFixture(t, texts.English, theme.Dark)
	f.sees(t, "WeCom group robot")
	f.open("dingtalk")
	p := f.form
	if !p.test.Disabled() || !p.turn.Disabled() || !p.forget.Disabled() || !p.address.Password || !p.secret.Password {
		t.Error("something can be pressed before anything is entered, or is seen that must not be")
	}
	p.address.SetText("http://example.com/?access_token=" + canary)
	uitest.Press(t, f.w.Canvas(), en.T("alert.push.test"))
	f.sees(t, "is not reached over https")
	p.address.SetText("https://oapi.dingtalk.com/robot/send?access_token=" + canary)
	p.secret.SetText("SEC" + canary)
	uitest.Press(t, f.w.Canvas(), en.T("alert.push.test"))
	f.sees(t, en.T("alert.push.tested"))
	if len(f.push.secrets) != 1 || !strings.Contains(f.push.secrets[0], "SEC"+canary) || len(f.push.tests) != 1 {
		t.Errorf("%q %q", f.push.secrets, f.push.tests)
	}
	if p.address.Text != "" || p.secret.Text != "" {
		t.Error("the address stays on the screen")
	}
	f.sees(t, "kept for oapi.dingtalk.com")
	p.secret.SetText("SEC2")
	p.secret.OnSubmitted("")
	if len(f.push.secrets) != 2 || f.push.secrets[1] != " SEC2" || len(f.push.tests) != 2 {
		t.Errorf("a new secret alone: %q", f.push.secrets)
	}
	f.push.refuse = &push.Error{Form: "dingtalk", Reason: push.ReasonRefused, Host: "oapi.dingtalk.com", Status: 200, Code: "310000", Said: "sign not match"}
	uitest.Press(t, f.w.Canvas(), en.T("alert.push.test"))
	f.sees(t, "sign not match")
	uitest.Press(t, f.w.Canvas(), en.T("alert.push.turn.on"))
	f.sees(t, en.T("alert.push.turned.on"))
	uitest.Press(t, f.w.Canvas(), en.T("alert.close"))
	f.sees(t, "on: oapi.dingtalk.com")
	f.open("dingtalk")
	uitest.Press(t, f.w.Canvas(), en.T("alert.push.turn.off"))
	f.sees(t, en.T("alert.push.turned.off"))
	uitest.Press(t, f.w.Canvas(), en.T("alert.push.forget"))
	f.sees(t, en.T("alert.push.forgotten"))
	if f.push.targets["dingtalk"].Host != "" || !f.form.turn.Disabled() {
		t.Error("it isn't deleted")
	}
	for _, s := range uitest.Texts(f.w.Canvas()) {
		if strings.Contains(s, canary) {
			t.Errorf("seen: %q", s)
		}
	}
}

func TestWithoutAKeyring(t *testing.T) {
	f := newFixture(t, texts.English, theme.Dark)
	f.push.soft = errors.New("kept for this run only")
	f.open("ntfy")
	f.form.address.SetText("https://ntfy.sh/" + canary)
	uitest.Press(t, f.w.Canvas(), en.T("alert.push.turn.on"))
	f.sees(t, "only until Rentgen is closed")
	if !f.push.targets["ntfy"].On {
		t.Error("not on")
	}
}

func TestClosingStopsATest(t *testing.T) {
	f := newFixture(t, texts.English, theme.Dark)
	f.hold = true
	f.open("json")
	p := f.form
	p.address.SetText("https://example.com/x")
	uitest.Press(t, f.w.Canvas(), en.T("alert.push.test"))
	if !p.test.Disabled() {
		t.Error("can be pressed twice")
	}
	f.sees(t, en.T("alert.push.busy"))
	widgets.Dismiss(f.w.Canvas())
	f.queue[0]()
	if f.form != nil || !p.panel.Closed() {
		t.Error("the panel stays")
	}
}

func TestTargetLines(t *testing.T) {
	f := newFixture(t, texts.English, theme.Dark)
	at := time.Date(2026, 11, 30, 20, 0, 0, 0, time.Local)
	*f.push.targets["ntfy"] = push.Target{Form: f.push.targets["ntfy"].Form, On: true, Host: "ntfy.sh", Last: at}
	*f.push.targets["wecom"] = push.Target{Form: f.push.targets["wecom"].Form, On: true, Host: "qyapi.weixin.qq.com", Last: at, Waiting: 3, Err: &push.Error{Reason: push.ReasonAway, Host: "qyapi.weixin.qq.com"}}
	*f.push.targets["bark"] = push.Target{Form: f.push.targets["bark"].Form, Host: "api.day.app"}
	f.Refresh()
	for _, part := range []string{"on: ntfy.sh, last taken 30 Nov 20:00", "can't be reached", "(3 waiting)", "off; the address of api.day.app is kept"} {
		f.sees(t, part)
	}
}

// TestPictures writes the section as PNG into RENTGEN_PICTURES, to be looked at.
func TestPictures(t *testing.T) {
	dir := os.Getenv("RENTGEN_PICTURES")
	if dir == "" {
		t.Skip("RENTGEN_PICTURES is not set")
	}
	for _, lang := range texts.Langs() {
		for _, ground := range []theme.Ground{theme.Dark, theme.Light} {
			save := func(name string, f *fixture) {
				uitest.Save(t, filepath.Join(dir, "alertprefs-"+name+"-"+string(lang)+"-"+string(ground)+".png"), f.w.Canvas())
			}
			f := newFixture(t, lang, ground)
			*f.push.targets["wecom"] = push.Target{Form: f.push.targets["wecom"].Form, On: true, Host: "qyapi.weixin.qq.com", Last: time.Now(), Waiting: 3, Err: &push.Error{Reason: push.ReasonAway, Host: "qyapi.weixin.qq.com"}}
			*f.push.targets["ntfy"] = push.Target{Form: f.push.targets["ntfy"].Form, On: true, Host: "ntfy.sh", Last: time.Now()}
			idle := f.entry(t, "15")
			idle.SetText("0")
			idle.OnLeave()
			f.w.Resize(fyne.NewSize(820, 760))
			f.Refresh()
			save("section", f)
			f.open("feishu")
			save("panel", f)
			f.form.address.SetText("https://open.feishu.cn/open-apis/bot/v2/hook/abc")
			f.push.refuse = &push.Error{Form: "feishu", Reason: push.ReasonSign, Host: "open.feishu.cn", Status: 200, Code: "19021", Said: "sign match fail or timestamp is not within one hour from current time"}
			f.form.doTest()
			save("refused", f)
		}
	}
}

func TestSectionStandsInThePlace(t *testing.T) {
	f := newFixture(t, texts.English, theme.Dark)
	set := settings.Default(filepath.Join(t.TempDir(), "settings.json"))
	place := New(Params{Texts: en, Settings: set, Changed: func(bool) {}, More: []Section{f.Alerts}})
	f.w.SetContent(place.Content())
	f.sees(t, en.T("place.settings"))
	f.sees(t, en.T("alert.rule.idle"))
	place.Retext(texts.For(texts.Chinese))
	f.sees(t, "显卡空闲达到")
}
