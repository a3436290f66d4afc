package wire

import (
	"encoding/binary"
	"fmt"
	"io"
	"time"

	"rentgen/probe"
)

// Encoder writes frames. It keeps the last values per card to send only what
// changed, so every frame of a stream must go through the same one. It is not
// safe for concurrent use.
type Encoder struct {
	w     io.Writer
	buf   []byte
	index map[string]int // UUID -> place in the last inventory
	last  map[string]*[probe.GPUMetricCount]probe.Value
	sys   [probe.SystemMetricCount]probe.Value
	bytes uint64
}

// NewEncoder returns an encoder that writes to w.
func NewEncoder(w io.Writer) *Encoder {
	e := &Encoder{w: w}
	e.reset()
	return e
}

func (e *Encoder) reset() {
	e.index = map[string]int{}
	e.last = map[string]*[probe.GPUMetricCount]probe.Value{}
	e.sys = [probe.SystemMetricCount]probe.Value{}
}

// Bytes returns how many bytes were written, length prefixes included.
func (e *Encoder) Bytes() uint64 { return e.bytes }

// room for the length prefix in front of a frame
const prefix = binary.MaxVarintLen32

// Write sends one frame in one call of the writer. After an error the stream
// is unusable.
func (e *Encoder) Write(f Frame) error {
	b := append(e.buf[:0], make([]byte, prefix)...)
	n := 0
	for _, set := range [...]bool{
		f.Inventory != nil, f.Sample != nil, f.Event != nil, f.Pong != nil, f.Heartbeat != nil, f.Error != "",
	} {
		if set {
			n++
		}
	}
	b = appendHead(b, majorMap, uint64(n))
	if f.Inventory != nil {
		b = e.inventory(appendUint(b, keyInventory), f.Inventory)
	}
	if f.Sample != nil {
		b = e.sample(appendUint(b, keySample), f.Sample)
	}
	if f.Event != nil {
		b = appendEvent(appendUint(b, keyEvent), f.Event)
	}
	if f.Pong != nil {
		b = appendHead(appendUint(b, keyPong), majorArray, 3)
		b = appendInt(appendTime(appendUint(b, f.Pong.Ping), f.Pong.Wall), int64(f.Pong.Mono))
	}
	if f.Heartbeat != nil {
		b = appendHead(appendUint(b, keyHeartbeat), majorArray, 3)
		b = appendUint(appendInt(b, int64(f.Heartbeat.Mono)), f.Heartbeat.Dropped)
		b = appendInt(b, int64(f.Heartbeat.CPU))
	}
	if f.Error != "" {
		b = appendText(appendUint(b, keyError), f.Error)
	}
	e.buf = b
	sent, err := writeFrame(e.w, b)
	e.bytes += uint64(sent)
	return err
}

// writeFrame puts the length into the room left in front of b and sends both.
func writeFrame(w io.Writer, b []byte) (int, error) {
	size := len(b) - prefix
	if size > MaxFrame {
		return 0, fmt.Errorf("frame of %d bytes, at most %d", size, MaxFrame)
	}
	var p [prefix]byte
	n := binary.PutUvarint(p[:], uint64(size))
	start := prefix - n
	copy(b[start:], p[:n])
	sent, err := w.Write(b[start:])
	if err != nil {
		return sent, fmt.Errorf("write frame: %w", err)
	}
	return sent, nil
}

func appendTime(b []byte, t time.Time) []byte {
	if t.IsZero() {
		return append(b, majorOther<<5|infoNull)
	}
	return appendInt(b, t.UnixNano())
}

// appendValue writes an OK number as it is, anything else as [state, raw], and
// an OK number that keeps its raw token as [state, raw, number].
func appendValue(b []byte, v probe.Value) []byte {
	switch {
	case v.State == probe.OK && v.Raw == "":
		return appendNumber(b, v.Num)
	case v.State == probe.OK:
		b = appendUint(appendHead(b, majorArray, 3), uint64(v.State))
		return appendNumber(appendText(b, v.Raw), v.Num)
	case v.Raw == "":
		return appendUint(appendHead(b, majorArray, 1), uint64(v.State))
	}
	b = appendUint(appendHead(b, majorArray, 2), uint64(v.State))
	return appendText(b, v.Raw)
}

func appendEvent(b []byte, ev *probe.Event) []byte {
	b = appendHead(b, majorArray, 6)
	b = appendText(appendText(appendTime(b, ev.Time), ev.GPU), ev.Kind)
	return appendText(appendText(appendInt(b, int64(ev.Code)), ev.Text), ev.Raw)
}

// sample is [seq, host time, mono, [gpu...], system?].
func (e *Encoder) sample(b []byte, s *probe.Sample) []byte {
	n := uint64(4)
	if s.System != nil {
		n = 5
	}
	b = appendUint(appendHead(b, majorArray, n), s.Seq)
	host := s.HostTime
	if host.IsZero() {
		host = s.Time
	}
	b = appendInt(appendTime(b, host), int64(s.Mono))
	gpus := s.GPUs[:min(len(s.GPUs), MaxDevices)]
	b = appendHead(b, majorArray, uint64(len(gpus)))
	for i := range gpus {
		b = e.gpu(b, &gpus[i])
	}
	if s.System != nil {
		b = appendChanges(b, e.sys[:], s.System.Values[:])
	}
	return b
}

// gpu is [place in the inventory, changes, spreads?, processes?] or, for a
// card the inventory lacks, the same with [index, uuid, name] as first entry.
func (e *Encoder) gpu(b []byte, g *probe.GPU) []byte {
	n := uint64(2)
	if len(g.Spreads) > 0 {
		n = 3
	}
	if g.Procs != nil {
		n = 4
	}
	b = appendHead(b, majorArray, n)
	if i, ok := e.index[g.UUID]; ok {
		b = appendUint(b, uint64(i))
	} else {
		b = appendInt(appendHead(b, majorArray, 3), int64(g.Index))
		b = appendText(appendText(b, g.UUID), g.Name)
	}
	last := e.last[g.UUID]
	if last == nil {
		last = new([probe.GPUMetricCount]probe.Value)
		e.last[g.UUID] = last
	}
	b = appendChanges(b, last[:], g.Values[:])
	if n > 2 {
		b = appendSpreads(b, g.Spreads)
	}
	if n > 3 {
		b = appendProcesses(b, g.Procs)
	}
	return b
}

// appendChanges writes {metric: value} for the values that differ from last
// and brings last up to date.
func appendChanges(b []byte, last, now []probe.Value) []byte {
	n := uint64(0)
	for i := range now {
		if now[i] != last[i] {
			n++
		}
	}
	b = appendHead(b, majorMap, n)
	for i := range now {
		if now[i] != last[i] {
			b = appendValue(appendUint(b, uint64(i)), now[i])
			last[i] = now[i]
		}
	}
	return b
}

func appendSpreads(b []byte, spreads []probe.Spread) []byte {
	spreads = spreads[:min(len(spreads), MaxSpreads)]
	b = appendHead(b, majorArray, uint64(len(spreads)))
	for _, s := range spreads {
		b = appendUint(appendHead(b, majorArray, 4), uint64(s.Metric))
		b = appendInt(appendNumber(appendNumber(b, s.Min), s.Max), int64(s.N))
	}
	return b
}

// appendProcesses writes [state, raw, [[pid, name, memory, utilisation, own]...]].
func appendProcesses(b []byte, p *probe.Processes) []byte {
	b = appendUint(appendHead(b, majorArray, 3), uint64(p.State))
	b = appendText(b, p.Raw)
	list := p.List[:min(len(p.List), MaxProcesses)]
	b = appendHead(b, majorArray, uint64(len(list)))
	for i := range list {
		b = appendInt(appendHead(b, majorArray, 5), int64(list[i].PID))
		b = appendValue(appendText(b, list[i].Name), list[i].Mem)
		b = appendBool(appendValue(b, list[i].Util), list[i].Own)
	}
	return b
}
