package table

import (
	"slices"
	"testing"
)

func TestLimits(t *testing.T) {
	t.Parallel()
	dated := ReadLimits("a.csv", []byte("id,value,unit,mark,source,date\nx.y,0.5,%,rule,a page,2026-11-30\nz,2,s,proposal,,\n"), "date")
	want := []Limit{{"x.y", 0.5, "%", "rule", "a page", "2026-11-30"}, {"z", 2, "s", "proposal", "", ""}}
	if got := dated.List(); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
	if dated.Value("z") != 2 {
		t.Error("another value")
	}
	undated := ReadLimits("b.csv", []byte("id,value,unit,mark,source\nx,1,s,rule,a page\n"))
	if got := undated.List()[0]; got != (Limit{ID: "x", Value: 1, Unit: "s", Mark: "rule", Source: "a page"}) {
		t.Errorf("%+v", got)
	}
}

// TestBroken holds that no broken table is read in part.
func TestBroken(t *testing.T) {
	t.Parallel()
	good := ReadLimits("good.csv", []byte("id,value,unit,mark,source\nx,1,s,rule,a page\n"))
	for name, f := range map[string]func(){
		"no row":         func() { Rows("t.csv", []byte("a,b\n"), "a", "b") },
		"other head":     func() { Rows("t.csv", []byte("a,c\n1,2\n"), "a", "b") },
		"uneven":         func() { Rows("t.csv", []byte("a,b\n1\n"), "a", "b") },
		"no number":      func() { ReadLimits("t.csv", []byte("id,value,unit,mark,source\nx,much,s,rule,\n")) },
		"twice":          func() { ReadLimits("t.csv", []byte("id,value,unit,mark,source\nx,1,s,rule,\nx,2,s,rule,\n")) },
		"unknown by id":  func() { good.Value("y") },
		"date not there": func() { ReadLimits("t.csv", []byte("id,value,unit,mark,source\nx,1,s,rule,\n"), "date") },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
