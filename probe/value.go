package probe

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// State says whether a metric has a value and, if not, why.
type State uint8

// The zero State is Pending, so a Value nobody has set can't be taken for 0.
const (
	Pending     State = iota // not read yet
	OK                       // Num holds the reading
	Unsupported              // the card or driver does not offer it
	Denied                   // this login or container may not read it
	Error                    // it should be readable; reading failed
)

var stateNames = [...]string{"pending", "ok", "unsupported", "denied", "error"}

// String returns the name used in JSON and exports.
func (s State) String() string {
	if int(s) < len(stateNames) {
		return stateNames[s]
	}
	return "error"
}

// ParseState is the inverse of String; an unknown name is an error.
func ParseState(name string) (State, error) {
	for i, n := range stateNames {
		if n == name {
			return State(i), nil
		}
	}
	return Error, fmt.Errorf("unknown value state %q", name)
}

// Value is one reading. Num means something only when State is OK; Raw keeps
// the token or error text it was read from where that says more than Num.
type Value struct {
	Num   float64
	State State
	Raw   string
}

// Of returns an OK value. NaN and the infinities are no readings and give an
// Error value that keeps the text.
func Of(n float64) Value {
	if math.IsNaN(n) || math.IsInf(n, 0) {
		return Value{State: Error, Raw: strconv.FormatFloat(n, 'g', -1, 64)}
	}
	return Value{Num: n, State: OK}
}

// Missing returns a value without a reading. A state of OK is a mistake of the
// caller and becomes Error.
func Missing(s State, raw string) Value {
	if s == OK {
		s = Error
	}
	return Value{State: s, Raw: raw}
}

// Ok returns the reading and whether there is one.
func (v Value) Ok() (float64, bool) { return v.Num, v.State == OK }

// Sum adds two readings up. Where either is missing so is the sum, for the first
// one's reason.
func Sum(a, b Value) Value {
	if a.State != OK {
		return a
	}
	if b.State != OK {
		return b
	}
	return Of(a.Num + b.Num)
}

// Float returns the reading, or NaN where there is none; for charts.
func (v Value) Float() float64 {
	if v.State != OK {
		return math.NaN()
	}
	return v.Num
}

type missingJSON struct {
	State string `json:"state"`
	Raw   string `json:"raw"`
}

// MarshalJSON writes a number, or {"state","raw"} where there is no reading.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.State == OK {
		return json.Marshal(v.Num)
	}
	return json.Marshal(missingJSON{v.State.String(), v.Raw})
}

// UnmarshalJSON reads what MarshalJSON writes; a hex string is a mask.
func (v *Value) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '{' {
		var m missingJSON
		if err := json.Unmarshal(b, &m); err != nil {
			return err
		}
		s, err := ParseState(m.State)
		if err != nil {
			return err
		}
		*v = Missing(s, m.Raw)
		return nil
	}
	if len(b) > 0 && b[0] == '"' {
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		*v = OfMaskText(s)
		return nil
	}
	var n float64
	if err := json.Unmarshal(b, &n); err != nil {
		return err
	}
	*v = Of(n)
	return nil
}

// maxExact is the largest mask a float64 holds without losing a bit.
const maxExact = 1 << 53

// OfMask returns a bit mask as a value. Bits above 2^53 can't be held exactly;
// no driver sets them, so such a mask is an Error that keeps its text.
func OfMask(bits uint64) Value {
	if bits >= maxExact {
		return Missing(Error, fmt.Sprintf("0x%016x", bits))
	}
	return Of(float64(bits))
}

// OfMaskText reads a mask written as 0x followed by hex digits.
func OfMaskText(s string) Value {
	if len(s) > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X') {
		if bits, err := strconv.ParseUint(s[2:], 16, 64); err == nil {
			return OfMask(bits)
		}
	}
	return Missing(Error, s)
}

// Mask returns the bits of a mask value and whether there are any to read.
func (v Value) Mask() (uint64, bool) {
	if v.State != OK || v.Num < 0 || v.Num >= maxExact {
		return 0, false
	}
	return uint64(v.Num), true
}
