package wire

import (
	"errors"
	"fmt"
	"math"
	"time"
	"unicode/utf8"

	"github.com/fxamacker/cbor/v2"

	"rentgen/probe"
)

// encMode and decMode are the rules of every frame: definite lengths, no tags,
// no key twice, floats in the fewest bytes that lose nothing.
var encMode, decMode = modes()

func modes() (cbor.UserBufferEncMode, cbor.DecMode) {
	em, err := cbor.EncOptions{
		ShortestFloat: cbor.ShortestFloat16, IndefLength: cbor.IndefLengthForbidden, TagsMd: cbor.TagsForbidden,
	}.UserBufferEncMode()
	if err != nil {
		panic(err)
	}
	dm, err := cbor.DecOptions{
		DupMapKey: cbor.DupMapKeyEnforcedAPF, IndefLength: cbor.IndefLengthForbidden, TagsMd: cbor.TagsForbidden,
		MaxNestedLevels: MaxDepth, MaxArrayElements: MaxProcesses, MaxMapPairs: maxPairs,
		UTF8: cbor.UTF8DecodeInvalid, IntDec: cbor.IntDecConvertSignedOrFail, // Clean mends text
	}.DecMode()
	if err != nil {
		panic(err)
	}
	return em, dm
}

// unmarshal decodes a whole frame. The library's io.EOF must not pass for an
// end between two frames, so its errors keep their text only.
func unmarshal(b []byte, v any) error {
	if err := decMode.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%w: %v", ErrFrame, err)
	}
	return nil
}

// text is a string that is bounded and cleaned when it is decoded.
type text string

// cut shortens s to what the receiver takes, so that a long name costs its tail
// and not the link.
func cut(s string) text { return text(s[:min(len(s), MaxText)]) }

func (t *text) set(s string) error {
	if len(s) > MaxText {
		return fmt.Errorf("text of %d bytes, at most %d", len(s), MaxText)
	}
	*t = text(bounded(Clean(s)))
	return nil
}

// bounded keeps the first MaxText bytes of cleaned text in whole characters:
// cleaning makes three bytes of one that is not UTF-8.
func bounded(s string) string {
	if len(s) <= MaxText {
		return s
	}
	n := MaxText
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// UnmarshalCBOR implements cbor.Unmarshaler.
func (t *text) UnmarshalCBOR(b []byte) error {
	var s string
	if err := decMode.Unmarshal(b, &s); err != nil {
		return err
	}
	return t.set(s)
}

// nanos is a time in nanoseconds since 1970, 0 for the zero time.
func nanos(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// moment is the inverse of nanos.
func moment(ns int64) time.Time {
	if ns == 0 {
		return time.Time{}
	}
	return time.Unix(0, ns).UTC()
}

// value is an OK number as it is, anything else [state, raw], and an OK number
// that keeps its raw token [state, raw, number].
type value probe.Value

// MarshalCBOR implements cbor.Marshaler.
func (v value) MarshalCBOR() ([]byte, error) {
	switch {
	case v.State == probe.OK && v.Raw == "":
		return encMode.Marshal(number(v.Num))
	case v.State == probe.OK:
		return encMode.Marshal([]any{v.State, cut(v.Raw), number(v.Num)})
	case v.Raw == "":
		return encMode.Marshal([]any{v.State})
	}
	return encMode.Marshal([]any{v.State, cut(v.Raw)})
}

// UnmarshalCBOR implements cbor.Unmarshaler.
func (v *value) UnmarshalCBOR(b []byte) error {
	var x any
	if err := decMode.Unmarshal(b, &x); err != nil {
		return err
	}
	if n, ok := float(x); ok {
		*v = value(probe.Of(n))
		return nil
	}
	list, _ := x.([]any)
	if len(list) == 0 || len(list) > 3 {
		return errors.New("a value is a number or a state with a text")
	}
	n, hasNum := 0.0, false
	var raw text
	if len(list) == 3 {
		if n, hasNum = float(list[2]); !hasNum {
			return errors.New("a value with a text needs a number")
		}
	}
	if len(list) > 1 {
		s, ok := list[1].(string)
		if !ok {
			return errors.New("what a value was read from is no text")
		}
		if err := raw.set(s); err != nil {
			return err
		}
	}
	state, ok := list[0].(int64)
	if !ok || state < 0 {
		return errors.New("the state of a value is no number")
	}
	if is := probe.Of(n); hasNum && is.State == probe.OK && state == int64(probe.OK) {
		is.Raw = string(raw)
		*v = value(is)
		return nil
	}
	if hasNum {
		state = int64(probe.Error)
	}
	*v = value(probe.Missing(stateOf(uint64(state)), string(raw)))
	return nil
}

// stateOf takes a state that this version does not know for an error.
func stateOf(n uint64) probe.State { return probe.State(min(n, uint64(probe.Error))) }

// number is f without loss in the fewest bytes: an integer, [exponent, mantissa]
// with up to three decimal places, or a float. A power of 123.4 W takes 5 bytes,
// not 9. The exponent is negative, so it can't be taken for a state.
func number(f float64) any {
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return int64(f)
	}
	scale := 1.0
	for e := int64(-1); e >= -3; e-- {
		scale *= 10
		if m := math.Round(f * scale); math.Abs(m) < 1<<31 && m/scale == f {
			return [2]int64{e, int64(m)}
		}
	}
	return f
}

// float is the inverse of number.
func float(x any) (float64, bool) {
	switch x := x.(type) {
	case int64:
		return float64(x), true
	case float64:
		return x, true
	case []any:
		if len(x) != 2 {
			return 0, false
		}
		e, isExponent := x[0].(int64)
		m, isMantissa := x[1].(int64)
		if isExponent && isMantissa && e < 0 && e >= -9 {
			return float64(m) / math.Pow10(int(-e)), true
		}
	}
	return 0, false
}
