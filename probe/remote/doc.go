// Package remote reaches a rented machine over SSH, or this computer, behind
// one small interface: start a command, open a connection from there, notice
// the end.
//
// Dial reads a pasted login line or an alias, follows jump hosts, checks every
// hop's host key before a secret leaves, logs in and keeps the link watched.
// Nothing here runs without a deadline, and every failure names the stage it
// happened in, what the host said last and a kind that a text can be found by.
// Secrets are never written to a file and never logged.
package remote
