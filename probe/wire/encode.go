package wire

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"rentgen/probe"
)

// Encoder writes frames. It keeps the last values per card to send only what
// changed, so every frame of a stream must go through the same one. It is not
// safe for concurrent use.
type Encoder struct {
	w     io.Writer
	buf   bytes.Buffer
	tick  sample         // kept for its memory
	place map[string]int // UUID -> place in the last inventory, from 1 on
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
	e.place = map[string]int{}
	e.last = map[string]*[probe.GPUMetricCount]probe.Value{}
	e.sys = [probe.SystemMetricCount]probe.Value{}
}

// Bytes returns how many bytes were written, length prefixes included.
func (e *Encoder) Bytes() uint64 { return e.bytes }

// Write sends one frame in one call of the writer. After an error the stream
// is unusable.
func (e *Encoder) Write(f Frame) error {
	out := frame{Heartbeat: f.Heartbeat, Error: cut(f.Error), Start: f.Start, Hole: f.Hole, Done: f.Done}
	if f.Inventory != nil {
		out.Inventory = e.inventory(f.Inventory)
	}
	if f.Sample != nil {
		out.Sample = e.sample(f.Sample)
	}
	if ev := f.Event; ev != nil {
		out.Event = &event{
			Time: nanos(ev.Time), GPU: cut(ev.GPU), Kind: cut(ev.Kind), Code: int32(ev.Code), Text: cut(ev.Text), Raw: cut(ev.Raw),
		}
	}
	if p := f.Pong; p != nil {
		out.Pong = &pong{Ping: p.Ping, Wall: nanos(p.Wall), Mono: int64(p.Mono)}
	}
	n, err := writeFrame(e.w, &e.buf, &out)
	e.bytes += uint64(n)
	return err
}

// writeFrame encodes v behind room for its length and sends both in one call.
func writeFrame(w io.Writer, buf *bytes.Buffer, v any) (int, error) {
	const prefix = binary.MaxVarintLen32
	buf.Reset()
	buf.Write(make([]byte, prefix))
	if err := encMode.MarshalToBuffer(v, buf); err != nil {
		return 0, fmt.Errorf("encode frame: %w", err)
	}
	b := buf.Bytes()
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

func (e *Encoder) sample(s *probe.Sample) *sample {
	host := s.HostTime
	if host.IsZero() {
		host = s.Time
	}
	gpus := s.GPUs[:min(len(s.GPUs), MaxDevices)]
	out := &e.tick
	out.Seq, out.Time, out.Mono, out.System = s.Seq, nanos(host), int64(s.Mono), nil
	out.GPUs = slices.Grow(out.GPUs[:0], len(gpus))[:len(gpus)]
	for i := range gpus {
		e.gpu(&out.GPUs[i], &gpus[i])
	}
	if s.System != nil {
		out.System = changes{}
		out.System.fill(e.sys[:], s.System.Values[:])
	}
	return out
}

func (e *Encoder) gpu(out *gpu, g *probe.GPU) {
	*out = gpu{Place: e.place[g.UUID], Changes: out.Changes, Spreads: out.Spreads[:0]}
	if out.Place == 0 {
		out.Index, out.UUID, out.Name = int32(g.Index), cut(g.UUID), cut(g.Name)
	}
	last := e.last[g.UUID]
	if last == nil {
		last = new([probe.GPUMetricCount]probe.Value)
		e.last[g.UUID] = last
	}
	if out.Changes == nil {
		out.Changes = changes{}
	}
	out.Changes.fill(last[:], g.Values[:])
	for _, s := range g.Spreads[:min(len(g.Spreads), MaxSpreads)] {
		out.Spreads = append(out.Spreads, spread{
			Metric: uint64(s.Metric), Min: value{Num: s.Min, State: probe.OK}, Max: value{Num: s.Max, State: probe.OK}, N: int32(s.N),
		})
	}
	if g.Procs == nil {
		return
	}
	out.Procs = &processes{State: uint64(g.Procs.State), Raw: cut(g.Procs.Raw)}
	for _, p := range g.Procs.List[:min(len(g.Procs.List), MaxProcesses)] {
		out.Procs.List = append(out.Procs.List, process{
			PID: int32(p.PID), Name: cut(p.Name), Mem: value(p.Mem), Util: value(p.Util), Own: p.Own,
		})
	}
}

// fill makes c the values that differ from last and brings last up to date.
func (c changes) fill(last, now []probe.Value) {
	clear(c)
	for i, v := range now {
		if v != last[i] {
			c[uint64(i)] = value(v)
			last[i] = v
		}
	}
}
