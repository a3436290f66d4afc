package advice

import (
	"slices"

	"rentgen/app/bill/offer"
)

// The answers a question may have. "" is a question that wasn't answered.
const (
	Short      = "short"      // a task takes under 3 h
	Long       = "long"       // to a day
	Continuous = "continuous" // days on end

	NoSecrets  = "none"
	SomeData   = "some"     // encrypt it
	ByContract = "contract" // must not lie beside other tenants

	SteadyLoad = "steady"
	Peaks      = "peaks"
)

// Durations returns the answers to the task's length.
func Durations() []string { return []string{Short, Long, Continuous} }

// Sensitivities returns the answers to the data's sensitivity, mildest first.
func Sensitivities() []string { return []string{NoSecrets, SomeData, ByContract} }

// Loads returns the answers to the pattern of the load.
func Loads() []string { return []string{SteadyLoad, Peaks} }

// KindOf returns what an offer is: Dedicated is a machine of one's own (virtual
// or bare metal) with whole cards; everything else is Shared, because other
// tenants sit on the machine or on the card. How it is paid for says nothing:
// a container by the month is still a container, and a whole machine may be
// metered.
func KindOf(o offer.Offer) Choice {
	if whole(o) && ownMachine(o) {
		return Dedicated
	}
	return Shared
}

func whole(o offer.Offer) bool { return o.Card.Part == "" || o.Card.Part == offer.Whole }

func ownMachine(o offer.Offer) bool {
	return o.Machine == offer.VM || o.Machine == offer.BareMetal
}

// stable reports whether the time a picture takes is promised not to vary with
// what others do.
func stable(o offer.Offer) bool { return KindOf(o) == Dedicated || o.Card.Guaranteed }

// prepaid reports whether a payment is sunk once made: a day or longer, or a
// package.
func prepaid(o offer.Offer) bool { return !o.Payment.Metered() }

// flag returns a yes or no of an offer that is filled in. Pages that contradict
// each other say nothing.
func flag(o offer.Offer, id offer.TermID) (value, known bool) {
	t, ok := o.Terms[id]
	if !ok || t.Status == offer.Unknown || t.Value != "true" && t.Value != "false" {
		return false, false
	}
	for _, a := range t.Also {
		if a.Value != t.Value {
			return false, false
		}
	}
	return t.Value == "true", true
}

// rights are the items that a machine gives or doesn't, in the order they are
// told.
var rights = []string{"root", "driver", "kernel", "docker", "multi_card"}

var rightTerm = map[string]offer.TermID{
	"root": offer.Root, "driver": offer.OwnDriver, "kernel": offer.KernelModules, "docker": offer.Docker,
}

// asks reports whether a right is needed.
func (q Questions) asks(right string) bool {
	switch right {
	case "root":
		return q.Root
	case "driver":
		return q.Driver
	case "kernel":
		return q.Kernel
	case "docker":
		return q.Docker
	case "multi_card":
		return q.MultiCard > 1
	}
	return false
}

// gives reports whether an offer's machine and card give a right; sure is false
// where that is only the usual and the provider hasn't said it.
//
// In a container the kernel, its modules and the driver are the host's and root
// is root of the container only, whatever a page calls it; its own Docker exists
// only where the provider says so. A part of a card takes the driver that the
// host's manager prescribes, and parts of cards don't work together.
func gives(o offer.Offer, right string, q Questions) (given, sure bool) {
	container := !ownMachine(o)
	switch right {
	case "root", "kernel":
		if container {
			return false, true
		}
	case "driver":
		if container {
			return false, true
		}
		if !whole(o) {
			v, known := flag(o, offer.OwnDriver)
			return known && v, true
		}
	case "docker":
		if container {
			v, known := flag(o, offer.Docker)
			return known && v, known
		}
	case "multi_card":
		return max(o.Cards, 1) >= q.MultiCard && whole(o), true
	}
	v, known := flag(o, rightTerm[right])
	return !known || v, known
}

// answered reports whether any question was.
func (q Questions) answered() bool {
	return q.Duration != "" || q.Sensitivity != "" || q.Load != "" || q.Steady || q.Proven || q.FailShare != nil ||
		slices.ContainsFunc(rights, q.asks)
}

// couldFail reports whether validation could still stop the project.
func (q Questions) couldFail() bool { return !q.Proven && (q.FailShare == nil || *q.FailShare > 0) }
