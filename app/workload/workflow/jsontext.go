package workflow

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// decodeText reads UTF-8 and UTF-16 with their marks, and Latin-1 otherwise.
func decodeText(b []byte) string {
	if o := utf16Order(b); o != nil {
		return utf16Text(b[2:], o)
	}
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	if utf8.Valid(b) {
		return string(b)
	}
	return latin1(b)
}

func utf16Order(b []byte) binary.ByteOrder {
	switch {
	case bytes.HasPrefix(b, []byte("\xff\xfe")):
		return binary.LittleEndian
	case bytes.HasPrefix(b, []byte("\xfe\xff")):
		return binary.BigEndian
	}
	return nil
}

func utf16Text(b []byte, o binary.ByteOrder) string {
	u := make([]uint16, len(b)/2)
	for i := range u {
		u[i] = o.Uint16(b[2*i:])
	}
	return strings.TrimRight(string(utf16.Decode(u)), "\x00")
}

func latin1(b []byte) string {
	r := make([]rune, len(b))
	for i, c := range b {
		r[i] = rune(c)
	}
	return string(r)
}

// parseJSON reads JSON as Python writes it: NaN and Infinity stand for a value
// that is not known. Numbers stay json.Number, so that none is too large.
func parseJSON(s string) (any, error) {
	if len(s) > maxText {
		return nil, bad("workflow.bad.large", "most", "16 MB")
	}
	b, deep := plainJSON(s)
	if deep {
		return nil, bad("workflow.bad.deep")
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		line, column := position(b, d.InputOffset())
		return nil, bad("workflow.bad.json", "line", strconv.Itoa(line), "column", strconv.Itoa(column))
	}
	return v, nil
}

// plainJSON puts null for the words of Python outside strings, and finds text
// that is nested too deeply to be one of ours.
func plainJSON(s string) (out []byte, deep bool) {
	out = make([]byte, 0, len(s))
	depth, quoted := 0, false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quoted:
			if c == '\\' && i+1 < len(s) {
				out = append(out, c)
				i++
				c = s[i]
			} else if c == '"' {
				quoted = false
			}
		case c == '"':
			quoted = true
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return nil, true
			}
		case c == '}' || c == ']':
			depth--
		case c == 'N' || c == 'I' || c == '-':
			if w := pythonWord(s[i:]); w != "" {
				out = append(out, "null"...)
				i += len(w) - 1
				continue
			}
		}
		out = append(out, c)
	}
	return out, false
}

func pythonWord(s string) string {
	for _, w := range []string{"NaN", "Infinity", "-Infinity", "-NaN"} {
		if strings.HasPrefix(s, w) {
			return w
		}
	}
	return ""
}

// position is the line and column of a byte, from 1.
func position(b []byte, at int64) (line, column int) {
	before := b[:min(max(at, 0), int64(len(b)))]
	return bytes.Count(before, []byte("\n")) + 1, len(before) - bytes.LastIndexByte(before, '\n')
}

// object is a JSON object, nil for another value.
func object(v any) map[string]any { m, _ := v.(map[string]any); return m }

func list(v any) []any { l, _ := v.([]any); return l }

func text(v any) string { s, _ := v.(string); return s }

// number reads a number, also one in a string; neither NaN nor infinite.
func number(v any) (float64, bool) {
	var s string
	switch v := v.(type) {
	case json.Number:
		s = v.String()
	case float64:
		return v, !math.IsNaN(v) && !math.IsInf(v, 0)
	case string:
		s = strings.TrimSpace(v)
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	default:
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

// word is an id or a key as text: ids are numbers or strings.
func word(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

// whole is a number as an int within what counts and sizes can be.
func whole(f float64) int {
	const most = 1 << 30
	return int(math.Round(max(-most, min(most, f))))
}
