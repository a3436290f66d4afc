//go:build !linux || !cgo

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "rentgen-agent is built for Linux with cgo.")
	os.Exit(1)
}
