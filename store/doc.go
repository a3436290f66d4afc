// Package store keeps the history: hosts, recordings, every second of every
// card, gaps and events, plans and what Set up found, in one SQLite file.
//
// The open hour is rows, written by one goroutine in batches of at most one a
// second; a closed hour is sealed into column blobs with minute and hour
// rollups beside them, in one transaction. What a crash can cost is the last
// two seconds.
//
// Only one process writes. It holds a lock in the folder and listens on a
// local socket; another process that opens the same folder reads directly and
// hands its writes over. Callers see one API in both.
//
// A value that could not be read is stored as such, with its state and the
// token it was read from, in every tier. No missing value is ever 0.
//
// What a database newer than this program or a damaged one holds is never
// overwritten: the file is set aside under a name with the date, a fresh one
// is opened, and Damaged says so. A newer one is set aside too, rather than
// opened for reading, so that recording goes on; the newer program finds it
// under the name that Damaged gives.
package store
