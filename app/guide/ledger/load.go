package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"rentgen/app/guide"
)

// LoadTakes is how long a load test keeps the card busy.
const LoadTakes = time.Minute

// LoadCommand keeps the card busy with products of half-precision matrices of 8192
// for a number of seconds, $1, and prints how long each took; beside it the
// driver's temperature, power, clock and VRAM every two seconds. It needs half a
// GiB of VRAM and PyTorch, and leaves nothing behind.
const LoadCommand = `for c in python python3 /root/miniconda3/bin/python /opt/conda/bin/python /venv/main/bin/python /workspace/venv/bin/python; do
  "$c" -c 'import sys, importlib.util as u; sys.exit(u.find_spec("torch") is None)' 2>/dev/null && break
done
"$c" -c '
import sys, time, torch
n = 8192
a = torch.randn(n, n, device="cuda", dtype=torch.float16)
b = a @ a
torch.cuda.synchronize()
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end:
    t = time.perf_counter()
    for _ in range(20):
        b = a @ a
    torch.cuda.synchronize()
    print("load %.6f" % ((time.perf_counter() - t) / 20), flush=True)
print("peak %d" % (torch.cuda.max_memory_allocated() >> 20))
' "$1" &
p=$!
trap 'kill $p 2>/dev/null' EXIT
trap 'kill $p 2>/dev/null; exit 130' HUP INT TERM PIPE
while kill -0 $p 2>/dev/null; do
  nvidia-smi --query-gpu=temperature.gpu,power.draw,clocks.sm,memory.used --format=csv,noheader,nounits 2>/dev/null | head -n 1 | sed 's/^/gpu /'
  sleep 2
done
wait $p
echo "end $?"
`

// LoadTest is what the card did under a load test. Nil was not readable.
type LoadTest struct {
	At     time.Time `json:"at"`
	TFLOPS float64   `json:"tflops"` // 2 n^3 operations a product; the median
	// Drop is how much slower the last quarter was than the first, as a share.
	Drop     float64  `json:"drop"`
	TempC    *float64 `json:"temp_c,omitempty"`  // the greatest
	PowerW   *float64 `json:"power_w,omitempty"` // the greatest
	ClockMHz *float64 `json:"clock_mhz,omitempty"`
	UsedMiB  *float64 `json:"used_mib,omitempty"` // VRAM of the card, the greatest
	// Failed is why there are no figures, as the instance said it; "" where there are.
	Failed string `json:"failed,omitempty"`
}

// ErrNoLoad says that the load test printed no figures.
var ErrNoLoad = errors.New("the load test gave no figures")

// RunLoad keeps the card busy for a while and says what it did. The error quotes
// the last line printed where there are no figures.
func RunLoad(ctx context.Context, r guide.Runner, now func() time.Time) (LoadTest, error) {
	out, err := r.Exec(ctx, guide.Exec{
		Script: LoadCommand, Args: []string{strconv.Itoa(int(LoadTakes / time.Second))}, Timeout: LoadTakes + time.Minute, Limit: 1 << 20,
	})
	if err != nil {
		return LoadTest{}, fmt.Errorf("load test: %w", err)
	}
	l, err := readLoad(out.Stdout)
	l.At = now()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(guide.Clean(out.Stderr, 4<<10)), "\n")
		if last := lines[len(lines)-1]; last != "" {
			return LoadTest{}, fmt.Errorf("%w: %s", err, last)
		}
	}
	return l, err
}

// readLoad reads what LoadCommand printed. One that did not end well gives nothing.
func readLoad(b []byte) (LoadTest, error) {
	const n = 8192.0
	var l LoadTest
	var took []float64
	ended := false
	greatest := func(to **float64, text string) {
		if v := number(strings.TrimSpace(text), 0.001, 1e7); v > 0 && (*to == nil || v > **to) {
			*to = &v
		}
	}
	var clocks []float64
	for line := range strings.Lines(guide.Clean(b, 1<<20)) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "load":
			if v := number(rest, 1e-5, 1e3); v > 0 {
				took = append(took, v)
			}
		case "gpu":
			f := strings.Split(rest, ",")
			if len(f) != 4 {
				continue
			}
			greatest(&l.TempC, f[0])
			greatest(&l.PowerW, f[1])
			if v := number(strings.TrimSpace(f[2]), 1, 1e5); v > 0 {
				clocks = append(clocks, v)
			}
			greatest(&l.UsedMiB, f[3])
		case "end":
			ended = rest == "0"
		}
	}
	if !ended || len(took) < 8 {
		return LoadTest{}, ErrNoLoad
	}
	q := len(took) / 4
	first, last := median(slices.Sorted(slices.Values(took[:q]))), median(slices.Sorted(slices.Values(took[len(took)-q:])))
	l.Drop = 1 - first/last
	l.TFLOPS = 2 * n * n * n / median(slices.Sorted(slices.Values(took))) / 1e12
	if len(clocks) > 0 {
		m := median(slices.Sorted(slices.Values(clocks)))
		l.ClockMHz = &m
	}
	return l, nil
}
