// Package ui is the window: it puts the frame, the places and the hosts
// together and tells them when to draw.
package ui

import "rentgen/ui/frame"

// Place is one page of the window.
type Place = frame.Place
