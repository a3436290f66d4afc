package check

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"unicode"

	"rentgen/app/guide"
)

// FuzzJudge: whatever a host prints, a verdict comes, the same one each time,
// with texts that are filled and evidence that is clean.
func FuzzJudge(f *testing.F) {
	ids := guide.Checks()
	at := map[guide.CheckID]int{}
	for i, id := range ids {
		at[id] = i
	}
	for _, in := range builtInCases(f) {
		f.Add(at[in.Check], in.Track == guide.Shared, in.Exit, in.Command, in.Stdout, in.Stderr)
	}
	for _, c := range ownCases(f) {
		f.Add(at[c.Check], c.Track == guide.Shared, c.Exit, c.Command, c.input.Stdout, c.input.Stderr)
	}
	f.Fuzz(func(t *testing.T, check int, shared bool, exit int, command string, stdout, stderr []byte) {
		in := guide.Input{Check: ids[abs(check)%len(ids)], Track: guide.Dedicated, Exit: exit, Command: command, Stdout: stdout, Stderr: stderr}
		if shared {
			in.Track = guide.Shared
		}
		o := Judge(in)
		if !bytes.ContainsAny(stdout, "{}") && !bytes.ContainsAny(stderr, "{}") {
			wellSaid(t, o)
		}
		if _, err := json.Marshal(o.Facts); err != nil {
			t.Errorf("facts can't be kept: %v", err)
		}
		if len(o.Lines) > maxLines {
			t.Errorf("%d lines of evidence", len(o.Lines))
		}
		for _, s := range o.Lines {
			for _, r := range s {
				if unicode.IsControl(r) && r != '\t' {
					t.Errorf("evidence holds %q", s)
				}
			}
		}
		if again := Judge(in); !reflect.DeepEqual(o, again) {
			t.Errorf("another outcome: %+v, then %+v", o, again)
		}
	})
}

func abs(n int) int {
	if n < 0 {
		n = -(n + 1)
	}
	return n
}
