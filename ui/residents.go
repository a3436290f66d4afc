package ui

import (
	"net"
	"strconv"
	"time"

	"fyne.io/fyne/v2"

	"rentgen/app/purse/meter"
	"rentgen/assets/texts"
	"rentgen/ui/hosts"
	"rentgen/ui/resident"
)

// newResidents returns what knows the recorders and stop guards on the hosts.
func (w *Window) newResidents() *resident.Residents {
	return resident.New(resident.Params{
		Purse: w.p.Purse, Book: func() *meter.Book { return w.sense.Book() }, Host: w.streamOf, Login: w.loginHost,
		Provider: func(id string) string { return w.guides.providerOf(id) }, Forwards: w.forwardPorts, Nobody: w.noResident,
		Counting: w.tellCountdown, SayError: sayError, Changed: w.changed, Now: w.p.Now, Go: w.p.Go,
	})
}

// noResident says why neither recorder nor guard is of use on a host: it is made up,
// or it is this computer. Both are zero for what is rented.
func (w *Window) noResident(id string) (recorder, guard texts.Phrase) {
	h := w.book.Get(id)
	switch {
	case h == nil:
	case h.Demo():
		recorder = texts.P("window.resident.demo")
		guard = recorder
	case h.Line == hosts.LineLocal:
		recorder, guard = texts.P("window.resident.own"), texts.P("window.resident.own.guard")
	}
	return recorder, guard
}

// tellCountdown says on the desktop that a countdown has begun.
func (w *Window) tellCountdown(id string, at time.Time) {
	w.doOpen(func() {
		if h := w.book.Get(id); h != nil {
			c := w.c
			w.p.App.SendNotification(fyne.NewNotification(hosts.NameOf(c, h),
				c.T("home.guard.counting", "at", texts.Clock(at), "in", texts.Duration(c, at.Sub(w.p.Now()).Truncate(time.Second)))))
		}
	})
}

// providerOf is the provider that was chosen for a host, "" for none.
func (g *guides) providerOf(id string) string {
	g.mu.Lock()
	b := g.boards[id]
	g.mu.Unlock()
	if b == nil {
		return ""
	}
	return b.Provider()
}

// forwardPorts are the ports on a host that the user's forwards lead to.
func (w *Window) forwardPorts(id string) []int {
	w.mu.Lock()
	defer w.mu.Unlock()
	var ports []int
	for _, t := range w.tunnels[id] {
		if _, port, err := net.SplitHostPort(t.Remote); err == nil {
			if n, err := strconv.Atoi(port); err == nil {
				ports = append(ports, n)
			}
		}
	}
	return ports
}
