package verdict

import (
	"context"
	"time"

	"rentgen/app/judge"
	"rentgen/assets/texts"
)

// Judge is what the places ask about a host's verdicts.
type Judge interface {
	// Verdicts returns a host's verdicts of the span that is kept in memory,
	// oldest first, and a version that rises whenever they change. It is called
	// on the UI thread several times a second and must neither wait nor
	// allocate while nothing changed. The slice is kept for a while: neither the
	// caller nor the model writes to it again.
	Verdicts(host string) (vs []judge.Verdict, version uint64)
	// Why looks at the host for WhySpan and says what bounds its run. It is
	// called off the UI thread, ends early with the context's error when that is
	// cancelled, and calls seen about once a second from any one goroutine.
	Why(ctx context.Context, host string, seen func(Look)) (Found, error)
}

// WhySpan is how long Why looks.
const WhySpan = 60 * time.Second

// Look is how far a look has come.
type Look struct {
	Elapsed, Of time.Duration
	Readings    int // usable so far
	// Verdicts are what it would say by now, the gravest first.
	Verdicts []judge.Verdict
	// Saying is what it waits for where that is not time alone; may be zero.
	Saying texts.Phrase
}

// Found is the answer of a look.
type Found struct {
	From, To time.Time
	// Verdicts have the one that bounds the run first. None says that nothing
	// was found that slows it.
	Verdicts []judge.Verdict
	// Compared says with what the run was compared: "with your run of the same
	// job on 28 Nov"; zero where there is no earlier run.
	Compared texts.Phrase
	// Differences are what differs from it, one a line.
	Differences []texts.Phrase
}
