// Package watch is the place that shows what a host is doing now: its cards in
// live charts, the machine beside them, processes and events. It reads the
// memory of ui/live and draws only while it is seen.
package watch
