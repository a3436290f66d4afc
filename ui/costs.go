package ui

import (
	"rentgen/ui/costs"
	"rentgen/ui/hosts"
)

// openCosts shows all that is known of what hosts cost, of the chosen one first.
// Nobody rents the demo or this computer: Home shows what there is of them.
func (w *Window) openCosts() {
	host := ""
	if h := w.book.Chosen(); h != nil && !h.Demo() && h.Line != hosts.LineLocal {
		host = h.ID
	}
	if host == "" && len(w.sense.Book().Hosts()) == 0 {
		w.frame.Show(w.home.Key())
		return
	}
	costs.Open(costs.Params{
		Texts: w.c, Window: w.win, Book: w.sense.Book(), Store: w.p.Purse, Host: host, Names: w.costName,
		Changed: w.refresh, Now: w.p.Now, Do: w.p.Do, Go: w.p.Go,
	})
}

// costName is what a host is called where its costs are told; one that was
// forgotten keeps its id.
func (w *Window) costName(id string) string {
	if h := w.book.Get(id); h != nil {
		return hosts.NameOf(w.c, h)
	}
	return id
}
