package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
)

func hello() Hello {
	return Hello{
		Proto: Proto, Version: "0.1.0", SHA: "abc", Driver: "550.54.15", BootID: "b", Init: base, PID: 42,
		Rates: []float64{1, 2, 5, 10}, NoLibrary: "显存 \U0001F600 fehlt",
	}
}

func line(t testing.TB, marker string, h Hello) string {
	t.Helper()
	var buf bytes.Buffer
	if err := WriteHello(&buf, marker, h); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

func TestHelloAfterJunk(t *testing.T) {
	const marker = "RENTGEN-00ff"
	l := line(t, marker, hello())
	for i := range len(l) {
		if l[i] >= 0x80 {
			t.Fatalf("byte %d of the hello is not ASCII", i)
		}
	}
	for name, before := range map[string]string{
		"nothing":                "",
		"banner":                 "Welcome to AutoDL\n+----+\n",
		"no line end":            "(base) ",
		"carriage returns":       "a\rb\r\n",
		"marker in a banner":     marker + " echoed\n" + marker + " {not json}\n",
		"longer than the buffer": strings.Repeat("x", 10000) + "\n" + strings.Repeat("y", 9000),
		"binary":                 "\x00\xff\x1b[2J\n",
	} {
		t.Run(name, func(t *testing.T) {
			r := bufio.NewReader(strings.NewReader(before + l + "rest"))
			h, got, err := ScanHello(r, marker, 256<<10)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(h, hello()) {
				t.Errorf("got %+v", h)
			}
			if string(got) != before {
				t.Errorf("before is %q, want %q", got, before)
			}
			if rest, _ := io.ReadAll(r); string(rest) != "rest" {
				t.Errorf("rest is %q", rest)
			}
		})
	}
}

func TestNoHello(t *testing.T) {
	const marker = "M"
	for name, c := range map[string]struct {
		in    string
		limit int
		want  error
	}{
		"end":        {"This account is not available.\n", 1000, io.ErrUnexpectedEOF},
		"cut":        {`M {"proto":1`, 1000, io.ErrUnexpectedEOF},
		"over limit": {strings.Repeat("junk\n", 1000), 100, ErrNoHello},
		"one line":   {strings.Repeat("j", 100000), 100, ErrNoHello},
	} {
		t.Run(name, func(t *testing.T) {
			_, before, err := ScanHello(bufio.NewReader(strings.NewReader(c.in)), marker, c.limit)
			if !errors.Is(err, ErrNoHello) || !errors.Is(err, c.want) {
				t.Errorf("got %v, want ErrNoHello and %v", err, c.want)
			}
			if want := c.in[:min(len(c.in), c.limit)]; string(before) != want {
				t.Errorf("before is %d bytes, want %d", len(before), len(want))
			}
		})
	}
	if _, _, err := ScanHello(bufio.NewReader(strings.NewReader("x")), "", 10); err == nil {
		t.Error("an empty marker was accepted")
	}
}

func TestHelloIsCleaned(t *testing.T) {
	h, _, err := ScanHello(bufio.NewReader(strings.NewReader(`M {"proto":1,"agent":"1\u001b[2J","driver":"`+strings.Repeat("d", 5000)+`"}`+"\n")), "M", 256<<10)
	if err != nil {
		t.Fatal(err)
	}
	if h.Version != "1[2J" || len(h.Driver) != MaxText {
		t.Errorf("version %q, driver of %d bytes", h.Version, len(h.Driver))
	}
}

func FuzzHello(f *testing.F) {
	f.Add([]byte(line(f, "M", hello())), 1000)
	f.Add([]byte("junk\nM {\nM {\"proto\":1}\n"), 20)
	f.Add([]byte("M {\"rates\":[1e999]}\n"), 1000)
	f.Fuzz(func(t *testing.T, in []byte, limit int) {
		limit &= 0xffff
		r := bufio.NewReaderSize(bytes.NewReader(in), 16)
		h, before, err := ScanHello(r, "M", limit)
		if len(before) > limit || !bytes.HasPrefix(in, before) {
			t.Fatalf("before is %q of %q", before, in)
		}
		if err != nil && !errors.Is(err, ErrNoHello) {
			t.Fatalf("error %v does not wrap ErrNoHello", err)
		}
		if h.Version != Clean(h.Version) || len(h.Rates) > 16 {
			t.Fatalf("not cleaned: %+v", h)
		}
	})
}
