package life

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"rentgen/app/guide"
	"rentgen/app/guide/day"
	"rentgen/app/guide/guidetest"
	"rentgen/assets/texts"
	"rentgen/ui/setup"
	"rentgen/ui/uitest"
)

// forwarder stands for a connection; the pages only pass it on.
type forwarder struct{ guide.Forwarder }

// page opens a page by its key.
func page(t *testing.T, p Params, h *setup.Here, win fyne.Window, key string) setup.Body {
	t.Helper()
	for _, x := range Pages(p) {
		if x.Key == key {
			b := x.Make(h)
			win.SetContent(b.Content())
			b.Sync()
			return b
		}
	}
	t.Fatalf("no page %q", key)
	return nil
}

func TestWaitForTheCard(t *testing.T) {
	for _, l := range texts.Langs() {
		c := texts.For(l)
		h, b, win, _ := stage(t, l, nil)
		tries, rang := 0, ""
		var noCard func()
		p := Params{
			Dial: func(context.Context, string) error {
				if tries++; tries == 1 {
					noCard()
				}
				return nil
			},
			Ring: func(text string) { rang = text },
		}
		var body setup.Body
		noCard = func() { uitest.Press(t, win.Canvas(), c.T("life.day.nocard")) }
		body = page(t, p, h, win, PageDay)
		uitest.Press(t, win.Canvas(), c.T("life.day.start"))
		body.Sync()
		waits := day.Waits(b.Entries(guide.KindDay))
		if len(waits) != 1 || waits[0].State != day.Answered || len(waits[0].NoCard) != 1 {
			t.Fatalf("%+v", waits)
		}
		if rang != c.T("day.wait.ring", "host", "mycard") {
			t.Errorf("rang %q", rang)
		}
		if words := seen(win); !has(words, c.T("life.day.nocard")) || !strings.Contains(words, strings.Split(c.T("life.day.stats", "n", 1), "{")[0][:6]) {
			t.Error(words)
		}
	}
}

func TestWaitThatIsRefused(t *testing.T) {
	c := texts.For(texts.English)
	h, b, win, _ := stage(t, texts.English, nil)
	no := errors.New("login refused")
	body := page(t, Params{Dial: func(context.Context, string) error { return no }, Fatal: func(err error) bool { return errors.Is(err, no) }}, h, win, PageDay)
	uitest.Press(t, win.Canvas(), c.T("life.day.start"))
	body.Sync()
	if words := seen(win); !strings.Contains(words, "login refused") {
		t.Error(words)
	}
	if w := day.Waits(b.Entries(guide.KindDay)); len(w) != 1 || w[0].State != day.Refused {
		t.Errorf("%+v", w)
	}
}

func TestEvening(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks at /proc")
	}
	for _, l := range texts.Langs() {
		t.Run(string(l), func(t *testing.T) {
			c := texts.For(l)
			home := tree(t)
			h, b, win, _ := stage(t, l, guidetest.Shell{Env: []string{"LC_ALL=C", "HOME=" + home, "PATH=" + os.Getenv("PATH")}})
			h.Forwarder = func() guide.Forwarder { return forwarder{} }
			queue := `{"queue_running":[[0,"a",{}]],"queue_pending":[]}`
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(queue)) }))
			defer srv.Close()
			into := t.TempDir()
			p := Params{
				Folder: func(f func(string)) { f(into) },
				Client: func(context.Context, guide.Forwarder) (*http.Client, string, func(), error) {
					return srv.Client(), srv.URL, func() {}, nil
				},
			}
			page(t, p, h, win, PageDay)
			uitest.Press(t, win.Canvas(), c.T("life.day.done"))
			if words := seen(win); !has(words, c.T("day.evening.busy", "n", 1)) {
				t.Error(words)
			}
			queue = `{"queue_running":[],"queue_pending":[]}`
			uitest.Press(t, win.Canvas(), c.T("life.day.done"))
			if words := seen(win); !has(words, c.T("life.day.fetch", "n", 1)) {
				t.Error(words)
			}
			uitest.Press(t, win.Canvas(), c.T("life.day.folder"))
			uitest.Press(t, win.Canvas(), c.T("life.day.fetch", "n", 1))
			got, err := os.ReadFile(filepath.Join(into, "p.png"))
			if err != nil || string(got) != "x" {
				t.Fatalf("%q, %v\n%s", got, err, seen(win))
			}
			if copies := day.Copies(b.Entries(guide.KindDay)); len(copies) != 1 || !copies[0].Verified || copies[0].Into != into {
				t.Errorf("%+v", copies)
			}
			if words := seen(win); !has(words, c.T("day.fetch.done", "n", 1, "have", 0)) || !has(words, c.T("life.day.fetch", "n", 0)) {
				t.Error(words)
			}
		})
	}
}

// TestEveningWithoutAFolderOfPictures: where no program that paints was found, none
// is said to hold no new pictures.
func TestEveningWithoutAFolderOfPictures(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks at /proc")
	}
	c := texts.For(texts.English)
	h, _, win, _ := stage(t, c.Lang, guidetest.Shell{Env: []string{"LC_ALL=C", "HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}})
	h.Forwarder = func() guide.Forwarder { return forwarder{} }
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"queue_running":[],"queue_pending":[]}`))
	}))
	defer srv.Close()
	page(t, Params{Client: func(context.Context, guide.Forwarder) (*http.Client, string, func(), error) {
		return srv.Client(), srv.URL, func() {}, nil
	}}, h, win, PageDay)
	uitest.Press(t, win.Canvas(), c.T("life.day.done"))
	if words := seen(win); !has(words, "It was not looked for new pictures.") {
		t.Error(words)
	}
}

func TestRelease(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks at /proc")
	}
	for _, l := range texts.Langs() {
		t.Run(string(l), func(t *testing.T) {
			c := texts.For(l)
			h, b, win, _ := stage(t, l, guidetest.Shell{Env: []string{"LC_ALL=C", "HOME=" + tree(t), "PATH=" + os.Getenv("PATH")}})
			into := t.TempDir()
			body := page(t, Params{Folder: func(f func(string)) { f(into) }}, h, win, PageRelease)
			if words := seen(win); !has(words, c.T("life.release.empty")) {
				t.Error(words)
			}
			uitest.Press(t, win.Canvas(), c.T("life.release.look"))
			words := seen(win)
			if !has(words, c.T("day.guard.state.open")) || !has(words, c.T("day.guard.image")) {
				t.Fatal(words)
			}
			uitest.Press(t, win.Canvas(), c.T("life.release.take"))
			if len(day.Copies(b.Entries(guide.KindDay))) != 1 {
				t.Fatalf("nothing copied\n%s", seen(win))
			}
			uitest.Check(t, win.Canvas(), c.T("life.release.image")).SetChecked(true)
			body.Sync()
			if words := seen(win); has(words, c.T("day.guard.image")) || !has(words, c.T("day.guard.state.safe")) {
				t.Error(words)
			}
			uitest.Check(t, win.Canvas(), c.T("life.release.drop")).SetChecked(true)
			if len(b.Entries(guide.KindTick)) != 2 {
				t.Errorf("%d ticks", len(b.Entries(guide.KindTick)))
			}
		})
	}
}
