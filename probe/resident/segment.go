package resident

import (
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	openExt   = ".seg"
	packedExt = ".sgz"
	partExt   = ".part"
)

// segment is one file of the ring.
type segment struct {
	run, first uint64
	packed     bool
	size       int64
}

func (s segment) name() string {
	ext := openExt
	if s.packed {
		ext = packedExt
	}
	return fmt.Sprintf("%016x-%016x%s", s.run, s.first, ext)
}

func parseSegment(name string) (segment, bool) {
	ext := filepath.Ext(name)
	if len(name) != 16+1+16+len(ext) || (ext != openExt && ext != packedExt) {
		return segment{}, false
	}
	s := segment{packed: ext == packedExt}
	// Sscanf would take signs and blanks.
	if strings.Trim(name[:16]+name[17:33], "0123456789abcdef") != "" || name[16] != '-' {
		return segment{}, false
	}
	if _, err := fmt.Sscanf(name[:33], "%016x-%016x", &s.run, &s.first); err != nil {
		return segment{}, false
	}
	return s, true
}

// segments lists the ring, the oldest first. Where a segment lies there packed
// and not, the packed one counts: it is whole.
func segments(dir string) ([]segment, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("list the ring: %w", err)
	}
	var list []segment
	for _, e := range entries { // by name: in order, and .seg before .sgz
		s, ok := parseSegment(e.Name())
		if !ok || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue // gone meanwhile
		}
		s.size = info.Size()
		if n := len(list); n > 0 && list[n-1].run == s.run && list[n-1].first == s.first {
			list[n-1] = s
			continue
		}
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b segment) int {
		if a.run != b.run {
			return compare(a.run, b.run)
		}
		return compare(a.first, b.first)
	})
	return list, nil
}

func compare(a, b uint64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// summary is what a packed segment says of itself before its body.
type summary struct {
	Samples        uint32
	Oldest, Newest int64 // host's wall clock, Unix nanoseconds
	Last           uint64
}

const summarySize = 4 + 3*8

func (s summary) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, s.Samples)
	b = binary.LittleEndian.AppendUint64(b, uint64(s.Oldest))
	b = binary.LittleEndian.AppendUint64(b, uint64(s.Newest))
	return binary.LittleEndian.AppendUint64(b, s.Last)
}

func parseSummary(b []byte) summary {
	return summary{
		Samples: binary.LittleEndian.Uint32(b), Oldest: int64(binary.LittleEndian.Uint64(b[4:])),
		Newest: int64(binary.LittleEndian.Uint64(b[12:])), Last: binary.LittleEndian.Uint64(b[20:]),
	}
}

func (s *summary) add(r record) {
	s.Last = r.seq
	if r.frame.Sample == nil {
		return
	}
	s.Samples++
	s.Newest = r.frame.Sample.HostTime.UnixNano()
	if s.Oldest == 0 {
		s.Oldest = s.Newest
	}
}

// openSegment opens a segment for reading its records.
func openSegment(dir string, s segment) (r io.ReadCloser, sum summary, err error) {
	f, err := os.Open(filepath.Join(dir, s.name()))
	if errors.Is(err, fs.ErrNotExist) && !s.packed {
		s.packed = true // packed meanwhile
		f, err = os.Open(filepath.Join(dir, s.name()))
	}
	if err != nil {
		return nil, sum, err
	}
	if !s.packed {
		return f, sum, nil
	}
	head := make([]byte, len(packMagic)+summarySize)
	if _, err := io.ReadFull(f, head); err != nil || string(head[:len(packMagic)]) != packMagic {
		_ = f.Close()
		return nil, sum, fmt.Errorf("segment %s: %w", s.name(), errTorn)
	}
	return &unpacking{flate.NewReader(f), f}, parseSummary(head[len(packMagic):]), nil
}

type unpacking struct {
	io.ReadCloser
	f *os.File
}

func (u *unpacking) Close() error { return errors.Join(u.ReadCloser.Close(), u.f.Close()) }

// summarise says what a segment holds.
func summarise(dir string, s segment) (summary, error) {
	r, sum, err := openSegment(dir, s)
	if err != nil {
		return sum, err
	}
	defer r.Close()
	if sum != (summary{}) {
		return sum, nil
	}
	_, _, err = eachRecord(r, func(r record) error {
		sum.add(r)
		return nil
	})
	return sum, err
}

// pack replaces a finished segment by a packed one. What is torn at its end
// stays behind. A segment without a reading is removed. It returns the bytes
// that are left.
func pack(dir string, s segment) (int64, error) {
	from := filepath.Join(dir, s.name())
	in, err := os.Open(from)
	if err != nil {
		return 0, fmt.Errorf("pack segment: %w", err)
	}
	defer in.Close()
	var sum summary
	good, _, err := eachRecord(in, func(r record) error {
		sum.add(r)
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("pack segment: %w", err)
	}
	if sum.Samples == 0 {
		return 0, os.Remove(from)
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return s.size, fmt.Errorf("pack segment: %w", err)
	}
	s.packed = true
	to := filepath.Join(dir, s.name())
	size, err := writePacked(to+partExt, sum, io.LimitReader(in, good))
	if err == nil {
		err = os.Rename(to+partExt, to)
	}
	if err != nil {
		_ = os.Remove(to + partExt)
		return s.size, fmt.Errorf("pack segment: %w", err)
	}
	syncDir(dir)
	return size, os.Remove(from)
}

func writePacked(path string, sum summary, body io.Reader) (int64, error) {
	out, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return 0, err
	}
	defer out.Close()
	if _, err := out.Write(sum.append([]byte(packMagic))); err != nil {
		return 0, err
	}
	z, err := flate.NewWriter(out, flate.DefaultCompression)
	if err != nil {
		return 0, err
	}
	if _, err := io.Copy(z, body); err != nil {
		return 0, err
	}
	if err := z.Close(); err != nil {
		return 0, err
	}
	if err := out.Sync(); err != nil {
		return 0, err
	}
	return out.Seek(0, io.SeekCurrent)
}

// syncDir makes names last; a file system that can't is left alone.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
