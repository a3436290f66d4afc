package wire

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/fxamacker/cbor/v2"

	"rentgen/probe"
)

var base = time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)

func inventory(cards int) *probe.Inventory {
	inv := &probe.Inventory{
		Time: base, Source: probe.SourceAgent, Agent: "0.1.0 abc", Driver: "550.54.15", CUDA: "12.4",
		Run:  probe.Run{BootID: "b00t", Init: base.Add(-time.Hour)},
		Mode: probe.ModeGPU,
		System: probe.Machine{
			OS: "Ubuntu 22.04", Kernel: "5.15", Arch: "x86_64", Libc: "glibc 2.35", Hostname: "h", User: "root",
			CPUModel: "EPYC", Cores: 64, Quota: probe.Of(12.5), RAMTotal: probe.Of(515000), RAMLimit: probe.Of(92160),
			Container: "docker",
		},
	}
	for i := range cards {
		inv.GPUs = append(inv.GPUs, probe.Device{
			Index: i, UUID: fmt.Sprintf("GPU-%08d-aaaa-bbbb-cccc-123456789012", i), Name: "NVIDIA GeForce RTX 4090",
			BusID: fmt.Sprintf("00000000:%02X:00.0", i), MemTotal: probe.Of(24564), PowerCap: probe.Of(450),
			PowerDefault: probe.Of(450), PowerMax: probe.Missing(probe.Denied, "Insufficient Permissions"),
			ClockMaxSM: probe.Of(3105), ClockMaxMem: probe.Of(10501), PCIeGenMax: probe.Of(4), PCIeWidthMax: probe.Of(16),
			TempSlow: probe.Of(84), ComputeCap: "8.9", Persistence: "on", MIG: "off", MemSource: "v2",
		})
	}
	return inv
}

// tick is a plausible one: a busy card whose readings move.
func tick(inv *probe.Inventory, seq uint64, r *rand.Rand) *probe.Sample {
	at := base.Add(time.Duration(seq) * time.Second)
	s := &probe.Sample{Seq: seq, Time: at, HostTime: at, Mono: 1000*time.Second + time.Duration(seq)*time.Second}
	for _, d := range inv.GPUs {
		g := probe.GPU{Index: d.Index, UUID: d.UUID, Name: d.Name}
		for i := range g.Values {
			g.Values[i] = probe.Missing(probe.Unsupported, "Not Supported")
		}
		g.Set(probe.UtilGPU, probe.Of(float64(90+r.IntN(10))+0.3))
		g.Set(probe.UtilMem, probe.Of(float64(60+r.IntN(10))))
		g.Set(probe.MemUsed, probe.Of(float64(18000+r.IntN(50))))
		g.Set(probe.MemTotal, probe.Of(24564))
		g.Set(probe.Power, probe.Of(float64(4200+r.IntN(300))/10))
		g.Set(probe.Energy, probe.Of(float64(123456789+430*seq)))
		g.Set(probe.Temp, probe.Of(float64(70+r.IntN(2))))
		g.Set(probe.ClockSM, probe.Of(float64(2600+15*r.IntN(4))))
		g.Set(probe.PState, probe.Of(2))
		g.Set(probe.EventReasons, probe.OfMask(4))
		g.Spreads = []probe.Spread{{Metric: probe.UtilGPU, Min: 88, Max: 100, N: 6}, {Metric: probe.Power, Min: 380.5, Max: 449.25, N: 50}}
		g.Procs = &probe.Processes{State: probe.OK, List: []probe.Process{
			{PID: 4242, Name: "python3", Mem: probe.Of(17500), Util: probe.Of(97), Own: true},
		}}
		s.GPUs = append(s.GPUs, g)
	}
	s.System = &probe.System{}
	for _, m := range probe.SystemMetrics() {
		s.System.Set(m, probe.Of(float64(r.IntN(1000))/10))
	}
	return s
}

func TestFramesComeBackAsTheyWere(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	inv := inventory(8)
	frames := []Frame{{Inventory: inv}}
	for i := range uint64(20) {
		frames = append(frames, Frame{Sample: tick(inv, i, r)})
	}
	stray := tick(inventory(1), 20, r)
	stray.GPUs[0].UUID, stray.GPUs[0].Name, stray.GPUs[0].Index = "GPU-stray", "Karte ü 显存", 300
	stray.GPUs[0].Procs, stray.GPUs[0].Spreads, stray.System = nil, nil, nil
	stray.GPUs[0].Set(probe.Fan, probe.Value{Num: 0.1 + 0.2, State: probe.OK, Raw: "0.3 %"})
	stray.GPUs[0].Set(probe.TempMem, probe.Of(-5))
	frames = append(frames,
		Frame{Sample: stray},
		Frame{Event: &probe.Event{Time: base, GPU: "GPU-x", Kind: probe.EventXid, Code: 79, Text: "fell off", Raw: "raw"}},
		Frame{Pong: &Pong{Ping: math.MaxUint64, Wall: base, Mono: time.Hour}},
		Frame{Heartbeat: &Heartbeat{Mono: time.Minute, Dropped: 7, CPU: 1234 * time.Microsecond}},
		Frame{Error: "no library"},
		Frame{Sample: &probe.Sample{Seq: 99}},
		Frame{Inventory: &probe.Inventory{Mode: probe.ModeNoGPU}},
		Frame{Sample: tick(inv, 21, r)},
		Frame{Sample: tick(inv, 22, rand.New(rand.NewPCG(8, 8)))},
		Frame{Sample: tick(inv, 22, rand.New(rand.NewPCG(8, 8)))}, // nothing changed, the machine least of all
	)
	var buf bytes.Buffer
	enc := NewEncoder(&buf)
	for i, f := range frames {
		if err := enc.Write(f); err != nil {
			t.Fatalf("frame %d: %v", i, err)
		}
	}
	if enc.Bytes() != uint64(buf.Len()) {
		t.Errorf("encoder counts %d bytes, wrote %d", enc.Bytes(), buf.Len())
	}
	dec := NewDecoder(&buf)
	for i, want := range frames {
		got, err := dec.Read()
		if err != nil {
			t.Fatalf("frame %d: %v", i, err)
		}
		if want.Inventory != nil && len(want.Inventory.GPUs) == 0 {
			want.Inventory.GPUs = got.Inventory.GPUs[:0:0]
			want.Inventory.GPUs = []probe.Device{}
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("frame %d:\n got %+v\nwant %+v", i, got, want)
		}
	}
	if _, err := dec.Read(); !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("at the end: %v, want io.EOF", err)
	}
}

// Another CBOR implementation must find every frame well formed.
func TestFramesAreCBOR(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	inv := inventory(2)
	var buf bytes.Buffer
	enc := NewEncoder(&buf)
	for _, f := range []Frame{{Inventory: inv}, {Sample: tick(inv, 1, r)}, {Error: "e"}, {Heartbeat: &Heartbeat{}}} {
		if err := enc.Write(f); err != nil {
			t.Fatal(err)
		}
	}
	br := bufio.NewReader(&buf)
	for range 4 {
		n, err := binary.ReadUvarint(br)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, n)
		if _, err := io.ReadFull(br, b); err != nil {
			t.Fatal(err)
		}
		var m map[int]any
		if err := cbor.Unmarshal(b, &m); err != nil || len(m) != 1 {
			t.Errorf("%x: %v, %d keys", b, err, len(m))
		}
	}
}

// A number must come back bit by bit, and other encoders' forms be read.
func TestNumbers(t *testing.T) {
	for _, f := range []float64{
		0, 1, -1, 23, 24, 255, 256, 65536, 1 << 40, 1<<53 - 1, -1 << 50, 0.1, 123.4, -7.25, 0.001, 449.999,
		1e-9, math.Pi, 1e300, 5e-324, float64(float32(0.7)), 2147483.648, 0.1 + 0.2,
	} {
		forms := [][]byte{mustCBOR(t, value(probe.Of(f)))}
		for _, opts := range []cbor.EncOptions{{ShortestFloat: cbor.ShortestFloat16}, {}} {
			em, err := opts.EncMode()
			if err != nil {
				t.Fatal(err)
			}
			theirs, err := em.Marshal(f)
			if err != nil {
				t.Fatal(err)
			}
			forms = append(forms, theirs)
		}
		for _, b := range forms {
			var got value
			if err := unmarshal(b, &got); err != nil || probe.Value(got) != probe.Of(f) {
				t.Errorf("%v -> %x -> %+v (%v)", f, b, got, err)
			}
		}
	}
	if b := mustCBOR(t, value(probe.Of(123.4))); len(b) != 5 {
		t.Errorf("123.4 takes %d bytes: %x", len(b), b)
	}
	for _, f := range []float64{math.NaN(), math.Inf(1)} {
		var v value
		if err := unmarshal(mustCBOR(t, value{Num: f, State: probe.OK}), &v); err != nil || v.State != probe.Error {
			t.Errorf("%v decodes as %+v (%v), want an error value", f, v, err)
		}
	}
}

// The keys of a frame that the tests write by hand.
const keySample, keyEvent, keyError = 2, 3, 6

// card is one of a tick, with its names and changes.
func card(index any, uuid string, changes map[int]any) map[int]any {
	return map[int]any{2: changes, 5: index, 6: uuid}
}

// tickOf is a frame with a tick of such cards.
func tickOf(cards ...any) map[int]any {
	return map[int]any{keySample: map[int]any{1: 1, 2: 2, 3: 3, 4: cards}}
}

// A reader may be fed by another build: unknown keys and metrics are skipped.
func TestUnknownKeysAreSkipped(t *testing.T) {
	b := mustCBOR(t, map[int]any{
		keyError: "end", 60: map[string]any{"deep": []any{1, 2.5, "x", []byte{1}, nil, true, map[int]int{1: 2}}},
	})
	f, err := NewDecoder(framed(b)).Read()
	if err != nil || f.Error != "end" {
		t.Errorf("got %+v, %v", f, err)
	}
	b = mustCBOR(t, map[int]any{keySample: map[int]any{1: 1, 9: "later", 5: map[int]any{90: 1}, 4: []any{
		map[int]any{6: "u", 7: "n", 9: "later", 3: []any{}, 4: []any{1, "", []any{}}, 2: map[int]any{200: 5, 300: []any{0}, 0: 7}},
	}}})
	f, err = NewDecoder(framed(b)).Read()
	if err != nil {
		t.Fatal(err)
	}
	if n, ok := f.Sample.GPUs[0].Get(probe.UtilGPU).Ok(); !ok || n != 7 {
		t.Errorf("utilisation %v %v, want 7", n, ok)
	}
	if f.Sample.System == nil {
		t.Error("no readings of the machine")
	}
}

func framed(b []byte) *bytes.Buffer {
	return bytes.NewBuffer(append(binary.AppendUvarint(nil, uint64(len(b))), b...))
}

func mustCBOR(t testing.TB, v any) []byte {
	t.Helper()
	b, err := cbor.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestHostileFrames(t *testing.T) {
	deep := bytes.Repeat([]byte{0x81}, 5000)
	deep = append([]byte{0xa1, 0x18, 0x3c}, append(deep, 0)...)
	many := make([]any, MaxDevices+1)
	for i := range many {
		many[i] = card(i, fmt.Sprint(i), nil)
	}
	pairs := map[int]any{}
	for i := range maxPairs + 1 {
		pairs[i] = 1
	}
	processes := make([]any, MaxProcesses+1)
	for i := range processes {
		processes[i] = []any{i, "", 1, 1, true}
	}
	for name, b := range map[string][]byte{
		"empty body":              {},
		"no map":                  {0x01},
		"indefinite map":          {0xbf, 0xff},
		"claims a huge map":       {0xbb, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		"claims a huge text":      {0xa1, 0x06, 0x7b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
		"claims a huge list":      {0xa1, 0x02, 0xa2, 1, 0, 4, 0x9b, 0, 0, 0, 1, 0, 0, 0, 0},
		"deeply nested":           deep,
		"text too long":           mustCBOR(t, map[int]any{keyError: strings.Repeat("x", MaxText+1)}),
		"too many cards":          mustCBOR(t, tickOf(many...)),
		"card not in inventory":   mustCBOR(t, tickOf(map[int]any{1: 5})),
		"card before the first":   mustCBOR(t, tickOf(map[int]any{1: -1})),
		"index out of range":      mustCBOR(t, map[int]any{keyEvent: []any{1, "", "", uint64(1) << 40, "", ""}}),
		"bytes after the end":     append(mustCBOR(t, map[int]any{keyError: "x"}), 0),
		"ends inside":             mustCBOR(t, map[int]any{keyError: "xyz"})[:4],
		"tick is no map":          mustCBOR(t, map[int]any{keySample: []any{1}}),
		"short event":             mustCBOR(t, map[int]any{keyEvent: []any{1}}),
		"a key twice":             {0xa2, 6, 0x61, 0x78, 6, 0x61, 0x78},
		"a tag":                   mustCBOR(t, map[int]any{keyError: "x", 61: cbor.Tag{Number: 9, Content: 1}}),
		"indefinite text":         {0xa1, 6, 0x7f, 0x61, 0x78, 0xff},
		"too many pairs":          mustCBOR(t, tickOf(card(0, "", pairs))),
		"too many processes":      mustCBOR(t, tickOf(map[int]any{4: []any{1, "", processes}})),
		"raw text too long":       mustCBOR(t, tickOf(card(0, "", map[int]any{0: []any{4, strings.Repeat("x", MaxText+1)}}))),
		"value without a state":   mustCBOR(t, tickOf(card(0, "", map[int]any{0: []any{}}))),
		"value is null":           mustCBOR(t, tickOf(card(0, "", map[int]any{0: nil}))),
		"value is a boolean":      mustCBOR(t, tickOf(card(0, "", map[int]any{0: true}))),
		"decimal with a big base": mustCBOR(t, tickOf(card(0, "", map[int]any{0: []int{-400, 1}}))),
	} {
		t.Run(name, func(t *testing.T) {
			f, err := NewDecoder(framed(b)).Read()
			if !errors.Is(err, ErrFrame) {
				t.Errorf("got %+v, %v; want ErrFrame", f, err)
			}
		})
	}
	t.Run("length over the bound", func(t *testing.T) {
		_, err := NewDecoder(bytes.NewReader(binary.AppendUvarint(nil, MaxFrame+1))).Read()
		if !errors.Is(err, ErrFrame) {
			t.Errorf("got %v, want ErrFrame", err)
		}
	})
	t.Run("length is no uvarint", func(t *testing.T) {
		_, err := NewDecoder(bytes.NewReader(bytes.Repeat([]byte{0xff}, 20))).Read()
		if !errors.Is(err, ErrFrame) {
			t.Errorf("got %v, want ErrFrame", err)
		}
	})
	t.Run("claims a megabyte and sends nothing", func(t *testing.T) {
		d := NewDecoder(bytes.NewReader(binary.AppendUvarint(nil, MaxFrame)))
		if _, err := d.Read(); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("got %v, want io.ErrUnexpectedEOF", err)
		}
		if cap(d.buf) > 64<<10 {
			t.Errorf("took %d bytes on a claim", cap(d.buf))
		}
	})
	t.Run("ever new cards", func(t *testing.T) {
		var buf bytes.Buffer
		for i := range 3 * MaxDevices {
			b := mustCBOR(t, tickOf(card(i, fmt.Sprint(i), nil)))
			buf.Write(framed(b).Bytes())
		}
		d := NewDecoder(&buf)
		var err error
		for err == nil {
			_, err = d.Read()
		}
		if !errors.Is(err, ErrFrame) {
			t.Errorf("got %v, want ErrFrame", err)
		}
	})
}

func TestStatesOutOfRangeAreErrors(t *testing.T) {
	b := mustCBOR(t, tickOf(card(0, "", map[int]any{
		0: []any{77, "strange"}, 1: []any{1, "ok without number"}, 2: []any{3, "denied"}, 3: []any{0},
	})))
	f, err := NewDecoder(framed(b)).Read()
	if err != nil {
		t.Fatal(err)
	}
	g := f.Sample.GPUs[0]
	for m, want := range []probe.State{probe.Error, probe.Error, probe.Denied, probe.Pending} {
		if g.Values[m].State != want {
			t.Errorf("metric %d: %+v, want %v", m, g.Values[m], want)
		}
	}
}

func TestTextIsCleaned(t *testing.T) {
	for in, want := range map[string]string{
		"plain":              "plain",
		"显存 ü":               "显存 ü",
		"a\x1b[31mred\x07\n": "a[31mred",
		"evil\u202egnp.exe":  "evilgnp.exe",
		"bad\xff":            "bad\ufffd",
		"c1\u0085x\u2028y":   "c1xy",
	} {
		b := mustCBOR(t, map[int]any{keyError: in})
		f, err := NewDecoder(framed(b)).Read()
		if err != nil || f.Error != want {
			t.Errorf("%q -> %q (%v), want %q", in, f.Error, err, want)
		}
	}
}

func TestLongTextIsCutByTheSender(t *testing.T) {
	var buf bytes.Buffer
	if err := NewEncoder(&buf).Write(Frame{Error: strings.Repeat("x", 3*MaxText)}); err != nil {
		t.Fatal(err)
	}
	f, err := NewDecoder(&buf).Read()
	if err != nil || len(f.Error) != MaxText {
		t.Errorf("%d bytes, %v; want %d", len(f.Error), err, MaxText)
	}
}

func TestTextStaysBoundedWhenCleaned(t *testing.T) {
	for _, in := range []string{strings.Repeat("\xff", MaxText), "a" + strings.Repeat("显", MaxText/3), "ab" + strings.Repeat("\xe6\x98", MaxText/2-1)} {
		var buf bytes.Buffer
		inv := inventory(1)
		sample := tick(inv, 1, rand.New(rand.NewPCG(1, 2)))
		sample.GPUs[0].Set(probe.Temp, probe.Value{State: probe.Denied, Raw: in})
		enc := NewEncoder(&buf)
		for _, f := range []Frame{{Error: in}, {Inventory: inv}, {Sample: sample}} {
			if err := enc.Write(f); err != nil {
				t.Fatal(err)
			}
		}
		dec := NewDecoder(&buf)
		for range 3 {
			f, err := dec.Read()
			if err != nil {
				t.Fatal(err)
			}
			got := f.Error
			if f.Sample != nil {
				got = f.Sample.GPUs[0].Get(probe.Temp).Raw
			} else if f.Inventory != nil {
				continue
			}
			if len(got) > MaxText || len(got) < MaxText-3 || !utf8.ValidString(got) {
				t.Errorf("%d bytes of %q...", len(got), got[:min(8, len(got))])
			}
		}
	}
	h, _, err := ScanHello(bufio.NewReader(strings.NewReader(`M {"proto":1,"driver":"`+strings.Repeat("\xff", MaxText)+`"}`+"\n")), "M", 256<<10)
	if err != nil || len(h.Driver) > MaxText || !utf8.ValidString(h.Driver) {
		t.Errorf("driver of %d bytes, %v", len(h.Driver), err)
	}
}

func TestControl(t *testing.T) {
	var buf bytes.Buffer
	w := NewControlWriter(&buf)
	want := []Control{{Rate: 10}, {Rate: 2.5, Paused: true, Ping: 1 << 60, Slow: true}, {}}
	for _, c := range want {
		if err := w.Write(c); err != nil {
			t.Fatal(err)
		}
	}
	r := NewControlReader(&buf)
	for _, c := range want {
		if got, err := r.Read(); err != nil || got != c {
			t.Errorf("got %+v, %v; want %+v", got, err, c)
		}
	}
	if _, err := r.Read(); err != io.EOF {
		t.Errorf("at the end: %v, want io.EOF", err)
	}
	if _, err := NewControlReader(bytes.NewReader(binary.AppendUvarint(nil, maxControl+1))).Read(); !errors.Is(err, ErrFrame) {
		t.Errorf("oversized: %v, want ErrFrame", err)
	}
	if _, err := NewControlReader(framed([]byte{1})).Read(); !errors.Is(err, ErrFrame) {
		t.Errorf("no map: %v, want ErrFrame", err)
	}
	if _, err := NewControlReader(bytes.NewReader([]byte{5, 1})).Read(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("cut: %v, want io.ErrUnexpectedEOF", err)
	}
}
