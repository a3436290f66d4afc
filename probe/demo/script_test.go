package demo_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"rentgen/probe/demo"
	"rentgen/probe/stream"
)

func bare(t *testing.T, f demo.Fault) *stream.Host {
	t.Helper()
	p := demo.StreamParams(demo.Params{Fault: f})
	p.Source = stream.SourceNone
	h := stream.New(p)
	live(t, h)
	t.Cleanup(h.Stop)
	return h
}

// checksScript begins as the script does that takes checks line by line.
const checksScript = "# $1: folders that are looked in after the login's own PATH.\n"

func TestChecksAreAnswered(t *testing.T) {
	h := bare(t, "")
	in := make(chan string, 8)
	for _, l := range []string{"2 2 no no 127", "nproc; nproc --all", "lscpu", "3 1 no no 127", "rm -rf /"} {
		in <- l
	}
	close(in)
	for name, c := range map[string]stream.Command{
		"fed":   {Script: checksScript, Stdin: []byte("MARK\n1 1 no no 127\nnvidia-smi\n"), In: in},
		"input": {Script: checksScript, Stdin: []byte("MARK\n1 1 no no 127\nnvidia-smi\n2 2 no no 127\nnproc; nproc --all\nlscpu\n3 1 no no 127\nrm -rf /\n")},
	} {
		r, err := h.Run(t.Context(), c)
		if err != nil || r.Exit != 0 {
			t.Fatalf("%s: %+v, %v", name, r, err)
		}
		out, errs := string(r.Stdout), string(r.Stderr)
		for _, want := range []string{"\nMARK 0 begin;", "boot de30", "\nMARK 0 end 0;", "\nMARK 1 begin;", "RTX 4090", "\nMARK 1 end 0;", "1600000 100000", "\nMARK 2 end 0;", "\nMARK 3 end 127;"} {
			if !strings.Contains(out, want) {
				t.Errorf("%s lacks %q:\n%s", name, want, out)
			}
		}
		if n := strings.Count(errs, "made up"); n != 3 || !strings.Contains(errs, "\nMARK 3 end 127;") {
			t.Errorf("%s: %q", name, errs)
		}
	}
	if r, err := h.Run(t.Context(), stream.Command{Script: "echo hi"}); err != nil || r.Exit != 127 || len(r.Stdout) != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestChecksThatAreCutShort(t *testing.T) {
	h := bare(t, "")
	for _, in := range []string{"", "MARK\n", "MARK\n1\n", "MARK\n1 x no\n", "MARK\n1 3 no no 127\nnvidia-smi\n"} {
		if _, err := h.Run(t.Context(), stream.Command{Script: checksScript, Stdin: []byte(in)}); err != nil {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func TestNoCardNoTable(t *testing.T) {
	h := bare(t, demo.FaultNoGPU)
	r, err := h.Run(t.Context(), stream.Command{Script: checksScript, Stdin: []byte("MARK\n1 1 no no 127\nnvidia-smi\n")})
	if err != nil || !strings.Contains(string(r.Stdout), "No devices were found") {
		t.Errorf("%q, %v", r.Stdout, err)
	}
}

func TestPageOfTheDemo(t *testing.T) {
	h := bare(t, "")
	f, err := h.Forward(t.Context(), "", "8188")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	resp, err := http.Get("http://" + f.Addr() + "/") //nolint:noctx // our own listener
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 || !strings.Contains(string(b), "demo") {
		t.Errorf("%d %q %v", resp.StatusCode, b, err)
	}
	closed, err := h.Forward(t.Context(), "", "22")
	if err != nil {
		t.Fatal(err)
	}
	defer closed.Close()
	if resp, err := http.Get("http://" + closed.Addr() + "/"); err == nil { //nolint:noctx // our own listener
		_ = resp.Body.Close()
		t.Error("something listens where nothing does")
	}
}
