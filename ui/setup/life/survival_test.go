package life

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"rentgen/app/guide"
	"rentgen/app/guide/guidetest"
	"rentgen/app/guide/keep"
	"rentgen/assets/texts"
	"rentgen/ui/setup"
	"rentgen/ui/setup/setuptest"
	"rentgen/ui/theme"
	"rentgen/ui/uitest"
)

func open(t *testing.T, l texts.Lang, r guide.Runner) (*survival, *setuptest.Board, fyne.Window, *[]string) {
	t.Helper()
	h, b, win, said := stage(t, l, r)
	s := Pages(Params{})[0].Make(h).(*survival)
	win.SetContent(s.Content())
	return s, b, win, said
}

// stage is a host in a window, connected where r isn't nil.
func stage(t *testing.T, l texts.Lang, r guide.Runner) (*setup.Here, *setuptest.Board, fyne.Window, *[]string) {
	t.Helper()
	test.NewTempApp(t).Settings().SetTheme(theme.New(theme.Params{}))
	win := test.NewTempWindow(t, nil)
	win.Resize(fyne.NewSize(1024, 700))
	b := &setuptest.Board{ID: "autodl", Now: time.Now}
	var said []string
	h := &setup.Here{
		Texts: texts.For(l), Window: win, Board: b, Now: time.Now,
		Host: func() setup.Host { return setup.Host{ID: "h1", Name: "mycard", Live: r != nil} },
		Go:   func(f func()) { f() }, Do: func(f func()) { f() },
		Say:    func(_ guide.Verdict, sentence, _ string) { said = append(said, sentence) },
		Runner: func() guide.Runner { return r }, Forwarder: func() guide.Forwarder { return nil },
	}
	return h, b, win, &said
}

// tree makes a ComfyUI with a model in a home.
func tree(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	for _, f := range []string{"ComfyUI/main.py", "ComfyUI/models/checkpoints/a.safetensors", "ComfyUI/output/p.png", "ComfyUI/comfy/__init__.py", "ComfyUI/comfy_extras/nodes_x.py"} {
		p := filepath.Join(home, f)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

func seen(w fyne.Window) string { return strings.Join(uitest.Texts(w.Canvas()), "\n") }

func TestSurvival(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks at /proc")
	}
	for _, l := range texts.Langs() {
		t.Run(string(l), func(t *testing.T) {
			c := texts.For(l)
			home := tree(t)
			s, b, win, said := open(t, l, guidetest.Shell{Env: []string{"LC_ALL=C", "HOME=" + home, "PATH=" + os.Getenv("PATH")}})
			s.Sync() // looks by itself
			words := seen(win)
			if s.v.survey == nil {
				t.Fatal(words)
			}
			i := slices.IndexFunc(s.v.survey.Places, func(p keep.Place) bool { return p.Kind == keep.Models })
			if i < 0 {
				t.Fatalf("no models found: %+v", s.v.survey.Places)
			}
			place := s.v.survey.Places[i]
			if !strings.Contains(words, place.Path) || !has(words, c.T("keep.kind.models")) {
				t.Error(words)
			}
			s.v.open = place.Path + "\x00" + place.Name
			s.v.update()
			uitest.Press(t, win.Canvas(), c.T("life.proof.mark"))
			if len(b.List) != 0 || !strings.Contains(seen(win), keep.MarkerPattern) {
				t.Fatal("written before it was shown")
			}
			uitest.Press(t, win.Canvas(), c.T("life.proof.write"))
			if len(b.List) != 1 {
				t.Fatalf("%d kept; %v\n%s", len(b.List), *said, seen(win))
			}
			marks, _ := filepath.Glob(filepath.Join(home, "ComfyUI/models/.rentgen-proof-*"))
			if len(marks) != 1 {
				t.Fatal(marks)
			}
			// Within the same run it proves nothing.
			s.begin()
			if words := seen(win); !has(words, c.T("life.proof.check")) || has(words, c.T("life.proof.lost")) {
				t.Error(words)
			}
			uitest.Press(t, win.Canvas(), c.T("life.proof.unmark"))
			marks, _ = filepath.Glob(filepath.Join(home, "ComfyUI/models/.rentgen-proof-*"))
			if len(b.List) != 0 || len(marks) != 0 {
				t.Errorf("%d kept, %v", len(b.List), marks)
			}
		})
	}
}

func TestSurvivalOffline(t *testing.T) {
	s, _, win, _ := open(t, texts.English, nil)
	s.Sync()
	c := texts.For(texts.English)
	if words := seen(win); !has(words, c.T("setup.task.offline")) || !has(words, c.T("life.survival.empty")) || !s.look.Disabled() {
		t.Error(words)
	}
}

// has reports whether words hold a text, whatever the width of its blanks.
func has(words, text string) bool {
	return strings.Contains(words, strings.NewReplacer("\u2009", " ", "\u00a0", " ", "\r", "").Replace(text))
}
