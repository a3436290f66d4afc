package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	maxPlanName = 120
	maxPlanID   = 80
	// MaxPlanBody is the most bytes a plan may have.
	MaxPlanBody = 512 << 10
)

// plansSince is the schema that brought the table of plans.
const plansSince = 2

// PlanRecord is a saved plan. What the body says is none of the store's
// business: it keeps the bytes.
type PlanRecord struct {
	ID       string // made by SavePlan when empty
	Name     string // not unique
	Body     []byte
	Position int       // in the list, ascending
	Updated  time.Time // set by SavePlan
}

// SavePlan adds a plan or replaces the one with its ID, and returns it as
// saved. When it returns the plan is on the disk. A field that can't be stored
// is an *InputError.
func (s *Store) SavePlan(ctx context.Context, p PlanRecord) (PlanRecord, error) {
	b, err := s.writes()
	if err != nil {
		return p, err
	}
	p.Name = strings.TrimSpace(p.Name)
	if p.ID == "" {
		p.ID = rand.Text()
	}
	if err := p.check(); err != nil {
		return p, err
	}
	p.Updated = fromMilli(s.p.Now().UnixMilli())
	if err := b.savePlan(ctx, p); err != nil {
		return p, fmt.Errorf("save plan %q: %w", p.Name, err)
	}
	return p, nil
}

func (p PlanRecord) check() error {
	bad := func(field, value, why string) error {
		return &InputError{Of: "plan", Field: field, Value: value, Why: why}
	}
	switch {
	case p.ID == "":
		return bad("id", "", "empty")
	case len(p.ID) > maxPlanID:
		return bad("id", p.ID[:40], "too-long")
	case p.Name == "":
		return bad("name", "", "empty")
	case !utf8.ValidString(p.Name) || strings.IndexFunc(p.Name, unicode.IsControl) >= 0:
		return bad("name", "", "control")
	case utf8.RuneCountInString(p.Name) > maxPlanName:
		return bad("name", string([]rune(p.Name)[:40]), "too-long")
	case len(p.Body) == 0:
		return bad("body", "", "empty")
	case len(p.Body) > MaxPlanBody:
		return bad("body", "", "too-long")
	}
	return nil
}

// Plans returns the saved plans by position.
func (s *Store) Plans(ctx context.Context) ([]PlanRecord, error) {
	db, err := s.reads()
	if err != nil {
		return nil, err
	}
	list := []PlanRecord{}
	if s.older > 0 && s.older < plansSince {
		return list, nil
	}
	query := "SELECT id, name, body, position, updated FROM plans ORDER BY position, updated, id"
	err = eachRow(ctx, db, query, nil, func(rows *sql.Rows) error {
		var p PlanRecord
		var updated int64
		if err := rows.Scan(&p.ID, &p.Name, &p.Body, &p.Position, &updated); err != nil {
			return err
		}
		p.Updated = fromMilli(updated)
		list = append(list, p)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list plans: %w", named(err))
	}
	return list, nil
}

// DeletePlan removes a plan. It does nothing for an ID that isn't there.
func (s *Store) DeletePlan(ctx context.Context, id string) error {
	b, err := s.writes()
	if err != nil {
		return err
	}
	if err := b.deletePlan(ctx, id); err != nil {
		return fmt.Errorf("delete plan: %w", err)
	}
	return nil
}

func (o *owner) savePlan(ctx context.Context, p PlanRecord) error {
	_, err := o.db.ExecContext(ctx, `INSERT INTO plans (id, name, body, position, updated) VALUES (?,?,?,?,?)
		ON CONFLICT (id) DO UPDATE SET name=excluded.name, body=excluded.body, position=excluded.position, updated=excluded.updated`,
		p.ID, p.Name, p.Body, p.Position, p.Updated.UnixMilli())
	return named(err)
}

func (o *owner) deletePlan(ctx context.Context, id string) error {
	_, err := o.db.ExecContext(ctx, "DELETE FROM plans WHERE id=?", id)
	return named(err)
}

func (p *proxy) savePlan(ctx context.Context, r PlanRecord) error {
	return p.do(ctx, request{Op: opSavePlan, Plan: &r}, func(b backend) error { return b.savePlan(ctx, r) })
}

func (p *proxy) deletePlan(ctx context.Context, id string) error {
	return p.do(ctx, request{Op: opDeletePlan, ID: id}, func(b backend) error { return b.deletePlan(ctx, id) })
}
