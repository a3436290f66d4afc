package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/track"
	"rentgen/assets/texts"
)

var at0 = time.Date(2026, 11, 30, 10, 41, 0, 0, time.UTC)

// canaries must stand in no form of a hidden report. Each stands in some output,
// fact, note or name below.
var canaries = []string{
	"203.0.113.77", "198.51.100.9", "2001:db8:77::5", "hf_CaNaRy0123456789abcdefghij", "sk-canary-A1b2C3d4E5f6", "BearerCanary123",
	"AAAAC3NzaC1lZDI1NTE5CanaryCanaryCanary", "canaryuser", "canarypass", "canary-node7", "canary.person", "wangxiaoming", "region-77.example.com",
	"GPU-9f8e7d6c-aaaa-bbbb-cccc-ddddeeeeffff", "9f8e7d6c-1111-2222-3333-444455556666", "canarysecret", "b3BlbnNzaCBjYW5hcnk",
}

const dirty = `root@canary-node7:~# nvidia-smi
GPU 0: NVIDIA GeForce RTX 4090 (UUID: GPU-9f8e7d6c-aaaa-bbbb-cccc-ddddeeeeffff)
peer 203.0.113.77 and [2001:db8:77::5]:443 via 198.51.100.9
export HF_TOKEN=hf_CaNaRy0123456789abcdefghij OPENAI=sk-canary-A1b2C3d4E5f6
curl -H "Authorization: Bearer BearerCanary123" https://canaryuser:canarypass@repo.example.org/x?X-Amz-Signature=canarysecret
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5CanaryCanaryCanary canary.person@mail.example.org
/home/wangxiaoming/ComfyUI owner canary-node7
-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaCBjYW5hcnk
-----END OPENSSH PRIVATE KEY-----
<script>alert(1)</script> | **bold** [x](javascript:alert(1)) ![y](https://evil.example/z.png)
` + "````\n\x1b]0;title\x07\x1b[31mred\u202e\n"

func record(id guide.CheckID, out string) *guide.Record {
	return &guide.Record{
		Input: guide.Input{Check: id, Track: guide.Shared, Command: "nvidia-smi # on region-77.example.com", Stdout: []byte(out), Stderr: []byte("warning from 203.0.113.77\n")},
		Time:  at0, Duration: 1200 * time.Millisecond, Run: guide.Run{Driver: "550.90.07", Boot: "9f8e7d6c-1111-2222-3333-444455556666"},
	}
}

// says is a phrase with foreign text in it.
func says(v any) texts.Phrase { return texts.P("report.skipped", "reason", v) }

func views() []track.View {
	finding := func(v guide.Verdict, provider bool) guide.Finding {
		return guide.Finding{Verdict: v, Code: "c", Says: says("seen on canary-node7 <b>&</b>"), Do: says("ask about 203.0.113.77"), Provider: provider}
	}
	outcome := func(id guide.CheckID, v guide.Verdict, facts guide.Facts, provider bool) guide.Outcome {
		return guide.Outcome{
			Check: id, Verdict: v, Facts: facts, Findings: []guide.Finding{finding(v, provider), finding(guide.Pass, false)},
			Lines: []string{"peer 203.0.113.77 and <script>"}, Rule: "c",
		}
	}
	smi := track.CheckView{
		ID: guide.GPUSMI, State: track.Done, Verdict: guide.Fail, Record: record(guide.GPUSMI, dirty), Command: "nvidia-smi",
		Outcome: outcome(guide.GPUSMI, guide.Fail, guide.Facts{
			"names": []any{"NVIDIA GeForce RTX 4090", "NVIDIA GeForce RTX 4090"}, "driver": "550.90.07", "mem_total_mib": []any{24564.0, nil},
			"host": "canary-node7", "list": []string{"203.0.113.77"},
		}, true),
	}
	stale := track.CheckView{
		ID: guide.DiskDf, State: track.Stale, Verdict: guide.NotRun, StaleWhy: says("stalereason"), Record: record(guide.DiskDf, "x"),
		Outcome: outcome(guide.DiskDf, guide.Pass, guide.Facts{}, false),
	}
	stale.Record.Edited, stale.Record.Pasted, stale.Record.TimedOut = true, true, true
	left := track.CheckView{ID: guide.TorchCUDA, State: track.Left, Verdict: guide.Skip, Skipped: &guide.Skipped{On: "torch.cuda", Reason: "because wangxiaoming said so", Time: at0}}
	blocked := track.CheckView{ID: guide.GPUQuery, State: track.Blocked, Verdict: guide.Skip, BlockedBy: guide.GPUSMI}
	idle := track.CheckView{ID: guide.MemCgroup, State: track.Idle}
	steps := []track.StepView{
		{Step: track.Step{ID: "shared.5", Number: 5}, State: track.Done, Verdict: guide.Fail, Line: says("canary-node7 <i>"), Checks: []track.CheckView{smi, stale, left, blocked, idle}},
		{
			Step: track.Step{ID: "shared.1", Number: 1}, State: track.Left, Verdict: guide.Skip, Skipped: &guide.Skipped{Reason: "stepskip"},
			Items: []track.ItemView{{
				Item: track.Item{ID: "region", Fields: []string{"data"}}, Tick: &guide.Tick{Done: true, Note: "note of canary-node7"},
				Value: map[string]string{"data": "at 198.51.100.9"}, Finding: says("x"), StaleWhy: says("old answer"),
			}},
		},
	}
	skips := []guide.Skipped{
		{On: "torch.cuda", Reason: "because wangxiaoming said so", Time: at0},
		{On: "shared.1", Reason: "earlier | reason", Time: at0.Add(-time.Hour), Until: at0},
	}
	return []track.View{
		{Track: guide.Shared, Verdict: guide.Fail, Sentence: says("first sentence"), After: []texts.Phrase{says("behind it")}, Steps: steps, Skips: skips, Folded: []track.CheckView{{ID: guide.DockerGPU}}},
		{Track: guide.Network, Verdict: guide.Pass, Sentence: says("second sentence"), Skips: skips},
	}
}

func made(l texts.Lang, m *Mask) *Report {
	return Make(Params{
		Lang: l, Host: Host{Name: "box region-77.example.com", Demo: true, Provider: "AutoDL", Cards: []string{"NVIDIA GeForce RTX 4090"}},
		Views: views(), Run: guide.Run{Boot: "9f8e7d6c-1111-2222-3333-444455556666", Driver: "550.90.07"}, Now: at0, Mask: m,
	})
}

func mask() *Mask {
	return NewMask(Known{Hosts: []string{"region-77.example.com"}, Users: []string{"wangxiaoming"}})
}

// forms are all texts that a report gives, by form.
func forms(t *testing.T, r *Report) map[string]string {
	t.Helper()
	var js, page bytes.Buffer
	if err := r.JSON(&js); err != nil {
		t.Fatal(err)
	}
	if err := r.HTML(&page); err != nil {
		t.Fatal(err)
	}
	return map[string]string{"json": js.String(), "md": r.Markdown(), "html": page.String(), "png": drawn(t, r.lay), "message": r.Message()}
}

// drawn is what a picture says.
func drawn(t *testing.T, lay func(*flow)) string {
	t.Helper()
	c, err := newCanvas()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	lay(&flow{c: c, write: func(_ style, _, _ float64, s string) { b.WriteString(s + " ") }})
	return b.String()
}

func TestNothingHiddenIsShown(t *testing.T) {
	for _, l := range texts.Langs() {
		for form, s := range forms(t, made(l, mask())) {
			for _, c := range canaries {
				if strings.Contains(s, c) {
					t.Errorf("%s %s shows %q", l, form, c)
				}
			}
			if s == "" || strings.ContainsAny(s, "\x1b\u202e") {
				t.Errorf("%s %s: %.60q", l, form, s)
			}
		}
	}
	open := forms(t, made(texts.English, nil))["json"]
	for _, c := range canaries {
		if !strings.Contains(open, c) {
			t.Errorf("%q is hidden where nothing is to be, or stands nowhere", c)
		}
	}
}

// TestWhatMustBeKnownIsInEveryForm: left out, edited, pasted, out of date, demo,
// how far a pass goes.
func TestWhatMustBeKnownIsInEveryForm(t *testing.T) {
	for _, l := range texts.Langs() {
		r := made(l, mask())
		cat := texts.For(l)
		for form, s := range forms(t, r) {
			if form == "message" {
				continue
			}
			flat := strings.Join(strings.Fields(strings.NewReplacer(`\`, "", "&#39;", "'", "&#34;", `"`).Replace(s)), " ")
			want := []string{"stalereason", "stepskip", "because user said so", "earlier", "first sentence", "behind it"}
			if form != "json" {
				want = append(want, cat.T("report.mark.edited"), cat.T("report.mark.pasted"), cat.T("report.mark.timeout"), cat.T("report.demo"), r.Scope, cat.T("report.blocked", "check", cat.T("track.check.gpu.smi")))
			} else {
				want = append(want, `"edited": true`, `"pasted": true`, `"timed_out": true`, `"demo": true`, `"blocked_by": "gpu.smi"`, `"redacted": true`, `"stale": `)
			}
			for _, w := range want {
				if w = strings.Join(strings.Fields(w), " "); !strings.Contains(flat, w) {
					t.Errorf("%s %s lacks %q", l, form, w)
				}
			}
		}
	}
}

func TestShape(t *testing.T) {
	r := made(texts.English, mask())
	if r.Verdict != Verdict(guide.Fail) || !strings.Contains(r.Sentence, "first sentence") || !slices.Equal(r.NotRun, []guide.CheckID{guide.TorchCUDA, guide.GPUQuery, guide.MemCgroup}) {
		t.Errorf("%q %q %v", r.Verdict, r.Sentence, r.NotRun)
	}
	if len(r.Skips) != 2 || r.Skips[0].Until == nil || r.Skips[1].Until != nil {
		t.Errorf("%+v", r.Skips)
	}
	var b bytes.Buffer
	if err := r.JSON(&b); err != nil {
		t.Fatal(err)
	}
	var m struct {
		Steps []struct {
			ID     string
			Checks []map[string]any
		}
	}
	if err := json.Unmarshal(b.Bytes(), &m); err != nil {
		t.Fatal(err)
	}
	checks := m.Steps[0].Checks
	for _, key := range []string{"check", "verdict", "facts", "sentence", "remedy", "command", "exit", "stdout", "stderr", "edited", "pasted", "time"} {
		for i, c := range checks {
			if _, ok := c[key]; !ok {
				t.Errorf("check %d has no %q", i, key)
			}
		}
	}
	if c := checks[4]; c["verdict"] != nil || c["exit"] != nil || c["time"] != nil {
		t.Errorf("never run, yet %v", c)
	}
	if c := checks[0]; c["exit"] != 0.0 || c["verdict"] != "fail" || c["facts"].(map[string]any)["host"] != "host" {
		t.Errorf("%v", c)
	}
	if c := checks[1]; c["verdict"] != "pass" || c["state"] != "stale" {
		t.Errorf("%v", c)
	}
	// The facts of whoever judged are not touched.
	v := views()
	_ = Make(Params{Views: v, Mask: mask(), Now: at0})
	if v[0].Steps[0].Checks[0].Outcome.Facts["host"] != "canary-node7" || v[0].Steps[0].Checks[0].Outcome.Facts["list"].([]string)[0] != "203.0.113.77" {
		t.Error("a report changed the facts it was made from")
	}
	back, err := Read(&b)
	if err != nil || back.Verdict != r.Verdict || back.Steps[0].Checks[0].Sentence != r.Steps[0].Checks[0].Sentence {
		t.Errorf("%v", err)
	}
}

func TestReadRefuses(t *testing.T) {
	for _, s := range []string{"", "x", "[]", `{"verdict":"pass"}`, `{"steps":[{"verdict":"great"}]}`, `{"steps":[{"checks":[{"verdict":1}]}]}`} {
		if _, err := Read(strings.NewReader(s)); err == nil {
			t.Errorf("%q is a report", s)
		}
	}
	r, err := Read(strings.NewReader("\xef\xbb\xbf" + `{"steps":[],"sentence":"a\u001b[31mb\u202e"}`))
	if err != nil || r.Sentence != "ab" {
		t.Errorf("%+v %v", r, err)
	}
}

func TestNoMarkupOfAHost(t *testing.T) {
	f := forms(t, made(texts.English, mask()))
	for _, bad := range []string{"<script", "<b>", "<i>", "javascript:alert(1))\""} {
		if strings.Contains(f["html"], bad) {
			t.Errorf("HTML holds %q", bad)
		}
	}
	md := outsideFences(f["md"])
	for _, bad := range []string{"<script", "<b>", "<i>", "![y]", "**bold**", "[x]("} {
		if strings.Contains(md, bad) {
			t.Errorf("Markdown holds %q", bad)
		}
	}
	if strings.Contains(f["html"], "<link") || strings.Contains(f["html"], "src=") || strings.Contains(f["html"], "<script") {
		t.Error("the page loads something")
	}
}

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "550.90.07": "550.90.07", "1. x": `1\. x`, "12.": `12\.`, "- x": `\- x`, "# x": `\# x`, "a # b - c": "a # b - c", "a_b*c|d": `a\_b\*c\|d`,
		"<b>&": "&lt;b&gt;&amp;", "@all": "&#64;all", "see https://x.org and www.y.org": "see https&#58;//x.org and www&#46;y.org", "a\nb\tc": "a b c",
	} {
		if got := Plain(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// outsideFences is Markdown without its blocks of raw text.
func outsideFences(s string) string {
	var out []string
	fence := ""
	for _, l := range strings.Split(s, "\n") {
		switch {
		case fence == "" && strings.HasPrefix(l, "```"):
			fence = l[:len(l)-len(strings.TrimLeft(l, "`"))]
		case fence != "" && l == fence:
			fence = ""
		case fence == "":
			out = append(out, l)
		}
	}
	return strings.Join(out, "\n")
}

func TestMessage(t *testing.T) {
	for _, l := range texts.Langs() {
		r := made(l, mask())
		s := r.Message()
		for _, want := range []string{"nvidia-smi", "550.90.07", "RTX 4090", texts.For(l).T("report.message.ask")} {
			if !strings.Contains(s, want) {
				t.Errorf("%s lacks %q:\n%s", l, want, s)
			}
		}
		if r.Message(guide.DiskDf) != "" {
			t.Error("something for the provider that is not theirs")
		}
		if strings.Contains(s, "{") {
			t.Errorf("not filled: %s", s)
		}
	}
}

func TestPictures(t *testing.T) {
	for _, l := range texts.Langs() {
		for name, draw := range map[string]func(*bytes.Buffer) error{
			"report": func(b *bytes.Buffer) error { return made(l, mask()).PNG(b) },
			"card":   func(b *bytes.Buffer) error { return card(l).PNG(b) },
		} {
			var b bytes.Buffer
			if err := draw(&b); err != nil {
				t.Fatal(err)
			}
			if dir := os.Getenv("RENTGEN_PICTURES"); dir != "" {
				if err := os.WriteFile(filepath.Join(dir, name+"-"+string(l)+".png"), b.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			img, err := png.Decode(&b)
			if err != nil || img.Bounds().Dx() != pageWidth || img.Bounds().Dy() < 400 {
				t.Fatalf("%s: %v, %v", name, img.Bounds(), err)
			}
		}
	}
}

// TestEveryCharacterOfTheTextsHasAGlyph: a box in a picture is seen by everybody.
func TestEveryCharacterOfTheTextsHasAGlyph(t *testing.T) {
	c, err := newCanvas()
	if err != nil {
		t.Fatal(err)
	}
	missing := map[rune]string{}
	for _, l := range texts.Langs() {
		cat := texts.For(l)
		for _, k := range cat.Keys() {
			if !strings.HasPrefix(k, "report.") && !strings.HasPrefix(k, "check.") && !strings.HasPrefix(k, "track.") && !strings.HasPrefix(k, "format.") {
				continue
			}
			for _, r := range cat.T(k) {
				if _, ok := c.face(body, r); !ok && r != thinSpace {
					missing[r] = k
				}
			}
		}
	}
	for r, k := range missing {
		t.Errorf("no glyph for %q of %s", r, k)
	}
}

func TestWrap(t *testing.T) {
	c, err := newCanvas()
	if err != nil {
		t.Fatal(err)
	}
	text := "模型放在系统盘上（30 GB，已用 91 %），不在 /root/autodl-tmp 里；先把 HF_HOME 改过去，再下载模型。averyveryveryveryveryveryverylongword"
	for _, most := range []float64{120, 300, 900} {
		lines := c.wrap(body, text, most)
		for _, l := range lines {
			if w := c.width(body, l); w > most+body.size*2 {
				t.Errorf("%q is %.0f wide of %.0f", l, w, most)
			}
			if first := []rune(l); len(first) > 0 && strings.ContainsRune("，。；）、", first[0]) {
				t.Errorf("%q begins with a closing mark", l)
			}
		}
		if got := strings.ReplaceAll(strings.Join(lines, ""), " ", ""); got != strings.ReplaceAll(text, " ", "") {
			t.Errorf("wrapped at %.0f: %q", most, got)
		}
	}
}

func card(l texts.Lang) *Card {
	v := views()
	v[0].Steps[0].Checks = append(v[0].Steps[0].Checks,
		track.CheckView{ID: guide.CPUCgroup, State: track.Done, Record: record(guide.CPUCgroup, "x"), Outcome: guide.Outcome{Facts: guide.Facts{"effective_cores": 16}}},
		track.CheckView{ID: guide.DiskSpeed, State: track.Stale, Record: record(guide.DiskSpeed, "x"), Outcome: guide.Outcome{Facts: guide.Facts{"read_mb_s": 1210.0, "cache_suspected": true}}},
		track.CheckView{ID: guide.NetCurl, State: track.Done, Record: record(guide.NetCurl, "x"), Outcome: guide.Outcome{Facts: guide.Facts{"speed_mb_s": nil}}},
	)
	return MakeCard(CardParams{
		Lang: l, Host: Host{Provider: "AutoDL", Demo: true}, Views: v, Now: at0, Mask: mask(),
		Load:    &Load{SMLow: 2505, SMHigh: 2745, Power: 402, PowerCap: 450, At: at0},
		Picture: &Picture{Seconds: 6.5, Job: "SDXL 1024², 203.0.113.77", At: at0},
		Needs:   guide.Needs{PriceHour: "1.88 CNY/h", Cost: func(d time.Duration) string { return "CNY " + texts.Number(d.Hours()*1.88, 2) }},
	})
}

func TestCard(t *testing.T) {
	for _, l := range texts.Langs() {
		k := card(l)
		got := map[string]CardRow{}
		for _, r := range k.Rows {
			got[r.ID] = r
			if r.Known == (r.Value == texts.Dash) || r.Note == "" || strings.Contains(r.Value+r.Note, "{") {
				t.Errorf("%+v", r)
			}
		}
		for id, want := range map[string]string{"card": "2", "vram": "24.0\u2009GiB + –", "driver": "550.90.07", "power": "402", "cores": "16", "disk": "1.2", "seconds": "6.5", "cost": "3.39"} {
			if r := got[id]; !r.Known || !strings.Contains(r.Value, want) {
				t.Errorf("%s %s is %+v, want %q", l, id, r, want)
			}
		}
		cat := texts.For(l)
		for id, why := range map[string]string{"ram": "notrun", "net": "unread"} {
			if r := got[id]; r.Known || r.Note != cat.T("report.card.why."+why) {
				t.Errorf("%s %s is %+v", l, id, r)
			}
		}
		if !strings.Contains(got["disk"].Note, cat.T("report.card.why.stale")) || !strings.Contains(got["disk"].Value, cat.T("report.card.cachedwarn")) {
			t.Errorf("%+v", got["disk"])
		}
		var js bytes.Buffer
		if err := k.JSON(&js); err != nil {
			t.Fatal(err)
		}
		for form, s := range map[string]string{"md": k.Markdown(), "json": js.String(), "png": drawn(t, k.lay)} {
			for _, c := range canaries {
				if strings.Contains(s, c) {
					t.Errorf("%s shows %q", form, c)
				}
			}
			if flat := strings.Join(strings.Fields(s), ""); !strings.Contains(flat, strings.Join(strings.Fields(cat.T("report.demo")), "")) && form != "json" {
				t.Errorf("%s doesn't say that it is made up", form)
			}
		}
	}
	empty := MakeCard(CardParams{Lang: texts.English, Now: at0})
	for _, r := range empty.Rows {
		if r.Known || r.Note == "" {
			t.Errorf("from nothing: %+v", r)
		}
	}
}

func TestCase(t *testing.T) {
	r := *record(guide.GPUSMI, dirty)
	r.Exit = 9
	dir := "/home/wangxiaoming/models"
	r.Context.Dir = &dir
	c, err := MakeCase(CaseParams{Record: r, Want: guide.Warn, Why: "it is\nfine, says wangxiaoming", Mask: mask()})
	if err != nil {
		t.Fatal(err)
	}
	index, err := c.Index()
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range canaries {
		if bytes.Contains(c.Raw, []byte(bad)) || bytes.Contains(index, []byte(bad)) {
			t.Errorf("the case shows %q", bad)
		}
	}
	// The list of the built-in cases has the same columns, and ours can be read the
	// same way.
	f, err := os.ReadFile(filepath.Join("..", "testdata", "cases", "checks", "index.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if head, _, _ := strings.Cut(string(f), "\n"); head != strings.Join(CaseColumns, ",") {
		t.Errorf("columns of the cases are %q", head)
	}
	rows, err := csv.NewReader(bytes.NewReader(index)).ReadAll()
	if err != nil || len(rows) != 2 || rows[1][1] != c.File || rows[1][5] != "9" || rows[1][7] != "warn" || !c.Kept {
		t.Errorf("%q, %v, kept %v", rows, err, c.Kept)
	}
	known, err := guide.ReadContext([]byte(rows[1][6]))
	if err != nil || *known.Dir != "/home/user/models" || dir != "/home/wangxiaoming/models" {
		t.Errorf("%+v, %v", known, err)
	}
}

// FuzzForms: whatever a host prints, every form can be written and read back.
func FuzzForms(f *testing.F) {
	f.Add(dirty)
	f.Add("")
	f.Add("\xff\xfe|`~~~\n````")
	f.Fuzz(func(t *testing.T, out string) {
		v := views()
		v[0].Steps[0].Checks[0].Record.Stdout = []byte(out)
		v[0].Steps[0].Checks[0].Outcome.Lines = []string{guide.Clean([]byte(out), 400)}
		r := Make(Params{Lang: texts.Chinese, Views: v, Now: at0, Mask: mask()})
		var js, page bytes.Buffer
		if err := r.JSON(&js); err != nil {
			t.Fatal(err)
		}
		if err := r.HTML(&page); err != nil {
			t.Fatal(err)
		}
		_ = r.Markdown()
		if _, err := Read(&js); err != nil {
			t.Fatal(err)
		}
	})
}

func TestAlsoSaysNothingTwice(t *testing.T) {
	c := Check{Remedy: "Do this.", Findings: []Finding{{Sentence: "First", Remedy: "Do this."}, {Sentence: "second", Remedy: "Do this."}, {Sentence: "third", Remedy: "Do that."}, {Sentence: "fourth."}}}
	for lang, want := range map[texts.Lang]string{texts.English: "second|third. Do that.|fourth.", texts.Chinese: "second|third。Do that.|fourth."} {
		if got := strings.Join((&Report{Lang: lang}).Also(c), "|"); got != want {
			t.Errorf("%s: %s, want %s", lang, got, want)
		}
	}
}

func TestPairOfAQuestion(t *testing.T) {
	zh, en := &Report{Lang: texts.Chinese}, &Report{Lang: texts.English}
	if got := zh.Pair("规格？", "未回答"); got != "规格？未回答" {
		t.Error(got)
	}
	if got := en.Pair("Which size?", "not answered"); got != "Which size? not answered" {
		t.Error(got)
	}
	if got := en.Pair("Seen", "a card"); got != "Seen: a card" {
		t.Error(got)
	}
}
