package smilog

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// text yields the lines of a file in UTF-8 or, as a Windows shell redirects it,
// UTF-16.
type text struct {
	r    *bufio.Reader
	wide int // 0, or 1 and 2 for UTF-16 with the low or the high byte first
	n    int // lines so far
	long int // of them cut
}

func newText(r io.Reader) (*text, error) {
	t := &text{r: bufio.NewReaderSize(r, maxLine)}
	head, err := t.r.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	skip := 0
	switch {
	case bytes.HasPrefix(head, []byte{0xef, 0xbb, 0xbf}):
		skip = 3
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}):
		skip, t.wide = 2, 1
	case bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		skip, t.wide = 2, 2
	case len(head) == 4 && head[0] != 0 && head[1] == 0 && head[2] != 0 && head[3] == 0:
		t.wide = 1
	case len(head) == 4 && head[0] == 0 && head[1] != 0 && head[2] == 0 && head[3] != 0:
		t.wide = 2
	}
	_, err = t.r.Discard(skip)
	return t, err
}

// line returns the next line without its end. whole is false for one that the
// file ends in, which may be cut in the middle of a number. What is beyond
// maxLine is left out and the line empty. At the end err is io.EOF.
func (t *text) line() (line string, whole bool, err error) {
	var b []byte
	if t.wide == 0 {
		b, whole, err = t.narrow()
	} else {
		b, whole, err = t.broad()
	}
	if err != nil {
		return "", false, err
	}
	t.n++
	return strings.TrimRight(string(b), "\r"), whole, nil
}

func (t *text) narrow() ([]byte, bool, error) {
	b, err := t.r.ReadSlice('\n')
	if err == nil {
		return b[:len(b)-1], true, nil
	}
	if errors.Is(err, bufio.ErrBufferFull) {
		t.long++
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = t.r.ReadSlice('\n')
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, false, err
		}
		return nil, true, nil
	}
	if errors.Is(err, io.EOF) && len(b) > 0 {
		return b, false, nil
	}
	return nil, false, err
}

// broad reads a line of UTF-16. Half a character at the end is left out.
func (t *text) broad() ([]byte, bool, error) {
	var out []byte
	high := rune(0)
	read, over := false, false
	for {
		var two [2]byte
		_, err := io.ReadFull(t.r, two[:])
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			if !read {
				return nil, false, io.EOF
			}
			return out, false, nil
		}
		if err != nil {
			return nil, false, err
		}
		read = true
		u := rune(two[0]) | rune(two[1])<<8
		if t.wide == 2 {
			u = rune(two[1]) | rune(two[0])<<8
		}
		if u == '\n' {
			return out, true, nil
		}
		if over {
			continue
		}
		if len(out) >= maxLine-8 {
			t.long++
			over, out = true, nil
			continue
		}
		switch {
		case u >= 0xd800 && u < 0xdc00:
			high = u
			continue
		case u >= 0xdc00 && u < 0xe000:
			u = utf16.DecodeRune(high, u)
		}
		high = 0
		out = utf8.AppendRune(out, u)
	}
}

// split cuts a line of CSV into its cells, with quotes as spreadsheets set them.
// ok is false where a quote isn't closed or there are too many cells.
func split(line string) (cells []string, ok bool) {
	if !strings.Contains(line, `"`) {
		if strings.Count(line, ",") >= maxCells {
			return nil, false
		}
		cells = strings.Split(line, ",")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		return cells, true
	}
	for rest := line; ; {
		rest = strings.TrimLeft(rest, " \t")
		cell := ""
		if strings.HasPrefix(rest, `"`) {
			var b strings.Builder
			rest = rest[1:]
			for {
				i := strings.IndexByte(rest, '"')
				if i < 0 {
					return nil, false
				}
				b.WriteString(rest[:i])
				rest = rest[i+1:]
				if !strings.HasPrefix(rest, `"`) {
					break
				}
				b.WriteByte('"')
				rest = rest[1:]
			}
			cell = b.String()
		}
		plain, after, more := strings.Cut(rest, ",")
		cells = append(cells, cell+strings.TrimSpace(plain))
		if !more {
			return cells, true
		}
		if len(cells) >= maxCells {
			return nil, false
		}
		rest = after
	}
}
