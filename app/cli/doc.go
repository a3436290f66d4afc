// Package cli is the command line: every command, flag, help text, completion
// and man page comes from one table.
//
// Data goes to stdout, everything said on the way to stderr. What outside
// programs may rely on stands in docs/contracts.md.
package cli
