// Package smitest is an nvidia-smi that replays what real ones printed, for
// tests of whatever looks at a host: a POSIX shell script in a folder of its
// own, to be put in front of PATH or named by its path.
package smitest
