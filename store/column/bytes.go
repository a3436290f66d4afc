package column

import (
	"encoding/binary"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"

	"rentgen/probe"
)

// worthPacking is the length from which a body is tried with zstd; below it
// the frame costs more than it saves.
const worthPacking = 48

// maxBody bounds an unpacked body: MaxCells numbers of three varints each.
const maxBody = 3*10*MaxCells + 1<<16

var (
	zstdWriter = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression),
			zstd.WithEncoderConcurrency(2), zstd.WithEncoderCRC(true), zstd.WithSingleSegment(true))
		if err != nil {
			panic("zstd options: " + err.Error()) // constants above; can't happen
		}
		return e
	})
	zstdReader = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(2),
			zstd.WithDecoderMaxMemory(maxBody), zstd.WithDecodeAllCapLimit(false))
		if err != nil {
			panic("zstd options: " + err.Error())
		}
		return d
	})
)

// seal puts the head byte before a body, packed where that is smaller.
func seal(body []byte) []byte {
	if len(body) >= worthPacking {
		packed := zstdWriter().EncodeAll(body, append(make([]byte, 0, len(body)), version|flagZstd))
		if len(packed) <= len(body) {
			return packed
		}
	}
	return append(append(make([]byte, 0, len(body)+1), version), body...)
}

func unseal(blob []byte) ([]byte, error) {
	if len(blob) == 0 {
		return nil, corrupt("empty")
	}
	switch blob[0] {
	case version:
		return blob[1:], nil
	case version | flagZstd:
		body, err := zstdReader().DecodeAll(blob[1:], nil)
		if err != nil {
			return nil, corrupt(err.Error())
		}
		return body, nil
	case versionCoded:
		return unsealCoded(blob)
	}
	return nil, corrupt("version")
}

type writer struct{ b []byte }

func (w *writer) byte(v byte)   { w.b = append(w.b, v) }
func (w *writer) uint(v uint64) { w.b = binary.AppendUvarint(w.b, v) }
func (w *writer) int(v int64)   { w.b = binary.AppendVarint(w.b, v) }
func (w *writer) text(s string) {
	s = Clip(s)
	w.uint(uint64(len(s)))
	w.b = append(w.b, s...)
}

// Clip bounds a raw token to what is stored of it, cut between runes.
func Clip(s string) string {
	if len(s) > MaxRaw {
		s = strings.ToValidUTF8(s[:MaxRaw], "")
	}
	return s
}

// texts writes the distinct raw tokens; each entry refers to them by number.
func (w *writer) texts(n int, raw func(int) string) map[string]uint64 {
	at := map[string]uint64{"": 0}
	list := []string{}
	for i := range n {
		s := Clip(raw(i))
		if _, ok := at[s]; !ok && len(list) < 1<<12 {
			list = append(list, s)
			at[s] = uint64(len(list))
		}
	}
	w.uint(uint64(len(list)))
	for _, s := range list {
		w.text(s)
	}
	return at
}

// states writes runs of equal state and raw token.
func (w *writer) states(cells []Cell) {
	at := w.texts(len(cells), func(i int) string {
		if cells[i].OK() {
			return ""
		}
		return cells[i].Raw
	})
	for i := 0; i < len(cells); {
		j := i + 1
		for j < len(cells) && cells[j].State == cells[i].State && (cells[i].OK() || cells[j].Raw == cells[i].Raw) {
			j++
		}
		w.uint(uint64(j - i))
		w.byte(byte(cells[i].State))
		if !cells[i].OK() {
			w.uint(at[Clip(cells[i].Raw)])
		}
		i = j
	}
}

// reader reads a body; the first mistake sticks and every later read gives 0.
type reader struct {
	b   []byte
	err error
}

func (r *reader) fail(what string) {
	if r.err == nil {
		r.err = corrupt(what)
	}
	r.b = nil
}

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.fail("short")
		return 0
	}
	v := r.b[0]
	r.b = r.b[1:]
	return v
}

func (r *reader) uint() uint64 {
	if len(r.b) > 0 && r.b[0] < 0x80 {
		v := r.b[0]
		r.b = r.b[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail("short number")
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) int() int64 {
	u := r.uint()
	return int64(u>>1) ^ -int64(u&1)
}

func (r *reader) count(limit int, what string) int {
	v := r.uint()
	if v > uint64(limit) {
		r.fail(what)
		return 0
	}
	return int(v)
}

func (r *reader) text() string {
	n := r.count(MaxRaw, "text")
	if n > len(r.b) {
		r.fail("short text")
		return ""
	}
	s := string(r.b[:n])
	r.b = r.b[n:]
	return s
}

func (r *reader) texts() []string {
	n := r.count(1<<12, "texts")
	list := []string{""}
	for range n {
		if r.err != nil {
			break
		}
		list = append(list, r.text())
	}
	return list
}

func (r *reader) state() probe.State {
	s := probe.State(r.byte())
	if s > probe.Error {
		r.fail("state")
		return probe.Error
	}
	return s
}

func (r *reader) textAt(list []string) string {
	i := r.count(len(list)-1, "text number")
	return list[i]
}

// states fills the states of dst and returns how many are OK.
func (r *reader) states(dst []Cell) (ok int) {
	list := r.texts()
	for i := 0; i < len(dst); {
		n := r.count(len(dst)-i, "run")
		s := r.state()
		raw := ""
		if s != probe.OK {
			raw = r.textAt(list)
		}
		if r.err == nil && n == 0 {
			r.fail("empty run")
		}
		if r.err != nil {
			return 0
		}
		for ; n > 0; n-- {
			dst[i] = Cell{State: s, Raw: raw}
			if s == probe.OK {
				ok++
			}
			i++
		}
	}
	return ok
}
