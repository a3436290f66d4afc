package alert

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"rentgen/app/purse"
)

// save writes what has changed. What fails is kept for the next time.
func (e *Engine) save(ctx context.Context) error {
	e.saving.Lock()
	defer e.saving.Unlock()
	e.mu.Lock()
	var entries []purse.Entry
	taken := e.dirty
	for _, r := range taken {
		entry, err := r.entry()
		if err != nil {
			e.mu.Unlock()
			return err
		}
		entries = append(entries, entry)
	}
	gone := e.gone
	e.dirty, e.gone = map[string]*record{}, nil
	e.mu.Unlock()
	err := e.write(ctx, entries, gone)
	if err != nil {
		e.mu.Lock()
		for id, r := range taken {
			e.dirty[id] = r
		}
		e.gone = append(e.gone, gone...)
		e.mu.Unlock()
	}
	return err
}

func (e *Engine) write(ctx context.Context, entries []purse.Entry, gone []*record) error {
	slices.SortFunc(entries, func(a, b purse.Entry) int { return cmp.Compare(a.Key, b.Key) })
	if len(entries) > 0 {
		if err := e.p.Store.SavePurseEntries(ctx, entries...); err != nil {
			return fmt.Errorf("keep alerts: %w", err)
		}
	}
	for _, r := range gone {
		if err := e.p.Store.DeletePurseEntries(ctx, r.Host, purse.KindAlert, r.ID); err != nil {
			return fmt.Errorf("delete an old alert: %w", err)
		}
	}
	return nil
}

// Rules returns what the person wants to hear of.
func (e *Engine) Rules() Rules {
	e.mu.Lock()
	defer e.mu.Unlock()
	r := e.rules
	r.Off = slices.Clone(r.Off)
	return r
}

// SetRules keeps other rules. The error is a *RangeError where one can't be
// used; nothing is changed then.
func (e *Engine) SetRules(ctx context.Context, r Rules) error {
	if err := r.Check(); err != nil {
		return err
	}
	r.Off = slices.Clone(r.Off)
	b, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode the rules of alerts: %w", err)
	}
	e.saving.Lock()
	defer e.saving.Unlock()
	entry := purse.Entry{Kind: purse.KindSetting, Key: settingRules, Time: e.p.Now(), Body: b}
	if err := e.p.Store.SavePurseEntries(ctx, entry); err != nil {
		return fmt.Errorf("keep the rules of alerts: %w", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.rules = r
	return nil
}

// Forget deletes everything of a host.
func (e *Engine) Forget(ctx context.Context, host string) error {
	e.mu.Lock()
	delete(e.runs, host)
	delete(e.shares, host)
	e.list = slices.DeleteFunc(e.list, func(r *record) bool { return r.Host == host })
	for id, r := range e.dirty {
		if r.Host == host {
			delete(e.dirty, id)
		}
	}
	for k := range e.tracks {
		if k.host == host {
			delete(e.tracks, k)
		}
	}
	e.mu.Unlock()
	e.saving.Lock()
	defer e.saving.Unlock()
	if err := e.p.Store.DeletePurseEntries(ctx, host, purse.KindAlert); err != nil {
		return fmt.Errorf("delete the alerts of a host: %w", err)
	}
	return nil
}
