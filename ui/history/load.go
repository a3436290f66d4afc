package history

import "context"

// loader asks one question at a time off the UI thread. A newer question
// cancels the older one, whose answer is never shown.
type loader struct {
	p      *Params
	cancel context.CancelFunc
	next   func() // the newest question while an older one is still running
	busy   bool
	onBusy func(bool)
}

// ask runs question and hands its answer to answer on the UI thread, unless a
// newer question was asked meanwhile.
func ask[T any](l *loader, question func(ctx context.Context) (T, error), answer func(T, error)) {
	start := func() {
		ctx, cancel := context.WithCancel(context.Background())
		l.cancel, l.next, l.busy = cancel, nil, true
		l.p.Go(func() {
			v, err := question(ctx)
			l.p.Do(func() {
				stopped := ctx.Err() != nil
				cancel()
				l.busy = false
				if l.next != nil {
					l.next()
					return
				}
				l.tell(false)
				if !stopped {
					answer(v, err)
				}
			})
		})
	}
	if l.busy {
		l.next = start
		l.cancel()
		return
	}
	l.tell(true)
	start()
}

// stop gives the running question up.
func (l *loader) stop() {
	l.next = nil
	if l.busy {
		l.cancel()
	}
}

func (l *loader) tell(busy bool) {
	if l.onBusy != nil {
		l.onBusy(busy)
	}
}
