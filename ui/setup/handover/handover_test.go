package handover

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/client"
	"rentgen/app/guide/guidetest"
	"rentgen/app/guide/move"
	"rentgen/app/guide/report"
	"rentgen/app/money"
	"rentgen/assets/texts"
	"rentgen/ui/setup/setuptest"
	"rentgen/ui/uitest"
)

// file stands for the dialog: it gives a file at once.
func file(name, content string) func([]string, func(string, io.ReadCloser, error)) {
	return func(_ []string, open func(string, io.ReadCloser, error)) {
		open(name, io.NopCloser(strings.NewReader(content)), nil)
	}
}

// machine is a home with a ComfyUI, and its shell.
func machine(t *testing.T, files map[string]string) guide.Runner {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("looks at /proc")
	}
	home := t.TempDir()
	all := map[string]string{"ComfyUI/main.py": "", "ComfyUI/comfy/__init__.py": "", "ComfyUI/comfy_extras/nodes_x.py": ""}
	for name, content := range files {
		all[name] = content
	}
	for name, content := range all {
		p := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return guidetest.Shell{Env: []string{"LC_ALL=C", "HOME=" + home, "PATH=" + os.Getenv("PATH")}}
}

func each(t *testing.T, f func(t *testing.T, l texts.Lang)) {
	t.Helper()
	for _, l := range texts.Langs() {
		t.Run(string(l), func(t *testing.T) { f(t, l) })
	}
}

func TestCard(t *testing.T) {
	each(t, func(t *testing.T, l texts.Lang) {
		s := setuptest.New(t, l)
		made := report.CardParams{Lang: l, Now: s.Time, Host: report.Host{Name: "mycard", Provider: "AutoDL"}}
		s.Open(Pages(Params{Card: func(_ string, l texts.Lang) *report.Card { return report.MakeCard(made) }}), PageCard)
		s.Sees(s.Says("report.card.disk")) // is missing
		s.Press("handover.card.copy")
		s.Press("handover.card.png")
		s.Press("handover.card.md")
		png, md := s.Saved[s.Says("handover.card.file")+".png"], s.Saved[s.Says("handover.card.file")+".md"]
		if !strings.HasPrefix(png, "\x89PNG") || len(s.Copied) != 1 || md != s.Copied[0] || !strings.Contains(md, "AutoDL") {
			t.Errorf("png %d bytes, copied %q", len(png), s.Copied)
		}
		// A figure that was measured meanwhile is on it at once.
		made.Picture = &report.Picture{Seconds: 6.5, At: s.Time}
		s.Body.Sync()
		s.Press("handover.card.copy")
		if !strings.Contains(strings.ReplaceAll(s.Copied[1], `\`, ""), "6.5") {
			t.Error(s.Copied[1])
		}
		s.Press("setup.page.pictures")
		if len(s.Shown) != 1 || s.Shown[0] != "pictures" {
			t.Error(s.Shown)
		}
	})
}

func TestMoveList(t *testing.T) {
	each(t, func(t *testing.T, l texts.Lang) {
		s := setuptest.New(t, l)
		p := Params{}
		p.Ask = func(e []string, open func(string, io.ReadCloser, error)) { file("other.json", `{"a":1}`)(e, open) }
		pages := Pages(p)
		s.Open(pages, PageMove)
		s.Sees(s.Says("handover.move.empty"))
		s.Sees(s.Says("setup.task.offline"))
		if b := uitest.Button(t, s.Win.Canvas(), s.Says("handover.move.write")); !b.Disabled() {
			t.Error("can write without a connection")
		}
		s.Runner = machine(t, map[string]string{"ComfyUI/models/checkpoints/a.safetensors": "weights", "ComfyUI/custom_nodes/x/__init__.py": ""})
		s.Body.Sync()
		s.Press("handover.move.write")
		s.Sees("checkpoints/a.safetensors")
		s.Press("handover.move.copy")
		s.Press("handover.move.md")
		s.Press("handover.move.json")
		saved := s.Saved[s.Says("handover.move.file")+".json"]
		list, err := move.ReadList([]byte(saved))
		if err != nil || len(list.Models) != 1 || list.Host != "mycard" || !strings.Contains(s.Copied[0], "a.safetensors") {
			t.Fatalf("%v %q %q", err, saved, s.Copied)
		}
		// Something else than a list is refused in words.
		s.Press("handover.move.open")
		if len(s.Said) == 0 || s.Said[len(s.Said)-1] != s.Says("handover.move.nolist", "name", "other.json") {
			t.Error(s.Said)
		}
	})
}

func TestMoveCompares(t *testing.T) {
	each(t, func(t *testing.T, l texts.Lang) {
		s := setuptest.New(t, l)
		s.Runner = machine(t, map[string]string{"ComfyUI/models/loras/b.safetensors": "b"})
		want := move.List{
			Format: 1, Host: "oldcard", Time: s.Time.Add(-time.Hour),
			Models: []move.File{{Name: "loras/b.safetensors", Size: 1}, {Name: "vae/gone.safetensors", Size: 5}},
		}
		b, err := want.JSON()
		if err != nil {
			t.Fatal(err)
		}
		s.Open(Pages(Params{Ask: file("old.json", string(b))}), PageMove)
		s.Press("handover.move.open")
		s.Sees(s.Says("handover.move.first", "host", "oldcard"))
		s.Press("handover.move.write")
		s.Sees(s.Says("move.compare.open", "missing", 1, "different", 0, "n", 2))
		s.Press("handover.move.copyopen")
		if got := s.Copied[0]; !strings.Contains(got, "vae/gone.safetensors") {
			t.Error(got)
		}
		// Old lists go, the end of a package stays.
		if err := s.Board.Put(guide.KindMove, packageKey, pack{s.Time}); err != nil {
			t.Fatal(err)
		}
		for range kept {
			s.Time = s.Time.Add(time.Minute)
			s.Press("handover.move.write")
		}
		if n := len(s.Board.Entries(guide.KindMove)); n != kept+1 {
			t.Errorf("%d kept", n)
		}
		s.Board.Fail = errors.New("disk full")
		s.Time = s.Time.Add(time.Minute)
		s.Press("handover.move.write")
		s.Sees(s.Says("setup.task.unsaved", "err", "disk full"))
	})
}

func amount(v string) *money.Amount {
	return &money.Amount{Value: money.MustParse(v), Currency: "CNY"}
}

func TestMonthlyOrMetered(t *testing.T) {
	each(t, func(t *testing.T, l texts.Lang) {
		s := setuptest.New(t, l)
		var days, hours float64
		prices := Prices{}
		p := Params{
			Prices: func(string) Prices { return prices },
			Spans: func(context.Context, string) (all []move.Span, err error) {
				for d := range 10 { // five hours on each of ten days
					from := s.Time.AddDate(0, 0, -d).Add(-6 * time.Hour)
					all = append(all, move.Span{From: from, To: from.Add(5 * time.Hour)})
				}
				return all, nil
			},
			Rhythm: func(d, h float64) bool { days, hours = d, h; return true },
		}
		s.Open(Pages(p), PageMove)
		s.Sees(s.Says("move.renew.no_price"))
		s.Sees(s.Says("handover.renew.hours", "hours", 50, "days", 10, "n", 10))
		prices = Prices{Hourly: amount("2"), Monthly: amount("150"), HourlyOf: "by the hour", MonthlyOf: "by the month"}
		s.Body.Sync()
		if words := s.Words(); !strings.Contains(words, "75") { // hours from which the month pays
			t.Error(words)
		}
		s.Sees(s.Says("handover.renew.offers", "hourly", "by the hour", "monthly", "by the month"))
		s.Press("handover.renew.take")
		if days < 6.5 || days > 7 || hours < 4.8 || hours > 5.5 {
			t.Errorf("%v days of %v h", days, hours)
		}
		end := uitest.Field(t, s.Win.Canvas(), s.Says("handover.package.form"))
		end.SetText("soon")
		s.Press("handover.package.keep")
		if got := s.Said[len(s.Said)-1]; got != s.Says("handover.package.bad", "value", "soon") {
			t.Error(got)
		}
		end.SetText(s.Time.AddDate(0, 0, 2).Format(time.DateOnly))
		s.Press("handover.package.keep")
		at, ok := PackageEnd(s.Board.Entries(guide.KindMove))
		if !ok || at.Sub(s.Time) < 48*time.Hour || at.Sub(s.Time) > 72*time.Hour {
			t.Fatal(at, ok)
		}
		s.Sees(s.C.Say(move.EndOf(at, s.Time).Says()))
		end.SetText("")
		s.Press("handover.package.keep")
		if _, ok := PackageEnd(s.Board.Entries(guide.KindMove)); ok {
			t.Error("still kept")
		}
	})
}

func TestNoPlanToPutHoursInto(t *testing.T) {
	s := setuptest.New(t, texts.English)
	p := Params{
		Spans: func(context.Context, string) ([]move.Span, error) {
			return []move.Span{{From: s.Time.Add(-80 * time.Hour), To: s.Time}}, errors.New("half of it")
		},
		Rhythm: func(float64, float64) bool { return false },
	}
	s.Open(Pages(p), PageMove)
	s.Press("handover.renew.take")
	if len(s.Said) != 2 || s.Said[0] != s.Says("handover.renew.unread") || s.Said[1] != s.Says("handover.renew.noplan") {
		t.Error(s.Said)
	}
}

func TestClientData(t *testing.T) {
	each(t, func(t *testing.T, l texts.Lang) {
		s := setuptest.New(t, l)
		s.Open(Pages(Params{}), PageClient)
		s.Sees(s.Says("handover.client.empty"))
		s.Sees(s.Says("handover.client.nocontract"))
		s.Needs = guide.Needs{UnderContract: true, Job: "Posters"}
		shell := machine(t, map[string]string{"ComfyUI/input/brief.png": "x", ".bash_history": "ls\n", "ComfyUI/output/p.png": "\x89PNG"}).(guidetest.Shell)
		s.Runner = shell
		s.Body.Sync()
		s.Misses(s.Says("handover.client.nocontract"))
		s.Press("handover.client.look")
		s.Sees(s.Says("client.kind.inputs"))
		s.Sees(s.Says("client.reader.provider"))
		s.Press("handover.client.question.copy")
		s.Press("handover.client.begin")
		s.Sees(s.Says("client.record.open"))
		home := strings.TrimPrefix(shell.Env[1], "HOME=")
		if err := os.RemoveAll(filepath.Join(home, "ComfyUI/input")); err != nil {
			t.Fatal(err)
		}
		s.Press("handover.client.look")
		s.Sees(s.Says("client.fate.gone"))
		s.Sees(s.Says("client.fate.there"))
		// What stays needs a reason.
		s.Press("handover.client.keep")
		s.Press("handover.client.keep.ok")
		uitest.Field(t, s.Win.Canvas(), s.Says("handover.client.keep.form")).SetText("agreed")
		s.Press("handover.client.keep.ok")
		recs := client.Records(s.Board.Entries(guide.KindClient))
		n := 0
		for _, i := range recs[0].Items {
			if i.Fate == client.Kept && i.Reason == "agreed" {
				n++
			}
		}
		if len(recs) != 1 || n != 1 {
			t.Errorf("%+v", recs)
		}
		s.Press("handover.client.copy")
		s.Press("handover.client.save")
		if md := s.Saved[s.Says("handover.client.file")+".md"]; len(s.Copied) != 2 || md != s.Copied[1] || !strings.Contains(md, "Posters") || !strings.Contains(md, "agreed") {
			t.Errorf("%q", md)
		}
	})
}

func TestLinkLost(t *testing.T) {
	for key, button := range map[string]string{PageMove: "handover.move.write", PageClient: "handover.client.look"} {
		s := setuptest.New(t, texts.English)
		s.Runner = guidetest.Shell{Before: func(guide.Exec) error { return guide.ErrOffline }}
		s.Open(Pages(Params{}), key)
		s.Press(button)
		s.Sees(s.Says("setup.task.failed", "err", ""))
		if len(s.Board.List) != 0 {
			t.Errorf("%s keeps %v", key, s.Board.List)
		}
		s.Body.Leave()
	}
}
