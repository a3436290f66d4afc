package stream

import (
	"testing"
	"time"

	"rentgen/probe"
)

func TestParseQueue(t *testing.T) {
	for text, want := range map[string]int{
		`{"exec_info": {"queue_remaining": 0}}`:               0,
		`{"exec_info": {"queue_remaining": 12, "other": []}}`: 12,
		`{"exec_info": {}}`:                                   -1,
		`{"exec_info": {"queue_remaining": -1}}`:              -1,
		`{"exec_info": {"queue_remaining": 1e9}}`:             -1,
		`{"exec_info": {"queue_remaining": "1"}}`:             -1,
		`<html>login</html>`:                                  -1,
		``:                                                    -1,
	} {
		n, err := parseQueue([]byte(text))
		if (err != nil) != (want < 0) || err == nil && n != want {
			t.Errorf("%s: %d, %v", text, n, err)
		}
	}
}

func FuzzParseQueue(f *testing.F) {
	f.Add([]byte(`{"exec_info": {"queue_remaining": 3}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if n, err := parseQueue(b); err == nil && (n < 0 || n >= 1_000_000) {
			t.Errorf("%d jobs", n)
		}
	})
}

func TestQueueStandsInTicksWhileItIsFresh(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	tr := &tracker{queue: probe.Of(3), queueAt: at}
	tick := func(after time.Duration, v probe.Value) probe.Value {
		s := &probe.Sample{Time: at.Add(after), System: &probe.System{}}
		s.System.Set(probe.Queue, v)
		tr.carry(s)
		return s.System.Get(probe.Queue)
	}
	if got := tick(2*time.Second, probe.Value{}); got != probe.Of(3) {
		t.Errorf("fresh: %+v", got)
	}
	if got := tick(queueAge+time.Second, probe.Value{}); got.State != probe.Unsupported {
		t.Errorf("an old answer stands for the queue: %+v", got)
	}
	if got := tick(2*time.Second, probe.Of(7)); got != probe.Of(7) {
		t.Errorf("the reader's own word was lost: %+v", got)
	}
}
