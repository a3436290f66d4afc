package watch

import (
	"rentgen/app/purse"
	"rentgen/ui/verdict"
)

// Model is what the place shows beside readings: verdicts and the meter.
type Model interface {
	verdict.Judge
	// Glance returns the meter of a host; false where nothing is known of it. It
	// is called on the UI thread, about once a second.
	Glance(host string) (purse.Glance, bool)
}
