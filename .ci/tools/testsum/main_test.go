package main

import (
	"strings"
	"testing"
)

func sumOf(t *testing.T, lines string) (*sum, string) {
	t.Helper()
	var out strings.Builder
	s := newSum(&out)
	s.read(strings.NewReader(lines))
	s.close()
	return s, out.String()
}

func TestCounts(t *testing.T) {
	s, out := sumOf(t, `{"Action":"output","Package":"p","Test":"TestA","Output":"noise\n"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:7: no sshd here\n"}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestC","Output":"    c_test.go:9: got 1\n"}
{"Action":"fail","Package":"p","Test":"TestC"}
{"Action":"fail","Package":"p","Elapsed":1}
`)
	if s.passed != 1 || s.failed != 1 || s.skipped != 1 {
		t.Errorf("counts %d %d %d", s.passed, s.failed, s.skipped)
	}
	for _, want := range []string{"p TestB: no sshd here", "c_test.go:9: got 1", "TESTS FAILED\n1 passed, 1 failed, 1 skipped\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing from\n%s", want, out)
		}
	}
	if strings.Contains(out, "noise") {
		t.Errorf("output of a test that passed: %s", out)
	}
}

func TestBuildFailureCounts(t *testing.T) {
	s, out := sumOf(t, `{"ImportPath":"p","Action":"build-output","Output":"x.go:1: undefined: y\n"}
{"ImportPath":"p","Action":"build-fail"}
{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}
{"Action":"fail","Package":"p"}
`)
	if s.failed != 1 || !strings.Contains(out, "undefined: y") {
		t.Errorf("%d failed: %s", s.failed, out)
	}
}

func TestNothingRanIsAFailure(t *testing.T) {
	s, out := sumOf(t, `{"Action":"pass","Package":"p"}`)
	if s.close() || !strings.Contains(out, "TESTS FAILED") {
		t.Error(out)
	}
}
