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
	b, n, err := readFrame(d.r, &d.buf, MaxFrame)
	d.bytes += uint64(n)
	if err != nil {
		return Frame{}, err
	}
	var in frame
	if err := unmarshal(b, &in); err != nil {
		return Frame{}, err
	}
	f, err := d.frame(&in)
	if err != nil {
		return Frame{}, fmt.Errorf("%w: %w", ErrFrame, err)
	}
	return f, nil
}

// readFrame reads a length and that many bytes, at most limit, into *buf,
// growing it only as bytes really arrive.
func readFrame(r *bufio.Reader, buf *[]byte, limit uint64) ([]byte, int, error) {
	size, head, err := readUvarint(r)
	if err != nil {
		return nil, head, err
	}
	if size > limit {
		return nil, head, fmt.Errorf("%w: %d bytes announced, at most %d", ErrFrame, size, limit)
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

func (d *Decoder) frame(in *frame) (f Frame, err error) {
	f = Frame{Heartbeat: in.Heartbeat, Error: string(in.Error), Start: in.Start, Hole: in.Hole, Done: in.Done}
	if s := f.Start; s != nil {
		s.Ring, s.BootID, s.Version = bounded(Clean(s.Ring)), bounded(Clean(s.BootID)), bounded(Clean(s.Version))
	}
	if h := f.Hole; h != nil {
		h.Reason = bounded(Clean(h.Reason))
	}
	if in.Inventory != nil {
		if f.Inventory, err = d.inventory(in.Inventory); err != nil {
			return Frame{}, err
		}
	}
	if in.Sample != nil {
		if f.Sample, err = d.sample(in.Sample); err != nil {
			return Frame{}, err
		}
	}
	if ev := in.Event; ev != nil {
		f.Event = &probe.Event{
			Time: moment(ev.Time), GPU: string(ev.GPU), Kind: string(ev.Kind), Code: int(ev.Code), Text: string(ev.Text), Raw: string(ev.Raw),
		}
	}
	if p := in.Pong; p != nil {
		f.Pong = &Pong{Ping: p.Ping, Wall: moment(p.Wall), Mono: time.Duration(p.Mono)}
	}
	return f, nil
}

func within(what string, n, limit int) error {
	if n > limit {
		return fmt.Errorf("%d %s, at most %d", n, what, limit)
	}
	return nil
}

func (d *Decoder) sample(in *sample) (*probe.Sample, error) {
	if err := within("cards", len(in.GPUs), MaxDevices); err != nil {
		return nil, err
	}
	at := moment(in.Time)
	s := &probe.Sample{Seq: in.Seq, Time: at, HostTime: at, Mono: time.Duration(in.Mono)}
	if len(in.GPUs) > 0 {
		s.GPUs = make([]probe.GPU, len(in.GPUs))
	}
	for i := range in.GPUs {
		if err := d.gpu(&in.GPUs[i], &s.GPUs[i]); err != nil {
			return nil, err
		}
	}
	if in.System != nil {
		in.System.apply(d.sys[:])
		s.System = &probe.System{Values: d.sys}
	}
	return s, nil
}

func (d *Decoder) gpu(in *gpu, g *probe.GPU) error {
	g.Index, g.UUID, g.Name = int(in.Index), string(in.UUID), string(in.Name)
	if in.Place != 0 {
		if in.Place < 0 || in.Place > len(d.index) {
			return fmt.Errorf("card %d is not in the inventory", in.Place)
		}
		known := d.index[in.Place-1]
		g.Index, g.UUID, g.Name = known.index, known.uuid, known.name
	}
	last := d.last[g.UUID]
	if last == nil {
		if err := within("cards", len(d.last)+1, 2*MaxDevices); err != nil {
			return err
		}
		last = new([probe.GPUMetricCount]probe.Value)
		d.last[g.UUID] = last
	}
	in.Changes.apply(last[:])
	g.Values = *last
	for _, s := range in.Spreads {
		if s.Metric < uint64(probe.GPUMetricCount) && s.Min.State == probe.OK && s.Max.State == probe.OK && s.Min.Num <= s.Max.Num && s.N > 0 && len(g.Spreads) < MaxSpreads {
			g.Spreads = append(g.Spreads, probe.Spread{Metric: probe.Metric(s.Metric), Min: s.Min.Num, Max: s.Max.Num, N: int(s.N)})
		}
	}
	if in.Procs == nil {
		return nil
	}
	g.Procs = &probe.Processes{State: stateOf(in.Procs.State), Raw: string(in.Procs.Raw)}
	for _, p := range in.Procs.List {
		g.Procs.List = append(g.Procs.List, probe.Process{
			PID: int(p.PID), Name: string(p.Name), Mem: probe.Value(p.Mem), Util: probe.Value(p.Util), Own: p.Own,
		})
	}
	return nil
}

// apply brings last up to date; a metric that this version does not know is
// passed over.
func (c changes) apply(last []probe.Value) {
	for m, v := range c {
		if m < uint64(len(last)) {
			last[m] = probe.Value(v)
		}
	}
}
