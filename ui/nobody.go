package ui

import (
	"rentgen/assets/texts"
	"rentgen/ui/hosts"
)

// nobody says why neither recorder nor guard is of use on a host: it is made up,
// or it is this computer. Both are zero for what is rented.
func (r *residents) nobody(id string) (recorder, guard texts.Phrase) {
	h := r.w.book.Get(id)
	switch {
	case h == nil:
	case h.Demo():
		recorder = texts.P("window.resident.demo")
		guard = recorder
	case h.Line == hosts.LineLocal:
		recorder, guard = texts.P("window.resident.own"), texts.P("window.resident.own.guard")
	}
	return recorder, guard
}
