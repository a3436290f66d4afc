package procfs

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// counting says how much was read.
type counting struct {
	io.ReaderAt
	n int
}

func (c *counting) ReadAt(b []byte, at int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(b, at)
	c.n += n
	return n, err
}

func TestBannerVersion(t *testing.T) {
	const said = "GNU C Library (Ubuntu GLIBC 2.35-0ubuntu3.4) stable release version 2.35.\nCopyright"
	fill := func(n int) string { return strings.Repeat("\x00", n) }
	for what, c := range map[string]struct {
		file, want string
	}{
		"alone":              {said, "2.35"},
		"at the start":       {said + fill(5*bannerBlock), "2.35"},
		"at the end":         {fill(3*bannerBlock) + said[:len(said)-len(".\nCopyright")], "2.35"},
		"over a border":      {fill(bannerBlock) + said + fill(2*bannerBlock-20), "2.35"},
		"the name alone too": {said + fill(300) + "the GNU C Library is free" + fill(2*bannerBlock), "2.35"},
		"no number":          {"GNU C Library release version x", ""},
		"no sentence":        {fill(3 * bannerBlock), ""},
		"empty":              {"", ""},
	} {
		if got := bannerVersion(strings.NewReader(c.file), int64(len(c.file))); got != c.want {
			t.Errorf("%s: %q, want %q", what, got, c.want)
		}
	}
	for shift := range bannerSize { // wherever a block ends
		file := fill(shift) + said + fill(bannerBlock-100)
		if got := bannerVersion(strings.NewReader(file), int64(len(file))); got != "2.35" {
			t.Fatalf("shifted by %d: %q", shift, got)
		}
	}
}

// TestBannerVersionReadsLittle reads this machine's own library, then takes the
// version from the name of another.
func TestBannerVersionReadsLittle(t *testing.T) {
	found, _ := filepath.Glob("/lib/*-linux-gnu*/libc.so.6")
	if len(found) == 0 {
		t.Skip("no glibc here")
	}
	f, err := os.Open(found[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	c := &counting{ReaderAt: f}
	whole, err := io.ReadAll(io.NewSectionReader(f, 0, st.Size()))
	if err != nil {
		t.Fatal(err)
	}
	if got := bannerVersion(c, st.Size()); got == "" || got != banner(whole) {
		t.Errorf("%q, the whole file says %q", got, banner(whole))
	}
	if int64(c.n) > st.Size()/2 {
		t.Errorf("%d of %d bytes were read", c.n, st.Size())
	}
	root := t.TempDir()
	if err := os.MkdirAll(root+"/lib64", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("libc-2.17.so", root+"/lib64/libc.so.6"); err != nil {
		t.Skip("no links here: ", err)
	}
	if got := libcOf(root); got != "glibc 2.17" {
		t.Errorf("by its name: %q", got)
	}
}
