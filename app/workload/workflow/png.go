package workflow

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"io"
	"strings"
)

const (
	pngHead   = "\x89PNG\r\n\x1a\n"
	maxChunks = 100_000
	maxTexts  = 64
)

// readPNG reads the workflow that a PNG carries.
func readPNG(b []byte) (Found, error) {
	c, err := pngTexts(b)
	if err != nil {
		return Found{}, err
	}
	f, ok, err := c.read()
	switch {
	case ok:
		return f, nil
	case err != nil:
		return Found{}, err
	}
	return Found{}, bad("workflow.bad.bare_png")
}

// pngTexts reads the text chunks of a PNG (PNG specification 11.3.3). Pixels and
// checksums are not looked at, and a file that is cut short gives what it has.
func pngTexts(b []byte) (carried, error) {
	c := carried{texts: map[string]string{}}
	left := maxText
	b = b[len(pngHead):]
	for n := 0; len(b) >= 8 && n < maxChunks; n++ {
		size, kind := int64(binary.BigEndian.Uint32(b)), string(b[4:8])
		body := b[8:]
		if size > int64(len(body)) {
			break
		}
		data := body[:size]
		switch kind {
		case "IHDR":
			if size >= 8 {
				c.width = int(binary.BigEndian.Uint32(data) & 0xffffff)
				c.height = int(binary.BigEndian.Uint32(data[4:]) & 0xffffff)
			}
		case "tEXt", "zTXt", "iTXt":
			key, s, err := pngText(kind, data, left)
			if err != nil {
				return c, err
			}
			c.put(key, s)
			left -= len(s)
		case "eXIf":
			c.exif(data)
		case "IEND":
			return c, nil
		}
		if int64(len(body)) < size+4 {
			break
		}
		b = body[size+4:]
	}
	return c, nil
}

func (c *carried) put(key, s string) {
	key = strings.ToLower(key)
	if _, has := c.texts[key]; key != "" && !has && len(c.texts) < maxTexts {
		c.texts[key] = s
	}
}

// pngText reads one text chunk; most is what may be unpacked yet. A chunk that
// is broken is as none, one that is too large is an error.
func pngText(kind string, data []byte, most int) (key, s string, err error) {
	k, rest, ok := bytes.Cut(data, []byte{0})
	if !ok || len(k) == 0 || len(k) > 79 {
		return "", "", nil
	}
	key = latin1(k)
	packed := false
	switch kind {
	case "zTXt":
		if len(rest) < 1 || rest[0] != 0 {
			return "", "", nil
		}
		rest, packed = rest[1:], true
	case "iTXt":
		if len(rest) < 2 {
			return "", "", nil
		}
		packed = rest[0] == 1
		_, after, ok := bytes.Cut(rest[2:], []byte{0}) // language
		if !ok {
			return "", "", nil
		}
		if _, rest, ok = bytes.Cut(after, []byte{0}); !ok { // translated key
			return "", "", nil
		}
	}
	if packed {
		if rest, err = unpack(rest, most); err != nil {
			var e *Error
			if errors.As(err, &e) {
				return "", "", e
			}
			return "", "", nil
		}
	}
	if len(rest) > most {
		return "", "", bad("workflow.bad.large", "most", "16 MB")
	}
	return key, decodeText(rest), nil
}

// unpack inflates at most so many bytes.
func unpack(b []byte, most int) ([]byte, error) {
	z, err := zlib.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	out, err := io.ReadAll(io.LimitReader(z, int64(max(most, 0))+1))
	if len(out) > most {
		return nil, bad("workflow.bad.large", "most", "16 MB")
	}
	return out, err
}
