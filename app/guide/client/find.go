package client

import (
	"slices"
	"strconv"
	"strings"

	"rentgen/app/guide"
	"rentgen/app/provider"
	"rentgen/assets/texts"
)

// Reader is somebody who can still read the client's files.
type Reader struct {
	ID   string // "provider", "port", "keys", "image", "network", "backup"
	Says texts.Phrase
}

// Readers says who can still read what lies there.
func Readers(l Look, p provider.Profile) []Reader {
	var out []Reader
	add := func(id string, args ...any) {
		out = append(out, Reader{ID: id, Says: texts.P("client.reader."+id, args...)})
	}
	if slices.ContainsFunc(l.Places, func(c Place) bool { return c.Rest == DMCrypt || c.Rest == Ecryptfs }) {
		add("provider_crypt")
	} else {
		add("provider")
	}
	if open := l.open(); len(open) > 0 {
		add("port", "ports", ports(open))
	}
	if l.Keys > 1 {
		add("keys", "n", l.Keys)
	}
	var network []string
	system := false
	for _, c := range l.Places {
		if d := holderOf(p, c); d.Holds == provider.HoldsNetwork && !slices.Contains(network, d.Path) {
			network = append(network, d.Path)
		}
		system = system || c.Mount == "/"
	}
	if system {
		add("image")
	}
	if len(network) > 0 {
		add("network", "dirs", strings.Join(network, ", "))
	}
	add("backup")
	return out
}

// holderOf is the profile's entry of the mount that a place lies on.
func holderOf(p provider.Profile, c Place) provider.Dir {
	d, _ := p.DirOf(c.Path, c.Mount, "")
	return d
}

// open are the ports but SSH's that aren't the host's alone.
func (l Look) open() []Port {
	return slices.DeleteFunc(slices.Clone(l.Ports), func(p Port) bool { return !p.Public || p.Program == "SSH" })
}

func ports(l []Port) string {
	var s []string
	for _, p := range l {
		t := strconv.Itoa(p.Number)
		if p.Program != "" {
			t += " (" + p.Program + ")"
		}
		s = append(s, t)
	}
	return strings.Join(s, ", ")
}

// Findings says what is in the way of keeping the client's files to oneself, worst
// first.
func Findings(l Look) []guide.Finding {
	var out []guide.Finding
	find := func(v guide.Verdict, code string, args ...any) {
		key := "client.find." + code
		out = append(out, guide.Finding{Verdict: v, Code: code, Says: texts.P(key, args...), Do: texts.P(key+".do", args...)})
	}
	known, other := []Port{}, []Port{}
	for _, p := range l.open() {
		if p.Program != "" {
			known = append(known, p)
		} else {
			other = append(other, p)
		}
	}
	if len(known) > 0 {
		find(guide.Fail, "port", "ports", ports(known))
	}
	if len(other) > 0 {
		find(guide.Warn, "port_other", "ports", ports(other))
	}
	if !l.PortsRead {
		find(guide.Warn, "ports_unread")
	}
	if telling, of := l.Telling(); telling > 0 {
		find(guide.Warn, "telling", "n", telling, "of", of)
	}
	size := map[Kind]int64{}
	for _, c := range l.Places {
		size[c.Kind] += c.Bytes
	}
	for _, k := range []Kind{History, Logs, Temp, Trash} {
		if size[k] > 0 {
			find(guide.Warn, string(k), "size", texts.Bytes(float64(size[k])))
		}
	}
	if slices.ContainsFunc(l.Places, func(c Place) bool { return c.Rest == NoneSeen }) {
		find(guide.Warn, "plain")
	} else if slices.ContainsFunc(l.Places, func(c Place) bool { return c.Rest == RestUnknown }) {
		find(guide.Warn, "rest_unknown")
	}
	if l.Keys > 1 {
		find(guide.Warn, "keys", "n", l.Keys)
	}
	if !l.Whole {
		find(guide.Warn, "cut")
	}
	return out
}

// Sentence says in one sentence how things stand.
func Sentence(l Look) texts.Phrase {
	f := Findings(l)
	switch {
	case slices.ContainsFunc(f, func(x guide.Finding) bool { return x.Verdict == guide.Fail }):
		return texts.P("client.sentence.fail")
	case len(l.Places) > 0:
		return texts.P("client.sentence.places", "n", len(l.Places), "size", texts.Bytes(float64(l.Bytes())))
	case !l.Whole:
		return texts.P("client.sentence.cut")
	}
	return texts.P("client.sentence.none")
}

// Question is what to ask the client; the contract is not judged here.
func Question() texts.Phrase { return texts.P("client.question") }
