// Package remotetest holds the other side of a connection for tests: an SSH
// server in this process that does what it is told, good or bad, OpenSSH's own
// server on a port of its own, listeners that are silent or talk nonsense, and
// a proxy that can stop moving bytes.
package remotetest
