package history

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"rentgen/app/judge"
	"rentgen/assets/texts"
	"rentgen/probe"
	"rentgen/store"
	"rentgen/ui/theme"
	"rentgen/ui/uitest"
)

// TestPictures writes the place as PNG into RENTGEN_PICTURES, to be looked at.
func TestPictures(t *testing.T) {
	dir := os.Getenv("RENTGEN_PICTURES")
	if dir == "" {
		t.Skip("RENTGEN_PICTURES is not set")
	}
	for _, lang := range texts.Langs() {
		for _, ground := range []theme.Ground{theme.Dark, theme.Light} {
			save := func(name string, f *fixture) {
				uitest.Save(t, filepath.Join(dir, "history-"+name+"-"+string(lang)+"-"+string(ground)+".png"), f.w.Canvas())
			}
			open := func(s *fake) *fixture {
				f := newFixture(t, s, lang)
				fyne.CurrentApp().Settings().SetTheme(theme.New(theme.Params{Ground: ground}))
				f.Shown()
				return f
			}
			s := &fake{logs: someLogs()}
			s.gaps = []probe.Gap{{From: now.Add(-80 * time.Minute), To: now.Add(-75 * time.Minute), Reason: probe.GapLink}}
			s.events = []probe.Event{{Time: now.Add(-50 * time.Minute), Kind: probe.EventXid, Code: 13}}
			f := open(s)
			f.board.group.Select(now.Add(-40*time.Minute), now.Add(-20*time.Minute))
			f.board.group.SetCursor(now.Add(-50 * time.Minute))
			save("full", f)
			f = newFixture(t, s, lang)
			fyne.CurrentApp().Settings().SetTheme(theme.New(theme.Params{Ground: ground}))
			f.p.Judge = func(context.Context, store.Recording) (judge.Kept, error) {
				return judge.Kept{Verdicts: someVerdicts()}, nil
			}
			f.p.Verdicts = func([]judge.Verdict, func(judge.Verdict)) {}
			f.p.Differences = func(context.Context, store.Recording, store.Recording) ([]texts.Phrase, error) {
				return []texts.Phrase{say(7), say(8)}, nil
			}
			f.p.Report = func(context.Context, io.Writer, store.Recording, time.Time, time.Time, string) error { return nil }
			f.p.Import = func(context.Context, string, io.Reader) (int64, error) { return 0, nil }
			f.Retext(f.c)
			f.Shown()
			f.board.compare(&s.logs[2])
			save("compared", f)
			f.w.Resize(fyne.NewSize(1236, 762))
			f.choose(2)
			save("eight", f)
			f.openRetention()
			save("keep", f)
			save("empty", open(&fake{}))
			f = open(&fake{logs: someLogs(), denied: true, damage: &store.Damage{Kind: "damaged", Path: "/home/user/.config/rentgen/db/history.damaged-20261129-104007.db"}})
			save("denied", f)
			f.board.askDelete()
			f.choose(3)
			f.board.askDelete()
			save("delete", f)
			save("failing", open(&fake{fail: errors.New("list recordings: disk I/O error")}))
		}
	}
}
