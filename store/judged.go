package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/fxamacker/cbor/v2"

	"rentgen/app/judge"
)

const (
	// MaxJudgedBody is the most bytes the verdicts of a recording may take, and
	// MaxPhases the most phases kept of one.
	MaxJudgedBody = 24 << 20
	MaxPhases     = 20_000
	maxPhaseBody  = 64 << 10
)

var _ judge.Store = (*Store)(nil)

// JudgedRecord is what was judged of a recording, on its way to the disk.
type JudgedRecord struct {
	Recording int64
	Version   int
	To        int64 // Unix milliseconds
	Body      []byte
	Phases    []PhaseRecord
}

// PhaseRecord is a phase on its way to the disk.
type PhaseRecord struct {
	From, To int64 // Unix milliseconds
	Body     []byte
}

// Judged returns what was kept of a recording; the zero Kept where it was never
// judged or isn't there.
func (s *Store) Judged(ctx context.Context, recording int64) (judge.Kept, error) {
	var k judge.Kept
	db, err := s.reads()
	if err != nil || s.lacks(judgedSince) {
		return k, err
	}
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return k, fmt.Errorf("what was judged of recording %d: %w", recording, named(err))
	}
	defer func() { _ = tx.Rollback() }()
	var at int64
	var body []byte
	err = tx.QueryRowContext(ctx, `SELECT j.version, j.t, j.body FROM judged j JOIN recordings r ON r.id=j.recording
		WHERE j.recording=? AND r.deleted=0`, recording).Scan(&k.Version, &at, &body)
	if errors.Is(err, sql.ErrNoRows) {
		return judge.Kept{}, nil
	}
	if err == nil {
		k.To = fromMilli(at)
		k.Verdicts, err = decodeVerdicts(body)
	}
	if err == nil {
		k.Phases, err = readPhases(ctx, tx, "SELECT recording, body FROM phases WHERE recording=? ORDER BY t0, id", recording)
	}
	if err != nil {
		return judge.Kept{}, fmt.Errorf("what was judged of recording %d: %w", recording, named(err))
	}
	return k, nil
}

// SaveJudged keeps what was judged of a recording in place of what was kept, all
// or nothing. A recording that isn't there is ErrNotFound. Of more than
// MaxPhases phases the longest stay.
func (s *Store) SaveJudged(ctx context.Context, recording int64, k judge.Kept) error {
	b, err := s.writes()
	if err != nil {
		return err
	}
	r := JudgedRecord{Recording: recording, Version: k.Version, To: k.To.UnixMilli()}
	if k.To.IsZero() {
		r.To = 0
	}
	if r.Body, err = encodeVerdicts(k.Verdicts); err != nil {
		return fmt.Errorf("keep what was judged: %w", err)
	}
	for _, p := range longest(k.Phases) {
		body, err := judgedEnc.Marshal(p)
		if err != nil {
			return fmt.Errorf("keep a phase: %w", err)
		}
		r.Phases = append(r.Phases, PhaseRecord{p.From.UnixMilli(), p.To.UnixMilli(), body})
	}
	if err := r.check(); err != nil {
		return err
	}
	if err := b.saveJudged(ctx, r); err != nil {
		return fmt.Errorf("keep what was judged of recording %d: %w", recording, err)
	}
	return nil
}

func longest(list []judge.Phase) []judge.Phase {
	if len(list) <= MaxPhases {
		return list
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b judge.Phase) int { return b.Seconds - a.Seconds })
	return list[:MaxPhases]
}

// Phases returns the kept phases of all recordings, newest first; a limit of 0
// or less stands for MaxPhases.
func (s *Store) Phases(ctx context.Context, limit int) ([]judge.Phase, error) {
	db, err := s.reads()
	if err != nil || s.lacks(judgedSince) {
		return []judge.Phase{}, err
	}
	if limit <= 0 || limit > MaxPhases {
		limit = MaxPhases
	}
	list, err := readPhases(ctx, db, `SELECT p.recording, p.body FROM phases p JOIN recordings r ON r.id=p.recording
		WHERE r.deleted=0 ORDER BY p.t1 DESC, p.id DESC LIMIT ?`, limit)
	if err != nil {
		return nil, fmt.Errorf("list phases: %w", named(err))
	}
	return list, nil
}

func readPhases(ctx context.Context, q querier, query string, arg any) ([]judge.Phase, error) {
	list := []judge.Phase{}
	err := eachRow(ctx, q, query, []any{arg}, func(rows *sql.Rows) error {
		var recording int64
		var body sql.RawBytes
		if err := rows.Scan(&recording, &body); err != nil {
			return err
		}
		var p judge.Phase
		if err := frameDec.Unmarshal(body, &p); err != nil {
			return fmt.Errorf("phase: %w", err)
		}
		p.Recording = recording
		p.From, p.To = p.From.UTC(), p.To.UTC()
		list = append(list, p)
		return nil
	})
	return list, err
}

func (r JudgedRecord) check() error {
	switch {
	case len(r.Body) > MaxJudgedBody:
		return inputError("judged", "body", "", "too-long")
	case len(r.Phases) > MaxPhases:
		return inputError("judged", "phases", "", "too-long")
	}
	if _, err := decodeVerdicts(r.Body); err != nil {
		return inputError("judged", "body", "", "control")
	}
	for _, p := range r.Phases {
		if len(p.Body) == 0 || len(p.Body) > maxPhaseBody || cbor.Wellformed(p.Body) != nil {
			return inputError("judged", "phases", "", "too-long")
		}
	}
	return nil
}

func (o *owner) saveJudged(ctx context.Context, r JudgedRecord) error {
	err := transact(ctx, o.db, func(tx *sql.Tx) error {
		if err := liveRecording(ctx, tx, r.Recording); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO judged (recording, version, t, body) VALUES (?,?,?,?)", r.Recording, r.Version, r.To, r.Body); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM phases WHERE recording=?", r.Recording); err != nil {
			return err
		}
		for _, p := range r.Phases {
			if _, err := tx.ExecContext(ctx, "INSERT INTO phases (recording, t0, t1, body) VALUES (?,?,?,?)", r.Recording, p.From, p.To, p.Body); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, ErrNotFound) {
		return err
	}
	return named(err)
}

// liveRecording is ErrNotFound for a recording that isn't there or is deleted.
func liveRecording(ctx context.Context, tx *sql.Tx, id int64) error {
	var n int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM recordings WHERE id=? AND deleted=0", id).Scan(&n); err != nil {
		return err
	}
	if n == 0 {
		return ErrNotFound
	}
	return nil
}

func (p *proxy) saveJudged(ctx context.Context, r JudgedRecord) error {
	return p.do(ctx, request{Op: opSaveJudged, Judged: &r}, func(b backend) error { return b.saveJudged(ctx, r) })
}

// judgedEnc keeps times to the nanosecond and what isn't a number as it is.
var judgedEnc = frameEnc

// finite leaves out figures that are no number: they are none to show.
func finite(m map[string]judge.Number) map[string]judge.Number {
	out := make(map[string]judge.Number, len(m))
	for k, n := range m {
		if !math.IsNaN(n.Value) && !math.IsInf(n.Value, 0) {
			out[k] = n
		}
	}
	return out
}

// keptVerdict is a judge.Verdict as it is stored: its phrases can be said in
// every language afterwards.
type keptVerdict struct {
	Kind       judge.Kind              `cbor:"1,keyasint"`
	Level      judge.Level             `cbor:"2,keyasint"`
	GPU        string                  `cbor:"3,keyasint,omitempty"`
	From       time.Time               `cbor:"4,keyasint"`
	To         time.Time               `cbor:"5,keyasint"`
	Open       bool                    `cbor:"6,keyasint,omitempty"`
	Confidence float64                 `cbor:"7,keyasint"`
	Doubts     []keptPhrase            `cbor:"8,keyasint,omitempty"`
	Numbers    map[string]judge.Number `cbor:"9,keyasint,omitempty"`
	Say        keptPhrase              `cbor:"10,keyasint"`
	Next       keptPhrase              `cbor:"11,keyasint"`
	Rule       string                  `cbor:"12,keyasint,omitempty"`
}

func encodeVerdicts(list []judge.Verdict) ([]byte, error) {
	out := make([]keptVerdict, len(list))
	for i, v := range list {
		k := keptVerdict{
			Kind: v.Kind, Level: v.Level, GPU: v.GPU, From: v.From, To: v.To, Open: v.Open, Confidence: v.Confidence,
			Numbers: finite(v.Numbers), Say: keepPhrase(v.Say, 0), Next: keepPhrase(v.Next, 0), Rule: v.Rule,
		}
		for _, d := range v.Doubts {
			k.Doubts = append(k.Doubts, keepPhrase(d, 0))
		}
		out[i] = k
	}
	return judgedEnc.Marshal(out)
}

func decodeVerdicts(b []byte) ([]judge.Verdict, error) {
	var in []keptVerdict
	if err := frameDec.Unmarshal(b, &in); err != nil {
		return nil, fmt.Errorf("verdicts: %w", err)
	}
	var list []judge.Verdict
	for _, k := range in {
		v := judge.Verdict{
			Kind: k.Kind, Level: k.Level, GPU: k.GPU, From: k.From.UTC(), To: k.To.UTC(), Open: k.Open, Confidence: k.Confidence,
			Numbers: k.Numbers, Say: k.Say.phrase(), Next: k.Next.phrase(), Rule: k.Rule,
		}
		for _, d := range k.Doubts {
			v.Doubts = append(v.Doubts, d.phrase())
		}
		list = append(list, v)
	}
	return list, nil
}
