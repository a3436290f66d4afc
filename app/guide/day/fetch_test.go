package day

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"rentgen/app/guide"
	"rentgen/app/guide/guidetest"
	"rentgen/app/guide/script"
)

func put(t *testing.T, name string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

func noise(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// tree returns what a folder holds, by path with "/".
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	m := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		rel, _ := filepath.Rel(dir, p)
		m[filepath.ToSlash(rel)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func list(t *testing.T, sh guide.Runner, dir string) Listing {
	t.Helper()
	l, err := List(t.Context(), sh, dir)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// count returns how many files ended in a state.
func count(r Report, s FileState) int {
	n := 0
	for _, f := range r.Files {
		if f.State == s {
			n++
		}
	}
	return n
}

func TestFetch(t *testing.T) {
	t.Parallel()
	big := noise(1, 2*chunk+block+17)
	for _, sh := range guidetest.Shells() {
		t.Run(strings.Join(sh.Command, " "), func(t *testing.T) {
			t.Parallel() // it mostly waits for the disk
			far, near := t.TempDir(), filepath.Join(t.TempDir(), "new", "folder")
			put(t, filepath.Join(far, "2026", "big.png"), big)
			put(t, filepath.Join(far, "图 1.png"), []byte("one"))
			put(t, filepath.Join(far, "empty.txt"), nil)
			old := time.Unix(1_700_000_000, 0)
			if err := os.Chtimes(filepath.Join(far, "empty.txt"), old, old); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("/etc/passwd", filepath.Join(far, "link")); err != nil {
				t.Fatal(err)
			}
			put(t, filepath.Join(far, "odd\nname"), []byte("x"))
			l := list(t, sh, far)
			if len(l.Files) != 3 || !l.Whole || !l.Odd {
				t.Fatalf("%v: %+v", sh.Command, l)
			}
			fresh, err := New(l, near)
			if err != nil || len(fresh) != 3 {
				t.Fatal(fresh, err)
			}
			var last Progress
			r, err := Fetch(t.Context(), FetchParams{Runner: sh, Dir: l.Dir, Into: near, Files: fresh, Progress: func(p Progress) { last = p }})
			if err != nil || !r.Verified() || count(r, Copied) != 3 || r.Bytes != int64(len(big)+3) {
				t.Fatalf("%v: %+v %v", sh.Command, r, err)
			}
			if last.Files != 3 || last.Bytes != last.Size || last.Size != r.Bytes {
				t.Errorf("%+v", last)
			}
			got := tree(t, near)
			if len(got) != 3 || got["2026/big.png"] != string(big) || got["图 1.png"] != "one" || got["empty.txt"] != "" {
				t.Errorf("%v: %d files", sh.Command, len(got))
			}
			if i, err := os.Stat(filepath.Join(near, "empty.txt")); err != nil || !i.ModTime().Equal(old) {
				t.Error(i, err)
			}
			if fresh, err := New(l, near); err != nil || len(fresh) != 0 {
				t.Error(fresh, err)
			}
			if r, err := Fetch(t.Context(), FetchParams{Runner: sh, Dir: l.Dir, Into: near, Files: l.Files}); err != nil || count(r, Have) != 3 || r.Bytes != 0 {
				t.Errorf("%v: again: %+v %v", sh.Command, r, err)
			}
		})
	}
	if _, err := List(t.Context(), guidetest.Shell{}, filepath.Join(t.TempDir(), "none")); !errors.Is(err, ErrNoFolder) {
		t.Error(err)
	}
}

// TestFetchGoesOn loses the link in the middle and comes back.
func TestFetchGoesOn(t *testing.T) {
	t.Parallel()
	far, near := t.TempDir(), t.TempDir()
	big := noise(2, 3*chunk+5)
	put(t, filepath.Join(far, "a.png"), []byte("a"))
	put(t, filepath.Join(far, "b.bin"), big)
	sh := guidetest.Shell{}
	l := list(t, sh, far)
	reads := 0
	breaking := guidetest.Shell{Before: func(e guide.Exec) error {
		if e.Script == readText {
			if reads++; reads == 4 { // a.png, then two of four parts
				return guide.ErrOffline
			}
		}
		return nil
	}}
	r, err := Fetch(t.Context(), FetchParams{Runner: breaking, Dir: l.Dir, Into: near, Files: l.Files})
	if !errors.Is(err, guide.ErrOffline) || count(r, Copied) != 1 {
		t.Fatalf("%+v %v", r, err)
	}
	if _, ok := tree(t, near)["b.bin"]; ok {
		t.Fatal("half a file bears its whole name")
	}
	r, err = Fetch(t.Context(), FetchParams{Runner: sh, Dir: l.Dir, Into: near, Files: l.Files})
	if err != nil || !r.Verified() || r.Bytes != int64(len(big)-2*chunk) {
		t.Fatalf("%d bytes came again: %v", r.Bytes, err)
	}
	if got := tree(t, near); len(got) != 2 || got["b.bin"] != string(big) {
		t.Error("what came together isn't the file, or a half is left over")
	}
	// a damaged half is found out and the file fetched anew
	if err := os.Remove(filepath.Join(near, "b.bin")); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(near, partOf("b.bin", r.Files[1].Remote)), noise(3, chunk))
	r, err = Fetch(t.Context(), FetchParams{Runner: sh, Dir: l.Dir, Into: near, Files: l.Files})
	if got := tree(t, near); err != nil || !r.Verified() || got["b.bin"] != string(big) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Fetch(ctx, FetchParams{Runner: sh, Dir: l.Dir, Into: t.TempDir(), Files: l.Files}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestFetchOverwritesNothing(t *testing.T) {
	t.Parallel()
	far, near := t.TempDir(), t.TempDir()
	outside := filepath.Join(t.TempDir(), "outside")
	put(t, filepath.Join(far, "a.png"), []byte("theirs"))
	put(t, filepath.Join(far, "d", "b.png"), []byte("theirs"))
	put(t, filepath.Join(far, "e", "c.png"), []byte("theirs"))
	put(t, filepath.Join(near, "a.png"), []byte("mine, edited"))
	if err := os.MkdirAll(outside, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(near, "d")); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(near, "e"), []byte("a file where a folder should be"))
	sh := guidetest.Shell{}
	l := list(t, sh, far)
	for range 2 {
		r, err := Fetch(t.Context(), FetchParams{Runner: sh, Dir: l.Dir, Into: near, Files: l.Files})
		if err != nil || r.Verified() || count(r, Failed) != 2 {
			t.Fatalf("%+v %v", r, err)
		}
		if n := r.Files[0].Local; n == "a.png" || !strings.HasPrefix(n, "a~") || !strings.HasSuffix(n, ".png") {
			t.Errorf("%+v", r.Files[0])
		}
	}
	if b, _ := os.ReadFile(filepath.Join(near, "a.png")); string(b) != "mine, edited" {
		t.Errorf("%q", b)
	}
	if n := len(tree(t, outside)); n != 0 {
		t.Error("a link led out of the folder")
	}
}

func TestFetchOfAChangingFile(t *testing.T) {
	t.Parallel()
	far, near := t.TempDir(), t.TempDir()
	name := filepath.Join(far, "log.txt")
	put(t, name, bytes.Repeat([]byte("x"), 100))
	sh := guidetest.Shell{}
	l := list(t, sh, far)
	n := 0
	writing := guidetest.Shell{Before: func(e guide.Exec) error {
		if e.Script == readText {
			n++
			put(t, name, bytes.Repeat([]byte{byte('a' + n)}, 100))
		}
		return nil
	}}
	r, err := Fetch(t.Context(), FetchParams{Runner: writing, Dir: l.Dir, Into: near, Files: l.Files})
	if err != nil || r.Verified() || count(r, Changed) != 1 || len(tree(t, near)) != 0 {
		t.Errorf("%+v %v %v", r, err, tree(t, near))
	}
	shrinking := guidetest.Shell{Before: func(e guide.Exec) error {
		if e.Script == readText {
			put(t, name, []byte("short"))
		}
		return nil
	}}
	put(t, name, bytes.Repeat([]byte("x"), 100))
	r, err = Fetch(t.Context(), FetchParams{Runner: shrinking, Dir: l.Dir, Into: near, Files: l.Files})
	if err != nil || !r.Verified() || tree(t, near)["log.txt"] != "short" {
		t.Errorf("%+v %v", r, err)
	}
	near = t.TempDir()
	once := 0
	settling := guidetest.Shell{Before: func(e guide.Exec) error {
		if e.Script == readText {
			if once++; once == 1 {
				put(t, name, []byte("the last word, as long as it gets.................................................................."))
			}
		}
		return nil
	}}
	put(t, name, bytes.Repeat([]byte("x"), 100))
	r, err = Fetch(t.Context(), FetchParams{Runner: settling, Dir: l.Dir, Into: near, Files: list(t, sh, far).Files})
	if err != nil || !r.Verified() || !strings.HasPrefix(tree(t, near)["log.txt"], "the last word") {
		t.Errorf("%+v %v", r, err)
	}
}

// TestFetchWithoutAHash proves that a copy that can't be compared isn't called
// verified.
func TestFetchWithoutAHash(t *testing.T) {
	t.Parallel()
	far, near, bin := t.TempDir(), t.TempDir(), t.TempDir()
	put(t, filepath.Join(far, "a.png"), []byte("picture"))
	for _, tool := range []string{"find", "stat", "head", "dd", "cat", "tail", "od", "tr"} {
		if err := os.Symlink("/usr/bin/"+tool, filepath.Join(bin, tool)); err != nil {
			t.Fatal(err)
		}
	}
	sh := guidetest.Shell{Env: []string{"PATH=" + bin}}
	l := list(t, sh, far)
	for range 2 {
		r, err := Fetch(t.Context(), FetchParams{Runner: sh, Dir: l.Dir, Into: near, Files: l.Files})
		if err != nil || r.Verified() || count(r, Unverified) != 1 || len(tree(t, near)) != 1 {
			t.Errorf("%+v %v", r, err)
		}
	}
}

func TestFetchOfHostileNames(t *testing.T) {
	t.Parallel()
	far, near := t.TempDir(), t.TempDir()
	names := []string{
		"A.png", "a.png", "CON.png", "aux", "com1.tar.gz", "x:y?.png", "dot.", "blank ", " lead", `back\slash`, "rtl\u202egnp.exe",
		"bad\xffbyte", "..hidden", "...", strings.Repeat("long", 60) + ".png", "nul .txt", "a/con/b.png", "~tilde", "-dash", "$(id)", "`id`", "'quote\"",
	}
	for _, n := range names {
		put(t, filepath.Join(far, n), []byte(n))
	}
	sh := guidetest.Shell{}
	l := list(t, sh, far)
	r, err := Fetch(t.Context(), FetchParams{Runner: sh, Dir: l.Dir, Into: near, Files: l.Files})
	if err != nil || !r.Verified() || count(r, Copied) != len(names) {
		t.Fatalf("%+v %v", r, err)
	}
	got := tree(t, near)
	if len(got) != len(names) {
		t.Errorf("%d of %d: %q", len(got), len(names), got)
	}
	for local := range got {
		if why := unsafe(local); why != "" {
			t.Errorf("%q: %s", local, why)
		}
	}
	for _, f := range r.Files {
		if got[f.Local] != f.Rel {
			t.Errorf("%q lies in %q", f.Rel, f.Local)
		}
	}
}

// unsafe says why a system would not take a local path, "" when all do.
func unsafe(local string) string {
	if !filepath.IsLocal(filepath.FromSlash(local)) || path.Clean(local) != local {
		return "leads out of the folder"
	}
	for part := range strings.SplitSeq(local, "/") {
		stem, _, _ := strings.Cut(part, ".")
		switch {
		case strings.ContainsAny(part, `<>:"|?*\`) || strings.ContainsFunc(part, func(r rune) bool { return r < ' ' || r == 0x202e }):
			return "forbidden character"
		case strings.HasSuffix(part, ".") || strings.HasSuffix(part, " ") || strings.HasPrefix(part, " "):
			return "blank or dot at an end"
		case slices.Contains([]string{"con", "aux", "nul", "prn", "com1", "lpt9", "conin$"}, strings.ToLower(strings.TrimRight(stem, " "))):
			return "name of a device"
		case len(part) > 200 || !utf8.ValidString(part):
			return "too long or no UTF-8"
		}
	}
	return ""
}

func FuzzLocalName(f *testing.F) {
	for _, s := range []string{"a/b.png", "../../x", "CON", "a:b", "a/./b", "", "/", "x\x00y", "aux .txt", "a~00000000.png", "..", "com¹"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, rel string) {
		got := LocalName(rel)
		if why := unsafe(got); why != "" {
			t.Fatalf("%q becomes %q: %s", rel, got, why)
		}
		if LocalName(rel) != got {
			t.Fatal("twice, two names")
		}
	})
}

func FuzzListing(f *testing.F) {
	f.Add([]byte("tok folder 2f61\ntok begin files\n12 1700000000 /a/b c.png\n-1 x /a/../../etc/passwd\n1 1 /b\nwhole\ntok end files\ntok done\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := readListing(script.Parse("tok", b, 1<<16))
		if err != nil {
			return
		}
		for _, r := range l.Files {
			if r.Size < 0 || strings.HasPrefix(path.Join("/x", r.Rel), "/x/") == false || strings.Contains(r.Rel, "\n") {
				t.Fatalf("%+v", r)
			}
		}
	})
}

// TestLocalNamesDiffer draws names and proves that different ones stay different
// where one of them had to be changed.
func TestLocalNamesDiffer(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	letters := []string{"a", ":", "?", ".", " ", "/", "con", "é"}
	by := map[string]string{}
	for range 20000 {
		var s strings.Builder
		for range 1 + r.IntN(6) {
			s.WriteString(letters[r.IntN(len(letters))])
		}
		rel := s.String()
		got := LocalName(rel)
		if other, ok := by[got]; ok && other != rel {
			t.Fatalf("%q and %q both become %q", rel, other, got)
		}
		by[got] = rel
	}
	if fmt.Sprint(LocalName("2026/ComfyUI_00001_.png")) != "2026/ComfyUI_00001_.png" {
		t.Error("an ordinary name was changed")
	}
}
