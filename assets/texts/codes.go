package texts

import "strconv"

// Metric returns the short name of a metric by its key (probe.Info.Key).
func Metric(c *Catalogue, key string) string { return c.T("metric." + key) }

// Gap returns why nothing is known of a span, by probe.GapReason.
func Gap(c *Catalogue, reason string) string { return c.T("gap." + reason) }

// Event returns the sentence of an event by its kind (probe.Event.Kind), its
// code and what the host said. An unknown kind keeps what was said.
func Event(c *Catalogue, kind string, code int, raw string) string {
	key := "event." + kind
	switch {
	case kind == "xid":
		return c.T(key, "code", code, "text", Xid(c, code))
	case !c.Has(key):
		return c.T("event.other", "raw", kind+" "+raw)
	}
	return c.T(key, "raw", raw)
}

// Xid returns the sentence of a GPU error number.
func Xid(c *Catalogue, code int) string {
	key := "xid." + strconv.Itoa(code)
	if !c.Has(key) {
		key = "xid.other"
	}
	return c.T(key)
}

// XidGrave reports whether the error is of the card or the machine rather than
// of a program on it: the ones an owner must act on.
func XidGrave(code int) bool {
	switch code {
	case 48, 54, 61, 62, 64, 74, 79, 95, 110, 119, 120, 140, 143, 149:
		return true
	}
	return false
}

// Input says what is wrong with a part of a login line and what is allowed
// there. A part that is missing has its own sentence where there is one.
func Input(c *Catalogue, field, value, allowed string) string {
	key := "remote.input." + field
	if value == "" && c.Has(key+".empty") {
		key += ".empty"
	}
	if !c.Has(key) {
		key = "remote.input.line"
	}
	return c.T(key, "value", value, "allowed", allowed)
}
