package run

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"rentgen/app/guide"
)

const testMarker = "0123456789abcdef0123456789abcdef"

// said is what a shell would say of some bodies.
func said(bodies [][]byte) []byte {
	var b bytes.Buffer
	b.WriteString("noise before\x00")
	for i, body := range bodies {
		fmt.Fprintf(&b, "\n%s %d begin;%s\n%s %d end %d;", testMarker, i+1, body, testMarker, i+1, i)
	}
	return b.Bytes()
}

// inChunks writes all in pieces of the sizes given.
func inChunks(f *frames, all []byte, sizes func() int) {
	for len(all) > 0 {
		n := min(len(all), max(1, sizes()))
		f.write(all[:n])
		all = all[n:]
	}
}

func TestFramesInAnyChunks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	bodies := [][]byte{
		[]byte("out\n"),
		{},
		[]byte("\n"), []byte("no line end"), []byte("a\x00b\xff\r\n"), []byte("\n" + testMarker), []byte("\n" + testMarker + " "),
		[]byte("\n" + testMarker + " 99 begin;"), []byte("\n" + testMarker + " 99 end 0;after\n"), []byte("\n" + testMarker + " 8 end zero;"),
		[]byte("\n" + testMarker + " 4 again and again and again;"), []byte("\n" + testMarker[:20]), bytes.Repeat([]byte("\n"+testMarker+" x\n"), 50),
	}
	all := said(bodies)
	for round := range 300 {
		var got []frame
		f := newFrames(testMarker, func(x frame) {
			if x.kind == "end" {
				got = append(got, x)
			}
		})
		inChunks(f, all, func() int {
			if round == 0 {
				return len(all)
			}
			return r.IntN(40)
		})
		if len(got) != len(bodies) {
			t.Fatalf("round %d: %d frames of %d", round, len(got), len(bodies))
		}
		for i, x := range got {
			if x.n != i+1 || x.exit != i || !bytes.Equal(x.body, bodies[i]) {
				t.Fatalf("round %d: frame %d is %d, exit %d, %q, want %q", round, i+1, x.n, x.exit, x.body, bodies[i])
			}
		}
	}
}

func TestLostMarks(t *testing.T) {
	m := func(s string) string { return "\n" + testMarker + " " + s + ";" }
	for name, c := range map[string]struct{ in, want string }{
		"an end":            {m("1 begin") + "a" + m("2 begin") + "b" + m("2 end 0"), `1 "a" 2 "b" `},
		"a begin":           {m("1 begin") + "a" + m("1 end 0") + "lost" + m("2 end 0") + m("3 begin") + "c" + m("3 end 0"), `1 "a" 2 "" 3 "c" `},
		"an end, a begin":   {m("1 begin") + "a" + "lost" + m("2 end 0") + m("3 begin") + m("3 end 0"), `1 "alost" 2 "" 3 "" `},
		"nothing":           {m("1 begin") + "a" + m("1 end 0"), `1 "a" `},
		"one from long ago": {m("2 begin") + "a" + m("1 end 0") + m("2 end 0"), `2 "a` + "\\n" + testMarker + ` 1 end 0;" `},
	} {
		told := ""
		f := newFrames(testMarker, func(x frame) {
			if x.kind == "end" {
				told += fmt.Sprintf("%d %q ", x.n, x.body)
			}
		})
		f.lossy = true
		f.write([]byte(c.in))
		if told != c.want {
			t.Errorf("%s: %s, want %s", name, told, c.want)
		}
	}
}

func TestAgainDropsWhatWasBefore(t *testing.T) {
	var last frame
	f := newFrames(testMarker, func(x frame) { last = x })
	f.write([]byte("\n" + testMarker + " 1 begin;first\n\nnoise of a profile\n" + testMarker + " 1 again;second\n\n" + testMarker + " 1 end 4;"))
	if last.kind != "end" || !last.again || string(last.body) != "second\n" || last.exit != 4 {
		t.Errorf("%+v %q", last, last.body)
	}
	f.write([]byte("\n" + testMarker + " 2 begin;half a li"))
	if body, again := f.rest(); string(body) != "half a li" || again {
		t.Errorf("%q, %v", body, again)
	}
}

// FuzzFrames reads anything as what a shell said: bounded, no frame out of order,
// and the same in one piece as in many.
func FuzzFrames(f *testing.F) {
	f.Add(said([][]byte{[]byte("out\n"), []byte("\n" + testMarker + " 2 end 7;")}), byte(3))
	f.Add([]byte("\n"+testMarker+" 1 begin;\n"+testMarker+" 1 again;x\n"+testMarker+" 1 end 0;"), byte(1))
	f.Add([]byte("\n"+testMarker+" 999999 begin;\n"+testMarker+" 999999 end 999;\n"+testMarker+" 1 end 0;"), byte(9))
	f.Add(bytes.Repeat([]byte("\n"+testMarker), 30), byte(200))
	f.Fuzz(func(t *testing.T, all []byte, size byte) {
		read := func(n int) (told string) {
			open := -1
			r := newFrames(testMarker, func(x frame) {
				switch {
				case x.kind == "begin" && open >= 0, x.kind != "begin" && x.n != open:
					t.Fatalf("%+v while %d is open", x, open)
				case x.kind == "begin":
					open = x.n
				case x.kind == "end":
					open = -1
				}
				if len(x.body) > guide.MaxOutput {
					t.Fatalf("%d bytes", len(x.body))
				}
				told += fmt.Sprintf("%d %s %d %v %q\n", x.n, x.kind, x.exit, x.again, x.body)
			})
			r.limit, r.lossy = 100, len(all)%2 == 0
			inChunks(r, all, func() int { return n })
			if len(r.held) > len(r.marker)+longestLine {
				t.Fatalf("%d bytes are held", len(r.held))
			}
			return told
		}
		if a, b := read(len(all)), read(int(size)+1); a != b {
			t.Fatalf("in one piece %s\nin many %s", a, b)
		}
	})
}

// FuzzLook reads anything as what the instance told of itself.
func FuzzLook(f *testing.F) {
	f.Add([]byte("boot 0a1b2c3d-0000-4000-8000-000000000000\ndriver NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.90.07  Fri May 31\nmachine abc\nstat1 1 (init) S 0 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 31 2 3\nname c-1\nuid 0\nomp 4\nhub https://hf-mirror.com\ncgroup 0::/docker/x\nlooked\nholds 12\nholds 12\n"))
	f.Add([]byte("stat1 1 (a) b) S\nomp -1\nhub $(id)\ncgroup 4:cpu,memory:/x\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		l := readLook(b)
		for _, s := range []string{l.run.Boot, l.run.Driver, l.run.PID1, l.run.Instance} {
			if len(s) > 64 {
				t.Fatalf("%q", s)
			}
		}
		if v := l.know.HFEndpoint; v != nil {
			if _, err := CheckValue(ValueHFEndpoint, *v); err != nil {
				t.Fatal(err)
			}
		}
	})
}
