package home

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"rentgen/app/purse"
	"rentgen/assets/texts"
	"rentgen/probe/remote"
	"rentgen/probe/stream"
	"rentgen/ui/theme"
	"rentgen/ui/uitest"
	"rentgen/ui/verdict/verdicttest"
)

// TestShots writes the place as PNG into RENTGEN_SHOTS, to be looked at. The
// sizes are what the frame leaves of 1024 x 700 and 1280 x 800.
func TestShots(t *testing.T) {
	dir := os.Getenv("RENTGEN_SHOTS")
	if dir == "" {
		t.Skip("RENTGEN_SHOTS names no folder; make shots does")
	}
	past = 20 * time.Minute
	for _, l := range texts.Langs() {
		c := texts.For(l)
		for _, g := range []theme.Ground{theme.Light, theme.Dark} {
			for _, size := range []fyne.Size{fyne.NewSize(980, 662), fyne.NewSize(1152, 762)} {
				one := map[string]int{"a": 1, "b": 8}
				for name, play := range map[string]func() *rig{
					"full": func() *rig { return start(t, full(), l, size, one, "a", "b", "c") },
					"eight": func() *rig {
						m := full()
						g := m.glances["b"]
						g.Idle, g.IdleFor, g.IdleCost = true, 34*time.Minute, *rat("14.4")
						m.glances["b"] = g
						m.guard = Guard{State: GuardCounting, StopAt: now.Add(95 * time.Second), After: 30 * time.Minute}
						return start(t, m, l, size, one, "b", "a")
					},
					"empty": func() *rig { return start(t, &fake{}, l, size, nil) },
					"off":   func() *rig { return start(t, &fake{}, l, size, nil, "a") },
					"no-price": func() *rig {
						m := full()
						m.tariffs = nil
						m.glances = map[string]purse.Glance{"a": {Running: true, Since: now.Add(-time.Hour)}}
						m.alerts = nil
						m.next = Next{}
						m.guard = Guard{State: GuardOff}
						m.recorder = Recorder{State: RecorderOff}
						return start(t, m, l, size, one, "a")
					},
					"failing": func() *rig {
						m := full()
						m.recorder = Recorder{State: RecorderRefused, Why: verdicttest.Words("No folder there may be written to and run from.", "没有既能写入又能执行的文件夹。")}
						m.guard = Guard{State: GuardRefused, Why: verdicttest.Words("No dated rule of this provider says that a command ends billing.", "没有带日期的平台规则说明哪条命令会停止计费。"), Limit: m.guard.Limit}
						r := start(t, m, l, size, one, "a")
						r.op.Stream("a").Say(stream.State{Phase: stream.Failed, LastTick: now, Err: &remote.Error{Stage: remote.StageAuth, Kind: remote.KindAuth}})
						r.tick(90 * time.Second)
						return r
					},
					"price": func() *rig {
						r := start(t, full(), l, size, one, "a")
						r.w.Price()
						return r
					},
					"price-wrong": func() *rig {
						m := full()
						r := start(t, m, l, size, one, "a")
						r.w.Price()
						uitest.Field(t, r.win.Canvas(), "1.88").SetText("a lot")
						uitest.Field(t, r.win.Canvas(), "1180").SetText("900")
						r.press(c.T("home.price.save"))
						uitest.Field(t, r.win.Canvas(), "2026-12-31").SetText("soon")
						r.press(c.T("home.price.save"))
						return r
					},
					"price-failed": func() *rig {
						m := full()
						m.saveErr = errors.New("save a purse entry: disk I/O error")
						r := start(t, m, l, size, one, "a")
						r.w.Price()
						r.press(c.T("home.price.save"))
						r.work()
						return r
					},
					"guard-first": func() *rig {
						m := full()
						m.guard.State = GuardOff
						r := start(t, m, l, size, one, "a")
						r.press(c.T("home.guard.on.do"))
						return r
					},
					"guard-wrong": func() *rig {
						m := full()
						m.guard.State = GuardOff
						r := start(t, m, l, size, one, "a")
						r.press(c.T("home.guard.on.do"))
						r.w.guard.onQueue.SetChecked(true)
						for _, x := range []*numberField{r.w.guard.after, r.w.guard.count, r.w.guard.port} {
							x.entry.SetText("0")
						}
						r.press(c.T("home.guard.dry.do"))
						return r
					},
					"guard-unread": func() *rig {
						m := full()
						m.guard.OnQueue = true
						m.guard.Busy = []texts.Phrase{texts.P("guard.signal.gpu"), texts.P("guard.signal.terminal")}
						m.guard.Unread = []texts.Phrase{texts.P("guard.signal.disk"), texts.P("guard.signal.net")}
						return start(t, m, l, size, one, "a")
					},
					"guard-confirm": func() *rig {
						m := full()
						m.guard.State, m.guard.DryDone = GuardWould, true
						r := start(t, m, l, size, one, "a")
						r.press(c.T("home.guard.on.do"))
						return r
					},
				} {
					r := play()
					fyne.CurrentApp().Settings().SetTheme(theme.New(theme.Params{Ground: g}))
					r.settle()
					uitest.Save(t, filepath.Join(dir, "home-"+name+"-"+string(l)+"-"+string(g)+"-"+texts.Number(float64(size.Width), 0)+".png"), r.win.Canvas())
				}
			}
		}
	}
}
