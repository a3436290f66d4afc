package ui

import "context"

// Reread takes over what was changed outside of the window: the saved hosts and
// the ssh configuration. It is called when the window gets the keyboard, too.
func (w *Window) Reread() {
	w.mu.Lock()
	busy := w.rereading || w.closing
	w.rereading = true
	w.mu.Unlock()
	if busy {
		return
	}
	w.p.Go(func() {
		if w.p.Reach != nil {
			w.p.Reach.Reread()
		}
		_ = w.book.Load(context.Background()) // else the list stays as it is until the next time
		w.mu.Lock()
		w.rereading = false
		closing := w.closing
		w.mu.Unlock()
		if closing {
			return
		}
		w.p.Do(func() {
			if w.page != nil {
				w.page.Reread()
			}
		})
	})
}
