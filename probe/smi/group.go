package smi

// group gathers the rows of one tick. The loop prints the cards one after the
// other and then pauses, with nothing in between that says so.
type group struct {
	rows []card
	seen map[string]bool
	want int // cards of a whole tick; with fewer, the next tick or a pause ends it
}

// add takes a row and returns the rows of a tick that it ends: those before
// it where its card was there already, or all where it is the last one.
func (g *group) add(c card) []card {
	if g.seen == nil {
		g.seen = map[string]bool{}
	}
	var done []card
	if g.seen[c.key] || len(g.rows) >= maxRows {
		done = g.flush()
	}
	g.rows = append(g.rows, c)
	g.seen[c.key] = true
	if done == nil && g.want > 0 && len(g.rows) >= g.want {
		return g.flush()
	}
	return done
}

// flush ends the tick with what is there; nil where nothing is.
func (g *group) flush() []card {
	done := g.rows
	g.rows = nil
	clear(g.seen)
	return done
}
