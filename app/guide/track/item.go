package track

import (
	"slices"
	"strings"
	"unicode"

	"rentgen/app/guide"
	"rentgen/app/provider"
	"rentgen/assets/texts"
)

// Items that the program itself knows something about.
const (
	ItemVerified = "verified" // of the account: it outlives an instance
	ItemRegion   = "region"
	ItemSync     = "sync"
	ItemSurvival = "survival"
	ItemTimes    = "times"
	ItemLoad     = "load"
	ItemSaved    = "saved"
	itemEncrypt  = "encrypt" // needed once there are files of clients
)

// SameRegion reports by the form about regions whether the data lie in the
// instance's region, nil where one of them isn't given.
func SameRegion(values map[string]string) *bool {
	data, inst := values["data"], values["instance"]
	if words(data) == nil || words(inst) == nil {
		return nil
	}
	same := sameRegion(data, inst)
	return &same
}

// sameRegion compares two names of regions as people write them: "cn-shanghai" and
// "Shanghai" are one, and so are "华东2（上海）" and "上海"; "cn-east-1" and
// "cn-east-2" are not.
func sameRegion(a, b string) bool {
	x, y := words(a), words(b)
	return subset(x, y) || subset(y, x)
}

func subset(a, b []string) bool {
	return len(a) > 0 && !slices.ContainsFunc(a, func(w string) bool { return !slices.Contains(b, w) })
}

// words are the runs of letters or digits in a name, in small letters; a run ends
// where the script changes.
func words(s string) []string {
	var list []string
	kind := func(r rune) int {
		switch {
		case unicode.Is(unicode.Han, r):
			return 1
		case unicode.IsDigit(r):
			return 2
		case unicode.IsLetter(r):
			return 3
		}
		return 0
	}
	last := 0
	for _, r := range strings.ToLower(s) {
		k := kind(r)
		switch {
		case k == 0:
		case k == last:
			list[len(list)-1] += string(r)
		default:
			list = append(list, string(r))
		}
		last = k
	}
	return list
}

// item puts a manual item together.
func (p *MakeParams) item(it Item) ItemView {
	if it.ID == itemEncrypt && p.Needs.UnderContract {
		it.Needed = true
	}
	v := ItemView{Item: it, Value: map[string]string{}, Filled: map[string]texts.Phrase{}, Hint: p.hint(it.ID)}
	p.prefill(&v)
	t, ok := p.Ticks[it.ID]
	if ok {
		for name, s := range t.Values {
			if slices.Contains(it.Fields, name) {
				v.Value[name] = s
				delete(v.Filled, name)
			}
		}
		v.Tick = &t
		if moved := t.Run.Instance != "" && p.Instance.Instance != "" && t.Run.Instance != p.Instance.Instance; moved && it.ID != ItemVerified {
			v.StaleWhy = texts.P("track.stale.instance")
			return v
		}
	}
	p.weigh(&v, ok && t.Done, t.Values)
	if v.Evidence = p.Evidence[it.ID]; v.Finding.IsZero() && len(v.Evidence) > 0 {
		v.Finding = v.Evidence[0]
	}
	return v
}

// weigh says what the answers of an item mean.
func (p *MakeParams) weigh(v *ItemView, done bool, given map[string]string) {
	if done {
		v.Verdict = guide.Pass
	}
	switch v.Item.ID {
	case ItemRegion:
		v.Verdict, v.Finding = p.regions(given)
	case ItemSync:
		same := SameRegion(p.Ticks[ItemRegion].Values)
		switch {
		case same != nil && *same:
			v.Verdict, v.Finding = guide.Pass, texts.P("track.sync.same")
		case same != nil && !done:
			v.Finding = texts.P("track.sync.do")
		}
	case ItemSurvival:
		if p.Proved {
			v.Verdict = guide.Pass
		}
	case "billing":
		if slices.Contains(v.Item.Choices["mode"], given["mode"]) {
			v.Verdict, v.Finding = guide.Pass, texts.P("track.billing."+given["mode"])
		}
	case "term":
		if slices.Contains(v.Item.Choices["choice"], given["choice"]) {
			v.Verdict = guide.Pass
		}
	}
}

// regions says whether data, instance and storage are in one region. Prefilled
// fields that the user has not confirmed say nothing.
func (p *MakeParams) regions(given map[string]string) (guide.Verdict, texts.Phrase) {
	data, inst, store := given["data"], given["instance"], given["storage"]
	has := func(s string) bool { return words(s) != nil }
	switch {
	case !has(inst) || !has(data) && !has(store):
		return guide.NotRun, texts.Phrase{}
	case has(data) && !sameRegion(data, inst):
		if p.Ticks[ItemSync].Done {
			return guide.Pass, texts.P("track.region.synced", "data", data, "instance", inst)
		}
		return guide.Warn, texts.P("track.region.data", "data", data, "instance", inst)
	case has(store) && !sameRegion(store, inst):
		return guide.Warn, texts.P("track.region.storage", "storage", store, "instance", inst)
	case !has(data):
		return guide.NotRun, texts.P("track.region.ask", "field", texts.P("track.field.data"))
	case !has(store):
		return guide.NotRun, texts.P("track.region.ask", "field", texts.P("track.field.storage"))
	}
	return guide.Pass, texts.P("track.region.same", "instance", inst)
}

// verbs are the items that end in something done in the provider's console.
var verbs = map[string]string{ItemSaved: provider.VerbImage, "release": provider.VerbRelease}

// hint names what the provider's console calls it.
func (p *MakeParams) hint(item string) texts.Phrase {
	v, ok := p.Profile.Verbs[verbs[item]]
	if !ok {
		return texts.Phrase{}
	}
	return texts.P("track.hint.verb",
		"provider", func(c *texts.Catalogue) string { return p.Profile.NameIn(c.Lang) },
		"verb", func(c *texts.Catalogue) string { return v.NameIn(c.Lang) })
}

// fillIn sets a field that the user left empty, with where it comes from.
func (v *ItemView) fillIn(field, value string, why texts.Phrase) {
	if value == "" || v.Value[field] != "" || !slices.Contains(v.Item.Fields, field) {
		return
	}
	v.Value[field], v.Filled[field] = value, why
}
