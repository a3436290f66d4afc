package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func smiCases() []smiCase {
	var all []smiCase
	for _, f := range []func() []smiCase{smiClean, smiResting, smiSlowed, smiBroken, smiOdd} {
		all = append(all, f()...)
	}
	return all
}

// TestJudgeLogs judges labelled logs of nvidia-smi as a user would.
func TestJudgeLogs(t *testing.T) {
	for _, c := range smiCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text := c.log.write(3)
			if c.text != nil {
				text = c.text(text)
			}
			words := slices.Concat([]string{"judge", "-", "--tz", "UTC"}, c.words)
			r := runWith(t.Context(), t.TempDir(), text, append(words, "--json", "--lang", "en")...)
			if r.code != 0 {
				t.Fatalf("%d: %s", r.code, r.stderr)
			}
			got, list := verdictsOf(t, judgeShape, r)
			var b strings.Builder
			for _, v := range list {
				fmt.Fprintf(&b, "  %v %v %.2f %v %v..%v: %v | %v | %v\n", v["kind"], v["level"], v["confidence"], v["gpu"], v["from"], v["to"], v["sentence"], v["doubts"], v["next"])
			}
			defer func() {
				if t.Failed() {
					t.Log(got["seconds"], "\n"+b.String())
				}
			}()
			for _, want := range c.want {
				if !slices.ContainsFunc(list, func(v map[string]any) bool {
					return v["kind"] == want || fmt.Sprint(v["kind"], " ", v["level"]) == want
				}) {
					t.Errorf("no %s", want)
				}
			}
			for _, v := range list {
				kind, level := v["kind"].(string), v["level"].(string)
				if warned := slices.ContainsFunc(c.want, func(w string) bool { return w == kind+" "+level }); !c.alarm && !warned && (level == "warn" || level == "fail") {
					t.Errorf("false alarm %s", kind)
				}
				if slices.Contains(strings.Fields(c.not), kind) {
					t.Errorf("%s is wrong here", kind)
				}
			}
			if said, _ := got["sentence"].(string); !strings.Contains(said, c.says) {
				t.Errorf("the headline says %q", said)
			}
			if head := list[0]["kind"].(string); c.first != "" && !slices.Contains(strings.Fields(c.first), head) {
				t.Errorf("the headline is %s", head)
			}
		})
	}
}

// TestJudgeImported holds a log that was read into the history against the file:
// also where its readings lie some seconds apart.
func TestJudgeImported(t *testing.T) {
	for _, every := range []float64{1, 5, 30} {
		home := t.TempDir()
		text := one(smi4090, until(after(smiFlux, 300, hot), 700), fullColumns, every, 25*minute).write(5)
		file := filepath.Join(home, "gpu.csv")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if r := run(t, home, nil, "history", "import", file, "--tz", "UTC"); r.code != 0 {
			t.Fatalf("%+v", r)
		}
		got, a := verdictsOf(t, judgeShape, run(t, home, nil, "judge", "1", "--json", "--lang", "en"))
		want, b := verdictsOf(t, judgeShape, run(t, home, nil, "judge", file, "--tz", "UTC", "--json", "--lang", "en"))
		for _, v := range slices.Concat(a, b) {
			delete(v, "host")
		}
		if fmt.Sprint(a) != fmt.Sprint(b) || got["seconds"] != want["seconds"] {
			t.Errorf("every %g s: from history, %v s\n%v\nfrom the file, %v s\n%v", every, got["seconds"], a, want["seconds"], b)
		}
	}
}
