// Package alert decides what of an instance is worth an alert, when to ring and
// when to keep still.
//
// The engine is told of every saved host about once a minute, and at once when
// something changes. What it is told is what is so now, never what happened in
// between, so a laptop that slept finds one alert and not forty. What isn't known
// neither raises an alert nor ends one.
package alert
