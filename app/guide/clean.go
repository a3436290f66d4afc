package guide

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxOutput is the most bytes of an output that is read; what is longer is cut.
const MaxOutput = 1 << 20

// Clean returns foreign text as it may be shown: valid UTF-8, lines ended by
// "\n", tabs kept, escape sequences of terminals and every other control
// character taken out, at most limit bytes (0: MaxOutput).
func Clean(b []byte, limit int) string {
	if limit <= 0 {
		limit = MaxOutput
	}
	if len(b) > limit {
		b = b[:limit]
		for len(b) > 0 && !utf8.RuneStart(b[len(b)-1]) {
			b = b[:len(b)-1]
		}
		if r, n := utf8.DecodeLastRune(b); r == utf8.RuneError && n == 1 {
			b = b[:len(b)-1]
		}
	}
	s := strings.ToValidUTF8(string(b), "\uFFFD")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var out strings.Builder
	out.Grow(len(s))
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == 0x1b:
			i += escape(s[i:])
			continue
		case r == '\n' || r == '\t':
			out.WriteRune(r)
		case r == '\r': // a progress line written over itself
			out.WriteByte('\n')
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r):
			// also bidirectional marks: they would show a line in another order
		default:
			out.WriteRune(r)
		}
		i += n
	}
	return out.String()
}

// escape returns the length of the terminal sequence that s begins with.
func escape(s string) int {
	if len(s) < 2 {
		return len(s)
	}
	switch s[1] {
	case '[': // CSI: parameters, then one final byte
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
			if s[i] < 0x20 || s[i] > 0x3f {
				return i
			}
		}
		return len(s)
	case ']', 'P', 'X', '^', '_': // strings, ended by BEL or ESC \
		for i := 2; i < len(s); i++ {
			if s[i] == 0x07 {
				return i + 1
			}
			if s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
			if s[i] == '\n' { // never ended: the line is not swallowed
				return i
			}
		}
		return len(s)
	}
	return 2
}
