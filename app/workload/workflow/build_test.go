package workflow

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"rentgen/app/workload"
	"rentgen/assets/texts"
)

func testFile(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func mustRead(t testing.TB, name string, b []byte) Found {
	t.Helper()
	f, err := Read(name, b)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return f
}

// wantJob compares jobs by what they write, and that a plan takes them.
func wantJob(t *testing.T, f Found, want workload.Job) {
	t.Helper()
	got, _ := json.MarshalIndent(f.Job, "", " ")
	w, _ := json.MarshalIndent(want, "", " ")
	if string(got) != string(w) {
		t.Errorf("job\n%s\nwant\n%s\nunderstood %s\nmissed %s", got, w, say(f.Understood), say(f.Missed))
	}
	if f.Job.Model == "" {
		return
	}
	for _, e := range workload.Load().Check(f.Job) {
		t.Errorf("a plan doesn't take it: %v", e)
	}
}

func say(items []Item) string {
	var b strings.Builder
	for _, it := range items {
		fmt.Fprintf(&b, "\n  %s=%q from %q: %s", it.Field, it.Value, it.From, texts.For(texts.English).Say(it.Why))
	}
	return b.String()
}

// wantMissed wants exactly these "field why" among what was missed.
func wantMissed(t *testing.T, f Found, want ...string) {
	t.Helper()
	var got []string
	for _, it := range f.Missed {
		got = append(got, it.Field+" "+strings.TrimPrefix(it.Why.Key, "workflow.miss."))
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("missed\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func ptr[T any](v T) *T { return &v }

// chunk is one chunk of a PNG.
func chunk(kind string, data []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, kind...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// picture is a PNG of a size with further chunks.
func picture(w, h uint32, chunks ...[]byte) []byte {
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	b := append([]byte(pngHead), chunk("IHDR", append(head, 8, 2, 0, 0, 0))...)
	for _, c := range chunks {
		b = append(b, c...)
	}
	b = append(b, chunk("IDAT", []byte{0x78, 0x9c})...)
	return append(b, chunk("IEND", nil)...)
}

func tEXt(key, s string) []byte { return chunk("tEXt", []byte(key+"\x00"+s)) }

func packed(s string) string {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	_, _ = z.Write([]byte(s))
	_ = z.Close()
	return b.String()
}

// tiff is an EXIF block in an order of bytes with a text in IFD0 and a user
// comment.
func tiff(o binary.AppendByteOrder, tags map[uint16]string, comment []byte) []byte {
	b := []byte("MM")
	if o.String() == "LittleEndian" {
		b = []byte("II")
	}
	b = o.AppendUint32(o.AppendUint16(b, 42), 8)
	n := len(tags) + 1
	data := 8 + 2 + n*12 + 4
	var extra []byte
	b = o.AppendUint16(b, uint16(n))
	for tag, s := range tags {
		s += "\x00"
		b = o.AppendUint32(o.AppendUint32(o.AppendUint16(o.AppendUint16(b, tag), 2), uint32(len(s))), uint32(data+len(extra)))
		extra = append(extra, s...)
	}
	sub := data + len(extra)
	b = o.AppendUint32(o.AppendUint32(o.AppendUint16(o.AppendUint16(b, tagEXIF), 4), 1), uint32(sub))
	b = append(o.AppendUint32(b, 0), extra...)
	b = o.AppendUint16(b, 1)
	b = o.AppendUint32(o.AppendUint32(o.AppendUint16(o.AppendUint16(b, tagUserComment), 7), uint32(len(comment))), uint32(sub+18))
	return append(o.AppendUint32(b, 0), comment...)
}

func unicodeComment(o binary.AppendByteOrder, s string) []byte {
	b := []byte("UNICODE\x00")
	for _, u := range utf16.Encode([]rune(s)) {
		b = o.AppendUint16(b, u)
	}
	return b
}

func jpegWith(exif []byte) []byte {
	body := append([]byte("Exif\x00\x00"), exif...)
	b := []byte{0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xe1}
	b = binary.BigEndian.AppendUint16(b, uint16(len(body)+2))
	return append(append(b, body...), 0xff, 0xda, 0, 2)
}

func webpWith(exif []byte) []byte {
	c := func(kind string, d []byte) []byte {
		b := append([]byte(kind), binary.LittleEndian.AppendUint32(nil, uint32(len(d)))...)
		b = append(b, d...)
		if len(d)%2 == 1 {
			b = append(b, 0)
		}
		return b
	}
	body := append(c("VP8 ", []byte{1, 2, 3}), c("EXIF", exif)...)
	return append(append([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, uint32(len(body)+4))...), append([]byte("WEBP"), body...)...)
}
