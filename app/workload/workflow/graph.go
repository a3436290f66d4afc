package workflow

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// ref is an output of a node.
type ref struct {
	id   string
	slot int
}

// node is a node that is executed, with its inputs by name: a link or a value.
type node struct {
	id, kind string
	links    map[string]ref
	values   map[string]any
	list     []any // values by place where names are not known
}

// from names a node for the user.
func (n *node) from() string { return n.id + " " + n.kind }

// graph is a workflow in one form: without reroutes, muted nodes, bypassed nodes
// and subgraphs.
type graph struct {
	nodes map[string]*node
	ids   []string // in the order of ids
	ends  []string // of outputs, where the program says which
	work  int      // questions asked so far
}

func newGraph() *graph { return &graph{nodes: map[string]*node{}} }

func (g *graph) add(n *node) error {
	if len(g.nodes) >= maxNodes {
		return bad("workflow.bad.many", "most", strconv.Itoa(maxNodes))
	}
	g.nodes[n.id] = n
	return nil
}

// sort puts the ids into the order of their numbers.
func (g *graph) sort() {
	g.ids = g.ids[:0]
	for id := range g.nodes {
		g.ids = append(g.ids, id)
	}
	slices.SortFunc(g.ids, byNumber)
}

func byNumber(a, b string) int {
	na, ea := strconv.Atoi(a)
	nb, eb := strconv.Atoi(b)
	if ea == nil && eb == nil {
		return na - nb
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// readGraph reads a workflow in either form; c is the picture that carried it.
func readGraph(s string, c *carried) (Found, error) {
	v, err := parseJSON(s)
	if err != nil {
		return Found{}, err
	}
	g, err := graphOf(v, 0)
	if err != nil {
		return Found{}, err
	}
	return g.read(c), nil
}

// graphOf finds the workflow in a JSON value: itself, or in a request or an
// answer that holds one.
func graphOf(v any, depth int) (*graph, error) {
	m := object(v)
	if m == nil || depth > 3 {
		return nil, bad("workflow.bad.not")
	}
	if _, ok := m["nodes"].([]any); ok {
		return readUI(m)
	}
	if isPrompt(m) {
		return readPrompt(m)
	}
	for _, key := range []string{"prompt", "output", "workflow", "extra_data", "extra_pnginfo"} {
		inner := m[key]
		if s, ok := inner.(string); ok && strings.HasPrefix(strings.TrimSpace(s), "{") {
			var err error
			if inner, err = parseJSON(s); err != nil {
				continue
			}
		}
		if object(inner) != nil {
			if g, err := graphOf(inner, depth+1); err == nil {
				return g, nil
			}
		}
	}
	return nil, bad("workflow.bad.not")
}

// isPrompt reports whether an object is of the form that is executed.
func isPrompt(m map[string]any) bool {
	for _, v := range m {
		if n := object(v); n != nil && text(n["class_type"]) != "" {
			return true
		}
	}
	return false
}

// readPrompt reads the form that is executed ("API format"): nodes by id, each
// with class_type and inputs; a link is [id, slot].
func readPrompt(m map[string]any) (*graph, error) {
	g := newGraph()
	for id, v := range m {
		o := object(v)
		kind := text(o["class_type"])
		if kind == "" {
			continue
		}
		n := &node{id: id, kind: kind, links: map[string]ref{}, values: map[string]any{}}
		for name, in := range object(o["inputs"]) {
			if r, ok := linkOf(in); ok {
				n.links[name] = r
				continue
			}
			if w := object(in); w != nil && w["__value__"] != nil {
				in = w["__value__"]
			}
			n.values[name] = in
		}
		if err := g.add(n); err != nil {
			return nil, err
		}
	}
	g.sort()
	return g, nil
}

func linkOf(v any) (ref, bool) {
	l := list(v)
	if len(l) != 2 {
		return ref{}, false
	}
	id := word(l[0])
	slot, ok := number(l[1])
	if _, isText := l[1].(string); id == "" || !ok || isText {
		return ref{}, false
	}
	return ref{id, whole(slot)}, true
}

// outputs are the nodes that the workflow is executed for: those named by the
// program, else those that save or show, else those nobody reads.
func (g *graph) outputs() []*node {
	var out []*node
	for _, id := range g.ends {
		if n := g.nodes[id]; n != nil {
			out = append(out, n)
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, id := range g.ids {
		if n := g.nodes[id]; isOutput(n) {
			out = append(out, n)
		}
	}
	if len(out) > 0 {
		return out
	}
	read := map[string]bool{}
	for _, n := range g.nodes {
		for _, r := range n.links {
			read[r.id] = true
		}
	}
	for _, id := range g.ids {
		if !read[id] {
			out = append(out, g.nodes[id])
		}
	}
	return out
}

// upstream are the nodes that some nodes depend on, with these, in the order of
// ids; it doesn't go through a node that stop holds for. The unused side of a
// switch doesn't count.
func (g *graph) upstream(ends []*node, stop func(n *node) bool) []*node {
	seen := map[string]bool{}
	var todo []*node
	push := func(n *node) {
		if n != nil && !seen[n.id] {
			seen[n.id] = true
			todo = append(todo, n)
		}
	}
	for _, n := range ends {
		push(n)
	}
	first := len(todo)
	for i := 0; i < len(todo); i++ {
		n := todo[i]
		if i >= first && stop != nil && stop(n) {
			continue
		}
		if r, ok := g.chosen(n); ok {
			push(g.nodes[r.id])
			for name, r := range n.links {
				if name == "switch" || name == "select" {
					push(g.nodes[r.id])
				}
			}
			continue
		}
		for _, r := range n.links {
			push(g.nodes[r.id])
		}
	}
	slices.SortFunc(todo, func(a, b *node) int { return byNumber(a.id, b.id) })
	return todo
}

// chosen is the input that a switch passes on; ok is false for another node, or
// while the choice can't be read.
func (g *graph) chosen(n *node) (ref, bool) {
	pick := func(name string) (ref, bool) { r, ok := n.links[name]; return r, ok }
	switch n.kind {
	case "ComfySwitchNode", "ComfySoftSwitchNode", "LazySwitchKJ", "Switch any [Crystools]", "easy ifElse":
		v, ok := g.num(n, "switch", "boolean")
		if !ok {
			return ref{}, false
		}
		if v != 0 {
			return firstOf(n, "on_true", "on_true_lazy")
		}
		return firstOf(n, "on_false", "on_false_lazy")
	case "Any Switch (rgthree)", "Context Switch (rgthree)":
		for _, name := range linkNames(n) {
			return pick(name)
		}
	case "ImpactSwitch", "LatentSwitch", "SEGSSwitch", "ImpactImageInfo", "easy anythingIndexSwitch":
		if v, ok := g.num(n, "select", "index"); ok {
			return firstOf(n, "input"+strconv.Itoa(whole(v)), "value"+strconv.Itoa(whole(v)))
		}
	case "CR Model Input Switch", "CR Latent Input Switch", "CR Image Input Switch", "CR VAE Input Switch", "CR Conditioning Input Switch":
		if v, ok := g.num(n, "Input"); ok {
			for _, name := range linkNames(n) {
				if strings.HasSuffix(name, strconv.Itoa(whole(v))) {
					return pick(name)
				}
			}
		}
	}
	return ref{}, false
}

func firstOf(n *node, names ...string) (ref, bool) {
	for _, name := range names {
		if r, ok := n.links[name]; ok {
			return r, true
		}
	}
	return ref{}, false
}

func linkNames(n *node) []string {
	names := make([]string, 0, len(n.links))
	for name := range n.links {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
