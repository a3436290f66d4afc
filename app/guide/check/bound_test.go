package check

import (
	"strings"
	"testing"

	"rentgen/app/guide"
)

// TestHugeOutput: much output in shapes that make readers slow still comes to a
// verdict; what takes the square of its length would be felt here.
func TestHugeOutput(t *testing.T) {
	for _, shape := range []string{
		"{\n", "|   0  A  Off  | 00000000:01:00.0 Off |\n", "GPU 0: X (UUID: 1)\n", "|", "a, b, c\n", "nvidia-smi\n", "sm_90 ", "me@host:~$ x\n", "[", "01:00.0 3D controller: NVIDIA Corporation Device 2684\n", "9",
	} {
		in := guide.Input{Stdout: []byte(strings.Repeat(shape, guide.MaxOutput/64/len(shape))), Track: guide.Dedicated}
		for id := range gpuChecks {
			in.Check = id
			if o := Judge(in); o.Verdict == guide.NotRun {
				t.Errorf("%s: no verdict of %q", id, shape)
			}
		}
	}
}
