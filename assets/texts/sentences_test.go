package texts

import (
	"strings"
	"testing"
)

// TestWarningsAreSentences expects a full stop behind what says whether one can go
// on, except behind a line that was quoted as it stood.
func TestWarningsAreSentences(t *testing.T) {
	for l, begins := range map[Lang][]string{English: {"You can go on", "Fix before"}, Chinese: {"可以继续", "先处理再继续"}} {
		c := For(l)
		for _, k := range c.Keys() {
			text := c.texts[k]
			if !strings.HasPrefix(k, "check.") || strings.HasSuffix(text, "{line}") || strings.HasSuffix(text, "https://") {
				continue
			}
			for _, b := range begins {
				if strings.HasPrefix(text, b) && !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "。") {
					t.Errorf("%s %s has no full stop: %q", l, k, text)
				}
			}
		}
	}
}
