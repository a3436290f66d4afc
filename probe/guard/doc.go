// Package guard is the stop guard: it decides on the host, second by second,
// whether a rented machine has been idle long enough to end its billing. It holds
// the order, the signals, the state and the files, and runs nothing: the program
// on the host does that with the one command that an Action stands for.
//
// Idle needs every signal quiet for the whole time: cards, CPU, disk, network,
// terminals, connections to the program that paints and, where asked, its queue.
// A signal that can't be read counts as busy. The guard never releases or deletes
// anything.
package guard
