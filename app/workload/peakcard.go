package workload

import "strings"

// peaksOnCard is the estimate as it is on the run's card. A caching allocator
// gives back what it only keeps once the card is full: a job that needs less
// than the card but would reserve more is seen to run, its peak somewhere
// between need and card.
func (e estimator) peaksOnCard(r run) Peaks {
	p := e.peaks(r)
	if r.card == nil {
		return p
	}
	usable, _ := usableMiB(*r.card, 0)
	room := usable / 1024
	point := crowded(p.Whole.Point, p.FloorGiB, room)
	if point == p.Whole.Point {
		return p
	}
	p.Whole = Band{Low: min(p.Whole.Low, p.FloorGiB*(1-r.doubt().below/2), point), Point: point, High: max(point, room)}
	return p
}

// crowded is the peak of a job on a card with room GiB, from what it would
// reserve on an endless one and what it needs at least.
func crowded(point, floor, room float64) float64 {
	if point <= room || floor >= room {
		return point
	}
	return (floor + room) / 2
}

// The driver's own framebuffer where no source says, in MiB: the greatest of
// the readings of each class (434 GeForce, 609 L40S, 614 H200).
const (
	reservedGeForce = 450
	reservedOther   = 614
)

// usableMiB is what a job can take of a card: total less the driver's
// reservation less what others hold. known is false where the total is nominal.
func usableMiB(k Card, others float64) (mib float64, known bool) {
	reserved := float64(reservedOther)
	if k.ReservedMiB != nil {
		reserved = *k.ReservedMiB
	} else if k.NominalGB < 40 && isGeForce(k) {
		reserved = reservedGeForce
	}
	return max(totalOf(k)-reserved-max(others, 0), 0), k.TotalMiB != nil
}

func isGeForce(k Card) bool { return strings.Contains(k.NVML, "GeForce") }
