package guide

import "time"

// Def is what is known of a check before it runs.
type Def struct {
	ID      CheckID
	Parents []CheckID     // a failure of one of them blocks it
	Level   Level         // the shortest level that holds it
	Timeout time.Duration // of the command
	Takes   time.Duration // what it usually takes, for what is shown before a run
	Tracks  []Track       // where it applies; elsewhere it is folded away
	// Command is the text that is shown, run and copied. {dir}, {url}, {host},
	// {peer} and the like are filled from the run's settings.
	Command string
	// Quiet says that the check reads only. One that writes says so before.
	Quiet bool
	// Root says that it needs root; without it the command asks sudo, and the
	// user is asked before.
	Root bool
	// Laptop says that it runs on the user's own computer.
	Laptop bool
}
