package smi

import (
	"testing"

	"rentgen/probe/doctable"
)

// TestOdditiesTable keeps docs/oddities.md: every number from 1 to 70 once, in
// order, each with a test that exists and names the number, or with a reason.
func TestOdditiesTable(t *testing.T) {
	doctable.Check(t, doctable.Table{
		Root: "../..", File: "docs/oddities.md", Rows: 70, Word: "oddit(?:y|ies)", Name: "TestOddity",
	})
}
