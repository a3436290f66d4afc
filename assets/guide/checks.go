package guide

import _ "embed"

// Checks are the checks with their commands; the head of the file says how they
// are written.
//
//go:embed checks.yaml
var Checks []byte
