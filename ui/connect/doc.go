// Package connect is how a host comes into the window and leaves it: the page
// with its doors, what was understood of a login line, and the questions on the
// way in (identity, secrets, consent).
package connect
