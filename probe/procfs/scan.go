package procfs

import "bytes"

// maxRaw bounds what a value keeps of text that could not be understood.
const maxRaw = 64

// line cuts the first line off b.
func line(b []byte) (first, rest []byte) {
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		return b[:i], b[i+1:]
	}
	return b, nil
}

// field cuts the first blank-separated field off b; it is empty at the end.
func field(b []byte) (first, rest []byte) {
	i := 0
	for i < len(b) && blank(b[i]) {
		i++
	}
	j := i
	for j < len(b) && !blank(b[j]) {
		j++
	}
	return b[i:j], b[j:]
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// number reads an unsigned decimal that fits in 64 bits.
func number(b []byte) (uint64, bool) {
	if len(b) == 0 || len(b) > 20 {
		return 0, false
	}
	var n uint64
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		d := uint64(c - '0')
		if n > (1<<64-1-d)/10 {
			return 0, false
		}
		n = n*10 + d
	}
	return n, true
}

// decimal reads an unsigned number with an optional fraction, as pressure
// files and /proc/uptime print it.
func decimal(b []byte) (float64, bool) {
	whole, frac := b, []byte(nil)
	if i := bytes.IndexByte(b, '.'); i >= 0 {
		whole, frac = b[:i], b[i+1:]
		if len(frac) == 0 || len(frac) > 9 {
			return 0, false
		}
	}
	n, ok := number(whole)
	if !ok {
		return 0, false
	}
	f, scale := float64(n), 1.0
	if frac != nil {
		m, ok := number(frac)
		if !ok {
			return 0, false
		}
		for range frac {
			scale *= 10
		}
		f += float64(m) / scale
	}
	return f, true
}

// entry finds the line that starts with key and a separator (blank, colon or
// equal sign) and returns its first number.
func entry(b []byte, key string) (n uint64, found, ok bool) {
	for len(b) > 0 {
		var l []byte
		l, b = line(b)
		if len(l) <= len(key) || string(l[:len(key)]) != key {
			continue
		}
		switch l[len(key)] {
		case ' ', '\t', ':', '=':
		default:
			continue
		}
		f, _ := field(l[len(key)+1:])
		n, ok = number(f)
		return n, true, ok
	}
	return 0, false, false
}

// Clean makes foreign text fit to keep: one line, no control characters,
// bounded.
func Clean[T ~string | ~[]byte](b T, limit int) string {
	out := make([]byte, 0, min(len(b), limit))
	for _, r := range string(b[:min(len(b), 4*limit)]) {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			r = ' '
		case r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) || r == 0xfffd ||
			r == 0x2028 || r == 0x2029 || (r >= 0x200b && r <= 0x200f) ||
			(r >= 0x202a && r <= 0x202e) || (r >= 0x2060 && r <= 0x2069) || r == 0xfeff:
			continue
		}
		if n := len(string(r)); len(out)+n > limit {
			break
		}
		out = append(out, string(r)...)
	}
	return string(bytes.TrimSpace(out))
}
