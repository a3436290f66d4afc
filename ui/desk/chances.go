package desk

import (
	"context"

	"rentgen/app/bill/sheet"
)

// chances are the draws of the open plan. Those of an older plan are cancelled;
// the next ones begin when the older have ended.
type chances struct {
	cancel context.CancelFunc // of the running draws, nil for none
	asked  bool               // somebody wants those of now
	done   int
	chance *sheet.Chance
	err    error
}

// drop gives the draws up: the plan is another one.
func (c *chances) drop() {
	c.chance, c.err, c.done, c.asked = nil, nil, 0, false
	if c.cancel != nil {
		c.cancel()
	}
}

// Chance returns what the draws say of the open plan, or nil and how far they
// are, 0 to 1. Asking begins them; OnChance tells of progress and of the end.
func (d *Desk) Chance() (chance *sheet.Chance, progress float64, err error) {
	c := &d.chances
	if c.chance == nil && c.err == nil && !c.asked && d.at.err == nil && d.p.Chances != nil {
		c.asked = true
		d.draw()
	}
	return c.chance, float64(c.done) / draws, c.err
}

// OnChance calls f when draws got further or ended; cancel ends that.
func (d *Desk) OnChance(f func()) (cancel func()) { return d.listen(d.hearDraws, f) }

// draw begins the draws unless older ones still run; their end begins them.
func (d *Desk) draw() {
	c := &d.chances
	if c.cancel != nil || d.ctx.Err() != nil {
		return
	}
	ctx, cancel := context.WithCancel(d.ctx)
	c.cancel = cancel
	p, result := d.at.plan, d.Result()
	d.p.Go(func() {
		reported := 0
		ch, err := d.p.Chances(ctx, p, result, draws, func(done int) {
			if done-reported < draws/20 {
				return // a bar needs no more
			}
			reported = done
			d.p.Do(func() {
				if ctx.Err() == nil {
					c.done = done
					tell(d.hearDraws)
				}
			})
		})
		d.p.Do(func() {
			stopped := ctx.Err() != nil
			cancel()
			c.cancel = nil
			if stopped {
				if c.asked {
					d.draw()
				}
				return
			}
			if err != nil {
				c.err = err
			} else {
				c.chance, c.done = &ch, draws
				if d.p.Advise != nil && d.known == d.version {
					d.result.Advice = d.p.Advise(d.at.plan, d.result, &ch)
					d.changed()
				}
			}
			tell(d.hearDraws)
		})
	})
}
