package resident

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"rentgen/probe"
	"rentgen/probe/wire"
)

const ringName = "0123456789abcdef0123456789abcdef"

var zero = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

// reading is the one of a second: its number is its value.
func reading(i int) wire.Frame {
	s := &probe.Sample{Time: zero.Add(time.Duration(i) * time.Second), Mono: time.Duration(i+1) * time.Second, GPUs: []probe.GPU{{UUID: "GPU-1"}}}
	s.HostTime = s.Time
	s.GPUs[0].Set(probe.MemUsed, probe.Of(float64(i)))
	return wire.Frame{Sample: s}
}

func mono(i int) time.Duration { return time.Duration(i+1) * time.Second }

func ring(t *testing.T, p Params) *Writer {
	t.Helper()
	p.Start.Ring, p.Start.BootID = ringName, "boot"
	w, err := OpenRing(p)
	if err != nil {
		t.Fatal(err)
	}
	w.Write(wire.Frame{Inventory: &probe.Inventory{GPUs: []probe.Device{{UUID: "GPU-1"}}}}, mono(0))
	return w
}

func write(w *Writer, from, to int) {
	for i := from; i < to; i++ {
		w.Write(reading(i), mono(i))
	}
}

// kept is what a ring holds.
type kept struct {
	values []int
	runs   []uint64
	holes  []wire.Hole
	last   Position
}

func read(t *testing.T, dir string, from Position) kept {
	t.Helper()
	var k kept
	err := Read(dir, ringName, from, func(f wire.Frame) error {
		switch {
		case f.Start != nil:
			k.last = Position{f.Start.Ring, f.Start.Run, k.last.Seq}
			if n := len(k.runs); n == 0 || k.runs[n-1] != f.Start.Run {
				k.runs = append(k.runs, f.Start.Run)
				k.last.Seq = 0
			}
		case f.Hole != nil:
			k.holes = append(k.holes, *f.Hole)
		case f.Sample != nil:
			v, ok := f.Sample.GPUs[0].Get(probe.MemUsed).Ok()
			if !ok {
				return errors.New("no value")
			}
			k.values = append(k.values, int(v))
			k.last.Seq = f.Sample.Seq
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func wantValues(t *testing.T, got []int, from, to int) {
	t.Helper()
	if len(got) != to-from {
		t.Fatalf("%d readings, want %d to %d", len(got), from, to)
	}
	for i, v := range got {
		if v != from+i {
			t.Fatalf("reading %d is %d, want %d", i, v, from+i)
		}
	}
}

func TestRingComesBackFromAnyPosition(t *testing.T) {
	dir := t.TempDir()
	w := ring(t, Params{Dir: dir})
	write(w, 0, 4000) // an hour and more: the first segment is packed
	list, err := segments(dir)
	if err != nil || len(list) != 2 || !list[0].packed || list[1].packed {
		t.Fatalf("segments %+v, %v", list, err)
	}
	all := read(t, dir, Position{}) // beside the writer
	wantValues(t, all.values, 0, 4000)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w = ring(t, Params{Dir: dir})
	write(w, 4000, 4100)
	if w.Run() != 2 {
		t.Errorf("run %d", w.Run())
	}
	for _, n := range []int{0, 1, 1000, 3598, 3599, 3600, 3999, 4000, 4050, 4100} {
		from := Position{Ring: ringName, Run: 1, Seq: uint64(n + 1)} // the inventory has the first number
		if n > 4000 {
			from = Position{Ring: ringName, Run: 2, Seq: uint64(n - 4000 + 1)}
		}
		text := from.String()
		back, err := ParsePosition(text)
		if err != nil || back != from {
			t.Fatalf("%s: %+v, %v", text, back, err)
		}
		k := read(t, dir, from)
		wantValues(t, k.values, n, 4100)
	}
	other := Position{Ring: strings.Repeat("f", 32), Run: 9, Seq: 9}
	wantValues(t, read(t, dir, other).values, 0, 4100)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestRingSurvivesItsWritersEnd cuts the file at every byte of its last records,
// and flips bits: what is before stays, and a new run goes on.
func TestRingSurvivesItsWritersEnd(t *testing.T) {
	dir := t.TempDir()
	w := ring(t, Params{Dir: dir})
	write(w, 0, 50)
	list, err := segments(dir)
	if err != nil || len(list) != 1 {
		t.Fatalf("segments %+v, %v", list, err)
	}
	whole, err := os.ReadFile(filepath.Join(dir, list[0].name()))
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, b []byte) {
		t.Helper()
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, list[0].name()), b, 0o600); err != nil {
			t.Fatal(err)
		}
		got := read(t, dir, Position{}).values
		for i, v := range got {
			if v != i {
				t.Fatalf("%s: reading %d is %d", what, i, v)
			}
		}
		w := ring(t, Params{Dir: dir})
		write(w, 100, 102)
		again := read(t, dir, Position{}).values
		if len(again) != len(got)+2 || again[len(again)-2] != 100 || again[len(again)-1] != 101 {
			t.Fatalf("%s: %d and then %d", what, len(got), len(again))
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for cut := len(whole) - 100; cut < len(whole); cut++ {
		check(fmt.Sprintf("cut at %d", cut), whole[:cut])
	}
	for _, cut := range []int{0, 1, len(magic), len(magic) + 1, 40} {
		check(fmt.Sprintf("cut at %d", cut), whole[:cut])
	}
	for at := len(whole) - 60; at < len(whole); at += 7 {
		b := slices.Clone(whole)
		b[at] ^= 0x10
		check(fmt.Sprintf("flipped at %d", at), b)
	}
}

func TestRingStaysWithinItsBound(t *testing.T) {
	dir := t.TempDir()
	w := ring(t, Params{Dir: dir, MaxBytes: MinBytes})
	i := 0
	for ; w.seq < 20_000; i++ {
		f := reading(i)
		f.Sample.GPUs[0].Set(probe.Energy, probe.Of(float64(i*i%1_000_003))) // packs badly
		for m := probe.Power; m < probe.Energy; m++ {
			f.Sample.GPUs[0].Set(m, probe.Of(float64(i*7919%(450+int(m)))))
		}
		for m := probe.Temp; m < probe.OwnMem; m++ {
			f.Sample.GPUs[0].Set(m, probe.Of(float64(i*i*31%(45_000+int(m)))))
		}
		w.Write(f, mono(i))
	}
	list, err := segments(dir)
	if err != nil {
		t.Fatal(err)
	}
	var size int64
	for _, s := range list {
		size += s.size
	}
	if size > MinBytes || size < MinBytes/2 || w.Bytes() != size {
		t.Errorf("%d bytes (told %d) in %d segments, at most %d", size, w.Bytes(), len(list), MinBytes)
	}
	got := read(t, dir, Position{}).values
	if got[len(got)-1] != i-1 || got[0] == 0 {
		t.Errorf("%d to %d of %d", got[0], got[len(got)-1], i)
	}
	wantValues(t, got, got[0], i)
}

// TestFullDisk keeps the newest in memory, tells what it had to let go of, and
// goes on.
func TestFullDisk(t *testing.T) {
	for _, seconds := range []int{5, 500, 2000} {
		t.Run(fmt.Sprint(seconds), func(t *testing.T) {
			dir := t.TempDir()
			full := false
			w := ring(t, Params{Dir: dir, Write: func(f *os.File, b []byte) (int, error) {
				if full {
					n, _ := f.Write(b[:len(b)/2])
					return n, syscall.ENOSPC
				}
				return f.Write(b)
			}})
			write(w, 0, 100)
			full = true
			write(w, 100, 100+seconds)
			if !errors.Is(w.Trouble(), syscall.ENOSPC) {
				t.Fatalf("trouble %v", w.Trouble())
			}
			full = false
			end := 100 + seconds + 20
			write(w, 100+seconds, end)
			if w.Trouble() != nil {
				t.Fatalf("trouble %v", w.Trouble())
			}
			k := read(t, dir, Position{})
			if seconds <= maxHeld {
				wantValues(t, k.values, 0, end)
				return
			}
			wantValues(t, k.values[:100], 0, 100)
			first := k.values[100]
			wantValues(t, k.values[100:], first, end)
			if kept := end - 20 - first; kept < maxHeld-10 || kept > maxHeld {
				t.Errorf("%d were kept", kept)
			}
			if len(k.holes) != 1 || k.holes[0] != (wire.Hole{From: mono(100), To: mono(first - 1), Reason: string(probe.GapDisk)}) {
				t.Errorf("holes %+v, the first after is %d", k.holes, first)
			}
		})
	}
}

// TestRealFullDisk fills a small file system of its own.
func TestRealFullDisk(t *testing.T) {
	dir := smallDisk(t, "256k")
	ringDir := filepath.Join(dir, "resident")
	plan, err := Make(ringDir, time.Hour, 0, zero)
	if err != nil {
		t.Fatal(err)
	}
	if err := (State{PID: 1, Version: "v"}).Save(ringDir); err != nil {
		t.Fatal(err)
	}
	w := ring(t, Params{Dir: ringDir})
	write(w, 0, 50)
	ballast := filepath.Join(dir, "ballast")
	f, err := os.Create(ballast)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	if err := f.Close(); err != nil {
		t.Log(err)
	}
	i := 50
	for ; w.Trouble() == nil && i < 1000; i++ {
		write(w, i, i+1)
	}
	if !errors.Is(w.Trouble(), syscall.ENOSPC) {
		t.Fatalf("%d readings and no trouble: %v", i, w.Trouble())
	}
	// A connection renews it and it says how it stands all the same.
	if p, err := Edit(ringDir, func(p *Plan) { *p = p.Renewed(zero.Add(time.Hour)) }); err != nil || p.Until == plan.Until {
		t.Errorf("renewed on a full disk: %v", err)
	}
	if err := (State{PID: 1, Version: "v", DiskFull: true}).Save(ringDir); err != nil || !LoadState(ringDir).DiskFull {
		t.Errorf("state on a full disk: %v", err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	write(w, i, i+10)
	if w.Trouble() != nil {
		t.Fatal(w.Trouble())
	}
	wantValues(t, read(t, ringDir, Position{}).values, 0, i+10)
}

func TestForeignFilesStay(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "resident")
	if _, err := Make(dir, 0, 0, zero); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(dir, "mine.txt")
	if err := os.WriteFile(foreign, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := ring(t, Params{Dir: dir})
	write(w, 0, 10)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Erase(dir); err == nil {
		t.Error("a folder with something in it was removed")
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 || left[0].Name() != "mine.txt" {
		t.Errorf("left %v", left)
	}
	if err := os.Remove(foreign); err != nil {
		t.Fatal(err)
	}
	if err := Erase(dir); err != nil {
		t.Error(err)
	}
	if err := Erase(dir); err != nil {
		t.Errorf("twice: %v", err)
	}
}

// FuzzSegment reads what a disk may hold.
func FuzzSegment(f *testing.F) {
	frame := []byte{0xa1, 0x09, 0xf5}
	f.Add(appendRecord([]byte(magic), 1, append([]byte{byte(len(frame))}, frame...)))
	f.Add([]byte(magic + "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Add([]byte("RGTN"))
	f.Fuzz(func(t *testing.T, b []byte) {
		n := 0
		good, _, err := eachRecord(strings.NewReader(string(b)), func(record) error { n++; return nil })
		if err != nil || good > int64(len(b)) {
			t.Errorf("%d of %d bytes, %v", good, len(b), err)
		}
	})
}

// FuzzStatus reads what a host may print, FuzzPosition and the names of files
// what it may name.
func FuzzStatus(f *testing.F) {
	f.Add(`{"there":true,"pid":-4,"hours":1e300,"version":"a\u001bb","guard":{"a":1}}`, "0123456789abcdef-0123456789abcdef.seg")
	f.Add("{", ringName+".1.2")
	f.Fuzz(func(t *testing.T, status, name string) {
		if s, err := ParseStatus([]byte(status)); err == nil && (s.PID < 0 || s.Seconds < 0 || strings.ContainsRune(s.Version, 0x1b)) {
			t.Errorf("%+v", s)
		}
		if s, ok := parseSegment(name); ok && s.name() != name {
			t.Errorf("%q is %+v", name, s)
		}
		if p, err := ParsePosition(name); err == nil && name != "" {
			if again, err := ParsePosition(p.String()); err != nil || again != p {
				t.Errorf("%q is %+v", name, p)
			}
		}
	})
}
