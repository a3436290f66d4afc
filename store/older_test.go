package store

import (
	"bytes"
	"context"
	"database/sql"
	"slices"
	"testing"
	"time"

	"rentgen/probe"
	"rentgen/store/column"
)

// unpack gives every metric of sealed hours a row of its own, as the program
// did before there were packs, and energies a form that stands alone.
func unpack(t *testing.T, o *owner) {
	t.Helper()
	ctx := context.Background()
	err := transact(ctx, o.db, func(tx *sql.Tx) error {
		for _, table := range []string{"seconds", "minutes"} {
			packs := map[int64][]byte{}
			at := "id & 255"
			if table == "minutes" {
				at = "(id >> 22) & 255"
			}
			err := eachRow(ctx, tx, "SELECT id, data FROM "+table+" WHERE "+at+"=254", nil, func(rows *sql.Rows) error {
				var id int64
				var data []byte
				err := rows.Scan(&id, &data)
				packs[id] = data
				return err
			})
			if err != nil {
				return err
			}
			if len(packs) == 0 {
				t.Errorf("%s has no packs", table)
			}
			for id, data := range packs {
				blobs := map[probe.Metric][]byte{}
				if err := eachMetric(data, func(m probe.Metric, b []byte) bool { blobs[m] = b; return true }); err != nil {
					return err
				}
				for m, b := range blobs {
					key := id&^255 | int64(m)
					if table == "minutes" {
						key = id&^(255<<hourBits) | int64(m)<<hourBits
					} else if m == probe.Energy {
						cells, steps, err := column.DecodeBeside(nil, b, func() ([]column.Cell, error) {
							return column.DecodeMeans(blobs[besideEnergy])
						})
						if err != nil {
							return err
						}
						if b, err = column.Encode(cells, steps); err != nil {
							return err
						}
					}
					if _, err := tx.ExecContext(ctx, "INSERT INTO "+table+" (id, data) VALUES (?,?)", key, b); err != nil {
						return err
					}
				}
				if _, err := tx.ExecContext(ctx, "DELETE FROM "+table+" WHERE id=?", id); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestHoursFromBeforePacks reads, prolongs, thins out and deletes hours whose
// metrics have rows of their own.
func TestHoursFromBeforePacks(t *testing.T) {
	s := open(t, t.TempDir())
	o := s.back.(*owner)
	r := record(t, s, hourZero.Add(-90*time.Minute), 3*3600)
	if err := r.Close("stopped"); err != nil {
		t.Fatal(err)
	}
	ask := func() (out []Series) {
		for _, m := range []probe.Metric{probe.UtilGPU, probe.Energy, probe.TempMem, probe.EventReasons, probe.MemTotal} {
			for _, points := range []int{11000, 100, 2} {
				out = append(out, query(t, s, Query{Recording: r.ID(), GPU: cardA, Metric: m, Points: points}))
			}
		}
		return append(out, query(t, s, Query{Recording: r.ID(), Metric: probe.CPU, Points: 100}))
	}
	export := func() string {
		var b bytes.Buffer
		if err := s.ExportCSV(t.Context(), &b, r.ID(), time.Time{}, time.Time{}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	same := func(what string, want []Series) {
		t.Helper()
		for i, got := range ask() {
			if got.Tier != want[i].Tier || !slices.EqualFunc(got.Points, want[i].Points, func(a, b Point) bool {
				return a.T.Equal(b.T) && a.N == b.N && a.State == b.State && a.Raw == b.Raw && (a.N == 0 || a.Min == b.Min && a.Max == b.Max && a.Mean == b.Mean && a.Rise == b.Rise)
			}) {
				t.Errorf("%s: %s by %s differs", what, got.Metric, got.Tier)
			}
		}
	}
	points, file := ask(), export()
	unpack(t, o)
	same("in rows of their own", points)
	if export() != file {
		t.Error("the export differs")
	}
	// Sealed anew, they are packed and nothing is left beside the packs.
	hour := hourOf(hourZero.Unix())
	if err := o.seal(t.Context(), r.ID(), []int64{hour - 2, hour - 1, hour, hour + 1}); err != nil {
		t.Fatal(err)
	}
	same("sealed anew", points)
	var left int
	if err := s.read.QueryRow("SELECT count(*) FROM seconds WHERE id & 255 <> 254").Scan(&left); err != nil || left != 0 {
		t.Errorf("%d rows of single metrics, %v", left, err)
	}
	unpack(t, o)
	for range 4 {
		if _, err := o.dropSeconds(t.Context(), "recording=?", r.ID()); err != nil {
			t.Fatal(err)
		}
	}
	if got := query(t, s, Query{Recording: r.ID(), GPU: cardA, Metric: probe.Power, Points: 11000}); len(got.Points) != 180 {
		t.Errorf("%d minutes left", len(got.Points))
	}
	for range 4 {
		if _, err := o.dropMinutes(t.Context(), "recording=?", r.ID()); err != nil {
			t.Fatal(err)
		}
	}
	for _, table := range []string{"seconds", "minutes"} {
		if err := s.read.QueryRow("SELECT count(*) FROM " + table).Scan(&left); err != nil || left != 0 {
			t.Errorf("%d rows of %s left, %v", left, table, err)
		}
	}
}
