package column

import "fmt"

// Tick is the place of one cell in an hour: the second of the hour, the run of
// the reader it came from, the sequence number of its first reading and how
// many more readings of that run it holds.
type Tick struct {
	Second uint16
	Run    int64
	Seq    uint64
	Span   uint64
}

// Last returns the sequence number of the last reading.
func (t Tick) Last() uint64 { return t.Seq + t.Span }

// EncodeTicks packs the ticks of an hour. A steady reader costs a few bytes an
// hour: equal steps are counted, not listed.
func EncodeTicks(ticks []Tick) ([]byte, error) {
	if len(ticks) > MaxCells {
		return nil, fmt.Errorf("pack times: %d ticks, at most %d", len(ticks), MaxCells)
	}
	w := writer{}
	w.uint(uint64(len(ticks)))
	var prev Tick
	for i := 0; i < len(ticks); {
		t := ticks[i]
		j := i + 1
		for j < len(ticks) && ticks[j] == follow(ticks[j-1]) {
			j++
		}
		w.uint(uint64(j - i))
		w.int(int64(t.Second) - int64(prev.Second))
		w.int(t.Run - prev.Run)
		w.int(int64(t.Seq - prev.Seq))
		w.uint(t.Span)
		prev = ticks[j-1]
		i = j
	}
	return seal(w.b), nil
}

// follow is the tick after t of a steady reader.
func follow(t Tick) Tick {
	return Tick{Second: t.Second + 1, Run: t.Run, Seq: t.Seq + t.Span + 1, Span: t.Span}
}

// DecodeTicks unpacks what EncodeTicks wrote.
func DecodeTicks(blob []byte) ([]Tick, error) {
	body, err := unseal(blob)
	if err != nil {
		return nil, err
	}
	r := reader{b: body}
	n := r.count(MaxCells, "ticks")
	ticks := make([]Tick, 0, min(n, 4096))
	var prev Tick
	for len(ticks) < n && r.err == nil {
		k := r.count(n-len(ticks), "run of ticks")
		t := Tick{Run: prev.Run}
		second := int64(prev.Second) + r.int()
		t.Run += r.int()
		t.Seq = prev.Seq + uint64(r.int())
		t.Span = r.uint()
		if r.err != nil {
			break
		}
		if k == 0 || second < 0 || second+int64(k) > 3600 {
			return nil, corrupt("second")
		}
		t.Second = uint16(second)
		for range k {
			ticks = append(ticks, t)
			prev, t = t, follow(t)
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	return ticks, nil
}
