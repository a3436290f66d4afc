package main

import (
	"regexp"
	"testing"

	"rentgen/app/guide"
)

// TestPatternsCompile: a broken pattern would only be seen when it is used.
func TestPatternsCompile(t *testing.T) {
	all := guide.Patterns()
	if len(all) < 200 {
		t.Fatalf("only %d patterns", len(all))
	}
	for _, p := range all {
		if _, err := regexp.Compile(p.String()); err != nil {
			t.Error(err)
		}
	}
}
