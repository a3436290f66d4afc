package ui

import (
	"bytes"
	"context"
	"fmt"

	"rentgen/app/guide"
	"rentgen/app/guide/report"
	"rentgen/app/guide/track"
	"rentgen/app/provider"
	"rentgen/assets/texts"
	"rentgen/probe/remote"
	"rentgen/ui/hosts"
	"rentgen/ui/setup"
)

// setupReport writes the report of a host; from any goroutine.
func (w *Window) setupReport(_ context.Context, host string, f setup.Format, l texts.Lang, redact bool) ([]byte, error) {
	b := w.guides.board(host)
	r := report.Make(w.reportParams(host, l, redact, b.View(b.Track()), b.View(guide.Network)))
	var out bytes.Buffer
	var err error
	switch f {
	case setup.Markdown:
		out.WriteString(r.Markdown())
	case setup.HTML:
		err = r.HTML(&out)
	case setup.JSON:
		err = r.JSON(&out)
	case setup.PNG:
		err = r.PNG(&out)
	}
	if err != nil {
		return nil, fmt.Errorf("write the report as %s: %w", f, err)
	}
	return out.Bytes(), nil
}

// setupMessage is what the provider is asked for a check. Names and addresses in
// it are always masked.
func (w *Window) setupMessage(v track.View, cv track.CheckView, l texts.Lang) string {
	return report.Make(w.reportParams(w.Chosen(), l, true, v)).Message(cv.ID)
}

// reportParams are what a report of a host is made from.
func (w *Window) reportParams(host string, l texts.Lang, redact bool, views ...track.View) report.Params {
	b := w.guides.board(host)
	c := texts.For(l)
	profile := b.Profile()
	p := report.Params{
		Lang: l, Views: views, Run: b.Instance(), Now: w.p.Now(),
		Host: report.Host{Provider: profile.Name[l]},
		Remedy: func(id guide.CheckID, f guide.Finding) string {
			return remedyIn(c, profile, id, f)
		},
	}
	known := report.Known{More: w.p.Redactor.Text}
	if h := w.book.Get(host); h != nil {
		p.Host.Name, p.Host.Demo = hosts.NameOf(c, h), h.Demo()
		if inv := h.Live().Inventory(); inv != nil {
			p.Host.Driver = inv.Driver
			for _, d := range inv.GPUs {
				p.Host.Cards = append(p.Host.Cards, d.Name)
			}
			known.Hosts, known.Users = append(known.Hosts, inv.System.Hostname), append(known.Users, inv.System.User)
		}
		if login, err := remote.ParseLogin(h.Line); err == nil && kindOf(h) == "ssh" {
			for _, hop := range append([]remote.Login{login}, login.Jumps...) {
				known.Hosts, known.Users = append(known.Hosts, hop.Host), append(known.Users, hop.User)
			}
		}
	}
	if redact {
		p.Mask = report.NewMask(known)
	}
	return p
}

// remedyIn is what to do about a finding: the provider's own way where its profile
// has one.
func remedyIn(c *texts.Catalogue, p provider.Profile, id guide.CheckID, f guide.Finding) string {
	text, _ := track.Remedy(c, p, id, f)
	return text
}
