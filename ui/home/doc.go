// Package home is the place that ties the others together: the chosen instance
// at a glance, what to do next, what it has cost, and what else runs.
package home
