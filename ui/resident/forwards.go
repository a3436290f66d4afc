package resident

import (
	"context"
	"slices"
	"time"

	"rentgen/app/purse/guard"
)

// Forwarded says that a forward to a host was opened: a guard that is on is asked
// about with the next reading, and learns of its port.
func (r *Residents) Forwarded(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if x := r.of[id]; x != nil && x.guarded() {
		x.asked = time.Time{}
	}
}

// widen gives a guard that is on its order anew where the user's forwards lead to
// ports that it doesn't know: who sends to them is at work. All else stays as it is,
// and so does what holds it back. A port is given once, so that a host that doesn't
// take it is not told to start over each minute.
func (r *Residents) widen(ctx context.Context, id string, g guard.Host, s guard.State) {
	fresh := r.fresh(id)
	if _, differs := s.Order.With(fresh...); !differs || !watches(s) || !r.begin(id) {
		return
	}
	defer r.set(id, func(x *host) { x.busy = false })
	// No order of the user's comes between from here on, and one that came since is seen.
	rep, err := g.Read(ctx)
	if err != nil {
		return
	}
	s = rep.State
	o, differs := s.Order.With(fresh...)
	if !differs || !watches(s) {
		return
	}
	o.Given = r.p.Now().UTC()
	if g.Switch(ctx, o) != nil {
		return // tried again with the next look
	}
	r.set(id, func(x *host) {
		if x.widened == nil {
			x.widened = make(map[int]bool)
		}
		for _, p := range fresh {
			x.widened[p] = true
		}
	})
	if s.Phase != guard.Kept {
		return
	}
	left := s.KeepUntil.Sub(r.p.Now())
	if s.KeepUntil.IsZero() {
		left = 0 // until the user lets go
	} else if left <= 0 {
		return
	}
	// Should this fail, quiet is counted from now: the whole time is left to see it.
	_ = g.Keep(ctx, left)
}

// watches reports whether forwards matter to a guard that stands so.
func watches(s guard.State) bool {
	return s.Phase == guard.Watching || s.Phase == guard.Counting || s.Phase == guard.Kept
}

// fresh are the ports of forwards that a guard was not given anew for.
func (r *Residents) fresh(id string) []int {
	ports := r.p.Forwards(id)
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.DeleteFunc(ports, func(p int) bool { return r.of[id] == nil || r.of[id].widened[p] })
}

// begin reports whether an order may be given now; it is on its way then.
func (r *Residents) begin(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	x := r.of[id]
	if x == nil || x.busy {
		return false
	}
	x.busy = true
	return true
}
