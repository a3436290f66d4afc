package plan

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"rentgen/app/bill/offer"
	"rentgen/app/money"
	"rentgen/assets/texts"
)

const (
	maxText  = 400 // characters of a word or line
	maxItems = 1000
)

var (
	ratType  = reflect.TypeFor[money.Rat]()
	nodeType = reflect.TypeFor[*yaml.Node]()
)

// decoder reads nodes into structs by their yaml tags. Other than the YAML
// package it takes no unknown or double key, no alias, and no number that isn't
// one, and knows where each field stood.
type decoder struct {
	errs offer.InputErrors
	at   map[string]*yaml.Node // by field
}

func (d *decoder) bad(field, value string, n *yaml.Node, allowed texts.Phrase) {
	if field == "" {
		field = "plan"
	}
	d.errs = append(d.errs, &offer.InputError{Field: field, Value: value, Allowed: allowed, Line: n.Line, Column: n.Column})
}

// value reads n into v, which can be set.
func (d *decoder) value(field string, n *yaml.Node, v reflect.Value) {
	d.at[field] = n
	if n.Kind == yaml.AliasNode {
		d.bad(field, "*"+n.Value, n, texts.P("planfile.allowed.alias"))
		return
	}
	null := n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
	switch {
	case v.Type() == nodeType:
		v.Set(reflect.ValueOf(n))
		return
	case v.Kind() == reflect.Pointer:
		if null {
			return
		}
		to := reflect.New(v.Type().Elem())
		before := len(d.errs)
		d.value(field, n, to.Elem())
		if len(d.errs) == before {
			v.Set(to)
		}
		return
	case v.Kind() == reflect.Struct && v.Type() != ratType:
		if !null {
			d.structure(field, n, v)
		}
		return
	case v.Kind() == reflect.Slice:
		if !null {
			d.list(field, n, v)
		}
		return
	}
	if n.Kind != yaml.ScalarNode || null || !plain(n) {
		d.bad(field, shown(n), n, allowedOf(v.Type()))
		return
	}
	if !scalar(n.Value, v) {
		d.bad(field, n.Value, n, allowedOf(v.Type()))
	}
}

// plain reports whether a scalar is of YAML's own simple types.
func plain(n *yaml.Node) bool {
	switch n.ShortTag() {
	case "!!str", "!!int", "!!float", "!!bool", "!!timestamp":
		return true
	}
	return false
}

// shown is what stands at a node, for an error.
func shown(n *yaml.Node) string {
	switch n.Kind {
	case yaml.ScalarNode:
		return n.Value
	case yaml.MappingNode:
		return "{...}"
	case yaml.SequenceNode:
		return "[...]"
	}
	return ""
}

// scalar reads a plain value; numbers go through money.Parse, so that 0x10,
// 1_000, .nan and 3h are no numbers here either.
func scalar(s string, v reflect.Value) bool {
	if v.Type() == ratType {
		r, err := money.Parse(s)
		if err != nil {
			return false
		}
		v.Set(reflect.ValueOf(r))
		return true
	}
	switch v.Kind() {
	case reflect.String:
		if len([]rune(s)) > maxText || strings.ContainsFunc(s, unicode.IsControl) {
			return false
		}
		v.SetString(s)
		return true
	case reflect.Bool:
		v.SetBool(s == "true")
		return s == "true" || s == "false"
	case reflect.Int:
		r, err := money.Parse(s)
		if err != nil {
			return false
		}
		i, ok := r.Int64()
		if !ok || i > math.MaxInt32 || i < math.MinInt32 {
			return false
		}
		v.SetInt(i)
		return true
	case reflect.Uint64:
		u, err := strconv.ParseUint(strings.TrimSpace(s), 10, 64)
		if err != nil {
			return false
		}
		v.SetUint(u)
		return true
	case reflect.Float64:
		r, err := money.Parse(s)
		if err != nil {
			return false
		}
		v.SetFloat(r.Float64())
		return true
	}
	panic(fmt.Sprintf("plan: no reader for %s", v.Type()))
}

func allowedOf(t reflect.Type) texts.Phrase {
	if t == ratType {
		return texts.P("planfile.allowed.number")
	}
	switch t.Kind() {
	case reflect.String:
		return texts.P("planfile.allowed.text", "n", maxText)
	case reflect.Bool:
		return texts.P("planfile.allowed.flag")
	case reflect.Int, reflect.Uint64:
		return texts.P("planfile.allowed.whole")
	}
	return texts.P("planfile.allowed.number")
}

// structure reads a mapping by the yaml tags of v's fields.
func (d *decoder) structure(field string, n *yaml.Node, v reflect.Value) {
	fields := fieldsOf(v.Type())
	if n.Kind != yaml.MappingNode {
		d.bad(field, shown(n), n, texts.P("planfile.allowed.keys", "list", strings.Join(namesOf(fields), ", ")))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, to := n.Content[i], n.Content[i+1]
		name := key.Value
		index := slices.IndexFunc(fields, func(f tagged) bool { return f.name == name })
		switch {
		case key.Kind != yaml.ScalarNode || index < 0:
			d.bad(within(field, name), shown(key), key, texts.P("planfile.allowed.keys", "list", strings.Join(namesOf(fields), ", ")))
		case seen[name]:
			d.bad(within(field, name), name, key, texts.P("planfile.allowed.once"))
		default:
			seen[name] = true
			d.value(within(field, name), to, v.Field(fields[index].index))
		}
	}
}

func (d *decoder) list(field string, n *yaml.Node, v reflect.Value) {
	if n.Kind != yaml.SequenceNode {
		d.bad(field, shown(n), n, texts.P("planfile.allowed.list"))
		return
	}
	if len(n.Content) > maxItems {
		d.bad(field, strconv.Itoa(len(n.Content)), n, texts.P("planfile.allowed.most", "n", maxItems))
		return
	}
	out := reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content))
	for i, item := range n.Content {
		d.value(fmt.Sprintf("%s[%d]", field, i), item, out.Index(i))
	}
	if len(n.Content) > 0 {
		v.Set(out)
	}
}

func within(field, name string) string {
	if field == "" {
		return name
	}
	if name == "" {
		return field
	}
	return field + "." + name
}

// tagged is a field of a struct and its name in the file.
type tagged struct {
	name  string
	index int
}

func fieldsOf(t reflect.Type) []tagged {
	var out []tagged
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
		if name != "" && name != "-" {
			out = append(out, tagged{name, i})
		}
	}
	return out
}

func namesOf(fields []tagged) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return names
}
