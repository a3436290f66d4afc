// Package guard is the laptop's side of the stop guard: whether a provider's rules
// allow it, whether the login may give the command, what order goes to the host,
// how it stands there, and what a stop has saved. The guard itself lives on the
// host (probe/guard); the JSON of both is one, which a test of app/cli holds.
package guard
