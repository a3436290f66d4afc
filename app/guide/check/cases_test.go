package check

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"rentgen/app/guide"
	"rentgen/assets/texts"
)

// ownCase is one output with what it has to come to. The files in testdata hold
// many: a line "=== " with the head as JSON, then the output.
type ownCase struct {
	Name    string          `json:"name"`
	Check   guide.CheckID   `json:"check"`
	Track   guide.Track     `json:"track"`
	Exit    int             `json:"exit"`
	Command string          `json:"command"`
	Context json.RawMessage `json:"context"`
	Stderr  string          `json:"stderr"`
	Verdict guide.Verdict   `json:"verdict"`
	Rule    string          `json:"rule"` // the code that decides, where the case says it
	Facts   map[string]any  `json:"facts"`

	input guide.Input
}

func ownCases(t testing.TB) []ownCase {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatal("no cases: ", err)
	}
	var list []ownCase
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range bytes.Split(append([]byte("\n"), b...), []byte("\n=== "))[1:] {
			head, out, _ := bytes.Cut(block, []byte("\n"))
			var c ownCase
			d := json.NewDecoder(bytes.NewReader(head))
			d.DisallowUnknownFields()
			if err := d.Decode(&c); err != nil {
				t.Fatalf("%s: %s: %v", f, head, err)
			}
			known, err := guide.ReadContext(c.Context)
			if err != nil {
				t.Fatalf("%s: %s: %v", f, c.Name, err)
			}
			c.input = guide.Input{Check: c.Check, Track: c.Track, Command: c.Command, Exit: c.Exit, Stdout: out, Stderr: []byte(c.Stderr), Context: known}
			list = append(list, c)
		}
	}
	return list
}

func TestOwnCases(t *testing.T) {
	for _, c := range ownCases(t) {
		t.Run(string(c.Check)+" "+c.Name, func(t *testing.T) {
			o := Judge(c.input)
			if o.Verdict != c.Verdict {
				t.Errorf("verdict %q (%s), want %q", o.Verdict, o.Rule, c.Verdict)
			}
			if c.Rule != "" && o.Rule != c.Rule {
				t.Errorf("rule %q, want %q", o.Rule, c.Rule)
			}
			for name, want := range c.Facts {
				got, ok := o.Facts[name]
				if !ok || !sameFact(t, got, want) {
					t.Errorf("%s = %v (read: %t), want %v", name, got, ok, want)
				}
			}
			wellSaid(t, o)
		})
	}
}

// sameFact compares as JSON does, numbers within 1 %.
func sameFact(t *testing.T, got, want any) bool {
	t.Helper()
	b, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var g any
	if err := json.Unmarshal(b, &g); err != nil {
		t.Fatal(err)
	}
	var same func(a, b any) bool
	same = func(a, b any) bool {
		switch w := b.(type) {
		case float64:
			v, ok := a.(float64)
			return ok && math.Abs(v-w) <= 0.01*math.Abs(w)
		case []any:
			l, ok := a.([]any)
			if !ok || len(l) != len(w) {
				return false
			}
			for i := range w {
				if !same(l[i], w[i]) {
					return false
				}
			}
			return true
		}
		return a == b
	}
	return same(g, want)
}

// curlField is what curl fills in a command that a text shows.
var curlField = regexp.MustCompile(`%\{\w+\}`)

// wellSaid holds for every outcome: texts exist and are filled, a fail says what
// to do, a warning begins with what it means for going on.
func wellSaid(t *testing.T, o guide.Outcome) {
	t.Helper()
	if len(o.Findings) == 0 {
		t.Fatal("no finding")
	}
	for _, l := range texts.Langs() {
		cat := texts.For(l)
		for _, f := range o.Findings {
			if !cat.Has(f.Says.Key) || !f.Do.IsZero() && !cat.Has(f.Do.Key) {
				t.Errorf("no text for %q or %q in %s", f.Says.Key, f.Do.Key, l)
			}
			says := cat.Say(f.Says)
			if strings.ContainsAny(curlField.ReplaceAllString(says+cat.Say(f.Do), ""), "{}") {
				t.Errorf("not filled: %s %s", says, cat.Say(f.Do))
			}
			if (f.Verdict == guide.Fail || f.Verdict == guide.Warn) && f.Do.IsZero() {
				t.Errorf("%s (%s) does not say what to do", f.Code, f.Verdict)
			}
			if f.Verdict == guide.Warn && l == texts.English && !strings.HasPrefix(says, "You can go on") && !strings.HasPrefix(says, "Fix before") {
				t.Errorf("a warning begins with what it means for going on: %s", says)
			}
		}
	}
}
