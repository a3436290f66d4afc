package smilog

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"rentgen/probe"
)

var utc = Params{Location: time.UTC, Name: "gpu.csv"}

// short writes a message in few words: times as seconds of their hour.
func short(m probe.Message) string {
	at := func(t time.Time) string { return t.UTC().Format("04:05.999") }
	num := func(v probe.Value) string {
		if n, ok := v.Ok(); ok {
			return fmt.Sprint(n)
		}
		return v.State.String() + "(" + v.Raw + ")"
	}
	switch m := m.(type) {
	case *probe.Inventory:
		names := []string{}
		for _, d := range m.GPUs {
			names = append(names, d.UUID+" "+d.Name)
		}
		return "inventory " + strings.Join(names, ", ")
	case *probe.Sample:
		s := "sample " + at(m.Time)
		for i := range m.GPUs {
			g := &m.GPUs[i]
			s += " " + g.UUID + "=" + num(g.Get(probe.UtilGPU)) + "/" + num(g.Get(probe.Power))
		}
		return s
	case *probe.Event:
		return fmt.Sprintf("event %s %s %s %d %s", at(m.Time), m.Kind, m.GPU, m.Code, m.Raw)
	case *probe.Gap:
		return fmt.Sprintf("gap %s %s %s", at(m.From), at(m.To), m.Reason)
	}
	return "nothing"
}

func read(t *testing.T, log string, p Params) (got []string, err error) {
	t.Helper()
	seq := uint64(0)
	for m, e := range Read(strings.NewReader(log), p) {
		if e != nil {
			return got, e
		}
		if s, ok := m.(*probe.Sample); ok {
			if seq++; s.Seq != seq {
				t.Errorf("sequence %d after %d", s.Seq, seq-1)
			}
		}
		got = append(got, short(m))
	}
	return got, nil
}

const (
	headLine = "timestamp, index, name, utilization.gpu [%], power.draw [W]\n"
	one      = "0, NVIDIA GeForce RTX 4090"
)

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, log string
		params    Params
		want      []string
	}{
		{"one card with units", headLine +
			"2026/11/30 10:41:02.123, " + one + ", 97 %, 330.12 W\n2026/11/30 10:41:03.125, " + one + ", 98 %, 331.00 W\n", utc, []string{
			"inventory #0 NVIDIA GeForce RTX 4090", "sample 41:02.123 #0=97/330.12", "sample 41:03.125 #0=98/331",
		}},
		{"two cards, CRLF, blank lines, BOM", "\ufeff" + strings.ReplaceAll(headLine, "\n", "\r\n") +
			"2026/11/30 10:41:02.123, 0, A, 1 %, 2.00 W\r\n2026/11/30 10:41:02.130, 1, B, 3 %, 4.00 W\r\n\r\n" +
			"2026/11/30 10:41:03.123, 0, A, 5 %, 6.00 W\r\n2026/11/30 10:41:03.130, 1, B, 7 %, 8.00 W\r\n", utc, []string{
			"inventory #0 A, #1 B", "sample 41:02.123 #0=1/2 #1=3/4", "sample 41:03.123 #0=5/6 #1=7/8",
		}},
		{"without a heading", "2026/11/30 10:41:02.123, GPU-a, 97, 330.12\n", Params{Location: time.UTC, Columns: []string{"timestamp", "uuid", "utilization.gpu", "power.draw"}}, []string{
			"inventory GPU-a ", "sample 41:02.123 GPU-a=97/330.12",
		}},
		{"no reading", headLine + "2026/11/30 10:41:02.123, 0, A, [N/A], [Insufficient Permissions]\n2026/11/30 10:41:03.123, 0, A, [Unknown Error], N/A\n", utc, []string{
			"inventory #0 A", "sample 41:02.123 #0=unsupported([N/A])/denied([Insufficient Permissions])", "sample 41:03.123 #0=error([Unknown Error])/unsupported(N/A)",
		}},
		{"the names of another driver, another unit, an unknown field", "timestamp, gpu_uuid, utilization.gpu [%], power.draw.average [W], temperature.gpu.tlimit, clocks.current.sm [GHz]\n" +
			"2026/11/30 10:41:02.123, GPU-a, 5 %, 6.00 W, 40, 2\n", utc, []string{"inventory GPU-a ", "sample 41:02.123 GPU-a=5/6"}},
		{"the heading again, and asked otherwise", headLine + "2026/11/30 10:41:02.000, 0, A, 1 %, 2.00 W\n" + headLine + "2026/11/30 10:41:03.000, 0, A, 3 %, 4.00 W\n" +
			"timestamp, index, power.draw [W]\n2026/11/30 10:41:04.000, 0, 5.00 W\n", utc, []string{
			"inventory #0 A", "sample 41:02 #0=1/2", "sample 41:03 #0=3/4", "sample 41:04 #0=unsupported(not in the log)/5",
		}},
		{"a hole", headLine + rows(2, 1, 10) + "2026/11/30 10:41:40.000, 0, A, 1 %, 2.00 W\n", utc, append(append([]string{"inventory #0 A"}, samples(2, 1, 10)...),
			"gap 41:12 41:40 log", "sample 41:40 #0=1/2")},
		{"every ten seconds is no hole", headLine + rows(0, 10, 5), utc, append([]string{"inventory #0 A"}, samples(0, 10, 5)...)},
		{"a line cut at the end", headLine + rows(0, 1, 2) + "2026/11/30 10:41:02.000, 0, A, 1 %, 33", utc, append([]string{"inventory #0 A"}, samples(0, 1, 2)...)},
		{"one reading without an end of line", headLine + strings.TrimSuffix(rows(0, 1, 1), "\n"), utc, append([]string{"inventory #0 A"}, samples(0, 1, 1)...)},
		{"lines that are no readings", "nohup: ignoring input\n" + headLine + rows(0, 1, 1) +
			"[HAMI-core Msg(187:140077780113216:libvgpu.c:836)]: Initializing.....2026/11/30 10:41:01.000, 0, A, 1 %, 2.00 W\n" +
			"[HAMI-core Msg(188:140077780113217:libvgpu.c:836)]: Initializing.....\n" +
			"NVRM: Xid (PCI:0000:02:00): 79, GPU has fallen off the bus.\nFailed to initialize NVML: Unknown Error\nFailed to initialize NVML: Unknown Error\n", utc, []string{
			"inventory #0 A", "event 41:00 noise  0 nohup: ignoring input", "sample 41:00 #0=1/2",
			"event 41:01 noise  0 [HAMI-core Msg(187:140077780113216:libvgpu.c:836)]: Initializing.....",
			"event 41:01 xid  79 NVRM: Xid (PCI:0000:02:00): 79, GPU has fallen off the bus.",
			"event 41:01 gpu.access  0 Failed to initialize NVML: Unknown Error", "sample 41:01 #0=1/2",
		}},
		{"a card that requires a reset", "timestamp, uuid, pci.bus_id, utilization.gpu [%], power.draw [W]\n" +
			"2026/11/30 10:41:00.000, GPU-a, 00000000:02:00.0, [GPU requires reset], 0.00 W\n2026/11/30 10:41:01.000, GPU-a, 00000000:02:00.0, [GPU requires reset], 0.00 W\n" +
			"2026/11/30 10:41:02.000, GPU-a, 00000000:02:00.0, 1 %, 2.00 W\n2026/11/30 10:41:03.000, GPU-a, 00000000:02:00.0, [GPU requires reset], 0.00 W\n", utc, []string{
			"inventory GPU-a ", "sample 41:00 GPU-a=error([GPU requires reset])/error([GPU requires reset])", "event 41:00 gpu.reset GPU-a 0 [GPU requires reset]",
			"sample 41:01 GPU-a=error([GPU requires reset])/error([GPU requires reset])", "inventory GPU-a ", "sample 41:02 GPU-a=1/2",
			"inventory GPU-a ", "sample 41:03 GPU-a=error([GPU requires reset])/error([GPU requires reset])", "event 41:03 gpu.reset GPU-a 0 [GPU requires reset]",
		}},
		{"a card that is lost, and comes later", "timestamp, uuid, pci.bus_id, utilization.gpu [%], power.draw [W]\n" +
			"2026/11/30 10:41:00.000, GPU-a, 00000000:02:00.0, 1 %, 1.00 W\n2026/11/30 10:41:00.010, GPU-b, 00000000:03:00.0, 2 %, 2.00 W\n" +
			"2026/11/30 10:41:01.000, GPU-a, 00000000:02:00.0, 1 %, 1.00 W\nUnable to determine the device handle for GPU 0000:03:00.0: GPU is lost.  Reboot the system to recover this GPU\n" +
			"2026/11/30 10:41:02.000, GPU-a, 00000000:02:00.0, 1 %, 1.00 W\n2026/11/30 10:41:02.010, GPU-c, 00000000:04:00.0, 3 %, 3.00 W\n", utc, []string{
			"inventory GPU-a , GPU-b ", "sample 41:00 GPU-a=1/1 GPU-b=2/2",
			"event 41:01 gpu.lost GPU-b 0 Unable to determine the device handle for GPU 0000:03:00.0: GPU is lost.  Reboot the system to recover this GPU", "sample 41:01 GPU-a=1/1",
			"inventory GPU-a , GPU-b , GPU-c ", "sample 41:02 GPU-a=1/1 GPU-c=3/3",
		}},
		{"nothing tells the cards apart", "timestamp, utilization.gpu [%], power.draw [W]\n2026/11/30 10:41:00.000, 1 %, 1.00 W\n2026/11/30 10:41:00.004, 2 %, 2.00 W\n" +
			"2026/11/30 10:41:01.000, 3 %, 3.00 W\n2026/11/30 10:41:01.004, 4 %, 4.00 W\n", utc, []string{
			"inventory #0 , #1 ", "sample 41:00 #0=1/1 #1=2/2", "sample 41:01 #0=3/3 #1=4/4",
		}},
		{"the clock goes back", headLine + rows(30, 1, 5) + rows(20, 1, 16), utc, slices.Concat([]string{"inventory #0 A"}, samples(30, 1, 5),
			[]string{"event 41:34 clock  15 "}, samples(35, 1, 1))},
		{"and stays there", headLine + rows(30, 1, 5) + rows(0, 1, 3), utc, slices.Concat([]string{"inventory #0 A"}, samples(30, 1, 5), []string{"event 41:34 clock  3 "})},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := read(t, c.log, c.params)
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%v\ngot  %s\nwant %s", err, strings.Join(got, "\n     "), strings.Join(c.want, "\n     "))
			}
			wide, err := read(t, utf16Text(c.log, false), c.params)
			if err != nil || !slices.Equal(wide, c.want) {
				t.Errorf("as UTF-16: %v\n%s", err, strings.Join(wide, "\n"))
			}
			if wide, err = read(t, utf16Text(c.log, true), c.params); err != nil || !slices.Equal(wide, c.want) {
				t.Errorf("as UTF-16 with the high byte first: %v\n%s", err, strings.Join(wide, "\n"))
			}
		})
	}
}

// rows are n readings of one card from a second of 10:41 on.
func rows(from, step, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "2026/11/30 10:41:%02d.000, 0, A, 1 %%, 2.00 W\n", from+i*step)
	}
	return b.String()
}

func samples(from, step, n int) []string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("sample 41:%02d #0=1/2", from+i*step))
	}
	return list
}

// utf16Text is a text as a Windows shell redirects it.
func utf16Text(s string, high bool) string {
	var b strings.Builder
	s = "\ufeff" + strings.TrimPrefix(s, "\ufeff")
	for _, u := range utf16.Encode([]rune(s)) {
		if high {
			b.WriteByte(byte(u >> 8))
		}
		b.WriteByte(byte(u))
		if !high {
			b.WriteByte(byte(u >> 8))
		}
	}
	return b.String()
}

func TestTimesOfAZone(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no time zones here")
	}
	row := func(at string) string { return "2026/10/25 " + at + ", 0, A, 1 %, 2.00 W\n" }
	var got []string
	// Summer time ends: the hour from two to three is there twice.
	log := headLine + row("01:59:59.000") + row("02:00:00.000") + row("02:59:58.000") + row("02:59:59.000") + row("02:00:00.000") + row("02:00:01.000") + row("03:00:00.000")
	for m, err := range Read(strings.NewReader(log), Params{Location: berlin}) {
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := m.(*probe.Sample); ok {
			got = append(got, s.Time.Format("15:04:05"))
		}
	}
	want := []string{"23:59:59", "00:00:00", "00:59:58", "00:59:59", "01:00:00", "01:00:01", "02:00:00"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestErrorsNameThePlace(t *testing.T) {
	for _, c := range []struct {
		name, log    string
		params       Params
		line, column int
		why          Why
	}{
		{"nothing", "\n\n", utc, 0, 0, WhyEmpty},
		{"no heading", rows(0, 1, 3), utc, 1, 0, WhyNoHeading},
		{"some text", strings.Repeat("hello\n", 300), utc, 1, 0, WhyNoHeading},
		{"no time", "index, power.draw [W]\n0, 1\n", utc, 1, 0, WhyNoTime},
		{"nothing known", "timestamp, count\n2026/11/30 10:41:00.000, 1\n", utc, 1, 0, WhyNoMetric},
		{"no such time", "\n" + headLine + "yesterday at 10, 0, A, 1 %, 2.00 W\n", utc, 3, 1, WhyTime},
		{"no rows", headLine + "1, 2\n", utc, 2, 0, WhyNoRows},
		{"binary", "\x7fELF\x00\x01", utc, 1, 0, WhyBinary},
		{"columns without a time", rows(0, 1, 1), Params{Columns: []string{"index", "power.draw"}}, 0, 0, WhyNoTime},
	} {
		_, err := read(t, c.log, c.params)
		var e *Error
		if !errors.As(err, &e) || e.Line != c.line || e.Column != c.column || e.Why != c.why {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestExportIsReadBack(t *testing.T) {
	head := "\ufefftime,width_s,index,uuid,name,util_pct,power_w,event_reasons,cpu_pct,states\r\n"
	log := head +
		"2026-11-30T10:41:00Z,1,0,GPU-a,\"Card, large\",97,330,0x0000000000000004,12,\r\n" +
		"2026-11-30T10:41:00Z,1,1,GPU-b,'=1+1,,5,0x0000000000000001,12,util_pct=denied ([no; cpu_pct=here (yes)])\r\n" +
		"2026-11-30T10:41:01Z,1,0,GPU-a,\"Card, large\",96,331,0x0000000000000000,,cpu_pct=unsupported\r\n" +
		"2026-11-30T10:42:00Z,60,0,GPU-a,\"Card, large\",96,331,,,event_reasons=pending\r\n" +
		"2026-11-30T10:43:00Z,60,0,GPU-a,\"Card, large\",96,331,,,\r\n" +
		"2026-11-30T10:44:00Z,1,0,GPU-a,\"Card, large\",96,331,0x0000000000000000,3,\r\n"
	got, err := read(t, log, Params{})
	want := []string{
		"inventory GPU-a Card, large, GPU-b =1+1", "sample 41:00 GPU-a=97/330 GPU-b=denied([no; cpu_pct=here (yes)])/5", "sample 41:01 GPU-a=96/331",
		"gap 41:02 42:00 log", "gap 42:00 44:00 rolled", "sample 44:00 GPU-a=96/331",
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v\ngot  %s\nwant %s", err, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
	for m := range Read(strings.NewReader(log), Params{}) {
		s, ok := m.(*probe.Sample)
		if !ok {
			continue
		}
		bits, ok := s.GPUs[0].Get(probe.EventReasons).Mask()
		if cpu, ok2 := s.System.Get(probe.CPU).Ok(); !ok || bits != 4 || !ok2 || cpu != 12 {
			t.Errorf("%+v", s)
		}
		break
	}
}

// TestLongLinesAndManyCardsAreBounded reads what no driver writes.
func TestLongLinesAndManyCardsAreBounded(t *testing.T) {
	long := headLine + rows(0, 1, 1) + strings.Repeat("x", 3*maxLine) + "\n" + rows(1, 1, 1)
	got, err := read(t, long, utc)
	if want := []string{"inventory #0 A", "sample 41:00 #0=1/2", "sample 41:01 #0=1/2"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v %q", err, got)
	}
	var b strings.Builder
	b.WriteString(headLine)
	for i := range 3 * maxCards {
		fmt.Fprintf(&b, "2026/11/30 10:41:00.000, %d, A, 1 %%, 2.00 W\n", i)
	}
	most := 0
	for m, err := range Read(strings.NewReader(b.String()), utc) {
		if err != nil {
			t.Fatal(err)
		}
		if inv, ok := m.(*probe.Inventory); ok {
			most = max(most, len(inv.GPUs))
		}
	}
	if most != maxCards {
		t.Errorf("%d cards", most)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(headLine + rows(0, 1, 3))
	f.Add("\ufefftime,width_s,index,uuid,name,util_pct,states\n2026-11-30T10:41:00Z,1,0,GPU-a,\"A\",,util_pct=denied (x)\n")
	f.Add(utf16Text(headLine+rows(0, 1, 2), false))
	f.Add("timestamp, uuid\nUnable to determine the device handle for GPU 0000:03:00.0: GPU is lost.\n")
	f.Fuzz(func(t *testing.T, log string) {
		last := time.Time{}
		n := 0
		for m, err := range Read(strings.NewReader(log), utc) {
			if n++; n == 1 && err == nil {
				if _, ok := m.(*probe.Inventory); !ok {
					t.Fatalf("%s comes first", short(m))
				}
			}
			if s, ok := m.(*probe.Sample); ok {
				if s.Time.Before(last.Add(-back)) {
					t.Fatalf("%v after %v", s.Time, last)
				}
				last = s.Time
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	var log strings.Builder
	log.WriteString(headLine)
	at := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	for i := range 3600 {
		for c := range 8 {
			fmt.Fprintf(&log, "%s, %d, NVIDIA GeForce RTX 4090, 97 %%, 330.12 W\n", at.Add(time.Duration(i)*time.Second).Format("2006/01/02 15:04:05.000"), c)
		}
	}
	b.SetBytes(int64(log.Len()))
	for b.Loop() {
		for _, err := range Read(strings.NewReader(log.String()), utc) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
