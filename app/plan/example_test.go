package plan

import (
	"strings"
	"testing"
)

func TestExamplesAreReadAndLabelled(t *testing.T) {
	for _, kind := range Kinds() {
		p := mustRead(t, string(Example(kind)))
		if p.Job.Model == "" || p.Use.Pattern == "" || len(p.Offers) == 0 || !strings.HasPrefix(p.Name, "Example") {
			t.Errorf("%s: %+v", kind, p)
		}
		for _, o := range p.Offers {
			if !o.Example || !strings.HasPrefix(o.Name, "Example") {
				t.Errorf("%s: %s is not marked as an example", kind, o.Name)
			}
		}
		if text := string(Example(kind)); strings.Count(text, "#") < 10 || !strings.Contains(text, "made up") {
			t.Errorf("%s says too little", kind)
		}
	}
	if Example("cheap") != nil {
		t.Error("an example of nothing")
	}
}
