//go:build linux

package stream

import "time"

// pause lets a watched condition change; what is waited for has a deadline.
func pause() {
	t := time.NewTimer(5 * time.Millisecond)
	<-t.C
}
