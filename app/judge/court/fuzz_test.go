package court

import (
	"encoding/binary"
	"math"
	"testing"
	"time"

	"rentgen/app/judge"
	"rentgen/app/judge/judgetest"
	"rentgen/assets/texts"
	"rentgen/probe"
)

// bytes hands fuzzed bytes out.
type bytes []byte

func (b *bytes) byte() byte {
	if len(*b) == 0 {
		return 0
	}
	x := (*b)[0]
	*b = (*b)[1:]
	return x
}

func (b *bytes) value() probe.Value {
	switch k := b.byte(); k % 8 {
	case 0:
		var raw [8]byte
		n := copy(raw[:], *b)
		*b = (*b)[n:]
		return probe.Value{Num: math.Float64frombits(binary.LittleEndian.Uint64(raw[:])), State: probe.OK}
	case 1:
		return probe.Missing(probe.State(k>>3%6), "GPU requires reset")
	case 2:
		return probe.Value{Num: math.NaN(), State: probe.OK}
	}
	return probe.Of(float64(b.byte()) * float64(b.byte()))
}

// message makes any message out of bytes.
func (b *bytes) message(at *time.Time) probe.Message {
	kind := b.byte()
	switch kind % 16 {
	case 0:
		*at = at.Add(time.Duration(int8(b.byte())) * time.Hour)
	case 1:
		*at = at.Add(time.Duration(int8(b.byte())) * time.Second)
	case 2:
		*at = time.Unix(int64(b.byte())<<40, 0)
	default:
		*at = at.Add(time.Second)
	}
	gpu := judgetest.UUID(int(b.byte() % 3))
	switch kind >> 4 {
	case 0:
		kinds := []string{probe.EventXid, probe.EventLost, probe.EventBack, probe.EventReset, probe.EventAccess, probe.EventStalled, probe.EventDriverMismatch, probe.EventRun, "what"}
		return &probe.Event{Time: *at, Kind: kinds[int(b.byte())%len(kinds)], Code: int(int8(b.byte())), GPU: gpu}
	case 1:
		return &probe.Gap{From: *at, To: at.Add(time.Duration(int8(b.byte())) * time.Second), Reason: probe.GapHost, GPU: gpu}
	case 2:
		return &probe.Inventory{Time: *at, Mode: probe.ModeGPU, GPUs: []probe.Device{
			{UUID: gpu, ClockMaxSM: b.value(), PowerCap: b.value(), PowerDefault: b.value(), TempSlow: b.value(), Problem: probe.EventReset},
		}}
	}
	s := &probe.Sample{Time: *at}
	for range b.byte() % 3 {
		g := probe.GPU{Index: int(b.byte() % 3), UUID: gpu}
		for range b.byte() % 32 {
			g.Set(probe.Metric(b.byte()), b.value())
		}
		g.Spreads = []probe.Spread{{Metric: probe.Metric(b.byte()), Min: b.value().Num, Max: b.value().Num, N: int(int8(b.byte()))}}
		s.GPUs = append(s.GPUs, g)
	}
	if b.byte()%2 == 0 {
		s.System = &probe.System{}
		for range b.byte() % 16 {
			s.System.Set(probe.Metric(128+b.byte()%20), b.value())
		}
	}
	return s
}

// FuzzAdd feeds a court with any messages: it must not panic, and what it
// says must be finite and within its bounds.
func FuzzAdd(f *testing.F) {
	f.Add([]byte("\x30\x01\x01\x00\x20"))
	f.Add([]byte{0x33, 0, 1, 0, 8, 0, 3, 99, 1, 7, 3, 200, 2, 4, 3, 77, 1, 0, 0, 0x13, 0, 9, 0x02, 200})
	f.Fuzz(func(t *testing.T, data []byte) {
		b, at := bytes(data), judgetest.Start
		c := New(Params{})
		for range 400 {
			c.Add(b.message(&at))
			if len(b) == 0 {
				break
			}
		}
		check := func(list []judge.Verdict) {
			for _, v := range list {
				bad := v.To.Before(v.From) || !(v.Confidence >= 0 && v.Confidence <= 1)
				for _, n := range v.Numbers {
					bad = bad || math.IsNaN(n.Value) || math.IsInf(n.Value, 0)
				}
				if bad || texts.For(texts.English).Say(v.Say) == "" {
					t.Fatalf("%+v", v)
				}
			}
		}
		check(c.Now())
		check(c.Verdicts())
		c.Close()
		check(c.Verdicts())
	})
}
