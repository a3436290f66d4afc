// Package live keeps the recent past of one host in memory for the window: six
// hours of seconds and five minutes of raw readings for each card, with gaps,
// events and the newest reading. It is fed from a stream off the UI thread and
// gives small snapshots that a chart can draw; it knows no screen.
package live
