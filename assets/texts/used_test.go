package texts

import (
	"strings"
	"testing"
)

// built are the prefixes of keys that are put together from codes, beyond those
// that the sources show by writing "prefix." + code.
var built = []string{
	"remote.stage.", "remote.err.", "remote.next.", "remote.notice.", "remote.input.",
	"stream.stage.", "stream.reason.", "metric.", "event.", "gap.", "state.", "xid.",
	"plan.attention.", "plan.encoders.", "plan.flag.", "plan.framework.", "plan.offload.", "plan.pattern.", "plan.per.", "plan.te.",
	"purse.say.", "purse.by.", "check.", "track.", "keep.", "day.", "move.", "client.", "tenant.", "ledger.", "measure.", "life.", "day.", "guard.",
}

// idle are texts that stay without a use, with the reason.
var idle = map[string]string{
	"cli.interrupted": "an interrupted command says nothing today",
}

func TestEveryKeyIsUsed(t *testing.T) {
	u := readSources(t)
	for _, p := range built {
		u.prefixes[p] = true
	}
	for _, k := range For(English).Keys() {
		if u.literals[k] || hasPrefix(k, u.prefixes) || u.hasSuffix(k) || idle[k] != "" {
			continue
		}
		t.Errorf("%s is used nowhere", k)
	}
}

func hasPrefix(k string, prefixes map[string]bool) bool {
	for p := range prefixes {
		if len(p) > 1 && strings.HasPrefix(k, p) {
			return true
		}
	}
	return false
}

// hasSuffix reports whether k is a literal and a suffix that is appended
// somewhere.
func (u *uses) hasSuffix(k string) bool {
	for s := range u.suffixes {
		if base, ok := strings.CutSuffix(k, s); ok && u.literals[base] {
			return true
		}
	}
	return false
}
