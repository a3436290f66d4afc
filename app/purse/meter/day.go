package meter

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"

	"rentgen/app/purse"
)

// What is known of a second.
const (
	unseen byte = iota
	unsure      // seen to run; busy or idle could not be told
	wasBusy
	wasIdle
)

// day is a day of the local calendar, 23 to 25 hours, with what is known of each
// of its seconds. A day that is over is kept packed.
type day struct {
	key      string
	from, to int64  // Unix seconds
	slots    []byte // nil while packed
	packed   []byte
	n        [wasIdle + 1]int64 // seconds by what is known
	dirty    bool
}

// maxDay bounds a day that a change of the zone made longer.
const maxDay = 3 * 24 * 3600

func (d *day) holds(t int64) bool { return d != nil && d.from <= t && t < d.to }

// open unpacks the seconds; what can't be read is a day of which nothing was seen.
func (d *day) open() []byte {
	if d.slots == nil {
		d.slots = make([]byte, d.to-d.from)
		if d.packed != nil {
			_, _ = io.ReadFull(flate.NewReader(bytes.NewReader(d.packed)), d.slots)
		}
		for i, s := range d.slots {
			if s > wasIdle {
				d.slots[i] = unseen
			}
		}
		d.recount()
	}
	return d.slots
}

func (d *day) recount() {
	for s := unsure; s <= wasIdle; s++ {
		d.n[s] = int64(bytes.Count(d.slots, []byte{s}))
	}
}

// pack frees the seconds' room.
func (d *day) pack() []byte {
	if d.slots == nil {
		return d.packed
	}
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err == nil {
		_, err = w.Write(d.slots)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return d.packed // a buffer does not fail
	}
	d.packed = b.Bytes()
	return d.packed
}

// set notes what a second was. What is known of it already stays.
func (d *day) set(t int64, state byte) {
	s := d.open()
	old := s[t-d.from]
	if old >= wasBusy || old >= state {
		return
	}
	if old != unseen {
		d.n[old]--
	}
	s[t-d.from] = state
	d.n[state]++
	d.dirty = true
}

// count is how many seconds of a span are in a state.
func (d *day) count(from, to int64, state byte) int64 {
	from, to = max(from, d.from), min(to, d.to)
	if from >= to || d.n[state] == 0 {
		return 0
	}
	if from == d.from && to == d.to {
		return d.n[state]
	}
	return int64(bytes.Count(d.open()[from-d.from:to-d.from], []byte{state}))
}

// grow makes the day hold a moment.
func (d *day) grow(from, to int64) {
	s := d.open()
	from, to = min(from, d.from), max(to, d.to)
	if to-from > maxDay {
		return
	}
	wide := make([]byte, to-from)
	copy(wide[d.from-from:], s)
	d.from, d.to, d.slots, d.dirty = from, to, wide, true
}

// days are the days of a host by time.
type days struct {
	list []*day
	last *day
	zone *time.Location
}

// at returns the day that holds a second, made where there is none; nil for a
// moment that no day can hold.
func (ds *days) at(t int64) *day {
	if ds.last.holds(t) {
		return ds.last
	}
	i, found := slices.BinarySearchFunc(ds.list, t, func(d *day, t int64) int {
		switch {
		case d.to <= t:
			return -1
		case t < d.from:
			return 1
		}
		return 0
	})
	if found {
		ds.last = ds.list[i]
		return ds.last
	}
	from, to := bounds(time.Unix(t, 0).In(ds.zone))
	key := time.Unix(t, 0).In(ds.zone).Format(time.DateOnly)
	// Where the laptop moved to another zone, days may not lie over one another,
	// and a date may come twice.
	if i > 0 {
		from = max(from, ds.list[i-1].to)
	}
	if i < len(ds.list) {
		to = min(to, ds.list[i].from)
	}
	for _, j := range []int{i - 1, i} {
		if j >= 0 && j < len(ds.list) && ds.list[j].key == key {
			ds.list[j].grow(from, to)
			if ds.list[j].holds(t) {
				ds.last = ds.list[j]
				return ds.last
			}
			return nil
		}
	}
	if from >= to {
		return nil
	}
	d := &day{key: key, from: from, to: to}
	ds.list = slices.Insert(ds.list, i, d)
	ds.last = d
	return d
}

// bounds are the first second of a local day and of the next one.
func bounds(t time.Time) (from, to int64) {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, t.Location()).Unix(), time.Date(y, m, d+1, 0, 0, 0, 0, t.Location()).Unix()
}

// count is how many seconds of a span are in a state.
func (ds *days) count(from, to int64, state byte) (n int64) {
	for _, d := range ds.list {
		if d.from < to && from < d.to {
			n += d.count(from, to, state)
		}
	}
	return n
}

// rest packs the days that are over and saved.
func (ds *days) rest(now int64) {
	for _, d := range ds.list {
		if d.slots != nil && !d.dirty && d.to < now-3600 {
			d.pack()
			d.slots = nil
		}
	}
}

type dayJSON struct {
	From    int64  `json:"from"` // Unix seconds
	To      int64  `json:"to"`
	Busy    int64  `json:"busy_s"`
	Idle    int64  `json:"idle_s"`
	Unknown int64  `json:"unknown_s"` // paid for, and neither
	Seconds []byte `json:"seconds"`   // one byte each, deflated
}

// entry is the day as it is kept; rented are the seconds that were paid for.
func (d *day) entry(host string, rented int64) (purse.Entry, error) {
	packed := d.pack()
	j := dayJSON{d.from, d.to, d.n[wasBusy], d.n[wasIdle], max(rented-d.n[wasBusy]-d.n[wasIdle], d.n[unsure]), packed}
	b, err := json.Marshal(j)
	return purse.Entry{Host: host, Kind: purse.KindDay, Key: d.key, Time: time.Unix(d.from, 0).UTC(), Body: b}, err
}

var errDay = errors.New("a kept day makes no sense")

// maxPacked bounds the deflated seconds of a day.
const maxPacked = 512 << 10

func readDay(e purse.Entry) (*day, error) {
	var j dayJSON
	if err := json.Unmarshal(e.Body, &j); err != nil {
		return nil, err
	}
	if _, err := time.Parse(time.DateOnly, e.Key); err != nil || j.From <= 0 || j.To <= j.From || j.To-j.From > maxDay || len(j.Seconds) > maxPacked {
		return nil, errDay
	}
	d := &day{key: e.Key, from: j.From, to: j.To, packed: j.Seconds}
	length := j.To - j.From
	if j.Busy < 0 || j.Idle < 0 || j.Busy > length || j.Idle > length-j.Busy {
		return nil, errDay
	}
	// The seconds are unpacked when somebody asks for a part of the day.
	d.n[wasBusy], d.n[wasIdle] = j.Busy, j.Idle
	return d, nil
}
