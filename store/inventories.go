package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fxamacker/cbor/v2"

	"rentgen/probe"
)

// maxInventories bounds what is kept of one recording: a link that breaks all
// day brings the same again, which isn't kept twice.
const maxInventories = 2000

// latestInventory is what the reader said last.
func (t *tape) latestInventory() *probe.Inventory {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.inv
}

// inventory keeps what the reader says of the host where it differs from what
// it said before.
func (f *flushing) inventory(inv *probe.Inventory, at time.Time) error {
	if inv == nil {
		return nil
	}
	kept := *inv
	kept.Time = time.Time{}
	kept.Detail = clipText(kept.Detail)
	if len(kept.GPUs) > maxDevices {
		kept.GPUs = kept.GPUs[:maxDevices]
	}
	body, err := cbor.Marshal(kept)
	if err != nil {
		return err
	}
	if !inv.Time.IsZero() {
		at = inv.Time
	}
	return f.exec(`INSERT INTO inventories (recording, t, body) SELECT ?1, ?2, ?3
		WHERE ?3 IS NOT (SELECT body FROM inventories WHERE recording=?1 ORDER BY t DESC, id DESC LIMIT 1)
		AND (SELECT count(*) FROM inventories WHERE recording=?1)<?4`, f.t.recording, at.UnixMilli(), body, maxInventories)
}

// Inventories returns what the reader said of the host in a recording, by time.
// A recording from before they were kept has one, made of its cards.
func (s *Store) Inventories(ctx context.Context, recording int64) ([]probe.Inventory, error) {
	rec, err := s.Recording(ctx, recording)
	if err != nil {
		return nil, err
	}
	var list []probe.Inventory
	if !s.lacks(judgedSince) {
		err := s.each(ctx, "SELECT t, body FROM inventories WHERE recording=? ORDER BY t, id", []any{recording}, func(rows *sql.Rows) error {
			var t int64
			var body sql.RawBytes
			if err := rows.Scan(&t, &body); err != nil {
				return err
			}
			var inv probe.Inventory
			if err := cbor.Unmarshal(body, &inv); err != nil {
				return err
			}
			inv.Time = fromMilli(t)
			list = append(list, inv)
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("inventories of recording %d: %w", recording, named(err))
		}
	}
	if len(list) == 0 {
		list = []probe.Inventory{{Time: rec.From, Source: rec.Source, GPUs: slices.Clone(rec.Devices), Mode: probe.ModeGPU}}
		if len(rec.Devices) == 0 {
			list[0].Mode = ""
		}
	}
	for i := range list {
		inv := &list[i]
		inv.Demo = rec.Demo
		if inv.Source == "" {
			inv.Source = rec.Source
		}
		for k, d := range inv.GPUs {
			inv.GPUs[k].UUID = trackName(d.UUID, d.Index)
		}
	}
	return list, nil
}

// errStop ends a walk whose consumer has seen enough.
var errStop = errors.New("stop")
