package stream

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
)

// unpackLimit bounds our own program.
const unpackLimit = 64 << 20

func unpack(gz []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(gz))
	if err != nil {
		return nil, fmt.Errorf("unpack our program: %w", err)
	}
	raw, err := io.ReadAll(io.LimitReader(r, unpackLimit))
	if err != nil {
		return nil, fmt.Errorf("unpack our program: %w", err)
	}
	return raw, nil
}
