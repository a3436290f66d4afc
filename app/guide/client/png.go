package client

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"

	"rentgen/app/guide"
)

// PNG is what a picture carries beside its pixels, as far as its beginning shows.
type PNG struct {
	Chunks []TextChunk
	// Cut says that the pixels had not begun where the reading ended: there may be
	// more.
	Cut bool
}

// TextChunk is a text in a picture. The text itself is the client's and is not
// kept.
type TextChunk struct {
	Type    string // "tEXt", "zTXt", "iTXt", "eXIf"
	Keyword string // "prompt", "workflow", "parameters"
	Size    int64  // in bytes, as the file says
}

// Tells reports whether a text is of those that painting programs put there:
// prompt, workflow or settings.
func (c TextChunk) Tells() bool {
	switch strings.ToLower(c.Keyword) {
	case "prompt", "workflow", "parameters", "invokeai_metadata", "sd-metadata", "dream", "comment", "description", "usercomment", "generation_data":
		return true
	}
	return c.Type == "eXIf"
}

// Tells reports whether the picture carries prompt, workflow or settings.
func (p PNG) Tells() bool {
	for _, c := range p.Chunks {
		if c.Tells() {
			return true
		}
	}
	return false
}

// errPNG says that bytes are not the beginning of a PNG.
var errPNG = errors.New("not a PNG")

var pngHead = []byte("\x89PNG\r\n\x1a\n")

// maxChunks bounds the texts of one picture.
const maxChunks = 64

// readPNG reads the chunks before the pixels in the beginning of a file.
func readPNG(b []byte) (PNG, error) {
	b, ok := bytes.CutPrefix(b, pngHead)
	if !ok {
		return PNG{}, errPNG
	}
	var p PNG
	for {
		if len(b) < 8 {
			p.Cut = true
			return p, nil
		}
		size, kind := binary.BigEndian.Uint32(b), string(b[4:8])
		if size > 1<<31-1 || strings.Trim(kind, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			return PNG{}, errPNG
		}
		if kind == "IDAT" || kind == "IEND" {
			return p, nil
		}
		b = b[8:]
		switch kind {
		case "tEXt", "zTXt", "iTXt":
			keyword, _, whole := bytes.Cut(b[:min(len(b), int(min(size, 80)))], []byte{0})
			if whole && len(p.Chunks) < maxChunks {
				p.Chunks = append(p.Chunks, TextChunk{Type: kind, Keyword: guide.Clean(keyword, 80), Size: int64(size)})
			}
		case "eXIf":
			if len(p.Chunks) < maxChunks {
				p.Chunks = append(p.Chunks, TextChunk{Type: kind, Size: int64(size)})
			}
		}
		if uint64(len(b)) < uint64(size)+4 {
			p.Cut = true
			return p, nil
		}
		b = b[size+4:]
	}
}
