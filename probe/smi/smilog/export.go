package smilog

import (
	"math"
	"strconv"
	"strings"
	"time"

	"rentgen/probe"
	"rentgen/probe/procfs"
)

// export reads the rows of rentgen history export.
type export struct {
	r     *reader
	names []string
	at    map[string]int // of time, width_s, index, uuid, name, states
	cols  []int          // metric of a column; -1 for none

	open    *probe.Sample
	devices []probe.Device
}

func newExport(r *reader, names []string, at int) (form, error) {
	e := &export{r: r, names: names, at: map[string]int{"time": at}}
	found := 0
	for i, n := range names {
		n = bare(n)
		m, ok := probe.ParseMetric(n)
		col := -1
		if ok {
			col = int(m)
			found++
		} else if i != at {
			e.at[n] = i
		}
		e.cols = append(e.cols, col)
	}
	if found == 0 {
		return nil, r.fail(WhyNoMetric, 0, "", strings.Join(names[:min(len(names), 8)], ", "))
	}
	return e, nil
}

// text is a cell of a column that is no metric.
func (e *export) text(cells []string, name string, limit int) string {
	i, ok := e.at[name]
	if !ok {
		return ""
	}
	s := procfs.Clean(cells[i], limit)
	if len(s) > 1 && s[0] == '\'' && strings.ContainsRune("=+-@", rune(s[1])) { // kept from being a formula
		s = s[1:]
	}
	return s
}

func (e *export) row(cells []string) (bool, error) {
	if len(cells) != len(e.names) {
		return false, nil
	}
	t, ok, err := e.r.time(cells, e.at["time"])
	if err != nil || !ok {
		return false, err
	}
	width, err := strconv.Atoi(e.text(cells, "width_s", 8))
	if err != nil || width < 1 || width > 3600 {
		return false, nil
	}
	e.r.rows++
	if e.open != nil && !e.open.Time.Equal(t) {
		if err := e.flush(); err != nil {
			return true, err
		}
	}
	if width > 1 {
		keep, err := e.r.out.rolledAt(t, time.Duration(width)*time.Second)
		if err == nil && keep {
			err = e.r.out.roll(t, time.Duration(width)*time.Second)
		}
		return true, err
	}
	if e.open == nil {
		keep, err := e.r.out.at(t)
		if err != nil || !keep {
			return true, err
		}
		e.open = &probe.Sample{Time: t, HostTime: t}
	}
	e.read(cells)
	return true, nil
}

// rolledAt moves the clock past a span of which there are sums only.
func (o *out) rolledAt(t time.Time, width time.Duration) (bool, error) {
	c := &o.clock
	if o.rolled != nil && t.Before(o.rolled.To) {
		return true, nil // the same minute of another card
	}
	if !c.last.IsZero() && late(t, c.last) {
		c.out++
		return false, nil
	}
	if err := o.caughtUp(); err != nil {
		return false, err
	}
	if !c.last.IsZero() && t.Sub(c.last) > max(c.silent(), 3*time.Second) {
		if err := o.gap(&probe.Gap{From: c.last.Add(time.Second), To: t, Reason: probe.GapLog}); err != nil {
			return false, err
		}
	}
	if end := t.Add(width - time.Second); end.After(c.last) {
		c.last = end
	}
	return true, nil
}

// read adds the readings of a row to the second that is open.
func (e *export) read(cells []string) {
	g := probe.GPU{UUID: e.text(cells, "uuid", 128), Name: e.text(cells, "name", 96)}
	card := g.UUID != ""
	if n, err := strconv.Atoi(e.text(cells, "index", 8)); err == nil && n >= 0 && n < 4096 {
		g.Index, card = n, true
		if g.UUID == "" {
			g.UUID = "#" + strconv.Itoa(n)
		}
	}
	states := map[string]probe.Value{}
	if i, ok := e.at["states"]; ok {
		readStates(cells[i], states)
	}
	sys := &probe.System{}
	seen := false
	for i, col := range e.cols {
		if col < 0 {
			continue
		}
		m := probe.Metric(col)
		v, ok := states[m.String()]
		if !ok || cells[i] != "" {
			v = cell(m, cells[i])
		}
		if m.System() {
			sys.Set(m, v)
			seen = seen || v.State != probe.Pending
			continue
		}
		g.Set(m, v)
	}
	if seen && e.open.System == nil {
		e.open.System = sys
	}
	if !card || len(e.open.GPUs) >= maxCards {
		return
	}
	for _, have := range e.open.GPUs {
		if have.UUID == g.UUID {
			return
		}
	}
	e.open.GPUs = append(e.open.GPUs, g)
	none := probe.Missing(probe.Unsupported, "not in the log")
	e.devices = append(e.devices, probe.Device{
		Index: g.Index, UUID: g.UUID, Name: g.Name, MemTotal: g.Get(probe.MemTotal), PowerCap: g.Get(probe.PowerCap),
		PowerDefault: none, PowerMax: none, ClockMaxSM: none, ClockMaxMem: none, PCIeGenMax: none, PCIeWidthMax: none, TempSlow: none,
	})
}

// cell reads a number as an export writes it.
func cell(m probe.Metric, s string) probe.Value {
	if s == "" {
		return probe.Value{}
	}
	bad := probe.Missing(probe.Error, procfs.Clean(s, 96))
	if m.Info().Kind == probe.Mask {
		v := probe.OfMaskText(s)
		v.Raw = procfs.Clean(v.Raw, 96)
		return v
	}
	if len(s) > 32 || strings.Trim(s, "0123456789.-") != "" {
		return bad
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.Abs(n) >= 1<<53 {
		return bad
	}
	return probe.Of(n)
}

// readStates reads why cells are empty: "fan_pct=unsupported ([N/A]); ...".
// A raw token may hold the signs that part the entries.
func readStates(s string, into map[string]probe.Value) {
	last := ""
	for part := range strings.SplitSeq(s, "; ") {
		name, rest, ok := strings.Cut(part, "=")
		m, known := probe.ParseMetric(name)
		word, raw, hasRaw := strings.Cut(rest, " (")
		state, err := probe.ParseState(word)
		if !ok || !known || err != nil || state == probe.OK {
			if v, ok := into[last]; ok && len(v.Raw) < 256 { // the tail of a raw token
				v.Raw = procfs.Clean(v.Raw+"; "+part, 256)
				into[last] = v
			}
			continue
		}
		if !hasRaw {
			raw = ""
		}
		last = m.String()
		into[last] = probe.Missing(state, procfs.Clean(raw, 256))
	}
	for k, v := range into {
		v.Raw = strings.TrimSuffix(v.Raw, ")")
		into[k] = v
	}
}

func (e *export) flush() error {
	if e.open == nil {
		return nil
	}
	s, d := e.open, e.devices
	e.open, e.devices = nil, nil
	return e.r.out.sample(s, d, "")
}
