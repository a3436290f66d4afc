package track

import (
	"rentgen/app/guide"
	"rentgen/app/provider"
	"rentgen/assets/texts"
)

// Remedy is what to do about a finding, "" for nothing: the provider's own way
// where its profile has one, with where it was read, else the general one.
func Remedy(c *texts.Catalogue, p provider.Profile, id guide.CheckID, f guide.Finding) (text string, by provider.Said) {
	if r, ok := p.Remedies[string(id)+"/"+f.Code]; ok && r.Text[c.Lang] != "" {
		return r.Text[c.Lang], r.Said
	}
	return c.Say(f.Do), provider.Said{}
}
