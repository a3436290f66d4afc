package stream

// KeepIn sets where our program may be kept, as words of the shell; for tests.
func (h *Host) KeepIn(words ...string) { h.dirs = words }

// Quote makes one word of the shell; for tests.
func Quote(s string) string { return quote(s) }
