package ui

import "time"

// loop draws readings as they come, a few times a second at most. Nothing is
// handed to the UI thread while there is nothing new.
func (w *Window) loop() {
	t := time.NewTicker(agePause)
	defer t.Stop()
	var seen uint64
	var drawn time.Time
	last := w.p.Now()
	for {
		aged := false
		select {
		case <-w.stop:
			return
		case <-t.C:
			aged = true
		case <-w.arrived:
			if pause := leastPause - time.Since(drawn); pause > 0 {
				select {
				case <-w.stop:
					return
				case <-time.After(pause):
				}
			}
		}
		now := w.p.Now()
		// The laptop slept: the clock went on without us.
		if now.Sub(last) > 15*time.Second {
			for _, h := range w.book.Hosts() {
				h.Wake()
			}
		}
		last = now
		var version uint64
		busy := false
		for _, h := range w.book.Hosts() {
			version += h.Live().Version()
			busy = busy || h.Connected()
		}
		if version != seen || (busy && aged) {
			if version != seen { // an age alone doesn't put off the next reading
				seen, drawn = version, time.Now()
			}
			w.changed()
		}
	}
}

// arrive tells the loop that a reading came; from any goroutine.
func (w *Window) arrive() {
	select {
	case w.arrived <- struct{}{}:
	default: // it knows already
	}
}

// changed asks for a refresh; from any goroutine. Requests that come before the
// last one was served are put together.
func (w *Window) changed() {
	w.mu.Lock()
	if w.pending || w.closing {
		w.mu.Unlock()
		return
	}
	w.pending = true
	w.mu.Unlock()
	w.p.Do(func() {
		w.mu.Lock()
		w.pending = false
		closing := w.closing
		w.mu.Unlock()
		if !closing {
			w.refresh()
		}
	})
}

// Refresh brings what is shown up to date.
func (w *Window) Refresh() { w.refresh() }

func (w *Window) refresh() {
	if w.frame == nil {
		return
	}
	w.frame.Update()
	if w.frame.Shown() == w.home.Key() && !w.frame.Covered() {
		w.home.Tick()
	}
	if w.frame.Shown() == w.watch.Key() && !w.frame.Covered() {
		w.watch.Tick()
	}
	if w.frame.Shown() == w.setup.Key() && !w.frame.Covered() {
		w.setup.Tick()
	}
}
