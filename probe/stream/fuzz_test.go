package stream

import (
	"bufio"
	"bytes"
	"strings"
	"testing"
	"unicode"
)

// readReport reads foreign bytes as the answer to the script.
func readReport(b []byte, marker string) (*session, error) {
	s := &session{
		out: bufio.NewReaderSize(bytes.NewReader(b), 64), marker: marker, left: reportLimit, err: &tail{},
		report: report{Tools: make(map[string]string)},
	}
	_, err := s.until("ready")
	return s, err
}

func FuzzReport(f *testing.F) {
	const m = "0123456789abcdef0123456789abcdef"
	say := func(lines ...string) []byte {
		var b strings.Builder
		for _, l := range lines {
			b.WriteString("\n" + m + " " + l + "\n")
		}
		return []byte(b.String())
	}
	f.Add(say("begin", "os Linux", "arch x86_64", "libc glibc 2.35", "dir ok /root/.cache/rentgen", "ready"))
	f.Add(append([]byte("junk\x00\xff without an end"), say("begin", "tool gzip /bin/gzip", "ram x", "limit 99999999999999999999", "ready")...))
	f.Add(say("begin", "dir noexec /tmp/\x1b[31mred", "nodir", "ready"))
	f.Add([]byte(m))
	f.Add(bytes.Repeat([]byte(m+" tool a b\n"), 300))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := readReport(b, m)
		r := s.report
		if len(r.Tools) > listLimit || len(r.Libs) > listLimit || len(r.Devices) > listLimit || len(r.Tried) > listLimit {
			t.Fatal("a list is not bounded")
		}
		for _, text := range append([]string{r.OS, r.Arch, r.Libc, r.Dir, r.Driver, s.words()}, r.Tried...) {
			if len(text) > saidLimit+64 {
				t.Fatalf("a text of %d bytes", len(text))
			}
			for _, c := range text {
				if unicode.IsControl(c) && c != '\n' && c != '\t' {
					t.Fatalf("a control character in %q", text)
				}
			}
		}
		if err == nil && !bytes.Contains(b, []byte("ready")) {
			t.Fatal("ready without a word")
		}
	})
}

func TestReportIsBounded(t *testing.T) {
	if _, err := readReport(bytes.Repeat([]byte("x"), reportLimit+10), "marker"); err == nil || strings.Contains(err.Error(), "EOF") {
		t.Fatalf("endless noise: %v", err)
	}
	long := append(bytes.Repeat([]byte("y"), 3*lineLimit), []byte("\nmarker ready\n")...)
	if _, err := readReport(long, "marker"); err != nil {
		t.Fatalf("noise in one long line: %v", err)
	}
}

// FuzzSlice reads foreign bytes as the output of a script, in pieces of any
// size.
func FuzzSlice(f *testing.F) {
	f.Add([]byte("noise\nM begin\nhello\nM end 3\n"), 1)
	f.Add([]byte("\nM begin\nM end\nM end 0\n"), 7)
	f.Add([]byte("M begin\nM end 5"), 3)
	f.Fuzz(func(t *testing.T, b []byte, n int) {
		if n < 1 {
			n = 1
		}
		const limit = 100
		whole, parts := newSlice("M", limit), newSlice("M", limit)
		_, _ = whole.Write(b)
		for rest := b; len(rest) > 0; {
			k := min(n, len(rest))
			_, _ = parts.Write(rest[:k])
			rest = rest[k:]
		}
		if len(whole.body()) > limit || len(parts.body()) > limit {
			t.Fatal("not bounded")
		}
		if whole.started() != parts.started() {
			t.Fatal("the pieces matter")
		}
		c1, ok1 := whole.end()
		c2, ok2 := parts.end()
		if c1 != c2 || ok1 != ok2 {
			t.Fatalf("ends %d %v and %d %v", c1, ok1, c2, ok2)
		}
	})
}

func TestScriptHoldsNothingOfTheHost(t *testing.T) {
	text := bootText("0f", "1e", []string{quote("/a b'c")}, true)
	if strings.Contains(text, "@") && strings.Contains(strings.ReplaceAll(text, `"$@"`, ""), "@MARKER@") {
		t.Fatal("a placeholder is left")
	}
	if !strings.Contains(text, `1) c='/a b'\''c' ;;`) || !strings.HasSuffix(text, "\nexit 0\n}\n") {
		t.Fatalf("script:\n%s", text)
	}
}

// FuzzLive cuts an output into chunks: what comes live is the body, whole and
// once.
func FuzzLive(f *testing.F) {
	const m = "0123456789abcdef0123456789abcdef"
	f.Add([]byte("out\n"), []byte{3, 1})
	f.Add([]byte("\n"+m+" en\n"+m[:30]), []byte{1})
	f.Add([]byte("a\n\n\n"+m+" begin\n\x00"), []byte{7, 2, 31})
	f.Fuzz(func(t *testing.T, body, cuts []byte) {
		if bytes.Contains(body, []byte(m+" end")) {
			t.Skip()
		}
		all := append([]byte("welcome\n"+m+" begin\n"), body...)
		all = append(all, "\n"+m+" end 7\n"...)
		var live []byte
		s := newSlice(m, 1<<20)
		s.live = func(b []byte) { live = append(live, b...) }
		for i := 0; len(all) > 0; i++ {
			n := len(all)
			if len(cuts) > 0 {
				n = min(n, int(cuts[i%len(cuts)])+1)
			}
			_, _ = s.Write(all[:n])
			all = all[n:]
		}
		if code, ok := s.end(); !ok || code != 7 || !bytes.Equal(live, body) || !bytes.Equal(s.body(), body) {
			t.Fatalf("live %q, body %q, want %q", live, s.body(), body)
		}
	})
}
