package remote

import (
	"testing"

	"rentgen/probe/doctable"
)

// TestConnectionsTable keeps docs/connections.md: every number from 1 to 50
// once, in order, each with a test that exists and names the number.
func TestConnectionsTable(t *testing.T) {
	doctable.Check(t, doctable.Table{Root: "../..", File: "docs/connections.md", Rows: 50, Word: "(?:cases?|remote)"})
}
