package setup

import (
	"rentgen/app/guide"
	"rentgen/app/guide/board"
	"rentgen/app/guide/run"
	"rentgen/assets/texts"
)

// Values are the settings of a run by name: "dir", "url", "peer".
type Values = run.Values

// Scope is what a run is of: a track, a step, a check, or only what is stale.
type Scope = board.Scope

// Fix is something that can be done by us about an outcome.
type Fix struct {
	ID         string
	Check      guide.CheckID
	Says       texts.Phrase
	Shown      string
	Dry, Apply guide.Exec
}
