// Package procfs reads the machine beside the card from /proc, /sys and the
// cgroup files: processor, memory against its real limit, swap, disks,
// network and pressure.
//
// There are two ways in with one set of parsers behind them. [Reader] keeps
// the files open and reads them again in place, for our program on the host.
// [Script] is one POSIX shell script that prints the same files, and
// [FromText] makes the same readings of what it printed, for hosts where
// nothing of ours may run.
//
// A file that is not there gives an unsupported value, one that may not be
// read a denied value, and one that can't be understood an error that keeps
// what was read. Rates need two readings and are pending after the first one
// and whenever a counter ran backwards.
package procfs
