package workflow

import (
	"strconv"
	"strings"
)

// The modes of a node as it is drawn.
const (
	muted    = 2
	bypassed = 4
)

// The ends of a subgraph as they stand in its links.
const (
	insideInput  = "-10"
	insideOutput = "-20"
)

// link is a line between two nodes as drawn.
type link struct {
	from     string
	fromSlot int
	to       string
	toSlot   int
}

// slot is an input or output of a node as drawn.
type slot struct {
	name, kind string
	widget     string // name of the value that the input stands for
	link       string // "" without
}

// drawn is a node as drawn.
type drawn struct {
	id, kind string
	mode     int
	in, out  []slot
	values   []any
	named    map[string]any // values where they are written by name
	proxies  []any
}

// scope is a graph as drawn: the whole, or the inside of one subgraph node.
type scope struct {
	prefix string
	nodes  map[string]*drawn
	links  map[string]link
	outs   map[int]string // of a subgraph: slot -> link inside
	inner  map[string]*scope
	parent *scope
	self   *drawn // the subgraph node in parent
}

// source is where a line ends that is followed upwards.
type source struct {
	ref   ref
	value any // where it is a value
	ok    bool
}

// readUI reads the form that is drawn ("workflow"): nodes with widgets_values,
// links as lists or objects, subgraphs in definitions.
func readUI(m map[string]any) (*graph, error) {
	subgraphs := map[string]map[string]any{}
	for _, d := range list(object(m["definitions"])["subgraphs"]) {
		if o := object(d); o != nil {
			subgraphs[text(o["id"])] = o
		}
	}
	b := builder{subgraphs: subgraphs}
	root, err := b.scope(m, "", 0)
	if err != nil {
		return nil, err
	}
	if len(root.nodes) == 0 {
		return nil, bad("workflow.bad.nothing")
	}
	g := newGraph()
	if err := root.flatten(g); err != nil {
		return nil, err
	}
	g.everywhere(root)
	g.sort()
	return g, nil
}

// builder reads scopes and counts their nodes, as subgraphs within subgraphs
// can multiply.
type builder struct {
	subgraphs map[string]map[string]any
	count     int
}

func (b *builder) scope(m map[string]any, prefix string, depth int) (*scope, error) {
	if depth > maxNested {
		return nil, bad("workflow.bad.deep")
	}
	s := &scope{prefix: prefix, nodes: map[string]*drawn{}, links: map[string]link{}, outs: map[int]string{}, inner: map[string]*scope{}}
	for _, v := range list(m["links"]) {
		if id, l, ok := readLink(v); ok {
			s.links[id] = l
			if l.to == insideOutput {
				s.outs[l.toSlot] = id
			}
		}
	}
	for _, v := range list(m["nodes"]) {
		d := readDrawn(v)
		if d == nil {
			continue
		}
		if b.count++; b.count > maxNodes {
			return nil, bad("workflow.bad.many", "most", strconv.Itoa(maxNodes))
		}
		s.nodes[d.id] = d
		sub := b.subgraphs[d.kind]
		if sub == nil || d.kind == "" {
			continue
		}
		in, err := b.scope(sub, prefix+d.id+":", depth+1)
		if err != nil {
			return nil, err
		}
		in.parent, in.self = s, d
		in.override()
		s.inner[d.id] = in
	}
	return s, nil
}

func readLink(v any) (id string, l link, ok bool) {
	slotOf := func(v any) int { f, _ := number(v); return whole(f) }
	if o := object(v); o != nil {
		return word(o["id"]), link{word(o["origin_id"]), slotOf(o["origin_slot"]), word(o["target_id"]), slotOf(o["target_slot"])}, true
	}
	a := list(v)
	if len(a) < 5 {
		return "", link{}, false
	}
	return word(a[0]), link{word(a[1]), slotOf(a[2]), word(a[3]), slotOf(a[4])}, true
}

func readDrawn(v any) *drawn {
	o := object(v)
	if o == nil || word(o["id"]) == "" {
		return nil
	}
	mode, _ := number(o["mode"])
	d := &drawn{id: word(o["id"]), kind: text(o["type"]), mode: whole(mode), values: list(o["widgets_values"]), named: object(o["widgets_values"])}
	for _, in := range list(o["inputs"]) {
		i := object(in)
		d.in = append(d.in, slot{text(i["name"]), word(i["type"]), text(object(i["widget"])["name"]), word(i["link"])})
	}
	for _, out := range list(o["outputs"]) {
		i := object(out)
		d.out = append(d.out, slot{name: text(i["name"]), kind: word(i["type"])})
	}
	d.proxies = list(object(o["properties"])["proxyWidgets"])
	return d
}

// override puts the values that a subgraph's node shows over those inside.
func (s *scope) override() {
	named := map[string]any{}
	for i, p := range s.self.proxies {
		pair := list(p)
		if len(pair) < 2 || i >= len(s.self.values) || s.self.values[i] == nil {
			continue
		}
		id, name := word(pair[0]), word(pair[1])
		if id == "-1" {
			named[name] = s.self.values[i]
			continue
		}
		if in := s.nodes[id]; in != nil {
			if in.named == nil {
				in.named = valuesOf(in)
			}
			in.named[name] = s.self.values[i]
		}
	}
	if len(s.self.proxies) == 0 {
		named = valuesOf(s.self)
	}
	if len(named) > 0 {
		s.self.named = named
	}
}

// at follows a link upwards to what is executed.
func (s *scope) at(linkID string, depth int) source {
	l, ok := s.links[linkID]
	if !ok || linkID == "" || depth > maxDepth {
		return source{}
	}
	if l.from == insideInput {
		if s.self == nil || l.fromSlot < 0 || l.fromSlot >= len(s.self.in) {
			return source{}
		}
		in := s.self.in[l.fromSlot]
		if in.link != "" {
			return s.parent.at(in.link, depth+1)
		}
		for _, name := range []string{in.widget, in.name} {
			if v := s.self.named[name]; v != nil {
				return source{value: v, ok: true}
			}
		}
		return source{}
	}
	return s.output(s.nodes[l.from], l.fromSlot, depth+1)
}

// output is what an output of a node as drawn stands for.
func (s *scope) output(d *drawn, k, depth int) source {
	if d == nil || d.mode == muted || k < 0 {
		return source{}
	}
	if d.mode == bypassed {
		return s.at(d.passes(k), depth)
	}
	switch {
	case strings.HasPrefix(d.kind, "Reroute"):
		if len(d.in) > 0 {
			return s.at(d.in[0].link, depth)
		}
		return source{}
	case d.kind == "PrimitiveNode":
		if len(d.values) > 0 {
			return source{value: d.values[0], ok: true}
		}
		return source{}
	case d.kind == "GetNode":
		return s.at(s.set(d), depth)
	case d.kind == "SetNode":
		if len(d.in) > 0 {
			return s.at(d.in[0].link, depth)
		}
		return source{}
	}
	if in := s.inner[d.id]; in != nil {
		return in.at(in.outs[k], depth)
	}
	return source{ref: ref{s.prefix + d.id, k}, ok: true}
}

// passes is the link that a bypassed node passes to an output: that of the input
// in the same place where the types agree, else of the first of the type.
func (d *drawn) passes(k int) string {
	if k >= len(d.out) {
		return ""
	}
	kind := d.out[k].kind
	if k < len(d.in) && d.in[k].kind == kind && d.in[k].link != "" {
		return d.in[k].link
	}
	for _, in := range d.in {
		if in.kind == kind && in.link != "" {
			return in.link
		}
	}
	return ""
}

// set is the link into the SetNode that a GetNode names.
func (s *scope) set(get *drawn) string {
	if len(get.values) == 0 {
		return ""
	}
	for _, d := range s.nodes {
		if d.kind == "SetNode" && len(d.values) > 0 && text(d.values[0]) == text(get.values[0]) && len(d.in) > 0 && d.mode != muted {
			return d.in[0].link
		}
	}
	return ""
}

// flatten adds what is executed to g.
func (s *scope) flatten(g *graph) error {
	for _, d := range s.nodes {
		if d.mode == muted || d.mode == bypassed || virtual[d.kind] || strings.HasPrefix(d.kind, "Reroute") {
			continue
		}
		if in := s.inner[d.id]; in != nil {
			if err := in.flatten(g); err != nil {
				return err
			}
			continue
		}
		n := &node{id: s.prefix + d.id, kind: d.kind, links: map[string]ref{}, values: valuesOf(d), list: d.values}
		for _, in := range d.in {
			if in.link == "" || in.name == "" {
				continue
			}
			switch src := s.at(in.link, 0); {
			case src.value != nil:
				n.values[in.name] = src.value
			case src.ok:
				n.links[in.name] = src.ref
				delete(n.values, in.name)
			}
		}
		if err := g.add(n); err != nil {
			return err
		}
	}
	return nil
}

// virtual are nodes that are only drawn.
var virtual = map[string]bool{
	"Note": true, "MarkdownNote": true, "PrimitiveNode": true, "GetNode": true, "SetNode": true,
	"Label (rgthree)": true, "Fast Groups Muter (rgthree)": true, "Fast Groups Bypasser (rgthree)": true,
	"Fast Muter (rgthree)": true, "Fast Bypasser (rgthree)": true, "Bookmark (rgthree)": true,
	"workflow>note": true, "Anything Everywhere": true, "Anything Everywhere3": true, "Prompts Everywhere": true, "": true,
}

// everywhere gives the open inputs of MODEL, CLIP, VAE and the like what nodes of
// "Use Everywhere" send to all of them.
func (g *graph) everywhere(root *scope) {
	sent := map[string]ref{}
	for _, d := range root.nodes {
		if !strings.Contains(d.kind, "Everywhere") || d.mode == muted || d.mode == bypassed {
			continue
		}
		for _, in := range d.in {
			if src := root.at(in.link, 0); src.ok && src.value == nil {
				kind := in.kind
				if l, ok := root.links[in.link]; ok {
					if o := root.nodes[l.from]; o != nil && l.fromSlot >= 0 && l.fromSlot < len(o.out) {
						kind = o.out[l.fromSlot].kind
					}
				}
				sent[kind] = src.ref
			}
		}
	}
	if len(sent) == 0 {
		return
	}
	for _, d := range root.nodes {
		n := g.nodes[d.id]
		if n == nil {
			continue
		}
		for _, in := range d.in {
			if r, ok := sent[in.kind]; ok && in.link == "" && in.widget == "" && r.id != n.id {
				n.links[in.name] = r
			}
		}
	}
}
