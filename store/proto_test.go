package store

import (
	"bytes"
	"math"
	"reflect"
	"testing"

	"rentgen/probe"
	"rentgen/store/column"
)

func TestNotesComeBack(t *testing.T) {
	for _, m := range []probe.Message{
		inventory(), tick(7, hourZero.Add(123456789), 5),
		&probe.Event{Time: hourZero, GPU: cardA, Kind: probe.EventXid, Code: 79}, &probe.Gap{From: hourZero, To: hourZero.Add(1), Reason: probe.GapLink},
	} {
		b, err := appendFrame(nil, noteOf(m))
		if err != nil {
			t.Fatal(err)
		}
		var n note
		if err := readFrame(bytes.NewReader(b), &n); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(n.message(), m) {
			t.Errorf("got %+v\nwant %+v", n.message(), m)
		}
	}
}

func FuzzFrames(f *testing.F) {
	for _, v := range []any{
		request{Op: opRecord, Start: &RecordingStart{HostID: "h"}, Token: "t"},
		request{Op: opSave, Host: &Host{Name: "n", Options: map[string]string{"a": "b"}}},
		request{Op: opSavePlan, Plan: &PlanRecord{ID: "p", Name: "n", Body: []byte("days: 30")}},
		request{Op: opSaveGuide, ID: "h", Guide: []GuideRecord{{Kind: "k", Key: "a", Body: []byte("{}")}}},
		request{Op: opDeleteGuide, GuideKeys: &GuideKeys{Host: "h", Kind: "k", Keys: []string{"a"}}},
		noteOf(inventory()), noteOf(tick(1, hourZero, 1)),
		reply{Code: "other", Text: "x"},
		note{Close: true},
	} {
		b, err := appendFrame(nil, v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte{0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		var q request
		if readFrame(bytes.NewReader(b), &q) == nil && q.Host != nil {
			_ = q.Host.check()
		}
		if q.Plan != nil {
			_ = q.Plan.check()
		}
		if q.GuideKeys != nil {
			_ = q.GuideKeys.check()
		}
		_ = checkGuide(q.ID, q.Guide)
		var n note
		if readFrame(bytes.NewReader(b), &n) != nil {
			return
		}
		// Whatever comes, the recorder takes it.
		tp := &tape{o: &owner{wake: make(chan struct{}, 1)}, limit: 100}
		if m := n.message(); m != nil {
			tp.message(m)
			tp.message(m)
		}
		for _, r := range tp.take().rows {
			cells := cellsOf(r)
			if err := decodeRow(cells, -1, r.data); err != nil {
				t.Fatalf("own row: %v", err)
			}
		}
	})
}

func FuzzRow(f *testing.F) {
	a := acc{}
	v := probe.Of(5)
	a.add(&v)
	f.Add(encodeRow(nil, nil))
	f.Add([]byte{rowVersion, byte(probe.OK), 10, byte(probe.OK) | rowSpread, 10, 1, 1, byte(probe.Error) | rowRaw, 2, 'n', 'o'})
	f.Fuzz(func(t *testing.T, b []byte) {
		all := cellsOf(pendingRow{})
		one := cellsOf(pendingRow{})
		err := decodeRow(all, -1, b)
		if decodeRow(one, 3, b) == nil && err == nil && one[3] != all[3] {
			t.Fatalf("%+v alone, %+v with all", one[3], all[3])
		}
	})
}

func TestNumbersThatAreNoneBecomeErrors(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1), 1e300, -1e300} {
		var a acc
		a.add(&probe.Value{Num: x, State: probe.OK})
		if c := a.cell(probe.Power); c.OK() {
			t.Errorf("%v became %+v", x, c)
		}
	}
}

func cellsOf(r pendingRow) []column.Cell {
	if r.run != nil && r.card.UUID == machineUUID {
		return make([]column.Cell, probe.SystemMetricCount)
	}
	return make([]column.Cell, probe.GPUMetricCount)
}
