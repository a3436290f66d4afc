// Package early puts one thing of the environment right before Fyne reads it.
//
// Fyne's lang package reads the locale while the program is initialised and
// prints three lines of complaint about "C.UTF-8", the locale of most containers
// and servers, also for commands that open no window.
//
// Go initialises packages in the order of their import paths as soon as what
// they import is done. This package imports os alone. Fyne's lang imports
// text/template, which comes after "rentgen" in that order and needs os too, so
// this one is always first. A test in package main looks at what is printed.
package early

import (
	"os"
	"strings"
)

func init() {
	if lang := override(os.Getenv); lang != "" {
		os.Setenv("LANGUAGE", lang)
	}
}

// override returns what LANGUAGE has to be for the locale to name a language,
// "" where it does or where there is none at all.
func override(getenv func(string) string) string {
	if getenv("LANGUAGE") != "" {
		return ""
	}
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		v := getenv(name)
		if v == "" {
			continue
		}
		base, _, found := strings.Cut(v, ".")
		if found && (base == "C" || base == "POSIX") {
			return "en"
		}
		return ""
	}
	return ""
}
