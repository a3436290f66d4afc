package sense

import (
	"context"
	"errors"
	"testing"
	"time"

	"rentgen/app/judge"
	"rentgen/app/judge/court"
	"rentgen/probe"
)

// shelf keeps what was judged.
type shelf struct {
	kept map[int64]judge.Kept
	fail error
	save func() // runs before something is kept, may be nil
}

func (s *shelf) Judged(_ context.Context, id int64) (judge.Kept, error) { return s.kept[id], s.fail }

func (s *shelf) SaveJudged(_ context.Context, id int64, k judge.Kept) error {
	if s.save != nil {
		s.save()
	}
	s.kept[id] = k
	return s.fail
}

func (s *shelf) Phases(context.Context, int) (all []judge.Phase, _ error) {
	for _, k := range s.kept {
		all = append(all, k.Phases...)
	}
	return all, s.fail
}

func log(id int64, reads *int, open bool) Log {
	return Log{
		ID: id, Host: box, From: start, To: start.Add(899 * time.Second), Open: open,
		Messages: func(context.Context) judge.Messages {
			*reads++
			return func(yield func(probe.Message, error) bool) {
				if !yield(inventory(), nil) {
					return
				}
				for i := range 900 {
					if !yield(second(i, i < 700), nil) {
						return
					}
				}
			}
		},
	}
}

func TestALogIsJudgedOnce(t *testing.T) {
	st := &shelf{kept: map[int64]judge.Kept{}}
	s, _ := newSense(t, Params{Judged: st})
	reads := 0
	k, err := s.JudgeLog(t.Context(), log(7, &reads, false))
	if err != nil || len(k.Verdicts) == 0 || len(k.Phases) == 0 || k.Phases[0].Recording != 7 || k.Phases[0].Host != "a" {
		t.Fatalf("%v, %+v", err, k)
	}
	again, err := s.JudgeLog(t.Context(), log(7, &reads, false))
	if err != nil || reads != 1 || len(again.Verdicts) != len(k.Verdicts) {
		t.Errorf("read %d times, %v", reads, err)
	}
	// Other rules judge it anew.
	old := st.kept[7]
	old.Version = court.Version - 1
	st.kept[7] = old
	if _, err := s.JudgeLog(t.Context(), log(7, &reads, false)); err != nil || reads != 2 || st.kept[7].Version != court.Version {
		t.Errorf("read %d times, %v", reads, err)
	}
}

func TestALogThatGrowsIsJudgedNowAndThen(t *testing.T) {
	s, c := newSense(t, Params{Judged: &shelf{kept: map[int64]judge.Kept{}}})
	reads := 0
	for range 3 {
		if _, err := s.JudgeLog(t.Context(), log(7, &reads, true)); err != nil {
			t.Fatal(err)
		}
	}
	if reads != 1 {
		t.Errorf("read %d times within a moment", reads)
	}
	c.set(start.Add(openAgain + time.Second))
	if _, err := s.JudgeLog(t.Context(), log(7, &reads, true)); err != nil || reads != 2 {
		t.Errorf("read %d times, %v", reads, err)
	}
}

func TestLiveAndLogSayTheSame(t *testing.T) {
	s, c := newSense(t, Params{})
	s.Message(box, inventory())
	feed(s, c, 0, 700, true)
	feed(s, c, 700, 900, false)
	live, _ := s.Verdicts("a")
	reads := 0
	k, err := s.JudgeLog(t.Context(), log(1, &reads, false))
	if err != nil {
		t.Fatal(err)
	}
	closed := func(vs []judge.Verdict) (out []judge.Verdict) {
		for _, v := range vs {
			if !v.Open && v.To.Before(start.Add(690*time.Second)) {
				out = append(out, v)
			}
		}
		return out
	}
	a, b := closed(live), closed(k.Verdicts)
	if len(a) != len(b) {
		t.Fatalf("live %v, log %v", kinds(a), kinds(b))
	}
	for i := range a {
		if a[i].Kind != b[i].Kind || !a[i].From.Equal(b[i].From) || !a[i].To.Equal(b[i].To) {
			t.Errorf("live %+v, log %+v", a[i], b[i])
		}
	}
}

func TestAStoreThatFailsCostsNoVerdict(t *testing.T) {
	st := &shelf{kept: map[int64]judge.Kept{}, fail: errors.New("disk is gone")}
	failed := 0
	s, _ := newSense(t, Params{Judged: st, Failed: func(error) { failed++ }})
	reads := 0
	k, err := s.JudgeLog(t.Context(), log(7, &reads, false))
	if err != nil || len(k.Verdicts) == 0 || failed == 0 {
		t.Errorf("%v, %d verdicts, told %d times", err, len(k.Verdicts), failed)
	}
}

// TestWhoNoLongerAsksIsNoFault: another log was opened while one was judged.
func TestWhoNoLongerAsksIsNoFault(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	st := &shelf{kept: map[int64]judge.Kept{}, fail: context.Canceled, save: cancel}
	s, _ := newSense(t, Params{Judged: st, Failed: func(err error) { t.Error(err) }})
	reads := 0
	if k, err := s.JudgeLog(ctx, log(7, &reads, false)); err != nil || len(k.Verdicts) == 0 {
		t.Errorf("%v, %d verdicts", err, len(k.Verdicts))
	}
}

func TestEndedLogsAreJudgedOnce(t *testing.T) {
	reads := 0
	demo := log(3, &reads, false)
	demo.Host.Demo = true
	st := &shelf{kept: map[int64]judge.Kept{}}
	s, _ := newSense(t, Params{Judged: st, Ended: func(context.Context) ([]Log, error) {
		return []Log{log(1, &reads, false), log(2, &reads, true), demo}, nil
	}})
	s.judgeEnded(t.Context())
	s.judgeEnded(t.Context())
	if reads != 1 || len(st.kept) != 1 || len(st.kept[1].Phases) == 0 {
		t.Errorf("%d logs were read, %d kept", reads, len(st.kept))
	}
}
