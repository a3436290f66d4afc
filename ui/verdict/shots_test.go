package verdict_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"rentgen/assets/texts"
	"rentgen/ui/theme"
	"rentgen/ui/uitest"
	"rentgen/ui/verdict"
	"rentgen/ui/verdict/verdicttest"
)

// TestShots writes the widgets as PNG into RENTGEN_SHOTS, to be looked at.
func TestShots(t *testing.T) {
	dir := os.Getenv("RENTGEN_SHOTS")
	if dir == "" {
		t.Skip("RENTGEN_SHOTS names no folder; make shots does")
	}
	for _, l := range texts.Langs() {
		for _, g := range []theme.Ground{theme.Light, theme.Dark} {
			save := func(name string, r *rig) {
				r.settle()
				uitest.Save(t, filepath.Join(dir, "verdict-"+name+"-"+string(l)+"-"+string(g)+".png"), r.win.Canvas())
			}
			size := fyne.NewSize(980, 660)
			r := newRig(t, l, g, size)
			line := verdict.NewLine(r.p)
			line.Update(verdicttest.Verdicts(now), 1)
			list := verdict.NewList(r.p)
			list.Update(verdicttest.Verdicts(now), 1)
			r.show(container.NewBorder(line.Tap, nil, nil, nil, container.NewVScroll(list.Content())))
			r.tap(t, verdict.Sentence(r.p.Texts, &verdicttest.Verdicts(now)[1], nil))
			save("list", r)

			r = newRig(t, l, g, size)
			r.show(container.NewVBox())
			verdict.Open(r.p, verdicttest.Verdicts(now))
			save("open", r)

			look := func(hold bool, err error, found verdict.Found) *rig {
				r := newRig(t, l, g, size)
				r.show(container.NewVBox())
				j := &verdicttest.Judge{
					Err: err, Found: found,
					Steps: []verdict.Look{{Elapsed: 24 * time.Second, Of: time.Minute, Readings: 24, Verdicts: verdicttest.Slow(now)[:1]}},
				}
				do := func(f func()) { f() }
				verdict.OpenWhy(verdict.WhyParams{
					Params: r.p, Host: "a", Name: "AutoDL 4090", Do: do, Copy: func(string) {},
					Go: do, Look: func(ctx context.Context, host string, seen func(verdict.Look)) (verdict.Found, error) {
						if hold { // as it stands on the way
							seen(j.Steps[0])
							return verdict.Found{}, context.Canceled
						}
						return j.Why(ctx, host, seen)
					},
				})
				return r
			}
			save("why-stopped", look(true, nil, verdict.Found{}))
			save("why-found", look(false, nil, verdict.Found{
				From: now.Add(-time.Minute), To: now, Verdicts: verdicttest.Slow(now),
				Compared: verdicttest.Words("with your run of 28 Nov on the same card", "与 11月28日同一张卡上的运行"),
				Differences: []texts.Phrase{
					verdicttest.Words("50 s a picture now, 20 s then", "现在每张图 50 秒，那时 20 秒"),
					verdicttest.Words("VRAM 23.6 GiB now, 17.9 GiB then", "显存现在 23.6 GiB，那时 17.9 GiB"),
				},
			}))
			save("why-nothing", look(false, nil, verdict.Found{From: now.Add(-time.Minute), To: now}))
			save("why-failed", look(false, errors.New("no connection to the host"), verdict.Found{}))
		}
	}
}
