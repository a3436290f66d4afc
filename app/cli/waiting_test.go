package cli

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

func TestWaitingReadsAll(t *testing.T) {
	want := strings.Repeat("0123456789", 30000)
	for _, r := range []io.Reader{
		strings.NewReader(want), iotest.DataErrReader(strings.NewReader(want)), iotest.OneByteReader(strings.NewReader(want[:300])),
	} {
		b, err := io.ReadAll(iotest.HalfReader(waitingFor(t.Context(), r)))
		if err != nil || !strings.HasPrefix(want, string(b)) || len(b) != len(want) && len(b) != 300 {
			t.Errorf("%d bytes, %v", len(b), err)
		}
	}
	broken := errors.New("broken")
	if _, err := io.ReadAll(waitingFor(t.Context(), iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Error(err)
	}
}

// TestInterruptEndsAWait ends commands that wait for standard input that says
// nothing.
func TestInterruptEndsAWait(t *testing.T) {
	for _, words := range []string{
		"judge -", "history import -", "cost import -", "fit -", "check --hosts -", "check --paste gpu.smi --track shared --exit 0",
		"alerts test json --password-stdin", "probe root@192.0.2.7 --password-stdin", "why root@192.0.2.7 root@192.0.2.8 --password-stdin",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		home, in, asked := t.TempDir(), make(chan struct{}), make(chan struct{})
		code := make(chan int, 1)
		go func() {
			code <- Run(ctx, Params{
				Args: strings.Fields(words), Stdin: silent{asked, in}, Stdout: io.Discard, Stderr: io.Discard,
				Getenv: func(k string) string {
					if k == "RENTGEN_HOME" {
						return home
					}
					return ""
				},
			})
		}()
		select {
		case <-asked:
		case n := <-code:
			t.Errorf("%s: %d before it reads", words, n)
			code <- n
		}
		cancel()
		select {
		case n := <-code:
			if n != ExitInterrupted {
				t.Errorf("%s: %d", words, n)
			}
		case <-time.After(deadline):
			t.Errorf("%s goes on", words)
		}
		close(in)
	}
}

// silent is input that says nothing; it tells the first time that it is read.
type silent struct {
	asked chan struct{}
	in    chan struct{}
}

func (s silent) Read([]byte) (int, error) {
	close(s.asked)
	<-s.in
	return 0, io.EOF
}
