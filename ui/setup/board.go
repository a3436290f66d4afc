package setup

import (
	"rentgen/app/guide/board"
	"rentgen/app/guide/run"
)

// Values are the settings of a run by name: "dir", "url", "peer".
type Values = run.Values

// Scope is what a run is of: a track, a step, a check, or only what is stale.
type Scope = board.Scope

// Fix is something that can be done by us about an outcome.
type Fix = run.Fix
