package store

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"rentgen/probe"
)

// A test binary started with childEnv is another process of the program.
const childEnv = "RENTGEN_STORE_CHILD"

func TestMain(m *testing.M) {
	if role := os.Getenv(childEnv); role != "" {
		os.Exit(child(role))
	}
	os.Exit(m.Run())
}

func child(role string) int {
	f, ok := map[string]func(dir string) error{"record": childRecord, "plans": childPlans, "planner": childPlanner, "guide": childGuide, "checker": childChecker, "second": childSecond, "window": childWindow}[role]
	if !ok {
		fmt.Fprintln(os.Stderr, "unknown role")
		return 2
	}
	if err := f(os.Getenv("RENTGEN_STORE_DIR")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func childCommand(ctx context.Context, t *testing.T, role, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(ctx, os.Args[0]) // killed with SIGKILL when ctx ends
	cmd.Env = append(os.Environ(), childEnv+"="+role, "RENTGEN_STORE_DIR="+dir)
	cmd.Stderr = &bytes.Buffer{}
	return cmd
}

// childRecord fills most of an hour at once and goes on in real time, 20 ticks
// a second, over the end of the hour, which is then sealed. It says what it has
// handed over.
func childRecord(dir string) error {
	s, err := Open(context.Background(), Params{Dir: dir, Now: testNow})
	if err != nil {
		return err
	}
	o := s.back.(*owner)
	out := bufio.NewWriter(os.Stdout)
	say := func(format string, args ...any) {
		fmt.Fprintf(out, format+"\n", args...)
		_ = out.Flush()
	}
	said := make(chan string, 16)
	o.sealAfter, o.onSeal = 0, func() { said <- "seal" }
	r, err := s.StartRecording(context.Background(), RecordingStart{HostID: "h1", HostName: "box"})
	if err != nil {
		return err
	}
	r.Message(inventory())
	seq := uint64(0)
	const before = 3598
	for i := range before {
		seq++
		r.Message(tick(seq, hourZero.Add(time.Duration(i)*time.Second), 50))
	}
	// What was just filled in took no real time: it counts once it is written.
	if err := o.call(context.Background(), o.flushAll); err != nil {
		return err
	}
	say("recording %d", r.ID())
	start, ticker := time.Now(), time.NewTicker(50*time.Millisecond)
	for range ticker.C {
		at := hourZero.Add(before*time.Second + time.Since(start))
		seq++
		r.Message(tick(seq, at, 50))
		select {
		case line := <-said:
			say("%s", line)
		default:
		}
		say("tick %d", at.Unix())
	}
	return nil
}

func TestKilledAtAnyMomentLosesAtMostTwoSeconds(t *testing.T) {
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	dir := t.TempDir()
	for round := range rounds {
		ctx, kill := context.WithTimeout(t.Context(), 30*time.Second)
		cmd := childCommand(ctx, t, "record", dir)
		pipe, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var id, last int64
		armed, duringSeal := false, round%2 == 0
		lines := bufio.NewScanner(pipe)
		for lines.Scan() {
			switch line := lines.Text(); {
			case strings.HasPrefix(line, "recording"):
				fmt.Sscanf(line, "recording %d", &id)
				if !duringSeal {
					time.AfterFunc(time.Duration(rand.IntN(3000))*time.Millisecond, kill)
				}
			case strings.HasPrefix(line, "tick"):
				fmt.Sscanf(line, "tick %d", &last)
			case line == "seal" && duringSeal && !armed:
				armed = true
				time.AfterFunc(time.Duration(rand.IntN(120))*time.Millisecond, kill)
			}
		}
		err = cmd.Wait()
		kill()
		if id == 0 {
			t.Fatalf("round %d: child said nothing: %v %s", round, err, cmd.Stderr)
		}
		t.Logf("round %d: killed at second %d of the hour, during a seal: %v", round, last-hourZero.Unix(), armed)

		// As the crash left it, and again after recovery.
		ro, err := Open(t.Context(), Params{Dir: dir, ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		checkWhole(t, ro, id, last)
		if err := ro.Close(); err != nil {
			t.Fatal(err)
		}
		s := open(t, dir)
		checkWhole(t, s, id, last)
		rec, err := s.Recording(t.Context(), id)
		if err != nil || rec.Open || rec.Reason != EndCrash {
			t.Errorf("recording after recovery: %+v, %v", rec, err)
		}
		if d := s.Damaged(); d != nil {
			t.Fatalf("set aside: %+v", d)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// checkWhole wants every second once, up to two before the last one heard of.
func checkWhole(t *testing.T, s *Store, id, last int64) {
	t.Helper()
	for _, q := range []Query{{GPU: cardA, Metric: probe.UtilGPU}, {GPU: cardB, Metric: probe.TempMem}, {Metric: probe.CPU}} {
		q.Recording, q.Points = id, 10_000
		out := query(t, s, q)
		if last == 0 {
			return // killed before the first tick was told
		}
		if len(out.Points) == 0 {
			t.Errorf("%s: nothing, heard of second %d", q.Metric, last-hourZero.Unix())
			continue
		}
		for i, p := range out.Points {
			n := p.N
			if q.Metric == probe.TempMem {
				n++ // denied throughout
			}
			if want := hourZero.Unix() + int64(i); p.T.Unix() != want || n != 1 {
				t.Fatalf("%s: point %d is second %d with %d entries", q.Metric, i, p.T.Unix()-hourZero.Unix(), n)
			}
		}
		got := out.Points[len(out.Points)-1].T.Unix()
		if got < last-2 || got > last+1 {
			t.Errorf("%s: ends at %d, heard of %d: %d s lost", q.Metric, got-hourZero.Unix(), last-hourZero.Unix(), last-got)
		}
	}
}

// killedAfter runs a child that saves one thing after the other, kills it a moment
// after it said that so many are saved, and returns the last one that it said.
func killedAfter(t *testing.T, kind, dir string, after int) int {
	t.Helper()
	ctx, kill := context.WithTimeout(t.Context(), 30*time.Second)
	defer kill()
	cmd := childCommand(ctx, t, kind, dir)
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	last := 0
	lines := bufio.NewScanner(pipe)
	for lines.Scan() {
		fmt.Sscanf(lines.Text(), "saved %d", &last)
		if last == after {
			time.AfterFunc(time.Duration(rand.IntN(4000))*time.Microsecond, kill)
		}
	}
	err = cmd.Wait()
	if last < after {
		t.Fatalf("the child ended at %d of %d: %v %s", last, after, err, cmd.Stderr)
	}
	return last
}
