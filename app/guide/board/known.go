package board

import (
	"maps"
	"strconv"

	"rentgen/app/guide"
	"rentgen/app/guide/run"
	"rentgen/app/guide/track"
	"rentgen/app/provider"
)

// valuesLocked returns the values of runs: what the user set wins.
func (b *Board) valuesLocked() run.Values {
	v := run.Values{}
	p := b.profileLocked()
	for _, holds := range []string{provider.HoldsNetwork, provider.HoldsData} { // data last: it is preferred
		for _, d := range p.Dirs {
			if d.Holds == holds && d.Path != provider.AnyMount && d.Path != provider.InRAM {
				v[run.ValueDir] = d.Path
				break
			}
		}
	}
	if v[run.ValueDir] == "" {
		for _, d := range b.mountsLocked() { // from the host
			if d, err := run.CheckValue(run.ValueDir, d); err == nil && v[run.ValueDir] == "" {
				v[run.ValueDir] = d
			}
		}
	}
	if b.p.Login.Port > 0 {
		v[run.ValueSSHPort] = strconv.Itoa(b.p.Login.Port)
	}
	if d, ok := b.factsLocked(guide.GPUSMI)["driver"].(string); ok {
		if d, err := run.CheckValue(run.ValueDriver, d); err == nil { // it came from the host
			v[run.ValueDriver] = d
		}
	}
	maps.Copy(v, b.chosen.Values)
	return v
}

// factsLocked returns the facts of the latest outcome of a check on the chosen
// track, nil where there is none or it is out of date.
func (b *Board) factsLocked(id guide.CheckID) guide.Facts {
	j, ok := b.latest[slot{b.trackLocked(), id}]
	if !ok || track.Aged(j.Record, b.chosen.Instance, b.p.Now()) != track.StaleNot {
		return nil
	}
	return j.Outcome.Facts
}

// mountsLocked returns the mounts that may hold data, as they were seen last.
func (b *Board) mountsLocked() []string {
	var last judged
	for _, t := range []guide.Track{guide.Shared, guide.Dedicated} {
		if j, ok := b.latest[slot{t, guide.DiskDf}]; ok && j.Time.After(last.Time) {
			last = j
		}
	}
	switch l := last.Outcome.Facts["persistent_candidates"].(type) {
	case []string:
		return l
	case []any:
		var list []string
		for _, v := range l {
			if s, ok := v.(string); ok {
				list = append(list, s)
			}
		}
		return list
	}
	return nil
}

// sameRegionLocked returns what the form about regions says.
func (b *Board) sameRegionLocked() *bool { return track.SameRegion(b.ticks[track.ItemRegion].Values) }

// knownLocked is what is known for judging, beside an output.
func (b *Board) knownLocked(needs guide.Needs) guide.Context {
	var c guide.Context
	if n, ok := b.factsLocked(guide.GPUSMI)["gpu_count"].(int); ok && n > 0 { // none at all is the card's own finding
		c.SMIGPUCount = &n
	}
	if mib, _, ok := b.factsLocked(guide.GPUSMI).VRAM(); ok {
		gib := mib / 1024
		c.VRAMGiB = &gib
	}
	if g, ok := b.factsLocked(guide.MemCgroup)["host_total_gib"].(float64); ok {
		c.HostTotalGiB = &g
	}
	v := b.valuesLocked()
	if d := v[run.ValueDir]; d != "" {
		c.Dir = &d
	}
	if e := v[run.ValueHFEndpoint]; e != "" {
		c.HFEndpoint = &e
	}
	if id := b.providerLocked(); id != "" {
		c.Provider = &id
	}
	c.SameRegion = b.sameRegionLocked()
	c.ExpectedWarmS = needs.WarmHighS
	return c
}

// needs returns what the user's job asks for; it is asked with nothing locked.
func (b *Board) needs() guide.Needs {
	if b.p.Needs == nil {
		return guide.Needs{}
	}
	return b.p.Needs()
}
