package day

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"rentgen/app/guide"
	"rentgen/app/guide/script"
)

// FileState is what became of a file that was to be copied.
type FileState string

// The states of a file.
const (
	Copied     FileState = "copied"     // now here, its SHA-256 is the host's
	Have       FileState = "have"       // was here already, its SHA-256 is the host's
	Unverified FileState = "unverified" // here, but the host can't compute a SHA-256
	Changed    FileState = "changed"    // was written to while it was copied
	Failed     FileState = "failed"
)

// Fetched is a file and where it went.
type Fetched struct {
	Remote
	Local string // below the local folder, with "/"; "" where it did not get here
	State FileState
	Err   error // of Failed
}

// Progress is how far a copy is.
type Progress struct {
	File        string // being copied now, as it may be shown
	Files, Of   int
	Bytes, Size int64
}

// FetchParams is what copying needs.
type FetchParams struct {
	Runner   guide.Runner
	Dir      string // on the host, from a Listing
	Into     string // folder on this computer; made where it is missing
	Files    []Remote
	Progress func(Progress) // nil: nobody listens
}

// Report is what a copy did.
type Report struct {
	Files []Fetched
	Bytes int64 // that came over the line
}

// Verified reports whether every file is here with the host's SHA-256.
func (r Report) Verified() bool {
	for _, f := range r.Files {
		if f.State != Copied && f.State != Have {
			return false
		}
	}
	return true
}

// chunk is how much one call brings, block the unit of dd.
const (
	block = 1 << 20
	chunk = 8 * block
)

// hashLimit bounds the hashing of 100 files.
const hashLimit = 30 * time.Minute

// Fetch copies files from the host into a folder here and compares SHA-256. What
// an earlier Fetch left half done goes on where it stopped; a file that is here
// with another content is never overwritten, and nothing on the host is changed.
// The error is that of the link, of the context or of the folder; the Report then
// holds what is done.
func Fetch(ctx context.Context, p FetchParams) (Report, error) {
	if err := os.MkdirAll(p.Into, 0o755); err != nil {
		return Report{}, fmt.Errorf("making the folder: %w", err)
	}
	root, err := os.OpenRoot(p.Into) // no link in the folder leads out of it
	if err != nil {
		return Report{}, fmt.Errorf("opening the folder: %w", err)
	}
	defer root.Close()
	c := &copier{FetchParams: p, root: root, taken: map[string]string{}}
	for _, f := range p.Files {
		c.progress.Size += f.Size
	}
	c.progress.Of = len(p.Files)
	var rels []string
	for _, f := range p.Files {
		rels = append(rels, f.Rel)
	}
	const together = 100 // hashing is done shortly before copying
	for len(rels) > 0 {
		n := min(together, len(rels))
		sums, err := script.Hashes(ctx, p.Runner, p.Dir, rels[:n], hashLimit)
		if err != nil {
			return c.report, err
		}
		for _, f := range p.Files[len(p.Files)-len(rels):][:n] {
			got, err := c.fetch(ctx, f, sums[f.Rel])
			if err != nil {
				return c.report, err
			}
			c.report.Files = append(c.report.Files, got)
			c.progress.Files++
			c.tell(f.Rel)
		}
		rels = rels[n:]
	}
	return c.report, nil
}

type copier struct {
	FetchParams
	root     *os.Root
	report   Report
	progress Progress
	taken    map[string]string // local names in lower case, by whom
}

func (c *copier) tell(rel string) {
	if c.Progress != nil {
		c.progress.File = guide.Clean([]byte(rel), 200)
		c.Progress(c.progress)
	}
}

// local picks the local name of a file: one that no other file of this copy has
// on a system that doesn't tell A from a.
func (c *copier) local(f Remote) string {
	name := LocalName(f.Rel)
	if by, ok := c.taken[strings.ToLower(name)]; ok && by != f.Rel {
		sum := sha256.Sum256([]byte(f.Rel))
		name = tagged(name, hex.EncodeToString(sum[:4]))
	}
	c.taken[strings.ToLower(name)] = f.Rel
	return name
}

// fetch copies one file. Its error ends the whole copy; what is wrong with the
// file alone is in the Fetched.
func (c *copier) fetch(ctx context.Context, f Remote, now script.Sum) (Fetched, error) {
	got := Fetched{Remote: f, State: Failed}
	f.SHA256 = now.SHA256
	if now.SHA256 != "" {
		f.Size, got.Remote.Size = now.Size, now.Size
	}
	got.SHA256 = f.SHA256
	before := c.progress.Bytes
	defer func() { c.progress.Bytes = before + f.Size }()
	name := c.local(f)
	name, have, err := c.target(name, f)
	if err != nil {
		got.Err = err
		return got, nil
	}
	if have {
		got.Local, got.State = name, Have
		if f.SHA256 == "" {
			got.State = Unverified
		}
		return got, nil
	}
	for try := 0; try < 2; try++ {
		sum, err := c.copy(ctx, name, f)
		var link *linkError
		switch {
		case errors.As(err, &link):
			return got, link.err
		case errors.Is(err, errShort) && f.SHA256 != "": // like another content
		case err != nil:
			got.Err = err
			return got, nil
		case f.SHA256 == "":
			got.Local, got.State, got.SHA256 = name, Unverified, sum
			got.Err = c.keep(name, f)
			return c.settled(got), nil
		case sum == f.SHA256:
			got.Local, got.State = name, Copied
			got.Err = c.keep(name, f)
			return c.settled(got), nil
		}
		// Not what was hashed: a damaged half, or the file was written to meanwhile.
		// Once more from the start, against a new hash.
		if err := c.root.Remove(partOf(name, f)); err != nil {
			got.Err = err
			return got, nil
		}
		sums, err := script.Hashes(ctx, c.Runner, c.Dir, []string{f.Rel}, hashLimit)
		if err != nil {
			return got, err
		}
		if s, ok := sums[f.Rel]; ok && s.SHA256 != f.SHA256 {
			f.SHA256, f.Size = s.SHA256, s.Size
			got.SHA256, got.Remote.Size = s.SHA256, s.Size
		}
	}
	got.State = Changed
	return got, nil
}

func (c *copier) settled(f Fetched) Fetched {
	if f.Err != nil {
		f.State, f.Local = Failed, ""
	}
	return f
}

// target finds the name that a file is saved under: its own, or where another
// content is there already, one with the content's hash. have says that the file
// is there.
func (c *copier) target(name string, f Remote) (string, bool, error) {
	for _, n := range []string{name, tagged(name, f.tag())} {
		sum, err := c.sum(n)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return n, false, nil
		case err != nil:
			return "", false, fmt.Errorf("reading %s: %w", n, err)
		case sum == f.SHA256, f.SHA256 == "" && c.sized(n, f.Size):
			return n, true, nil
		}
	}
	return "", false, fmt.Errorf("%s is here with another content", name)
}

func (c *copier) sized(name string, size int64) bool {
	i, err := c.root.Stat(name)
	return err == nil && i.Size() == size
}

// sum returns the SHA-256 of a local file.
func (c *copier) sum(name string) (string, error) {
	in, err := c.root.Open(name)
	if err != nil {
		return "", err
	}
	defer in.Close()
	if i, err := in.Stat(); err != nil || !i.Mode().IsRegular() {
		return "", errors.Join(err, errors.New("is no file"))
	}
	h := sha256.New()
	if _, err := io.Copy(h, in); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// partOf names the half of a file: after its content, so that it is never gone on
// with for another one.
func partOf(name string, f Remote) string {
	return name + "." + f.tag() + ".part"
}

// tag tells a file's content apart. What can't be compared goes by time and size.
func (f Remote) tag() string {
	tag := f.SHA256
	if tag == "" {
		sum := sha256.Sum256([]byte(f.Rel + strconv.FormatInt(f.Size, 10) + f.Time.UTC().String()))
		tag = hex.EncodeToString(sum[:])
	}
	return tag[:12]
}

// linkError is an error that ends the whole copy.
type linkError struct{ err error }

func (e *linkError) Error() string { return e.err.Error() }

// errShort says that a file gave fewer bytes than it has.
var errShort = errors.New("the file became shorter while it was copied")

// copy brings a file into its half and returns the SHA-256 of what is there.
func (c *copier) copy(ctx context.Context, name string, f Remote) (string, error) {
	part := partOf(name, f)
	if dir := path.Dir(part); dir != "." {
		if err := c.root.MkdirAll(dir, 0o755); err != nil {
			return "", err
		}
	}
	out, err := c.root.OpenFile(part, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return "", err
	}
	defer out.Close()
	h := sha256.New()
	at, err := resume(out, h, f.Size)
	if err != nil {
		return "", err
	}
	base := c.progress.Bytes
	for at < f.Size {
		c.progress.Bytes = base + at
		c.tell(f.Rel)
		b, err := c.read(ctx, f, at)
		if err != nil {
			return "", err
		}
		if _, err := out.Write(b); err != nil {
			return "", err
		}
		h.Write(b)
		at += int64(len(b))
		c.report.Bytes += int64(len(b))
	}
	if err := out.Sync(); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// resume cuts a half to whole blocks, hashes it and returns its length.
func resume(out *os.File, h hash.Hash, size int64) (int64, error) {
	i, err := out.Stat()
	if err != nil {
		return 0, err
	}
	at := min(i.Size(), size) / block * block
	if err := out.Truncate(at); err != nil {
		return 0, err
	}
	if _, err := io.Copy(h, out); err != nil {
		return 0, err
	}
	_, err = out.Seek(at, io.SeekStart)
	return at, err
}

// readText prints bytes of a file and nothing else. Network disks may give dd less
// than it asked for; tail and head then make sure of it.
const readText = `LC_ALL=C dd if="$1" bs=1048576 skip="$2" count="$3" 2>/dev/null`

const readAgainText = `LC_ALL=C tail -c "+$2" <"$1" 2>/dev/null | head -c "$3"`

// read brings the next bytes of a file.
func (c *copier) read(ctx context.Context, f Remote, at int64) ([]byte, error) {
	want := min(chunk, f.Size-at)
	file := path.Join(c.Dir, f.Rel)
	for _, e := range []guide.Exec{
		{Script: readText, Args: []string{file, strconv.FormatInt(at/block, 10), strconv.Itoa(chunk / block)}},
		{Script: readAgainText, Args: []string{file, strconv.FormatInt(at+1, 10), strconv.FormatInt(want, 10)}},
	} {
		e.Timeout, e.Limit = 10*time.Minute, chunk
		o, err := c.Runner.Exec(ctx, e)
		if err != nil {
			return nil, &linkError{err}
		}
		if int64(len(o.Stdout)) >= want {
			return o.Stdout[:want], nil
		}
	}
	return nil, errShort
}

// keep gives a whole half its name, unless a file came there meanwhile.
func (c *copier) keep(name string, f Remote) error {
	if _, err := c.root.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, fmt.Errorf("%s came here meanwhile", name))
	}
	part := partOf(name, f)
	if err := c.root.Rename(part, name); err != nil {
		return err
	}
	if f.Time.Unix() > 0 {
		// The time is worth having, not worth failing for.
		_ = c.root.Chtimes(name, f.Time, f.Time)
	}
	return nil
}

// New returns the files of a listing that are not in a local folder under the
// name and with the size they would get. It compares no content: Fetch does.
func New(l Listing, into string) ([]Remote, error) {
	root, err := os.OpenRoot(into)
	if errors.Is(err, fs.ErrNotExist) {
		return l.Files, nil
	}
	if err != nil {
		return nil, fmt.Errorf("opening the folder: %w", err)
	}
	defer root.Close()
	c := &copier{root: root, taken: map[string]string{}}
	var fresh []Remote
	for _, f := range l.Files {
		i, err := root.Stat(c.local(f))
		if err != nil || !i.Mode().IsRegular() || i.Size() != f.Size {
			fresh = append(fresh, f)
		}
	}
	return fresh, nil
}
