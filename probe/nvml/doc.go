// Package nvml looks at the cards of the machine it runs on, through NVIDIA's
// management library. It is built for Linux with cgo only and used by
// probe/agent alone.
//
// What it is careful about, because real drivers do all of it: a function that
// the installed driver lacks kills a process that calls it, so each is looked
// up first; a call on a broken card may never return, so such a card is set
// aside and the others go on; numbers that cannot be are errors, not readings;
// one lost card does not hide the others.
package nvml
