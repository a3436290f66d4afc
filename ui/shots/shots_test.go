package shots

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"rentgen/assets/texts"
	"rentgen/ui/uitest"
)

var sizes = []fyne.Size{fyne.NewSize(1024, 700), fyne.NewSize(1280, 800), fyne.NewSize(1920, 1080)}

// TestShots paints every scene in both languages, on both grounds and at three
// sizes into the folder that RENTGEN_SHOTS names. RENTGEN_SHOTS_ONLY narrows it
// to scenes that hold one of the given words; RENTGEN_SHOTS_FEW to one picture each.
func TestShots(t *testing.T) {
	dir := os.Getenv("RENTGEN_SHOTS")
	if dir == "" {
		t.Skip("RENTGEN_SHOTS names no folder; make shots does")
	}
	only := strings.Fields(os.Getenv("RENTGEN_SHOTS_ONLY"))
	few := os.Getenv("RENTGEN_SHOTS_FEW") != ""
	n := 0
	for _, sc := range Scenes() {
		if !wants(only, sc.Name) {
			continue
		}
		for li, l := range texts.Langs() {
			for ti, th := range []string{"light", "dark"} {
				for si, size := range sizes {
					if few && (si != (n+li)%2 || ti != (n+li+1)%2) {
						continue
					}
					paint(t, dir, sc, Options{Lang: l, Theme: th, Size: size, Hosts: sc.Hosts})
				}
			}
		}
		n++
	}
	// Larger text, where it is tightest.
	tight := []string{
		"watch-eight", "watch-one", "home-hosts", "home-price", "welcome-line", "settings", "history-logs", "watch-refused", "plan-full", "plan-more", "plan-advice",
		"setup-found", "setup-form", "setup-never", "setup-edit", "setup-report",
		"bill-two", "bill-many", "bill-cell", "bill-total", "bill-questions", "bill-new", "bill-settings", "bill-pictures",
	}
	for _, sc := range Scenes() {
		if few && len(only) == 0 || !slices.Contains(tight, sc.Name) || !wants(only, sc.Name) {
			continue
		}
		for _, l := range texts.Langs() {
			for _, x := range []float64{1.25, 1.5} {
				paint(t, dir, sc, Options{Lang: l, Theme: "dark", Size: sizes[1], Hosts: sc.Hosts, Scale: x})
			}
		}
	}
}

// wants reports whether a scene is among those asked for.
func wants(only []string, name string) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(o string) bool { return strings.Contains(name, o) })
}

func paint(t *testing.T, dir string, sc Scene, o Options) {
	name := fmt.Sprintf("%s-%s-%s-%.0fx%.0f", sc.Name, o.Lang, o.Theme, o.Size.Width, o.Size.Height)
	if o.Scale != 0 {
		name += fmt.Sprintf("-%.0f", o.Scale*100)
	}
	t.Run(name, func(t *testing.T) {
		if sc.Kept {
			o.History = Keep(t)
		}
		o.Plans = sc.Plans
		s := New(t, o)
		sc.Play(s)
		s.Settle()
		uitest.Save(t, filepath.Join(dir, name+".png"), s.Canvas())
	})
}
