// Testsum runs one or more test commands and closes with what was skipped, by
// name, and one line of counts.
//
//	go run ./.ci/tools/testsum "go test ./a ./b" "go test -race ./c"
//
// Each argument is one command, split at blanks; -json is added. It prints one
// line a package and the whole output of what failed. It exits 1 when a test
// or a build failed or no test ran.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sort"
	"strings"
)

// event is a line of "go test -json".
type event struct {
	Action     string
	Package    string
	ImportPath string
	Test       string
	Output     string
	Elapsed    float64
}

type sum struct {
	out                     io.Writer
	passed, failed, skipped int
	output                  map[string][]string // by package and test
	broken                  map[string]bool     // packages with a test that failed
	skips                   []string
}

func main() {
	s := newSum(os.Stdout)
	for _, line := range os.Args[1:] {
		if err := s.run(strings.Fields(line)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			s.failed++
		}
	}
	if !s.close() {
		os.Exit(1)
	}
}

func newSum(out io.Writer) *sum {
	return &sum{out: out, output: make(map[string][]string), broken: make(map[string]bool)}
}

func (s *sum) run(args []string) error {
	if len(args) < 2 || args[1] != "test" {
		return fmt.Errorf("testsum: %q is no go test command", strings.Join(args, " "))
	}
	fmt.Fprintln(s.out, "==", strings.Join(args, " "))
	args = append([]string{args[0], "test", "-json"}, args[2:]...)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	before := s.failed
	s.read(out)
	if err := cmd.Wait(); err != nil && s.failed == before {
		return fmt.Errorf("%s: %w", strings.Join(args, " "), err)
	}
	return nil
}

func (s *sum) read(r io.Reader) {
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 64<<20)
	for sc.Scan() {
		var e event
		if err := json.Unmarshal(sc.Bytes(), &e); err != nil {
			fmt.Fprintln(s.out, sc.Text()) // not of go test itself
			continue
		}
		s.event(e)
	}
}

func (s *sum) event(e event) {
	key := e.Package + "\x00" + e.Test
	switch e.Action {
	case "output":
		s.output[key] = append(s.output[key], e.Output)
		return
	case "build-output":
		fmt.Fprint(s.out, e.Output)
		return
	case "pass", "fail", "skip":
	default:
		return
	}
	if e.Test == "" {
		s.pkg(e, key)
		return
	}
	switch e.Action {
	case "pass":
		s.passed++
		delete(s.output, key)
	case "fail":
		s.failed++
		s.broken[e.Package] = true
		fmt.Fprintf(s.out, "FAIL %s %s\n%s", e.Package, e.Test, strings.Join(s.output[key], ""))
	case "skip":
		s.skipped++
		s.skips = append(s.skips, e.Package+" "+e.Test+": "+reason(s.output[key]))
	}
}

func (s *sum) pkg(e event, key string) {
	text := s.output[key]
	switch e.Action {
	case "pass":
		fmt.Fprintf(s.out, "ok   %s %.1fs\n", e.Package, e.Elapsed)
	case "fail":
		// A panic or a race outside any test, or a build that failed.
		if !s.broken[e.Package] {
			s.failed++
		}
		fmt.Fprintf(s.out, "FAIL %s %.1fs\n%s", e.Package, e.Elapsed, strings.Join(text, ""))
	}
	for k := range s.output {
		if strings.HasPrefix(k, e.Package+"\x00") {
			delete(s.output, k)
		}
	}
}

// reason finds what a test said when it was skipped.
func reason(output []string) string {
	var said []string
	for _, l := range output {
		t := strings.TrimSpace(l)
		if t == "" || strings.HasPrefix(t, "=== ") || strings.HasPrefix(t, "--- ") {
			continue
		}
		if _, after, ok := strings.Cut(t, ".go:"); ok {
			if _, text, ok := strings.Cut(after, ": "); ok {
				t = text
			}
		}
		said = append(said, t)
	}
	return strings.Join(said, " ")
}

func (s *sum) close() bool {
	sort.Strings(s.skips)
	// What only runs when a variable asks for it is no lack of this machine.
	list := func(title string, asked bool) {
		for _, l := range s.skips {
			if strings.Contains(l, "RENTGEN_") != asked {
				continue
			}
			if title != "" {
				fmt.Fprintln(s.out, "\n"+title)
				title = ""
			}
			fmt.Fprintln(s.out, "  "+l)
		}
	}
	list("runs only when asked for:", true)
	list("skipped on this machine:", false)
	ok := s.failed == 0 && s.passed > 0
	if ok {
		fmt.Fprintln(s.out, "\nall tests passed")
	} else {
		fmt.Fprintln(s.out, "\nTESTS FAILED")
	}
	fmt.Fprintf(s.out, "%d passed, %d failed, %d skipped\n", s.passed, s.failed, s.skipped)
	return ok
}
