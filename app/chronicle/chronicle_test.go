package chronicle

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"rentgen/app/judge"
	"rentgen/assets/texts"
	"rentgen/probe"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func night() Report {
	return Report{
		Log: Log{
			ID: 3, Host: "my*card", Demo: true, Open: true, Source: probe.SourceAgent, From: noon, To: noon.Add(time.Hour), Lost: 1,
			Cards: []probe.Device{{Index: 0, UUID: "GPU-a", Name: "NVIDIA <A100>", MemTotal: probe.Of(81920)}},
		},
		From: noon, To: noon.Add(time.Hour), Made: noon.Add(24 * time.Hour), Judged: true, Picture: "my night.png",
		Readings: []Reading{
			{GPU: "GPU-a", Metric: probe.Power, Min: 60, Max: 401, Mean: 310, N: 3500},
			{GPU: "GPU-a", Metric: probe.Energy, Rise: 1.08e6, N: 3500},
			{GPU: "GPU-a", Metric: probe.EventReasons, Max: 4, N: 3500},
			{GPU: "GPU-a", Metric: probe.Fan, State: probe.Unsupported, Raw: "[N/A]"},
			{GPU: "GPU-a", Metric: probe.NVLinkTx, State: probe.Unsupported, Raw: "[N/A]"},
			{Metric: probe.CPU, Min: 1, Max: 9, Mean: 4, N: 3600},
			{Metric: probe.Queue, State: probe.Pending},
		},
		Verdicts: []judge.Verdict{{
			Kind: judge.Idle, Level: judge.Warn, GPU: "GPU-a", From: noon, To: noon.Add(time.Minute), Confidence: 0.9,
			Say: texts.P("gap.host"), Next: texts.P("gap.paused"), Numbers: map[string]judge.Number{"nothing_of_that_name": {Value: 1}},
		}},
		Gaps:   []probe.Gap{{From: noon.Add(-time.Minute), To: noon.Add(time.Minute), Reason: probe.GapLink}, {From: noon, To: noon.Add(time.Second), Reason: probe.GapGPU, GPU: "GPU-a"}},
		Events: []probe.Event{{Time: noon, GPU: "GPU-a", Kind: probe.EventXid, Code: 79, Raw: "a | b\nc"}},
		Costs:  []texts.Phrase{texts.P("gap.agent")},
	}
}

func said(t *testing.T, r Report, l texts.Lang) string {
	t.Helper()
	var b strings.Builder
	if err := r.Markdown(&b, texts.For(l)); err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer("\u2009", " ", "\u00a0", " ").Replace(b.String())
}

func TestMarkdown(t *testing.T) {
	for l, wants := range map[texts.Lang][]string{
		texts.English: {
			"# What log 3 of my\\*card shows", "> Demo: the host is made up", "still running", "1 second of cards", "- GPU 0 NVIDIA &lt;A100&gt;, 80.0 GiB",
			"![Readings of the span](my%20night.png)", "**worth a look**", "confidence 90 %", "| GPU 0 NVIDIA &lt;A100&gt; | Power | 310 W | 60 W | 401 W | 3,500 |", "grew by 300 Wh",
			"| The machine |", "2 gaps; the whole host is missing for 1 min", "a \\| b c", "## Cost",
		},
		texts.Chinese: {"演示：", "判断", "把握 90 %", "整机", "增加 300 Wh", "## 费用", "2 处空缺"},
	} {
		out := said(t, night(), l)
		for _, w := range wants {
			if !strings.Contains(out, w) {
				t.Errorf("%s: %q is missing in\n%s", l, w, out)
			}
		}
		for _, never := range []string{"chronicle.", "nothing_of_that_name", "<A100>", "%!", "event_reasons"} {
			if strings.Contains(out, never) {
				t.Errorf("%s: %q stands in\n%s", l, never, out)
			}
		}
		if n := strings.Count(out, "NVLink"); n != 1 {
			t.Errorf("%s: one line for one reason:\n%s", l, out)
		}
	}
}

func TestNothingToTell(t *testing.T) {
	r := Report{Log: Log{ID: 1, Host: "box"}, Made: noon}
	out := said(t, r, texts.English)
	for _, w := range []string{"The log holds no reading.", "not judged yet", "This span holds no reading.", "There are no gaps", "Nothing happened"} {
		if !strings.Contains(out, w) {
			t.Errorf("%q is missing in\n%s", w, out)
		}
	}
	r.Judged = true
	if out = said(t, r, texts.English); !strings.Contains(out, "Nothing was found") || strings.Contains(out, "Demo") {
		t.Error(out)
	}
}

func TestLongListsAreCut(t *testing.T) {
	r := night()
	for i := range 5000 {
		r.Events = append(r.Events, probe.Event{Time: noon, Kind: probe.EventNoise, Raw: fmt.Sprint(i)})
		r.Gaps = append(r.Gaps, probe.Gap{From: noon, To: noon.Add(time.Second), Reason: probe.GapAgent})
	}
	if out := said(t, r, texts.English); !strings.Contains(out, "And 4801 more.") || len(out) > 60_000 {
		t.Errorf("%d bytes", len(out))
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

var errFull = errors.New("full")

func TestWhatCannotBeWritten(t *testing.T) {
	r := night()
	if err := r.Markdown(full{}, texts.For(texts.English)); !errors.Is(err, errFull) {
		t.Error(err)
	}
}
