package texts

import (
	"strings"
	"testing"
)

func TestInputErrorObeysNothing(t *testing.T) {
	e := &InputError{Field: "name", Value: "a\x1b[31mb\u202e\tc", Allowed: P("input.empty")}
	if got := e.Error(); strings.ContainsAny(got, "\x1b\u202e\t") || !strings.Contains(got, "b\ufffd c") {
		t.Errorf("%q", got)
	}
}
