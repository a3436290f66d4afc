package sense

import (
	"context"
	"time"

	"rentgen/app/purse"
	"rentgen/app/purse/alert"
	"rentgen/app/purse/tariff"
	"rentgen/probe"
)

const (
	alertEvery = 20 * time.Second
	diskEvery  = 10 * time.Minute
	diskWait   = 20 * time.Second
	paidEvery  = time.Minute
)

// watch tells the engine how every host stands, until Close.
func (s *Sense) watch() {
	t := time.NewTicker(alertEvery)
	defer t.Stop()
	read, asked := make(map[string]time.Time), make(map[string]time.Time)
	for {
		for _, h := range s.p.Hosts() {
			if s.ctx.Err() != nil {
				return
			}
			if h.Demo {
				continue
			}
			if now := s.p.Now(); h.Connected && s.p.Disks != nil && now.Sub(read[h.ID]) >= diskEvery {
				read[h.ID] = now
				s.readDisks(h.ID)
			}
			if now := s.p.Now(); s.p.PaidUntil != nil && now.Sub(asked[h.ID]) >= paidEvery {
				asked[h.ID] = now
				s.readPaid(h.ID)
			}
			s.Weigh(h)
		}
		select {
		case <-s.ctx.Done():
			return
		case <-s.soon:
		case <-t.C:
		}
	}
}

func (s *Sense) readDisks(host string) {
	ctx, cancel := context.WithTimeout(s.ctx, diskWait)
	defer cancel()
	list, err := s.p.Disks(ctx, host)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		delete(s.disks, host) // not known any more
		return
	}
	s.disks[host] = list
}

func (s *Sense) readPaid(host string) {
	until, err := s.p.PaidUntil(s.ctx, host)
	if err != nil {
		return // asked again
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paid[host] = until
}

// Weigh tells the engine how a host stands now.
func (s *Sense) Weigh(h Host) {
	e := s.Engine()
	if e == nil {
		return
	}
	before := len(s.Alerts())
	if err := e.Update(s.ctx, s.input(h)); err != nil && s.ctx.Err() == nil {
		s.p.Failed(err)
	}
	if len(s.Alerts()) != before {
		s.changed()
	}
}

func (s *Sense) input(h Host) alert.Input {
	in := alert.Input{Host: h.ID, HostName: h.Name, Stops: s.stops(h.ID)}
	if g, ok := s.book.Glance(h.ID); ok {
		in.Glance = &g
	}
	s.mu.Lock()
	in.Disks, in.PackageEnds = s.disks[h.ID], s.paid[h.ID]
	m := s.minds[h.ID]
	s.mu.Unlock()
	if t, ok := s.book.Tariff(h.ID); ok {
		if t.Package != nil {
			in.PackageEnds, in.AfterPackage = t.Package.Until, t.PerHour
		}
		if after, ok := t.ReleaseAfter(); ok && in.Glance != nil && !in.Glance.Running {
			s.releases(&in, after)
		}
	}
	if m == nil || !h.Live {
		return in
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	in.Verdicts = m.now
	in.GPUs = alert.GPUs(m.inv, m.last)
	if m.last != nil && m.last.System != nil {
		if n, ok := m.last.System.Get(probe.Queue).Ok(); ok {
			jobs := int(n)
			in.Queue = &jobs
		}
	}
	return in
}

// releases finds out when the provider deletes an instance that doesn't run, and
// since when work was done on it.
func (s *Sense) releases(in *alert.Input, after time.Duration) {
	a, ok := s.book.Account(in.Host)
	if !ok || len(a.Sessions) == 0 {
		return
	}
	in.DataSince = a.Sessions[len(a.Sessions)-1].Start
	at, ok := s.book.Stop(in.Host)
	if in.Stopped = ok; !ok {
		at = a.Sessions[0].Last // had it stopped as soon as nobody looked
	}
	in.Releases = at.Add(after)
}

// stopsOf is how far back stops of the guard are told: over a long weekend too.
const stopsOf = 72 * time.Hour

// stops are what the stop guard of a host did lately.
func (s *Sense) stops(host string) []alert.Stop {
	entries, err := s.p.Purse.PurseEntries(s.ctx, purse.Filter{Host: host, Kind: purse.KindStop, From: s.p.Now().Add(-stopsOf)})
	if err != nil {
		return nil // told with the next look
	}
	return alert.Stops(entries)
}

// deliver rings.
func (s *Sense) deliver(a purse.Alert) {
	if s.p.Notify != nil {
		s.p.Notify(a)
	}
	if u := s.Pusher(); u != nil {
		u.Send(a)
	}
	s.changed()
}

// Alerts returns those that hold and are not snoozed, newest first.
func (s *Sense) Alerts() []purse.Alert {
	e := s.Engine()
	if e == nil {
		return nil
	}
	now := s.p.Now()
	var list []purse.Alert
	for _, a := range e.List() {
		if a.Over.IsZero() && !a.Snoozed.After(now) {
			list = append(list, a)
		}
	}
	return list
}

// Unseen counts the alerts that hold and that nobody has seen.
func (s *Sense) Unseen() int {
	n := 0
	for _, a := range s.Alerts() {
		if !a.Seen {
			n++
		}
	}
	return n
}

// Glance returns the meter of a host; false where nothing is known of it.
func (s *Sense) Glance(host string) (purse.Glance, bool) {
	if g, ok := s.book.Glance(host); ok {
		return g, true
	}
	return s.demo.Glance(host)
}

// Tariff returns what a host costs; false where nobody has said.
func (s *Sense) Tariff(host string) (tariff.Tariff, bool) {
	if t, ok := s.book.Tariff(host); ok {
		return t, true
	}
	return s.demo.Tariff(host)
}

// Running sums up what runs now, one of each currency; what is made up is not in it.
func (s *Sense) Running() []purse.Running { return s.book.Totals() }
