package shots

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"rentgen/app/guide"
	"rentgen/app/guide/guidetest"
	"rentgen/app/guide/ledger"
	net "rentgen/app/guide/network"
	"rentgen/app/guide/tenant"
	"rentgen/app/plan"
	"rentgen/ui/hosts"
	"rentgen/ui/setup"
	"rentgen/ui/setup/around"
	"rentgen/ui/setup/handover"
	"rentgen/ui/setup/life"
	"rentgen/ui/setup/measure"
	"rentgen/ui/setup/way"
	"rentgen/ui/uitest"
)

// instance makes this machine's shell answer, in a home with a ComfyUI.
func instance(s *Stage) {
	s.T.Helper()
	home, err := os.MkdirTemp("", "box") // a short path, as on an instance
	if err != nil {
		s.T.Fatal(err)
	}
	s.T.Cleanup(func() { _ = os.RemoveAll(home) })
	for name, size := range map[string]int{
		"ComfyUI/main.py": 0, "ComfyUI/comfy/__init__.py": 0, "ComfyUI/comfy_extras/nodes_x.py": 0,
		"ComfyUI/models/checkpoints/sd_xl_base_1.0.safetensors": 6900, "ComfyUI/models/loras/ink_style_v3.safetensors": 220,
		"ComfyUI/models/upscale_models/4x_foolhardy_Remacri.pth": 67, "ComfyUI/custom_nodes/ComfyUI-Impact-Pack/__init__.py": 1,
		"ComfyUI/custom_nodes/comfyui_controlnet_aux/__init__.py": 1, "ComfyUI/user/default/workflows/poster.json": 2,
		"ComfyUI/output/poster_00001_.png": 12, "ComfyUI/input/client_brief.png": 5, ".bash_history": 1,
	} {
		file := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			s.T.Fatal(err)
		}
		if err := os.WriteFile(file, make([]byte, 1000*size), 0o600); err != nil {
			s.T.Fatal(err)
		}
	}
	s.Runner = guidetest.Shell{Env: []string{"LC_ALL=C", "HOME=" + home, "PATH=" + os.Getenv("PATH")}}.Exec
}

// put keeps an entry of a scene.
func put(s *Stage, kind, key string, body any) {
	s.T.Helper()
	if err := s.Win.Guide("box").Put(kind, key, body); err != nil {
		s.T.Fatal(err)
	}
}

// readings are those of a card on whose machine somebody works now and then.
func readings() tenant.Test {
	t := tenant.Test{Start: Now.Add(-10 * time.Minute), Dir: "/root/autodl-tmp", Ended: true}
	for i := range 180 {
		v := func(x float64) *float64 { return &x }
		none := 0
		work := 10 + math.Sin(float64(i))/3
		if i%40 > 28 {
			work *= 2.6
		}
		t.Readings = append(t.Readings, tenant.Reading{
			At: time.Duration(i) * time.Second, GPUs: []tenant.GPU{{Util: v(0), UsedMiB: v(310), TotalMiB: v(24564)}}, Own: &none, Foreign: &none,
			CPUWorkMs: v(work), DiskWorkMs: v(4 + math.Cos(float64(i))), NetRTTMs: v(0.6 + 0.1*math.Sin(float64(i)/9)),
		})
	}
	return t
}

// timed is a ledger with all but the pull.
func timed() ledger.Ledger {
	l := ledger.Ledger{
		Started: Now.Add(-2 * time.Hour), Model: "sd_xl_base_1.0.safetensors", Job: "sdxl", Card: "RTX 4090",
		Pictures: 12, Quickest: 6.2, Slowest: 7.4,
	}
	for stage, s := range map[ledger.Stage]float64{ledger.Queue: 340, ledger.Boot: 41, ledger.Page: 22, ledger.First: 38.4, ledger.Warm: 6.5, ledger.Load: 31.9} {
		from := ledger.History
		switch stage {
		case ledger.Queue, ledger.Boot:
			from = ledger.Waited
		case ledger.Page:
			from = ledger.Host
		}
		l.Set(stage, s, from, Now.Add(-time.Hour))
	}
	l.Peak = ledger.Peak{Readings: 900}
	for v, at := range map[float64]**float64{19040: &l.Peak.MemMiB, 71: &l.Peak.TempC, 402: &l.Peak.PowerW} {
		*at = &v
	}
	return l
}

// days are network readings of two weeks.
func days(s *Stage) {
	for i := range 14 {
		at := Now.AddDate(0, 0, i-14)
		for what, v := range map[net.What]float64{
			net.Login: 34 + 6*math.Sin(float64(i)), net.Ping: 12 + 2*math.Cos(float64(i)), net.Download: 48 - 3*float64(i%4),
		} {
			p := net.Point{What: what, Time: at, Value: &v, Verdict: guide.Pass}
			if i == 9 && what == net.Download {
				p.Value, p.Verdict = nil, guide.Warn
			}
			put(s, guide.KindNet, fmt.Sprintf("%s/%d", what, at.UnixMilli()), p)
		}
	}
}

// toEnd shows the end of the page.
func toEnd(s *Stage) {
	var page *container.Scroll
	uitest.Visible(s.Canvas(), func(o fyne.CanvasObject) {
		if sc, ok := o.(*container.Scroll); ok && (page == nil || sc.Content.MinSize().Height > page.Content.MinSize().Height) {
			page = sc
		}
	})
	page.ScrollToBottom()
}

// pageScenes are the pages of Set up beside its items: each without a connection,
// and with all that it shows.
func pageScenes() []Scene {
	one := []hosts.Saved{autodl}
	full := []plan.Plan{Illustrator()}
	show := func(key string) func(s *Stage) { return func(s *Stage) { s.Win.Setup().Show(key) } }
	var all []Scene
	for _, key := range []string{
		life.PageSurvival, life.PageDay, life.PageRelease, way.PageOpen, measure.PageTenants, measure.PagePictures,
		handover.PageCard, handover.PageMove, handover.PageClient, around.PageNetwork, around.PageMachines,
	} {
		all = append(all, Scene{Name: "page-off-" + key, Hosts: one, Play: func(s *Stage) {
			s.Win.Frame().Show(setup.Key)
			show(key)(s)
		}})
	}
	page := func(key string, play func(s *Stage), buttons ...string) {
		all = append(all, Scene{Name: "page-" + key, Hosts: one, Plans: full, Play: found(func(s *Stage) {
			instance(s)
			if play != nil {
				play(s)
			}
			show(key)(s)
			for _, b := range buttons {
				press(s, b)
			}
		})})
	}
	page(life.PageSurvival, nil)
	page(life.PageDay, nil, "life.day.done")
	page(life.PageRelease, nil, "life.release.look")
	page(way.PageOpen, nil)
	page(measure.PageTenants, func(s *Stage) { put(s, guide.KindTenant, "1", readings()) })
	page(measure.PagePictures, func(s *Stage) { put(s, guide.KindLedger, "1", timed()) })
	page(handover.PageCard, func(s *Stage) { put(s, guide.KindLedger, "1", timed()) })
	page(handover.PageMove, func(s *Stage) {
		put(s, guide.KindLedger, "1", timed())
		put(s, guide.KindMove, "package", map[string]time.Time{"end": Now.Add(50 * time.Hour)})
	}, "handover.move.write")
	page(handover.PageClient, nil, "handover.client.look", "handover.client.begin")
	page(around.PageNetwork, days)
	end := func(key string, play func(s *Stage), buttons ...string) {
		page(key, play, buttons...)
		last := &all[len(all)-1]
		first := last.Play
		last.Name += "-end"
		last.Play = func(s *Stage) {
			first(s)
			s.Settle()
			toEnd(s)
		}
	}
	end(handover.PageCard, func(s *Stage) { put(s, guide.KindLedger, "1", timed()) })
	end(handover.PageMove, func(s *Stage) {
		l := timed()
		l.Started = Now.AddDate(0, 0, -12)
		put(s, guide.KindLedger, "1", l)
		put(s, guide.KindMove, "package", map[string]time.Time{"end": Now.Add(50 * time.Hour)})
	}, "handover.move.write")
	end(handover.PageClient, nil, "handover.client.look", "handover.client.begin")
	end(around.PageNetwork, days)
	end(life.PageRelease, nil, "life.release.look")
	all = append(all, Scene{Name: "page-machines", Hosts: one, Plans: full, Play: found(func(s *Stage) {
		s.Runner = guidetest.Shell{Env: []string{"PATH=/bin"}}.Exec
		show(around.PageMachines)(s)
		list := "AutoDL 4090\n"
		for i := range 6 {
			list += fmt.Sprintf("student-%d ssh -p 3807%d root@region-1.example.com\n", i+1, i)
		}
		c := s.Win.Texts()
		uitest.Field(s.T, s.Canvas(), c.T("around.machines.form")).SetText(list + "nobody\n")
		uitest.Press(s.T, s.Canvas(), c.T("around.machines.check", "n", 7))
	})})
	return all
}
