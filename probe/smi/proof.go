package smi

import (
	"errors"

	"rentgen/probe"
)

// frozen is how many equal ticks look like a loop whose driver is gone.
const frozen = 30

func (s *session) askProcs() {
	if s.failure != nil || len(s.inv.GPUs) == 0 {
		s.after("procs", s.l.p.ProcsEvery, procsDue{})
		return
	}
	parts := []part{partApps(), partPIDs}
	for _, d := range s.inv.GPUs {
		if d.Profile != "" {
			parts = append(parts, partTable)
			break
		}
	}
	s.do(func() {
		got, err := s.l.ask(s.ctx, parts...)
		s.send(s.ctx, procsMsg{got, err, len(parts) > 2})
	})
}

func (s *session) gotProcs(m procsMsg) {
	s.after("procs", s.l.p.ProcsEvery, procsDue{})
	if m.err != nil && !errors.Is(m.err, errTimeout) {
		return // the link's trouble shows elsewhere
	}
	a := m.apps.parts[0]
	apps, _ := ParseApps(a.out)
	s.procsFresh, s.procsBad, s.procs = true, nil, nil
	if f := ParseFailure(a.out, a.exit); f != nil && len(apps) == 0 {
		s.procsBad = f
		return
	}
	if a.exit < 0 {
		s.procsBad = &Failure{Kind: FailHang, Exit: -1, Raw: errTimeout.Error()}
		return
	}
	s.procs = processes(apps, own(m.apps.parts[1]))
	if m.table {
		if sl := ParseSlices(m.apps.parts[2].out); len(sl) > 0 {
			s.slices, s.sliced = sl, s.l.p.Now()
		}
	}
}

// askProof calls nvidia-smi afresh: a loop that runs is no proof that the
// cards can still be reached.
func (s *session) askProof() {
	if s.cancel == nil || len(s.last) == 0 {
		s.after("proof", s.l.p.ProofEvery, proofDue{})
		return
	}
	gen, part := s.gen, partQuery(s.query)
	s.do(func() {
		got, err := s.l.ask(s.ctx, part)
		s.send(s.ctx, proofMsg{gen, got, err})
	})
}

func (s *session) gotProof(m proofMsg) {
	s.after("proof", s.l.p.ProofEvery, proofDue{})
	if m.gen != s.gen || s.cancel == nil || m.err != nil && !errors.Is(m.err, errTimeout) {
		return
	}
	rows, _ := ParseCSV(m.got.parts[0].out, len(s.query.cols))
	suspect := dead(s.last) || s.alike >= frozen
	if len(rows) > 0 {
		s.oddProof = 0
		fresh := make([]card, 0, len(rows))
		for _, r := range rows {
			fresh = append(fresh, s.query.read(r))
		}
		identify(fresh)
		if suspect && !dead(fresh) && !same(fresh, s.last) {
			s.event(probe.Event{Kind: probe.EventSource, Text: "the running loop of nvidia-smi no longer tells the truth and is started anew", Raw: "a fresh call reads other values"})
			s.startLoop()
		}
		return
	}
	f := failureOf(m.got.parts[0], m.got.extra, m.err)
	if suspect {
		s.fail(f, "")
		return
	}
	// The loop still reads a living card, so it goes on: after an upgrade of
	// the driver under it, or a container that lost its devices, that is what
	// happens. That the next start would fail is told once.
	if s.oddProof++; s.oddProof == 1 {
		s.event(probe.Event{
			Kind: f.EventKind(), Code: max(f.Exit, 0), Raw: f.Raw,
			Text: "a fresh call of nvidia-smi fails (" + string(f.Kind) + ") while the running loop still reads",
		})
	}
}
