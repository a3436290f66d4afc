//go:build !linux

package agenttest

import "testing"

func agent(t testing.TB) string {
	t.Helper()
	t.Skip("the program for the host runs on Linux only")
	return ""
}

func library(t testing.TB, _ []string) string {
	t.Helper()
	t.Skip("the fake NVIDIA library is built on Linux only")
	return ""
}
