package resident

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"rentgen/probe/wire"
)

// Position is a place in a ring: everything up to the record Seq of the run Run.
type Position struct {
	Ring     string
	Run, Seq uint64
}

// String returns the position as ParsePosition reads it.
func (p Position) String() string { return fmt.Sprintf("%s.%x.%x", p.Ring, p.Run, p.Seq) }

// ParsePosition reads a position; "" is the beginning.
func ParsePosition(s string) (Position, error) {
	if s == "" {
		return Position{}, nil
	}
	parts := strings.Split(s, ".")
	if len(parts) != 3 || !RingName(parts[0]) {
		return Position{}, fmt.Errorf("position %.60q: not RING.RUN.RECORD", s)
	}
	run, err := strconv.ParseUint(parts[1], 16, 64)
	if err != nil {
		return Position{}, fmt.Errorf("position %.60q: run: %w", s, err)
	}
	seq, err := strconv.ParseUint(parts[2], 16, 64)
	if err != nil {
		return Position{}, fmt.Errorf("position %.60q: record: %w", s, err)
	}
	return Position{Ring: parts[0], Run: run, Seq: seq}, nil
}

// RingName reports whether s may be the name of a ring: 32 hexadecimal digits.
func RingName(s string) bool {
	return len(s) == 32 && strings.Trim(s, "0123456789abcdef") == ""
}

// Read gives every record behind from, in order; of another ring, all. Each
// segment begins with the run that wrote it and its inventory. A segment that
// is torn ends early, and the next one follows. It may run beside a Writer.
func Read(dir, ring string, from Position, f func(wire.Frame) error) error {
	if from.Ring != ring {
		from = Position{}
	}
	list, err := segments(dir)
	if err != nil {
		return err
	}
	for i, s := range list {
		if s.run < from.Run || s.run == from.Run && i+1 < len(list) && list[i+1].run == s.run && list[i+1].first <= from.Seq+1 {
			continue
		}
		if err := readSegment(dir, s, from, f); err != nil {
			return err
		}
	}
	return nil
}

// errCaller marks an error of the one who reads.
type errCaller struct{ error }

func readSegment(dir string, s segment, from Position, f func(wire.Frame) error) error {
	r, sum, err := openSegment(dir, s)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, errTorn) {
		return nil // dropped meanwhile, or of no use
	}
	if err != nil {
		return fmt.Errorf("read segment: %w", err)
	}
	defer r.Close()
	if sum.Last != 0 && s.run == from.Run && sum.Last <= from.Seq {
		return nil
	}
	_, _, err = eachRecord(r, func(r record) error {
		head := r.seq < s.first // told again, holes too: they change nothing twice
		if !head && s.run == from.Run && r.seq <= from.Seq {
			return nil
		}
		if err := f(r.frame); err != nil {
			return errCaller{err}
		}
		return nil
	})
	var caller errCaller
	if errors.As(err, &caller) {
		return caller.error
	}
	return err
}
