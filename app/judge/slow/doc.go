// Package slow says what bounds a run that isn't bounded by the card itself.
package slow
