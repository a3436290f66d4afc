// Package hosts keeps the window's hosts: which ones are saved, how each is
// connected, what was read lately, and whether a log is kept. It knows no
// widget; the window asks it and is told when something changed.
package hosts
