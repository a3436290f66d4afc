package history

import (
	"errors"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"rentgen/assets/texts"
	"rentgen/store"
)

func TestMarkedSpanGoesToCSV(t *testing.T) {
	f := newFixture(t, &fake{logs: someLogs()}, texts.English)
	f.Shown()
	var name, wrote string
	f.p.Ask = func(n string, write func(File)) {
		name = n
		write(File{WriteCloser: &file{done: func(s string) { wrote = s }}, Drop: func() { t.Error("the file was dropped") }})
	}
	from, to := now.Add(-40*time.Minute), now.Add(-20*time.Minute)
	f.board.group.Select(from, to)
	f.sees(t, en.T("history.marked", "span", spanText(en, from, to), "d", texts.Duration(en, 20*time.Minute)))
	f.press(t, en.T("history.csv"))
	if want := "5 " + from.Format(time.DateTime) + " " + to.Format(time.DateTime); wrote != want {
		t.Errorf("wrote %q, want %q", wrote, want)
	}
	if want := "AutoDL-4090-" + from.Format("20060102-150405") + ".csv"; name != want {
		t.Errorf("suggested %q, want %q", name, want)
	}
	f.press(t, en.T("history.mark.zoom"))
	if a, b := f.board.group.View(); !a.Equal(from) || !b.Equal(to) {
		t.Errorf("zoomed to %v..%v", a, b)
	}
	if !f.board.zoomTo.Hidden {
		t.Error("nothing is marked any more")
	}
}

func TestFailedExportLeavesNoFile(t *testing.T) {
	f := newFixture(t, &fake{logs: someLogs(), csvErr: store.ErrDiskFull}, texts.English)
	f.Shown()
	dropped := false
	f.p.Ask = func(_ string, write func(File)) {
		write(File{WriteCloser: &file{done: func(string) {}}, Drop: func() { dropped = true }})
	}
	f.press(t, en.T("history.csv"))
	if !dropped {
		t.Error("half a file was left behind")
	}
	f.sees(t, en.T("history.fail.csv"))
	f.sees(t, store.ErrDiskFull.Error())
}

func TestExportCanBeStopped(t *testing.T) {
	f := newFixture(t, &fake{logs: someLogs()}, texts.English)
	f.Shown()
	dropped := false
	f.p.Ask = func(_ string, write func(File)) {
		write(File{WriteCloser: &file{done: func(string) {}}, Drop: func() { dropped = true }})
	}
	f.hold = true
	f.press(t, en.T("history.csv"))
	f.sees(t, en.T("history.csv.doing"))
	f.press(t, en.T("history.stop"))
	f.release()
	if !dropped {
		t.Error("a stopped export leaves half a file behind")
	}
	f.misses(t, en.T("history.csv.doing"))
	f.misses(t, en.T("history.fail.csv"))
}

func TestPictureBesideAnExport(t *testing.T) {
	f := newFixture(t, &fake{logs: someLogs()}, texts.English)
	f.Shown()
	got := map[string]string{}
	f.p.Ask = func(n string, write func(File)) {
		write(File{WriteCloser: &file{done: func(s string) { got[n[len(n)-4:]] = s }}, Drop: func() { t.Errorf("%s was dropped", n) }})
	}
	f.hold = true
	f.press(t, en.T("history.csv"))
	if !f.board.csv.Disabled() {
		t.Error("a second export can be asked for")
	}
	f.press(t, en.T("history.picture"))
	f.release()
	if !strings.HasPrefix(got[".png"], "\x89PNG") || got[".csv"] == "" {
		t.Errorf("the picture has %d bytes, the export %d", len(got[".png"]), len(got[".csv"]))
	}
	f.misses(t, en.T("history.csv.doing"))
	if f.board.csv.Disabled() {
		t.Error("no further export can be asked for")
	}
}

func TestPicture(t *testing.T) {
	f := newFixture(t, &fake{logs: someLogs()}, texts.English)
	f.Shown()
	var got string
	f.p.Ask = func(n string, write func(File)) {
		if !strings.HasSuffix(n, ".png") {
			t.Errorf("suggested %q", n)
		}
		write(File{WriteCloser: &file{done: func(s string) { got = s }}, Drop: func() {}})
	}
	f.press(t, en.T("history.picture"))
	if !strings.HasPrefix(got, "\x89PNG") || len(got) < 5000 {
		t.Errorf("the picture has %d bytes", len(got))
	}
}

func TestDeleteAsksFirst(t *testing.T) {
	f := newFixture(t, &fake{logs: someLogs()}, texts.English)
	f.Shown()
	if !f.board.remove.Disabled() {
		t.Error("a log that is still kept can be deleted")
	}
	f.choose(3)
	f.press(t, en.T("history.delete"))
	f.press(t, en.T("history.delete.no"))
	if len(f.s.logs) != 5 {
		t.Fatal("it went without consent")
	}
	f.press(t, en.T("history.delete"))
	f.press(t, en.T("history.delete.yes"))
	if len(f.s.logs) != 4 || f.board.id() == 3 {
		t.Errorf("%d logs, open is %d", len(f.s.logs), f.board.id())
	}
}

func TestDeletingTheLastLogEmptiesThePlace(t *testing.T) {
	f := newFixture(t, &fake{logs: someLogs()[4:]}, texts.English)
	f.Shown()
	f.press(t, en.T("history.delete"))
	f.press(t, en.T("history.delete.yes"))
	f.sees(t, en.T("history.empty.title"))
}

func TestRetention(t *testing.T) {
	s := &fake{logs: someLogs(), keep: store.Retention{Seconds: 100 * oneDay, Minutes: 365 * oneDay}}
	f := newFixture(t, s, texts.English)
	f.Shown()
	f.press(t, en.T("history.keep"))
	f.sees(t, en.T("history.keep.title"))
	f.sees(t, texts.Bytes(127e6))
	p := newKeepPanel(f.Place, kept{retention: s.keep})
	if p.chosen() != s.keep {
		t.Errorf("shown is %v, want %v", p.chosen(), s.keep)
	}
	p.seconds.SetSelected(en.T("history.keep.days", "n", 7))
	if p.warn.Text != en.T("history.keep.shorter") || !strings.Contains(p.cost.Text, texts.Bytes(7*200e3)) {
		t.Errorf("says %q and %q", p.warn.Text, p.cost.Text)
	}
	p.seconds.SetSelected(en.T("history.keep.ever"))
	if !p.save.Disabled() || p.warn.Text != en.T("history.keep.order") {
		t.Error("minutes may not go before seconds")
	}
	p.seconds.SetSelected(en.T("history.keep.days", "n", 30))
	p.panel.Show()
	test.Tap(p.save)
	if s.keep.Seconds != 30*oneDay || !p.panel.Closed() {
		t.Errorf("kept is %v", s.keep)
	}
}

func TestDamageIsSaidUntilItIsRead(t *testing.T) {
	for kind, key := range map[string]string{"damaged": "history.aside.damaged", "newer": "history.aside.newer", "foreign": "history.aside.foreign"} {
		f := newFixture(t, &fake{damage: &store.Damage{Kind: kind, Path: "/x/history.old.db"}}, texts.English)
		f.Shown()
		f.sees(t, en.T(key))
		f.sees(t, "/x/history.old.db")
		f.press(t, en.T("history.aside.copy"))
		if got := fyne.CurrentApp().Clipboard().Content(); got != "/x/history.old.db" {
			t.Errorf("copied %q", got)
		}
		f.press(t, en.T("history.aside.ok"))
		f.misses(t, en.T(key))
	}
}

func TestUnreadableHistory(t *testing.T) {
	s := &fake{fail: errors.New("disk I/O error")}
	f := newFixture(t, s, texts.English)
	f.Shown()
	f.sees(t, en.T("history.fail.list"))
	f.sees(t, "disk I/O error")
	f.misses(t, en.T("history.empty.title"))
	s.fail, s.logs = nil, someLogs()
	f.press(t, en.T("history.retry"))
	f.misses(t, en.T("history.fail.list"))
	f.sees(t, "Big machine")
}

func TestUnreadablePartKeepsWhatIsShown(t *testing.T) {
	f := newFixture(t, &fake{logs: someLogs()}, texts.English)
	f.Shown()
	before := f.board.have.from
	f.s.fail = errors.New("disk I/O error")
	f.board.zoom(0.001)
	f.sees(t, en.T("history.fail.read"))
	if f.board.have.from != before {
		t.Error("what was shown is gone")
	}
}

func TestFileNames(t *testing.T) {
	f := newFixture(t, &fake{logs: someLogs()}, texts.English)
	f.Shown()
	for host, want := range map[string]string{
		"a/b\\c:d*?": "a-b-c-d-", "显卡 4090": "显卡-4090-", "..": "rentgen-", "../../etc/passwd": "etc-passwd-",
	} {
		f.board.log = &store.Recording{HostName: host}
		if got := f.board.fileName(".csv"); !strings.HasPrefix(got, want) || strings.ContainsAny(got, `/\:*?`) {
			t.Errorf("%q gives %q", host, got)
		}
	}
}
