package check

import (
	"bytes"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"rentgen/app/guide"
	"rentgen/app/guide/guidetest"
)

// builtInCases are the cases in the folder above, as they are pasted.
func builtInCases(t testing.TB) []guide.Input {
	t.Helper()
	var list []guide.Input
	for _, c := range recordedCases(t) {
		list = append(list, c.In)
	}
	return list
}

func recordedCases(t testing.TB) []guidetest.Case {
	t.Helper()
	return guidetest.Cases(t, filepath.Join("..", "testdata", "cases", "checks"))
}

// gpuChecks are the checks of this test; the others have theirs.
var gpuChecks = map[guide.CheckID]bool{
	guide.GPUSMI: true, guide.GPUQuery: true, guide.GPULspci: true, guide.CUDANvcc: true, guide.CUDAMatch: true, guide.TorchCUDA: true, guide.DockerGPU: true, guide.Attn: true,
}

// honest are deletions after which the output is that of a healthy host, so that
// nobody could tell: the line that alone told of the fault, or one that alone
// told of a card.
func honest(in guide.Input, deleted string) bool {
	switch in.Check {
	case guide.GPUSMI: // the message beside a whole table, or the only log line
		return strings.Contains(deleted, "Unable to determine") || strings.Contains(deleted, "requires reset") || smiLog.MatchString(deleted)
	case guide.GPULspci:
		return pciLine.MatchString(deleted) || strings.Contains(deleted, "Unable to determine") || smiList.MatchString(deleted)
	case guide.GPUQuery:
		return strings.Contains(deleted, "Unable to determine")
	case guide.TorchCUDA: // a result computed on the card stays behind
		return strings.HasPrefix(deleted, "{")
	}
	return false
}

// TestNoFailTurnsIntoPass: whatever is cut off a failing output, or lost, or comes
// in another order, it is no pass.
func TestNoFailTurnsIntoPass(t *testing.T) {
	inputs := builtInCases(t)
	for _, c := range ownCases(t) {
		inputs = append(inputs, c.input)
	}
	tried := 0
	for _, in := range inputs {
		if !gpuChecks[in.Check] || Judge(in).Verdict != guide.Fail {
			continue
		}
		try := func(what string, stdout, stderr []byte) {
			tried++
			m := in
			m.Stdout, m.Stderr = stdout, stderr
			if o := Judge(m); o.Verdict == guide.Pass {
				t.Errorf("%s, %s: a fail turned into a pass (%s):\n%s", in.Check, what, o.Rule, stdout)
			}
		}
		lines := bytes.Split(bytes.TrimRight(in.Stdout, "\n"), []byte("\n"))
		for i := range lines {
			head := bytes.Join(lines[:i], []byte("\n"))
			if !honestCut(in, len(head)) {
				try("cut at a line", head, in.Stderr)
			}
			rest := append(append([][]byte{}, lines[:i]...), lines[i+1:]...)
			if !honest(in, string(lines[i])) {
				try("without line "+strconv.Itoa(i), bytes.Join(rest, []byte("\n")), in.Stderr)
			}
			// A line that comes first, as an unbuffered stream's does.
			moved := append([][]byte{lines[i]}, rest...)
			try("line moved up", bytes.Join(moved, []byte("\n")), in.Stderr)
			try("line on stderr", bytes.Join(rest, []byte("\n")), append(append([]byte{}, lines[i]...), '\n'))
		}
		for cut := 0; cut < len(in.Stdout); cut += 1 + len(in.Stdout)/60 {
			if !honestCut(in, cut) {
				try("cut at byte "+strconv.Itoa(cut), in.Stdout[:cut], in.Stderr)
			}
		}
		try("all on stderr", nil, append(append([]byte{}, in.Stderr...), in.Stdout...))
		try("line ends of Windows", bytes.ReplaceAll(in.Stdout, []byte("\n"), []byte("\r\n")), in.Stderr)
		try("stderr in front", append(append([]byte{}, in.Stderr...), in.Stdout...), nil)
		try("prompt in front", append([]byte("root@host:~# "+in.Command+"\n"), in.Stdout...), in.Stderr)
		try("indented", append([]byte("  "), bytes.ReplaceAll(in.Stdout, []byte("\n"), []byte("\n  "))...), in.Stderr)
	}
	if tried < 3000 {
		t.Errorf("only %d outputs were tried", tried)
	}
	t.Logf("%d outputs tried", tried)
}

// honestCut reports whether a cut may leave a whole healthy output: the fault
// stands behind it, or what is lost is a card that one of two lists had too many.
func honestCut(in guide.Input, cut int) bool {
	lost := string(in.Stdout[cut:])
	switch in.Check {
	case guide.GPUSMI:
		return strings.Contains(lost, "requires reset") || strings.Contains(lost, "Unable to determine") || strings.Contains(string(in.Stdout), "\nUnable to determine")
	case guide.GPULspci:
		return Judge(in).Facts["count_mismatch"] == true || strings.Contains(string(in.Stdout), "\nUnable to determine")
	case guide.GPUQuery:
		return strings.Contains(string(in.Stdout), "\nUnable to determine")
	}
	return false
}
