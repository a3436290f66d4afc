package run

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"rentgen/app/guide"
)

// ErrNoModel says that no model file was found to read.
var ErrNoModel = errors.New("no model file was found")

// ErrUnread says that a model file was found and its reading gave no figures.
var ErrUnread = errors.New("the reading of the model gave no figures")

// ModelReading is how fast a real model file is read, the way programs load it and
// in a row. Models are loaded in small mapped reads, which a disk that is fast in a
// row can be slow at.
type ModelReading struct {
	File       string
	MappedMBps float64 // small mapped reads, MB/s
	RowMBps    float64 // in a row, MB/s
	Bytes      int64   // read in each way
	Cached     bool    // memory could not be kept out of it: the figures may be too good
	Way        string  // "mmap", or "dd" where there is no Python
	Command    string
	Time       time.Time
}

// modelCommand finds the largest model file of the folders and reads up to 256 MB
// of it in two ways, each in another part of the file, so that the one does not warm
// the other.
const modelCommand = `f=; n=0
for g in $(find "$@" -maxdepth 4 -type f -size +65536k \( -name '*.safetensors' -o -name '*.ckpt' -o -name '*.gguf' -o -name '*.pt' \) -print 2>/dev/null | head -n 200 | sed 's/ /?/g'); do
  s=$(stat -L -c %s "$g" 2>/dev/null) && [ "$s" -gt "$n" ] && n=$s f=$g
done
[ -n "$f" ] || { echo 'model: none'; exit 0; }
printf 'model: %s\n' "$f"
for p in python3 python /root/miniconda3/bin/python /opt/conda/bin/python; do command -v "$p" >/dev/null 2>&1 && break; p=; done
if [ -n "$p" ]; then
  "$p" -c '
import mmap, os, sys, time
name, size = sys.argv[1], os.path.getsize(sys.argv[1])
page = 16384
part = min(268435456, size // 2 // page * page)
fd = os.open(name, os.O_RDONLY)
cold = True
try:
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
except (AttributeError, OSError):
    cold = False
m = mmap.mmap(fd, size, access=mmap.ACCESS_READ)
try:
    m.madvise(mmap.MADV_RANDOM)
except (AttributeError, OSError):
    pass
t, end = time.monotonic(), time.monotonic() + 20
at = 0
while at < part and time.monotonic() < end:
    m[at:at + page]
    at += page
print("mmap %d %.6f %d" % (at, time.monotonic() - t, cold), flush=True)
t, end = time.monotonic(), time.monotonic() + 20
pos = size - part
os.lseek(fd, pos, os.SEEK_SET)
got = 0
while got < part and time.monotonic() < end:
    b = os.read(fd, 1 << 22)
    if not b:
        break
    got += len(b)
print("row %d %.6f %d" % (got, time.monotonic() - t, cold), flush=True)
' "$f"
else
  half=$((n / 2 / 4194304)); [ "$half" -le 64 ] || half=64
  echo 'dd small'
  dd if="$f" of=/dev/null bs=16k count=$((half * 256)) iflag=direct 2>&1 || dd if="$f" of=/dev/null bs=16k count=$((half * 256)) 2>&1
  echo 'dd row'
  dd if="$f" of=/dev/null bs=4M skip="$half" count="$half" iflag=direct 2>&1 || dd if="$f" of=/dev/null bs=4M skip="$half" count="$half" 2>&1
fi`

// ReadModel reads a part of the largest model file below the folders as programs
// do. It takes up to a minute on a slow disk and writes nothing. The error is that
// of the link, ErrNoModel or ErrUnread.
func ReadModel(ctx context.Context, r guide.Runner, dirs ...string) (ModelReading, error) {
	out, err := r.Exec(ctx, guide.Exec{Script: modelCommand, Args: dirs, Timeout: 90 * time.Second, Limit: 1 << 16})
	if err != nil {
		return ModelReading{}, fmt.Errorf("read a model: %w", err)
	}
	m, err := parseModel(out.Stdout)
	m.Command, m.Time = modelCommand, time.Now()
	return m, err
}

var (
	modelLine = guide.Regexp(`^(mmap|row) (\d{1,12}) (\d{1,5}\.\d{1,6}) ([01])$`)
	ddLine    = guide.Regexp(`^(\d{1,12}) bytes.* (\d{1,5}(?:\.\d+)?(?:e-\d+)?) s(?:econds)?, `)
)

func parseModel(b []byte) (ModelReading, error) {
	var m ModelReading
	part, cachedRow := "", false
	for _, s := range strings.Split(guide.Clean(b, 1<<16), "\n") {
		if f, ok := strings.CutPrefix(s, "model: "); ok && m.File == "" {
			if f == "none" {
				return m, ErrNoModel
			}
			m.File = f
			continue
		}
		if v, ok := strings.CutPrefix(s, "dd "); ok && (v == "small" || v == "row") {
			part = v
			continue
		}
		if g := modelLine.FindStringSubmatch(s); g != nil {
			m.Way = "mmap"
			rate, bytes, ok := rateOf(g[2], g[3])
			switch {
			case !ok:
			case g[1] == "mmap":
				m.MappedMBps, m.Bytes, m.Cached = rate, bytes, g[4] == "0"
			default:
				m.RowMBps, cachedRow = rate, g[4] == "0"
			}
			continue
		}
		if g := ddLine.FindStringSubmatch(s); g != nil && part != "" {
			m.Way = "dd"
			if rate, bytes, ok := rateOf(g[1], g[2]); ok && part == "small" {
				m.MappedMBps, m.Bytes = rate, bytes
			} else if ok {
				m.RowMBps = rate
			}
		}
		if part != "" && strings.Contains(s, "nvalid argument") { // no direct reading here
			m.Cached = true
		}
	}
	m.Cached = m.Cached || cachedRow || m.MappedMBps > guide.Threshold("disk.speed.cache")
	if m.File == "" || m.MappedMBps == 0 || m.RowMBps == 0 {
		return m, ErrUnread
	}
	return m, nil
}

// rateOf returns MB/s. A time of 0 gives none.
func rateOf(bytes, seconds string) (rate float64, n int64, ok bool) {
	n, err := strconv.ParseInt(bytes, 10, 64)
	s, err2 := strconv.ParseFloat(seconds, 64)
	if err != nil || err2 != nil || n <= 0 || s <= 0 {
		return 0, 0, false
	}
	return float64(n) / s / 1e6, n, true
}
