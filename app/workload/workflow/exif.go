package workflow

import (
	"encoding/binary"
	"strings"
	"unicode/utf8"
)

// readEXIF reads what a JPEG or a WebP carries in its EXIF: parameters in the
// user comment, or ComfyUI's texts in plain tags.
func readEXIF(kind string, b []byte) (Found, error) {
	c := carried{texts: map[string]string{}}
	if kind == "JPEG" {
		c.jpeg(b)
	} else {
		c.webp(b)
	}
	f, ok, err := c.read()
	switch {
	case ok:
		return f, nil
	case err != nil:
		return Found{}, err
	}
	return Found{}, bad("workflow.bad.bare_picture", "kind", kind)
}

// jpeg looks through the segments before the picture itself.
func (c *carried) jpeg(b []byte) {
	for b = b[2:]; len(b) >= 4 && b[0] == 0xff; {
		mark := b[1]
		if mark == 0xda || mark == 0xd9 { // the picture begins, or ends
			return
		}
		size := int(binary.BigEndian.Uint16(b[2:]))
		if size < 2 || size+2 > len(b) {
			return
		}
		data := b[4 : size+2]
		switch {
		case mark == 0xe1 && strings.HasPrefix(string(data[:min(6, len(data))]), "Exif\x00\x00"):
			c.exif(data[6:])
		case mark == 0xfe:
			c.put("comment", decodeText(data))
		case mark >= 0xc0 && mark <= 0xc2 && len(data) >= 5:
			c.height, c.width = int(binary.BigEndian.Uint16(data[1:])), int(binary.BigEndian.Uint16(data[3:]))
		}
		b = b[size+2:]
	}
}

// webp looks through the chunks of a RIFF file.
func (c *carried) webp(b []byte) {
	for b = b[12:]; len(b) >= 8; {
		size := int64(binary.LittleEndian.Uint32(b[4:]))
		if size+8 > int64(len(b)) {
			return
		}
		data := b[8 : 8+size]
		switch string(b[:4]) {
		case "EXIF":
			c.exif([]byte(strings.TrimPrefix(string(data), "Exif\x00\x00")))
		case "VP8X":
			if size >= 10 {
				u24 := func(p []byte) int { return int(p[0]) | int(p[1])<<8 | int(p[2])<<16 }
				c.width, c.height = u24(data[4:])+1, u24(data[7:])+1
			}
		}
		b = b[min(int64(len(b)), 8+size+size%2):]
	}
}

const (
	tagEXIF        = 0x8769
	tagUserComment = 0x9286
	maxTags        = 512
)

// exif reads a TIFF directory and the EXIF directory it points to.
func (c *carried) exif(b []byte) {
	if len(b) < 8 {
		return
	}
	var o binary.ByteOrder = binary.BigEndian
	if string(b[:2]) == "II" {
		o = binary.LittleEndian
	}
	next := c.directory(b, o, o.Uint32(b[4:]))
	if next != 0 {
		c.directory(b, o, next)
	}
}

// directory reads the texts of a directory and returns where that of EXIF is.
func (c *carried) directory(b []byte, o binary.ByteOrder, at uint32) (exif uint32) {
	if int64(at)+2 > int64(len(b)) {
		return 0
	}
	n := int(o.Uint16(b[at:]))
	for i := range min(n, maxTags) {
		p := int64(at) + 2 + int64(i)*12
		if p+12 > int64(len(b)) {
			return exif
		}
		e := b[p : p+12]
		tag, kind, count := o.Uint16(e), o.Uint16(e[2:]), int64(o.Uint32(e[4:]))
		if tag == tagEXIF {
			exif = o.Uint32(e[8:])
			continue
		}
		if kind != 1 && kind != 2 && kind != 7 { // bytes, text, undefined
			continue
		}
		data := e[8:12]
		if count > 4 {
			from := int64(o.Uint32(e[8:]))
			if count > maxText || from+count > int64(len(b)) {
				continue
			}
			data = b[from : from+count]
		} else {
			data = data[:count]
		}
		if tag == tagUserComment {
			c.put("usercomment", userComment(data, o))
			continue
		}
		c.tagText(decodeText(data))
	}
	return exif
}

// tagText takes "prompt:{...}" and "workflow:{...}", as ComfyUI writes WebP.
func (c *carried) tagText(s string) {
	s = strings.TrimRight(s, "\x00")
	key, rest, ok := strings.Cut(s, ":")
	key = strings.ToLower(strings.TrimSpace(key))
	switch {
	case ok && (key == "prompt" || key == "workflow"):
		c.put(key, rest)
	case looksLikeParameters(s):
		c.put("parameters", s)
	}
}

// userComment reads the comment by its first eight bytes (Exif 2.3, 4.6.5).
// Programs write the Unicode kind in either byte order.
func userComment(b []byte, o binary.ByteOrder) string {
	if len(b) < 8 {
		return ""
	}
	head, body := string(b[:8]), b[8:]
	if strings.HasPrefix(head, "UNICODE") {
		if m := utf16Order(body); m != nil {
			return utf16Text(body[2:], m)
		}
		big, little := utf16Text(body, binary.BigEndian), utf16Text(body, binary.LittleEndian)
		if looksLikeParameters(big) {
			return big
		}
		if looksLikeParameters(little) {
			return little
		}
		return utf16Text(body, o)
	}
	if !utf8.ValidString(head) || head[0] != 0 && !strings.HasPrefix(head, "ASCII") {
		body = b
	}
	return strings.TrimRight(decodeText(body), "\x00")
}
