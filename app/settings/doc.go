// Package settings knows where everything of ours lies on this computer, what
// the person has chosen, and writes the log.
package settings
