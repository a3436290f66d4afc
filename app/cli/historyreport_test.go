package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestHistoryReport(t *testing.T) {
	home := t.TempDir()
	if r := runWith(t.Context(), home, nightLog, "history", "import", "-", "--name", "my|card", "--tz", "UTC"); r.code != 0 {
		t.Fatal(r)
	}
	for lang, says := range map[string][]string{
		"en": {"# What log 1 of my\\|card shows", "Read from the file stdin", "GPU 0 NVIDIA GeForce RTX 4090", "| 306 W |", "the log has nothing of this span", "## What was found"},
		"zh": {"my\\|card 第 1 号监测记录说明了什么", "读自文件 stdin", "日志里没有内容", "## 判断"},
	} {
		r := runLine(t, home, "history", "report", "1", "--lang", lang)
		if strings.Contains(r.out, "not judged") || strings.Contains(r.out, "没有判断过") {
			t.Errorf("%s: nobody judged it\n%s", lang, r.out)
		}
		out := strings.NewReplacer("\u2009", " ", "\u00a0", " ").Replace(r.out)
		for _, want := range says {
			if r.code != 0 || !strings.Contains(out, want) {
				t.Errorf("%s: %q is missing in\n%s%s", lang, want, out, r.stderr)
			}
		}
	}
	file := filepath.Join(home, "night.md")
	if r := runLine(t, home, "history", "report", "1", "--from", "2026-11-29T20:00:00Z", "--to", "2026-11-29T20:00:02Z", "-o", file, "--lang", "en"); r.code != 0 || r.out != "" {
		t.Fatal(r)
	}
	if b, err := os.ReadFile(file); err != nil || !strings.Contains(string(b), "no gaps in this span") {
		t.Errorf("%s, %v", b, err)
	}
	for _, words := range [][]string{{"2"}, {"x"}, {"1", "--format", "pdf"}, {"1", "-o", filepath.Join(home, "no", "where.md")}, {"1", "-o", home}} {
		if r := runLine(t, home, append([]string{"history", "report"}, words...)...); r.code != 64 || r.stderr == "" || strings.Contains(r.stderr, ".rentgen-") {
			t.Errorf("%q: %+v", words, r)
		}
	}
	if r := runLine(t, home, "history", "report", "1", "--from", "2999-01-01", "--lang", "en"); r.code != 0 || strings.Contains(r.out, "2999") || !strings.Contains(r.out, "holds no reading") {
		t.Errorf("beyond its end: %+v", r)
	}
	if r := runLine(t, home, "history", "report", "1", "--json"); r.code != 0 || !strings.Contains(r.out, `"format":"md"`) {
		t.Error(r)
	}
}
