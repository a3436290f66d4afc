package cli

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rentgen/app/guide"
	"rentgen/app/guide/board"
	"rentgen/app/judge"
	"rentgen/app/settings"
	"rentgen/assets/texts"
)

const verdictShape = `[{host, kind, level, gpu, from, to, confidence, doubts, numbers, sentence, next, rule}]`

// shapes of the two answers as docs/contracts.md has them.
const (
	judgeShape = `{host, demo, from, to, seconds, level, sentence, next, doubts, verdicts:` + verdictShape + `}`
	whyShape   = `{level, sentence, next, doubts, verdicts:` + verdictShape + `,
		looks:[{host, demo, from, to, seconds, level, sentence, next, doubts, error, code}],
		comparisons:[{a, b, sentence, pace, differences:[{metric, a, b, share, slower, sentence, why}]}]}`
)

// verdictsOf checks an answer against its shape and what holds of every verdict.
func verdictsOf(t *testing.T, shapeText string, r result) (map[string]any, []map[string]any) {
	t.Helper()
	var got map[string]any
	if err := json.Unmarshal([]byte(r.out), &got); err != nil { // stages stand on stderr
		t.Fatalf("%v: %+v", err, r)
	}
	want, rest := shape(t, shapeText)
	if strings.TrimSpace(rest) != "" {
		t.Fatalf("%q is left", rest)
	}
	compare(t, "answer", want, got, map[string]int{})
	var out []map[string]any
	for _, x := range list(t, "verdicts", got["verdicts"]) {
		v, ok := x.(map[string]any)
		if !ok {
			t.Fatalf("%v", x)
		}
		out = append(out, v)
		kind, _ := v["kind"].(string)
		if !slices.Contains(judge.Kinds(), judge.Kind(kind)) {
			t.Errorf("kind %q isn't in the closed list", kind)
		}
		if sure, ok := v["confidence"].(float64); !ok || sure < 0 || sure > 1 {
			t.Errorf("confidence %v", v["confidence"])
		}
		if s, _ := v["sentence"].(string); s == "" || strings.HasPrefix(s, "judge.") || strings.ContainsAny(s, "{}") {
			t.Errorf("%s says %q", kind, s)
		}
		if rule, _ := v["rule"].(string); !texts.For(texts.English).Has("judge.rule." + rule) {
			t.Errorf("rule %q has no text", rule)
		}
		for name, x := range v["numbers"].(map[string]any) {
			if n, ok := x.(map[string]any); !ok || n["value"] == nil || n["unit"] == nil || len(n) != 2 {
				t.Errorf("%s: %v", name, x)
			}
		}
	}
	return got, out
}

// TestKindsOfTheContract: the closed list stands in docs/contracts.md.
func TestKindsOfTheContract(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "contracts.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, after, ok := strings.Cut(string(doc), "`kind` is one of\n\n")
	block, _, ok2 := strings.Cut(after, "\n\n")
	if !ok || !ok2 {
		t.Fatal("the contract has no list of kinds")
	}
	var want []string
	for _, k := range judge.Kinds() {
		want = append(want, string(k))
	}
	if got := strings.Fields(block); !slices.Equal(got, want) {
		t.Errorf("the contract has\n%v\nand the code\n%v", got, want)
	}
	_, section, _ := strings.Cut(string(doc), "## `judge` and `why`")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, key := range regexp.MustCompile(`[a-z_]+`).FindAllString(judgeShape+whyShape, -1) {
		if !strings.Contains(section, `"`+key+`"`) {
			t.Errorf("%q isn't in the contract", key)
		}
	}
}

func TestWhyDemo(t *testing.T) {
	for _, lang := range []string{"en", "zh"} {
		r := run(t, t.TempDir(), nil, "why", "demo", "--for", "1s", "--lang", lang)
		if r.code != 0 || !strings.Contains(r.out, catalogue(lang).T("cli.live.demo")) || strings.Contains(r.out+r.stderr, "cli.") || strings.Contains(r.out, "judge.") {
			t.Errorf("%s: %+v", lang, r)
		}
	}
	got, verdicts := verdictsOf(t, whyShape, run(t, t.TempDir(), nil, "why", "demo", "--for", "1s", "--json", "--lang", "en"))
	if len(verdicts) == 0 || verdicts[0]["kind"] != "not-enough-data" || verdicts[0]["gpu"] != nil || !strings.Contains(got["sentence"].(string), "too few") {
		t.Errorf("%v", got)
	}
	look := list(t, "looks", got["looks"])[0].(map[string]any)
	if look["demo"] != true || look["host"] != "demo" || look["error"] != "" || look["code"] != 0.0 || look["seconds"].(float64) < 1 {
		t.Errorf("look %v", look)
	}
}

// Two targets are looked at at once and compared; one that isn't there keeps its
// place.
func TestWhyOfSeveral(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"monday", "today"} {
		if r := run(t, home, nil, "host", "add", name, "demo"); r.code != 0 {
			t.Fatalf("%+v", r)
		}
	}
	r := run(t, home, nil, "why", "monday", "today", "monday", "--for", "1s", "--json", "--lang", "en")
	got, _ := verdictsOf(t, whyShape, r)
	if looks := list(t, "looks", got["looks"]); r.code != 0 || len(looks) != 2 {
		t.Errorf("%d, %v", r.code, looks)
	}
	pairs := list(t, "comparisons", got["comparisons"])
	if len(pairs) != 1 || pairs[0].(map[string]any)["a"] != "monday" || pairs[0].(map[string]any)["b"] != "today" || pairs[0].(map[string]any)["sentence"] != got["sentence"] {
		t.Errorf("%v", pairs)
	}
	if !strings.Contains(r.stderr, "monday: ") || !strings.Contains(r.stderr, "today: ") {
		t.Errorf("stderr doesn't say who: %s", r.stderr)
	}

	r = run(t, home, nil, "why", "nowhere", "today", "--for", "1s", "--json", "--lang", "en")
	got, _ = verdictsOf(t, whyShape, r)
	looks := list(t, "looks", got["looks"])
	if lost := looks[0].(map[string]any); r.code != 64 || lost["code"] != 64.0 || !strings.Contains(lost["error"].(string), "nowhere") || got["level"] == "" {
		t.Errorf("%d, %v", r.code, got)
	}
	if r := run(t, home, nil, "why", "nowhere", "--for", "1s"); r.code != 64 || r.out != "" {
		t.Errorf("%+v", r)
	}
	r = run(t, home, nil, "why", "nowhere", "today", "monday", "--for", "1s", "--lang", "zh")
	if r.code != 64 || !strings.Contains(r.out, "nowhere") || !strings.Contains(r.out, "monday") {
		t.Errorf("%+v", r)
	}
}

func TestWhyOverSSH(t *testing.T) {
	_, line, env := sshHost(t, withGPU(t))
	r := run(t, t.TempDir(), env, "why", line, "--for", "1s", "--json", "--trust-new", "--lang", "en")
	got, verdicts := verdictsOf(t, whyShape, r)
	if r.code != 0 || len(verdicts) == 0 {
		t.Fatalf("%+v", r)
	}
	if look := list(t, "looks", got["looks"])[0].(map[string]any); look["demo"] != false || look["seconds"].(float64) < 1 {
		t.Errorf("%v", look)
	}
	if r := run(t, t.TempDir(), env, "why", line, "--for", "1s"); r.code != 67 {
		t.Errorf("an unknown machine: %+v", r)
	}
}

// gpuLog is a log of nvidia-smi: a card that paints a picture in 20 s.
func gpuLog(seconds int) string {
	var b strings.Builder
	b.WriteString("timestamp, index, uuid, name, utilization.gpu [%], power.draw [W], memory.used [MiB], memory.total [MiB], clocks.current.sm [MHz], power.limit [W]\n")
	for i := range seconds {
		util, watt := 98, 401
		if i%20 < 2 {
			util, watt = 40, 160
		}
		fmt.Fprintf(&b, "2026/11/29 20:%02d:%02d.000, 0, GPU-1, NVIDIA GeForce RTX 4090, %d %%, %d.00 W, 14000 MiB, 24564 MiB, 2520 MHz, 450.00 W\n", i/60, i%60, util, watt)
	}
	return b.String()
}

func TestJudgeFile(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "gpu.csv")
	if err := os.WriteFile(file, []byte(gpuLog(180)), 0o600); err != nil {
		t.Fatal(err)
	}
	got, verdicts := verdictsOf(t, judgeShape, run(t, home, nil, "judge", file, "--tz", "+08:00", "--json", "--lang", "en"))
	if got["from"] != "2026-11-29T12:00:00.000Z" || got["seconds"] != 180.0 || got["host"] != "gpu.csv" || got["demo"] != false {
		t.Errorf("%v", got)
	}
	if !slices.ContainsFunc(verdicts, func(v map[string]any) bool { return v["kind"] == "bound.gpu" && v["gpu"] == "GPU-1" }) {
		t.Errorf("%v", verdicts)
	}
	if got["sentence"] != verdicts[0]["sentence"] || got["level"] != verdicts[0]["level"] {
		t.Errorf("the headline isn't the first: %v", got["sentence"])
	}
	again := run(t, home, nil, "judge", file, "--tz", "+08:00", "--json", "--lang", "en")
	if b := asJSON(t, again); fmt.Sprint(b) != fmt.Sprint(got) {
		t.Error("the same log is judged another way the second time")
	}
	for _, lang := range []string{"en", "zh"} {
		if r := run(t, home, nil, "judge", file, "--lang", lang); r.code != 0 || strings.Contains(r.out, "judge.") || strings.ContainsAny(r.out, "{}") {
			t.Errorf("%s: %+v", lang, r)
		}
	}
	r := runWith(t.Context(), home, gpuLog(60), "judge", "-", "--json")
	if _, v := verdictsOf(t, judgeShape, r); len(v) == 0 {
		t.Errorf("%+v", r)
	}
}

func TestJudgeBadInput(t *testing.T) {
	home := t.TempDir()
	for _, c := range []struct {
		words []string
		stdin string
		says  string
	}{
		{[]string{"-"}, "timestamp, power.draw [W]\nyesterday at 10:00, 3 W\n", "stdin, line 2"},
		{[]string{"-"}, "index, power.draw [W]\n0, 3\n", "index, power.draw"},
		{[]string{"-"}, "", "stdin"},
		{[]string{filepath.Join(home, "none.csv")}, "", "none.csv"},
		{[]string{home}, "", filepath.Base(home)},
		{[]string{"99"}, "", "99"},
		{[]string{"99", "--tz", "UTC"}, "", "--tz"},
		{[]string{"-", "--from", "2026-11-29"}, "", "--from"},
		{[]string{"-", "--tz", "Mars/North"}, "", "Mars/North"},
		{[]string{"1", "--from", "2026-11-30", "--to", "2026-11-29"}, "", "--to"},
		{[]string{"-", "--machine", "rented"}, "", "rented"},
		{nil, "", "RECORDING"},
	} {
		r := runWith(t.Context(), home, c.stdin, append(append([]string{"judge"}, c.words...), "--lang", "en")...)
		if r.code != 64 || r.out != "" || !strings.Contains(strings.ReplaceAll(r.stderr, "\u2009", " "), c.says) {
			t.Errorf("%q: %+v, want %q", c.words, r, c.says)
		}
	}
}

func TestJudgeRecording(t *testing.T) {
	home := t.TempDir()
	if r := run(t, home, nil, "probe", "demo", "--for", "2s", "--record", "--json"); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	got, verdicts := verdictsOf(t, judgeShape, run(t, home, nil, "judge", "1", "--json", "--lang", "en"))
	if got["demo"] != true || got["host"] != "demo" || len(verdicts) == 0 || verdicts[0]["kind"] != "not-enough-data" || got["seconds"].(float64) < 1 {
		t.Errorf("%v", got)
	}
	got, _ = verdictsOf(t, judgeShape, run(t, home, nil, "judge", "1", "--json", "--from", "2999-01-01"))
	if got["seconds"] != 0.0 || got["from"] != nil {
		t.Errorf("%v", got)
	}
	// A log that was read in is judged as the file itself is.
	file := filepath.Join(home, "gpu.csv")
	if err := os.WriteFile(file, []byte(gpuLog(120)), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := run(t, home, nil, "history", "import", file, "--tz", "UTC"); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	_, a := verdictsOf(t, judgeShape, run(t, home, nil, "judge", "2", "--json", "--lang", "en"))
	_, b := verdictsOf(t, judgeShape, run(t, home, nil, "judge", file, "--tz", "UTC", "--json", "--lang", "en"))
	for _, v := range slices.Concat(a, b) {
		delete(v, "host")
	}
	if fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("from history\n%v\nfrom the file\n%v", a, b)
	}
}

// What was rented is known of a saved host for which it was chosen under Set up.
func TestMachineOf(t *testing.T) {
	home := t.TempDir()
	added := asJSON(t, run(t, home, nil, "host", "add", "mine", "demo", "--json"))
	id, _ := added["id"].(string)
	j := &job{paths: settings.PathsIn(home), log: slog.New(slog.DiscardHandler)}
	if got := j.machineOf(t.Context(), id); id == "" || got != "" {
		t.Errorf("of %q nothing was chosen: %q", id, got)
	}
	s, err := j.writeStore(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b := board.New(board.Params{Host: id, Store: s})
	if err := b.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	b.SetTrack(guide.Dedicated)
	b.Close()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := j.machineOf(t.Context(), id); got != "dedicated" {
		t.Errorf("chosen is %q", got)
	}
	for _, other := range []string{"", "nobody"} {
		if got := j.machineOf(t.Context(), other); got != "" {
			t.Errorf("of %q: %q", other, got)
		}
	}
}
