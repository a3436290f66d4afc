package resident

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"rentgen/probe/wire"
)

// magic heads a segment; packMagic one that is packed.
const (
	magic     = "RGTNSEG1"
	packMagic = "RGTNSGZ1"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// maxRecord bounds the body of a record.
const maxRecord = wire.MaxFrame + 2*binary.MaxVarintLen64

// errTorn says that a segment ends inside a record or in one that is damaged.
var errTorn = errors.New("torn record")

// appendRecord appends the record with the number seq and the given frame.
func appendRecord(b []byte, seq uint64, frame []byte) []byte {
	var number [binary.MaxVarintLen64]byte
	n := binary.PutUvarint(number[:], seq)
	b = binary.AppendUvarint(b, uint64(n+len(frame)))
	sum := crc32.Update(crc32.Checksum(number[:n], castagnoli), castagnoli, frame)
	b = binary.LittleEndian.AppendUint32(b, sum)
	b = append(b, number[:n]...)
	return append(b, frame...)
}

// readRecord returns the next record's number and frame and how many bytes it
// took. The end between two records is io.EOF, anything else that is no record
// wraps errTorn.
func readRecord(r *bufio.Reader) (seq uint64, frame []byte, took int64, err error) {
	if _, err := r.Peek(1); err != nil {
		if errors.Is(err, io.EOF) {
			return 0, nil, 0, io.EOF
		}
		return 0, nil, 0, fmt.Errorf("%w: %w", errTorn, err)
	}
	size, err := binary.ReadUvarint(r)
	if err != nil || size == 0 || size > maxRecord {
		return 0, nil, 0, fmt.Errorf("%w: length %d: %w", errTorn, size, orNil(err))
	}
	var sum [4]byte
	if _, err := io.ReadFull(r, sum[:]); err != nil {
		return 0, nil, 0, fmt.Errorf("%w: %w", errTorn, err)
	}
	// A length alone costs no memory.
	var body bytes.Buffer
	if _, err := io.CopyN(&body, r, int64(size)); err != nil {
		return 0, nil, 0, fmt.Errorf("%w: %w", errTorn, err)
	}
	b := body.Bytes()
	if crc32.Checksum(b, castagnoli) != binary.LittleEndian.Uint32(sum[:]) {
		return 0, nil, 0, fmt.Errorf("%w: sum does not match", errTorn)
	}
	seq, n := binary.Uvarint(b)
	if n <= 0 || n == len(b) {
		return 0, nil, 0, fmt.Errorf("%w: no number", errTorn)
	}
	var head [binary.MaxVarintLen64]byte
	return seq, b[n:], int64(binary.PutUvarint(head[:], size)) + 4 + int64(size), nil
}

func orNil(err error) error {
	if err == nil {
		return errors.New("out of bounds")
	}
	return err
}

// record is one record of a segment, taken apart.
type record struct {
	seq   uint64
	frame wire.Frame
	end   int64 // of the record in the unpacked segment
}

// eachRecord reads a segment until its end or the first record that is none,
// which torn tells. An error of f ends it.
func eachRecord(r io.Reader, f func(record) error) (good int64, torn bool, err error) {
	br := bufio.NewReaderSize(r, 64<<10)
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(br, head); err != nil || string(head) != magic {
		return 0, true, nil
	}
	good = int64(len(magic))
	// One decoder for the whole segment: a frame says what changed since the
	// one before.
	feed := &frameFeed{}
	dec := wire.NewDecoder(bufio.NewReader(feed))
	for {
		seq, frame, took, err := readRecord(br)
		if errors.Is(err, io.EOF) && !errors.Is(err, errTorn) {
			return good, false, nil
		}
		if err != nil {
			return good, true, nil //nolint:nilerr // a torn tail is told, not an error
		}
		feed.b = append(feed.b, frame...)
		fr, err := dec.Read()
		if err != nil {
			return good, true, nil //nolint:nilerr // likewise
		}
		good += took
		if err := f(record{seq: seq, frame: fr, end: good}); err != nil {
			return good, false, err
		}
	}
}

// frameFeed gives a decoder one frame at a time.
type frameFeed struct{ b []byte }

func (f *frameFeed) Read(p []byte) (int, error) {
	if len(f.b) == 0 {
		return 0, io.EOF
	}
	n := copy(p, f.b)
	f.b = append(f.b[:0], f.b[n:]...)
	return n, nil
}
