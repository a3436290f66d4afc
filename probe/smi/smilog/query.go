package smilog

import (
	"strconv"
	"time"

	"rentgen/probe"
	"rentgen/probe/smi"
)

// query reads the rows of nvidia-smi --query-gpu.
type query struct {
	r    *reader
	bind smi.Binding
	n    int // cells of a row
	at   int // of the time

	// The tick that is being gathered.
	first time.Time
	cards []smi.Reading
	seen  map[string]bool
}

func (q *query) row(cells []string) (bool, error) {
	if len(cells) != q.n {
		return false, nil
	}
	t, ok, err := q.r.time(cells, q.at)
	if err != nil || !ok {
		return false, err
	}
	rd := q.bind.Read(cells)
	q.r.rows++
	if q.ends(t, rd.Key) {
		if err := q.flush(); err != nil {
			return true, err
		}
	}
	if len(q.cards) == 0 {
		keep, err := q.r.out.at(t)
		if err != nil || !keep {
			return true, err
		}
		q.first = t
		q.seen = map[string]bool{}
	}
	if rd.Key != "" {
		q.seen[rd.Key] = true
	}
	q.cards = append(q.cards, rd)
	return true, nil
}

// ends reports whether a row belongs to another tick than those gathered: its
// card is there already, or it is much later. The cards of a tick are printed
// one after the other, each with the time of its own reading.
func (q *query) ends(t time.Time, key string) bool {
	if len(q.cards) == 0 {
		return false
	}
	d := t.Sub(q.first)
	if d < 0 {
		d = -d
	}
	if len(q.cards) >= maxCards || key != "" && q.seen[key] {
		return true
	}
	if key == "" { // nothing tells the cards apart but their order
		return d > 100*time.Millisecond
	}
	if u := q.r.out.clock.usual(); u > 0 {
		return d > u*6/10
	}
	return d > 10*time.Second
}

func (q *query) flush() error {
	if len(q.cards) == 0 {
		return nil
	}
	cards := q.cards
	q.cards = nil
	s := &probe.Sample{Time: q.first, HostTime: q.first}
	var devices []probe.Device
	driver := ""
	for i := range cards {
		c := &cards[i]
		if c.GPU.Index < 0 {
			c.GPU.Index, c.Device.Index = i, i
		}
		uuid := c.GPU.UUID
		if uuid == "" {
			uuid = c.Device.BusID
		}
		if uuid == "" {
			uuid = "#" + strconv.Itoa(c.GPU.Index)
		}
		c.GPU.UUID, c.Device.UUID = uuid, uuid
		s.GPUs = append(s.GPUs, c.GPU)
		devices = append(devices, c.Device)
		if c.Driver != "" {
			driver = c.Driver
		}
	}
	if err := q.r.out.sample(s, devices, driver); err != nil {
		return err
	}
	for _, c := range cards {
		for _, n := range c.Notes {
			n.BusID, n.Index = c.Device.BusID, c.GPU.Index
			if err := q.r.out.tell(n, c.GPU.UUID); err != nil {
				return err
			}
		}
	}
	return nil
}
