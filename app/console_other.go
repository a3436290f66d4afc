//go:build !windows

package main

// hideOwnConsole has nothing to hide here.
func hideOwnConsole() {}
