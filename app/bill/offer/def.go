package offer

import (
	"slices"
	"sync"
)

var index = sync.OnceValue(func() map[TermID]Def {
	m := make(map[TermID]Def)
	for _, d := range Defs() {
		m[d.ID] = d
	}
	return m
})

// DefOf returns the definition of a term.
func DefOf(id TermID) (Def, bool) {
	d, ok := index()[id]
	return d, ok
}

// Groups returns the groups in the order of the page.
func Groups() []Group {
	var gs []Group
	for _, d := range Defs() {
		if !slices.Contains(gs, d.Group) {
			gs = append(gs, d.Group)
		}
	}
	return gs
}

// Own reports whether the user decides or measures the term, so that it is
// never asked of the provider.
func (d Def) Own() bool {
	switch d.ID {
	case Balance, Coupon, PackageElapsed, SystemDisk, DataDisk, Snapshot, SystemImage, InterruptRate, InterruptSeen,
		Watched, Downtime, PullWait, LoadWait, FirstPicture, NoCardShare:
		return true
	}
	return false
}

// Cheapens reports whether more of the term makes a bill smaller, so that the
// dear end of its band is the low one.
func (d Def) Cheapens() bool {
	switch d.ID {
	case Coupon, SystemDiskFree, DataDiskFree, SnapshotFree, ImageFree, TrafficFree, TrafficPack,
		ReleaseAfter, WipeAfter, MaxLife:
		return true
	}
	return false
}

// Machines returns the machines an offer can be.
func Machines() []Machine { return []Machine{Container, VM, BareMetal} }

// Units returns the units of payment in order of length.
func Units() []Unit { return []Unit{Second, Minute, Hour, Day, Week, Month, Year, Pack, Quota} }

// Parts returns how much of a card can be rented.
func Parts() []Part { return []Part{Whole, Slice, VGPU} }

// Statuses returns the statuses of a term.
func Statuses() []Status { return []Status{Unknown, Known, Told, Typed} }

// Marks returns the marks of a known term.
func Marks() []Mark { return []Mark{Page, ThirdParty, Seen} }
