package guide

import _ "embed"

// Boards are boards sold with less memory under the name of a card of the
// catalogue: without them they would pass for slices of that card.
//
//go:embed boards.csv
var Boards []byte
