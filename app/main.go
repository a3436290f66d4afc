// Rentgen shows what a rented GPU does. This package only wires: the commands
// stand in app/cli, the window in ui.
package main

import (
	"os"

	"rentgen/app/cli"
	_ "rentgen/app/early" // before Fyne reads the locale
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == glCheckArg {
		os.Exit(checkGL())
	}
	os.Exit(cli.Main(cli.Params{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: os.Getenv, Version: appVersion, Window: openWindow,
	}))
}
