package ui_test

import (
	"testing"
	"unicode/utf16"

	"rentgen/assets/texts"
	"rentgen/ui/shots"
)

// TestADroppedLogGoesToHistory: also one that PowerShell wrote.
func TestADroppedLogGoesToHistory(t *testing.T) {
	rows := "timestamp, utilization.gpu [%], memory.used [MiB]\n2026/11/30 10:00:00.123, 96 %, 18200 MiB\n"
	wide := "\xff\xfe"
	for _, u := range utf16.Encode([]rune(rows)) {
		wide += string([]byte{byte(u), byte(u >> 8)})
	}
	for name, c := range map[string]struct{ content, place string }{
		"night.csv": {rows, "history"}, "night.log": {rows, "history"}, "wide.txt": {wide, "history"},
		"offers.csv": {"name,prize\nx,y\n", "bill"}, "other.txt": {"hello", "plan"},
	} {
		s := open(t, shots.Options{Lang: texts.English})
		s.Drop(name, c.content)
		if at := s.Win.Frame().Shown(); at != c.place {
			t.Errorf("%s went to %s", name, at)
		}
	}
}
