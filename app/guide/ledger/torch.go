package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"rentgen/app/guide"
)

// TorchCommand is the one-liner that times the card alone: ten products of
// half-precision matrices of 8192, after two to warm up. It needs half a GiB of
// VRAM and a few seconds.
const TorchCommand = `python3 -c 'import torch,time,json;n=8192;a=torch.randn(n,n,device="cuda",dtype=torch.float16);[a@a for _ in range(2)];torch.cuda.synchronize();t=time.perf_counter();[a@a for _ in range(10)];torch.cuda.synchronize();s=(time.perf_counter()-t)/10;print(json.dumps({"rentgen":1,"seconds":s,"tflops":2*n**3/s/1e12,"peak_mib":torch.cuda.max_memory_allocated()/2**20,"card":torch.cuda.get_device_name(0)}))'`

// Torch is what the one-liner says.
type Torch struct {
	Seconds float64 `json:"seconds"` // of one product
	TFLOPS  float64 `json:"tflops"`  // 2 n^3 operations a product
	PeakMiB float64 `json:"peak_mib"`
	Card    string  `json:"card"`
}

// RunTorch runs the one-liner. The error quotes the last line that it printed
// where it did not end well.
func RunTorch(ctx context.Context, r guide.Runner) (Torch, error) {
	out, err := r.Exec(ctx, guide.Exec{Script: TorchCommand + "\n", Timeout: 2 * time.Minute, Limit: 64 << 10})
	if err != nil {
		return Torch{}, fmt.Errorf("speed of the card: %w", err)
	}
	t, err := ReadTorch(out.Stdout)
	if err == nil {
		return t, nil
	}
	lines := strings.Split(strings.TrimSpace(guide.Clean(out.Stderr, 4<<10)), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return Torch{}, errors.New(last)
	}
	return Torch{}, err
}

// ReadTorch reads the output of the one-liner, pasted or run.
func ReadTorch(b []byte) (Torch, error) {
	for line := range strings.Lines(guide.Clean(b, 64<<10)) {
		var t struct {
			Rentgen int `json:"rentgen"`
			Torch
		}
		if json.Unmarshal([]byte(line), &t) != nil || t.Rentgen != 1 {
			continue
		}
		for _, v := range []float64{t.Seconds, t.TFLOPS, t.PeakMiB} {
			if !(v > 0) || math.IsInf(v, 0) || v > 1e9 {
				return Torch{}, errors.New("the figures make no sense")
			}
		}
		return t.Torch, nil
	}
	return Torch{}, errors.New("no figures in this output")
}
