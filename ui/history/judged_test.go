package history

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"rentgen/app/judge"
	"rentgen/assets/texts"
	"rentgen/store"
	"rentgen/ui/chart"
)

// say is a phrase that is there in every build; what it says is of no moment.
func say(n int) texts.Phrase { return texts.P("history.gaps", "n", n) }

func someVerdicts() []judge.Verdict {
	return []judge.Verdict{
		{Kind: judge.Stable, Level: judge.Good, GPU: "GPU-0", From: now.Add(-2 * time.Hour), To: now.Add(-time.Hour), Say: say(101)},
		{Kind: judge.ThrottleThermal, Level: judge.Warn, GPU: "GPU-0", From: now.Add(-time.Hour), To: now.Add(-50 * time.Minute), Say: say(102)},
		{Kind: judge.FaultXid, Level: judge.Fail, GPU: "GPU-9", From: now.Add(-time.Hour), To: now.Add(-50 * time.Minute), Say: say(103)},
	}
}

func TestVerdictsBecomeBandsAndASentence(t *testing.T) {
	f := newFixture(t, &fake{logs: someLogs()}, texts.English)
	asked := 0
	f.p.Judge = func(_ context.Context, log store.Recording) (judge.Kept, error) {
		asked++
		if log.ID != 5 {
			return judge.Kept{}, nil
		}
		return judge.Kept{Verdicts: someVerdicts()}, nil
	}
	var listed []judge.Verdict
	var choose func(judge.Verdict)
	f.p.Verdicts = func(list []judge.Verdict, c func(judge.Verdict)) { listed, choose = list, c }
	f.Shown()
	f.sees(t, en.T("history.verdict.more", "sentence", en.Say(say(102)), "n", "1"))
	bands := f.board.rows[0].chart.Data().Bands
	if len(bands) != 2 || bands[0].Level != chart.Good || bands[1].Level != chart.Warn {
		t.Fatalf("bands %+v", bands)
	}
	if n := len(f.board.rows[1].chart.Data().Bands); n != 0 {
		t.Errorf("%d bands stand under the second chart too", n)
	}
	f.press(t, en.T("history.verdict.all"))
	if len(listed) != 2 {
		t.Fatalf("listed %d verdicts", len(listed))
	}
	choose(listed[1])
	if a, b, ok := f.board.group.Selection(); !ok || !a.Equal(listed[1].From) || !b.Equal(listed[1].To) {
		t.Errorf("marked %v to %v, %v", a, b, ok)
	}
	f.sees(t, en.T("history.verdict", "sentence", en.Say(say(102))))
	f.load()
	if asked != 1 {
		t.Errorf("judged %d times without a new reading", asked)
	}
	f.choose(4)
	f.misses(t, en.Say(say(102)))
}

func TestFailedJudgementKeepsTheCharts(t *testing.T) {
	f := newFixture(t, &fake{logs: someLogs()}, texts.Chinese)
	f.p.Judge = func(context.Context, store.Recording) (judge.Kept, error) {
		return judge.Kept{}, errors.New("disk is gone")
	}
	f.Shown()
	f.sees(t, texts.For(texts.Chinese).T("history.fail.judge"))
	f.sees(t, "disk is gone")
	if f.board.rows[0].chart.Data().Series[0].Len() == 0 {
		t.Error("the charts are empty")
	}
}

func TestComparingTwoLogs(t *testing.T) {
	s := &fake{logs: someLogs()}
	f := newFixture(t, s, texts.English)
	f.p.Differences = func(_ context.Context, a, b store.Recording) ([]texts.Phrase, error) {
		if a.ID != 5 || b.ID != 3 {
			t.Errorf("compared %d with %d", a.ID, b.ID)
		}
		return []texts.Phrase{say(7), say(8)}, nil
	}
	f.Shown()
	f.board.compare(&s.logs[2])
	d := f.board.rows[0].chart.Data()
	if len(d.Series) != 2 || d.Series[0].Dashed || !d.Series[1].Dashed || d.Series[0].Slot == d.Series[1].Slot {
		t.Fatalf("lines %+v", d.Series)
	}
	// Both start at the left end, but for the width of a point.
	one, two := &d.Series[0], &d.Series[1]
	if one.Len() == 0 || two.Len() == 0 || max(one.T[0]-two.T[0], two.T[0]-one.T[0]) > d.Series[1].Step {
		t.Fatalf("%d and %d points, first %v and %v", one.Len(), two.Len(), one.T[:1], two.T[:1])
	}
	f.sees(t, "What differs: "+en.Say(say(7))+", "+en.Say(say(8))+".")
	// At the same time of day the other log, two days older, lies two hours
	// before: the shift is whole days.
	f.board.comparison.align.SetSelectedIndex(int(alignDay))
	if got := f.board.other.shift(f.board.log); got != 48*time.Hour {
		t.Errorf("shifted by %v", got)
	}
	f.press(t, en.T("history.compare.end"))
	if n := len(f.board.rows[0].chart.Data().Series); n != 1 {
		t.Errorf("%d lines after the end", n)
	}
	f.misses(t, en.Say(say(7)))
}

func TestComparisonOfAnotherLogEnds(t *testing.T) {
	s := &fake{logs: someLogs()}
	f := newFixture(t, s, texts.English)
	f.Shown()
	f.board.compare(&s.logs[2])
	f.choose(1)
	if f.board.other != nil || !f.board.comparison.box.Hidden {
		t.Error("still compared")
	}
}

func TestTimeOfDayKeepsNoonOverAClockChange(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zones here")
	}
	old := time.Local
	time.Local = zone
	t.Cleanup(func() { time.Local = old })
	open := store.Recording{From: time.Date(2026, 10, 26, 12, 0, 0, 0, zone).UTC()} // as the store tells it
	o := other{log: store.Recording{From: time.Date(2026, 10, 24, 12, 0, 0, 0, zone).UTC()}, align: alignDay}
	if got := o.shift(&open); got != 49*time.Hour {
		t.Errorf("noon lies on noon after %v, want 49 h", got)
	}
}

func TestReportLiesBesideItsPicture(t *testing.T) {
	f := newFixture(t, &fake{logs: someLogs()}, texts.English)
	f.p.Report = func(_ context.Context, out io.Writer, log store.Recording, from, to time.Time, picture string) error {
		_, err := io.WriteString(out, log.HostName+" "+from.Format(time.TimeOnly)+" "+picture)
		return err
	}
	f.Retext(en) // the button is there only where reports can be made
	f.Shown()
	var text, picture, name string
	f.p.Ask = func(n string, write func(File)) {
		write(File{
			WriteCloser: &file{done: func(s string) { text = s }}, Drop: func() { t.Error("dropped") },
			Beside: func(n string) (io.WriteCloser, error) {
				name = n
				return &file{done: func(s string) { picture = s }}, nil
			},
		})
	}
	from := now.Add(-40 * time.Minute)
	f.board.group.Select(from, now.Add(-20*time.Minute))
	f.press(t, en.T("history.report"))
	if text != "AutoDL 4090 "+from.Format(time.TimeOnly)+" "+name || !strings.HasSuffix(name, ".png") || !strings.HasPrefix(picture, "\x89PNG") {
		t.Errorf("wrote %q, picture %q of %d bytes", text, name, len(picture))
	}
	f.sees(t, en.T("history.report.done"))
}

func TestImportOpensTheNewLog(t *testing.T) {
	s := &fake{logs: someLogs()}
	f := newFixture(t, s, texts.English)
	var fail error
	f.p.Import = func(_ context.Context, name string, in io.Reader) (int64, error) {
		b, err := io.ReadAll(in)
		if err != nil || fail != nil {
			return 0, errors.Join(err, fail)
		}
		if string(b) != "rows" || name != "old.csv" {
			t.Errorf("read %q of %s", b, name)
		}
		return 2, nil
	}
	f.p.AskFile = func(read func(string, io.ReadCloser)) { read("old.csv", io.NopCloser(strings.NewReader("rows"))) }
	f.Retext(en)
	f.Shown()
	f.press(t, en.T("history.import"))
	if f.board.id() != 2 {
		t.Errorf("log %d is open", f.board.id())
	}
	fail = errors.New("line 3, column power.draw [W]: \"abc\"")
	f.press(t, en.T("history.import"))
	f.sees(t, en.T("history.fail.import"))
	f.sees(t, fail.Error())
	if f.board.id() != 2 {
		t.Error("the open log went away")
	}
}
