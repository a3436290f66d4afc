package sense

import (
	"context"
	"fmt"
	"time"

	"rentgen/app/judge"
	"rentgen/app/judge/court"
)

const (
	// mostPhases is how many earlier phases a run is compared with.
	mostPhases = 400
	// openAgain is how long the verdicts of a log that is still being kept hold.
	openAgain = 5 * time.Minute
)

// Log is a log to be judged.
type Log struct {
	ID   int64
	Host Host
	From time.Time
	To   time.Time
	Open bool // still being kept
	// Messages reads it.
	Messages func(ctx context.Context) judge.Messages
}

// pastLog is what an open log was found to mean so far.
type pastLog struct {
	at   time.Time
	kept judge.Kept
}

const (
	// catchUpFirst leaves the first minute to the window.
	catchUpFirst = time.Minute
	catchUpEvery = 10 * time.Minute
	// mostAtOnce bounds what is judged between two looks.
	mostAtOnce = 20
)

// catchUp judges logs that have ended, now and then, until Close.
func (s *Sense) catchUp() {
	t := time.NewTimer(catchUpFirst)
	defer t.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-t.C:
		}
		s.judgeEnded(s.ctx)
		t.Reset(catchUpEvery)
	}
}

// judgeEnded judges what has ended and was never judged by these rules.
func (s *Sense) judgeEnded(ctx context.Context) {
	logs, err := s.p.Ended(ctx)
	if err != nil {
		return // read again with the next look
	}
	judged := 0
	for _, log := range logs {
		if log.Open || log.Host.Demo || judged >= mostAtOnce || ctx.Err() != nil {
			continue
		}
		if _, ok := s.judgedBefore(ctx, log); ok {
			continue
		}
		judged++
		if _, err := s.JudgeLog(ctx, log); err != nil && ctx.Err() == nil {
			continue // a log that can't be read says why where it is opened
		}
	}
}

func (s *Sense) readPhases(ctx context.Context) error {
	if s.p.Judged == nil {
		return nil
	}
	list, err := s.p.Judged.Phases(ctx, mostPhases)
	if err != nil {
		return fmt.Errorf("read earlier runs: %w", err)
	}
	s.mu.Lock()
	s.phases = list
	s.mu.Unlock()
	return nil
}

// Phases returns the steady phases of earlier logs, newest first.
func (s *Sense) Phases() []judge.Phase {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.phases[:len(s.phases):len(s.phases)] // replaced as a whole, never written into
}

// JudgeLog says what a log means: as it was judged before by these rules, else
// by reading it. What was found of a log that has ended is kept.
func (s *Sense) JudgeLog(ctx context.Context, log Log) (judge.Kept, error) {
	if k, ok := s.judgedBefore(ctx, log); ok {
		return k, nil
	}
	s.mu.Lock()
	set := judge.Setting{Track: log.Host.Track, Earlier: before(s.phases, log)}
	s.mu.Unlock()
	k, err := court.Over(ctx, log.Messages(ctx), set, nil)
	if err != nil {
		return judge.Kept{}, fmt.Errorf("judge the log: %w", err)
	}
	for i := range k.Phases {
		k.Phases[i].Recording, k.Phases[i].Host = log.ID, log.Host.ID
	}
	if log.Open {
		s.mu.Lock()
		s.past[log.ID] = pastLog{s.p.Now(), k}
		s.mu.Unlock()
		return k, nil
	}
	s.mu.Lock()
	delete(s.past, log.ID) // it was open once
	s.mu.Unlock()
	if s.p.Judged != nil {
		err := s.p.Judged.SaveJudged(ctx, log.ID, k)
		if err == nil {
			err = s.readPhases(ctx)
		}
		if err != nil && ctx.Err() == nil { // who no longer asks is no fault; it can be judged again
			s.p.Failed(err)
		}
	}
	return k, nil
}

func (s *Sense) judgedBefore(ctx context.Context, log Log) (judge.Kept, bool) {
	if log.Open {
		s.mu.Lock()
		defer s.mu.Unlock()
		p, ok := s.past[log.ID]
		age := s.p.Now().Sub(p.at)
		return p.kept, ok && age >= 0 && age < openAgain
	}
	if s.p.Judged == nil {
		return judge.Kept{}, false
	}
	k, err := s.p.Judged.Judged(ctx, log.ID)
	if err != nil {
		return judge.Kept{}, false
	}
	return k, k.Version == court.Version && !k.To.Before(log.To.Truncate(time.Second))
}

// before are the phases that ended before a log began: what came later can't
// be what it is compared with.
func before(phases []judge.Phase, log Log) []judge.Phase {
	var list []judge.Phase
	for _, p := range phases {
		if p.To.Before(log.From) && p.Recording != log.ID {
			list = append(list, p)
		}
	}
	return list
}
