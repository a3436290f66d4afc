package plan

import (
	"reflect"
	"strings"
	"testing"

	"rentgen/app/workload"
	"rentgen/assets/texts"
)

// uncommented turns a remark of an example into what it shows: the lines after
// the one that begins so, as long as they are keys.
func uncommented(text, from string) string {
	_, rest, _ := strings.Cut(text, from)
	_, rest, _ = strings.Cut(rest, "\n")
	var out []string
	for _, l := range strings.Split(rest, "\n") {
		body, ok := strings.CutPrefix(l, "# ")
		if !ok {
			break
		}
		out = append(out, body)
	}
	return strings.Join(out, "\n") + "\n"
}

func TestExamplesAreReadAndLabelled(t *testing.T) {
	for lang, words := range map[texts.Lang][2]string{texts.English: {"Example", "made up"}, texts.Chinese: {"示例", "虚构"}} {
		for _, kind := range Kinds() {
			text := string(ExampleIn(lang, kind))
			p := mustRead(t, text)
			if p.Job.Model == "" || p.Use.Pattern == "" || len(p.Offers) == 0 || !strings.HasPrefix(p.Name, words[0]) {
				t.Errorf("%s: %+v", kind, p)
			}
			for _, o := range p.Offers {
				if !o.Example || !strings.HasPrefix(o.Name, words[0]) {
					t.Errorf("%s: %s is not marked as an example", kind, o.Name)
				}
			}
			if strings.Count(text, "#") < 10 || !strings.Contains(text, words[1]) {
				t.Errorf("%s says too little", kind)
			}
			if _, err := ReadFor(workload.Load(), []byte(text)); err != nil {
				t.Errorf("%s %s: %v", lang, kind, err)
			}
		}
	}
	if Example("cheap") != nil {
		t.Error("an example of nothing")
	}
}

// TestExamplesAreOneInBothLanguages: but for names the plan is the same.
func TestExamplesAreOneInBothLanguages(t *testing.T) {
	for _, kind := range Kinds() {
		en, zh := mustRead(t, string(Example(kind))), mustRead(t, string(ExampleIn(texts.Chinese, kind)))
		if en.Name == zh.Name {
			t.Errorf("%s has the name %q in both", kind, en.Name)
		}
		zh.Name = en.Name
		for i := range min(len(en.Offers), len(zh.Offers)) {
			zh.Offers[i].Name = en.Offers[i].Name
		}
		if !same(reflect.ValueOf(en), reflect.ValueOf(zh)) {
			t.Errorf("%s: %+v\n%+v", kind, en, zh)
		}
	}
}

// TestTheClassInTheExampleRuns: the remark of a class is a use as it stands,
// and says that the pictures are the whole class's.
func TestTheClassInTheExampleRuns(t *testing.T) {
	for lang, w := range map[texts.Lang][2]string{texts.English: {"# A class instead", "the whole class"}, texts.Chinese: {"# 上课用这一段", "全班合计"}} {
		text := string(ExampleIn(lang, "fit"))
		if !strings.Contains(text, w[1]) {
			t.Errorf("%s doesn't say %q", lang, w[1])
		}
		p := mustRead(t, "version: 1\n"+uncommented(text, w[0]))
		if p.Use.Pattern != workload.Timetable || p.Use.Pictures.PerDay == 0 || len(workload.CheckUse(p.Use)) > 0 {
			t.Errorf("%s: %+v %v", lang, p.Use, workload.CheckUse(p.Use))
		}
	}
}
