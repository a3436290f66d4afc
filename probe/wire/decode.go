package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"rentgen/probe"
)

// Decoder reads frames. It keeps the last values per card, as the Encoder
// does. It is not safe for concurrent use.
type Decoder struct {
	r     *bufio.Reader
	buf   []byte
	index []name
	last  map[string]*[probe.GPUMetricCount]probe.Value
	sys   [probe.SystemMetricCount]probe.Value
	bytes uint64
}

// name is what a tick leaves out of a card that the inventory holds.
type name struct {
	index      int
	uuid, name string
}

// NewDecoder returns a decoder that reads from r; a *bufio.Reader is used as it
// is, so that what ScanHello has buffered is not lost.
func NewDecoder(r io.Reader) *Decoder {
	br, ok := r.(*bufio.Reader)
	if !ok {
		br = bufio.NewReader(r)
	}
	d := &Decoder{r: br}
	d.reset()
	return d
}

func (d *Decoder) reset() {
	d.index = nil
	d.last = map[string]*[probe.GPUMetricCount]probe.Value{}
	d.sys = [probe.SystemMetricCount]probe.Value{}
}

// Bytes returns how many bytes were read, length prefixes included.
func (d *Decoder) Bytes() uint64 { return d.bytes }

// ErrFrame wraps every error that a malformed frame causes; the stream can't
// be read further. An end between two frames is io.EOF, inside one
// io.ErrUnexpectedEOF.
var ErrFrame = errors.New("malformed frame")

// Read returns the next frame. What it returns is the caller's to keep.
func (d *Decoder) Read() (Frame, error) {
	b, n, err := readFrame(d.r, &d.buf)
	d.bytes += uint64(n)
	if err != nil {
		return Frame{}, err
	}
	r := &reader{b: b}
	f := d.frame(r)
	if r.err == nil && len(r.b) > 0 {
		r.fail("%d bytes after the end", len(r.b))
	}
	if r.err != nil {
		return Frame{}, fmt.Errorf("%w: %w", ErrFrame, r.err)
	}
	return f, nil
}

// readFrame reads a length and that many bytes into *buf, growing it only as
// bytes really arrive.
func readFrame(r *bufio.Reader, buf *[]byte) ([]byte, int, error) {
	size, head, err := readUvarint(r)
	if err != nil {
		return nil, head, err
	}
	if size > MaxFrame {
		return nil, head, fmt.Errorf("%w: %d bytes announced, at most %d", ErrFrame, size, MaxFrame)
	}
	b := (*buf)[:0]
	for uint64(len(b)) < size {
		step := min(int(size)-len(b), 32<<10)
		if cap(b) < len(b)+step {
			b = append(b, make([]byte, step)...)[:len(b)]
		}
		n, err := io.ReadFull(r, b[len(b):len(b)+step])
		b = b[:len(b)+n]
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, head + len(b), fmt.Errorf("read frame: %w", err)
		}
	}
	*buf = b
	return b, head + len(b), nil
}

// readUvarint is binary.ReadUvarint with a count and a bound of its own.
func readUvarint(r *bufio.Reader) (size uint64, n int, err error) {
	for shift := 0; shift < 7*binary.MaxVarintLen32; shift += 7 {
		c, err := r.ReadByte()
		if err != nil {
			if n > 0 && errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			if errors.Is(err, io.EOF) && n == 0 {
				return 0, 0, io.EOF
			}
			return 0, n, fmt.Errorf("read frame length: %w", err)
		}
		n++
		size |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return size, n, nil
		}
	}
	return 0, n, fmt.Errorf("%w: length is no uvarint", ErrFrame)
}

func (d *Decoder) frame(r *reader) Frame {
	var f Frame
	for n := r.dict(maxKeys); n > 0 && r.err == nil; n-- {
		switch r.uint() {
		case keyInventory:
			f.Inventory = r.inventory()
			d.reset()
			d.index = make([]name, len(f.Inventory.GPUs))
			for i, g := range f.Inventory.GPUs {
				d.index[i] = name{g.Index, g.UUID, g.Name}
			}
		case keySample:
			f.Sample = d.sample(r)
		case keyEvent:
			f.Event = r.event()
		case keyPong:
			r.exactly(3, "pong")
			f.Pong = &Pong{Ping: r.uint(), Wall: r.time(), Mono: time.Duration(r.int())}
		case keyHeartbeat:
			r.exactly(3, "heartbeat")
			f.Heartbeat = &Heartbeat{Mono: time.Duration(r.int()), Dropped: r.uint(), CPU: time.Duration(r.int())}
		case keyError:
			f.Error = r.text()
		default:
			r.skip(0)
		}
	}
	return f
}

// exactly reads the head of an array that has n entries.
func (r *reader) exactly(n int, what string) {
	if r.list(n) != n {
		r.fail("a %s has %d entries", what, n)
	}
}

func (r *reader) time() time.Time {
	if len(r.b) > 0 && r.b[0] == majorOther<<5|infoNull {
		r.b = r.b[1:]
		return time.Time{}
	}
	ns := r.int()
	if r.err != nil {
		return time.Time{}
	}
	return time.Unix(0, ns).UTC()
}

func (r *reader) value() probe.Value {
	if len(r.b) > 0 && r.b[0]>>5 != majorArray {
		n := r.number()
		if r.err != nil {
			return probe.Value{}
		}
		return probe.Of(n)
	}
	n := r.list(3)
	if n == 0 {
		r.fail("a value has a state at least")
		return probe.Value{}
	}
	state, raw := r.uint(), ""
	if n > 1 {
		raw = r.text()
	}
	if n > 2 {
		num := r.number()
		if v := probe.Of(num); v.State == probe.OK && state == uint64(probe.OK) {
			v.Raw = raw
			return v
		}
		return probe.Missing(probe.Error, raw)
	}
	if state > uint64(probe.Error) {
		state = uint64(probe.Error)
	}
	return probe.Missing(probe.State(state), raw)
}

func (r *reader) event() *probe.Event {
	r.exactly(6, "event")
	return &probe.Event{
		Time: r.time(), GPU: r.text(), Kind: r.text(), Code: r.small(), Text: r.text(), Raw: r.text(),
	}
}

func (d *Decoder) sample(r *reader) *probe.Sample {
	n := r.list(8)
	if n < 4 {
		r.fail("a tick has four entries at least")
		return nil
	}
	s := &probe.Sample{Seq: r.uint(), HostTime: r.time(), Mono: time.Duration(r.int())}
	s.Time = s.HostTime
	count := r.list(MaxDevices)
	if count > 0 {
		s.GPUs = make([]probe.GPU, 0, min(count, 16))
	}
	for ; count > 0 && r.err == nil; count-- {
		s.GPUs = append(s.GPUs, probe.GPU{})
		d.gpu(r, &s.GPUs[len(s.GPUs)-1])
	}
	if n > 4 && r.err == nil {
		r.changes(d.sys[:])
		s.System = &probe.System{Values: d.sys}
	}
	for ; n > 5 && r.err == nil; n-- {
		r.skip(0)
	}
	return s
}

func (d *Decoder) gpu(r *reader, g *probe.GPU) {
	n := r.list(8)
	if n < 2 {
		r.fail("a card has two entries at least")
		return
	}
	if len(r.b) > 0 && r.b[0]>>5 == majorArray {
		r.exactly(3, "card's name")
		g.Index, g.UUID, g.Name = r.small(), r.text(), r.text()
	} else {
		i := r.uint()
		if i >= uint64(len(d.index)) {
			r.fail("card %d is not in the inventory", i)
			return
		}
		g.Index, g.UUID, g.Name = d.index[i].index, d.index[i].uuid, d.index[i].name
	}
	last := d.last[g.UUID]
	if last == nil {
		if len(d.last) >= 2*MaxDevices {
			r.fail("more than %d cards", 2*MaxDevices)
			return
		}
		last = new([probe.GPUMetricCount]probe.Value)
		d.last[g.UUID] = last
	}
	r.changes(last[:])
	g.Values = *last
	if n > 2 {
		g.Spreads = r.spreads()
	}
	if n > 3 {
		g.Procs = r.processes()
	}
	for ; n > 4 && r.err == nil; n-- {
		r.skip(0)
	}
}

// changes applies {metric: value} to last; a metric that this version does not
// know is passed over.
func (r *reader) changes(last []probe.Value) {
	for n := r.dict(256); n > 0 && r.err == nil; n-- {
		if m := r.uint(); m < uint64(len(last)) {
			last[m] = r.value()
		} else {
			r.skip(0)
		}
	}
}

func (r *reader) spreads() []probe.Spread {
	n := r.list(256)
	var list []probe.Spread
	for ; n > 0 && r.err == nil; n-- {
		r.exactly(4, "spread")
		m := r.uint()
		lo, hi, count := probe.Of(r.number()), probe.Of(r.number()), r.small()
		if m < uint64(probe.GPUMetricCount) && lo.State == probe.OK && hi.State == probe.OK && lo.Num <= hi.Num && count > 0 && len(list) < MaxSpreads {
			list = append(list, probe.Spread{Metric: probe.Metric(m), Min: lo.Num, Max: hi.Num, N: count})
		}
	}
	return list
}

func (r *reader) processes() *probe.Processes {
	r.exactly(3, "process list")
	state := r.uint()
	if state > uint64(probe.Error) {
		state = uint64(probe.Error)
	}
	p := &probe.Processes{State: probe.State(state), Raw: r.text()}
	for n := r.list(MaxProcesses); n > 0 && r.err == nil; n-- {
		r.exactly(5, "process")
		p.List = append(p.List, probe.Process{
			PID: r.small(), Name: r.text(), Mem: r.value(), Util: r.value(), Own: r.bool(),
		})
	}
	return p
}
