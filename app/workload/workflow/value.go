package workflow

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"strconv"
	"strings"
)

// has reports whether a node has an input, as link or value.
func (n *node) has(name string) bool {
	if _, ok := n.links[name]; ok {
		return true
	}
	return n.values[name] != nil
}

// str is the first text among values.
func (n *node) str(names ...string) string {
	for _, name := range names {
		if s := text(n.values[name]); s != "" {
			return s
		}
	}
	return ""
}

// str follows a link to a text where an input is one.
func (g *graph) str(n *node, names ...string) string {
	for _, name := range names {
		if s := text(n.values[name]); s != "" {
			return s
		}
		if r, ok := n.links[name]; ok {
			if from := g.nodes[r.id]; from != nil {
				if s := from.str("value", "string", "text", name); s != "" {
					return s
				}
				for _, v := range from.list {
					if s := text(v); fileEnd.MatchString(s) {
						return s
					}
				}
			}
		}
	}
	return ""
}

// num is the first number among inputs, followed through nodes that hold or
// compute one.
func (g *graph) num(n *node, names ...string) (float64, bool) { return g.numAt(n, 0, names...) }

func (g *graph) numAt(n *node, depth int, names ...string) (float64, bool) {
	for _, name := range names {
		if r, ok := n.links[name]; ok {
			return g.numOf(r, depth+1)
		}
		if v, ok := number(n.values[name]); ok {
			return v, true
		}
	}
	return 0, false
}

// tired ends questions that lead nowhere: rings, and formulas that multiply.
func (g *graph) tired(depth int) bool {
	g.work++
	return depth > maxDepth || g.work > maxWork
}

const maxWork = 1_000_000

// numOf is the number that an output gives.
func (g *graph) numOf(r ref, depth int) (float64, bool) {
	n := g.nodes[r.id]
	if n == nil || g.tired(depth) {
		return 0, false
	}
	if c, ok := g.chosen(n); ok {
		return g.numOf(c, depth+1)
	}
	switch n.kind {
	case "ComfyMathExpression", "MathExpression|pysssss", "SimpleMath+", "JWMathExpression", "easy mathInt":
		return g.expression(n, depth+1)
	case "GetImageSize", "GetImageSize+", "easy imageSize", "Get Image Size", "Get resolution [Crystools]":
		in, ok := firstOf(n, "image", "images")
		if !ok || r.slot > 1 {
			return 0, false
		}
		d := g.dims(in, depth+1)
		side := [2]float64{d.w, d.h}[max(r.slot, 0)]
		return side, side > 0
	}
	if r.slot != 0 && !strings.HasPrefix(n.kind, "Primitive") { // which of several numbers can't be told
		if r.slot == 1 && n.has("height") {
			return g.numAt(n, depth+1, "height")
		}
		return 0, false
	}
	return g.numAt(n, depth+1, "value", "int", "float", "number", "Number", "Value", "int_value", "seed", "width", "a")
}

const maxExpression = 200

// expression computes what a node writes as a formula of its inputs.
func (g *graph) expression(n *node, depth int) (float64, bool) {
	s := n.str("expression", "value")
	if s == "" || len(s) > maxExpression || strings.Contains(s, "//") || strings.Contains(s, "**") {
		return 0, false
	}
	e, err := parser.ParseExpr(s)
	if err != nil {
		return 0, false
	}
	v := g.compute(n, e, depth)
	return v, !math.IsNaN(v) && !math.IsInf(v, 0)
}

// compute evaluates a formula; NaN where it can't.
func (g *graph) compute(n *node, e ast.Expr, depth int) float64 {
	switch e := e.(type) {
	case *ast.BasicLit:
		if v, err := strconv.ParseFloat(e.Value, 64); err == nil {
			return v
		}
	case *ast.Ident:
		if v, ok := g.numAt(n, depth, e.Name, "values."+e.Name); ok {
			return v
		}
	case *ast.ParenExpr:
		return g.compute(n, e.X, depth)
	case *ast.UnaryExpr:
		if e.Op == token.SUB {
			return -g.compute(n, e.X, depth)
		}
	case *ast.BinaryExpr:
		x, y := g.compute(n, e.X, depth), g.compute(n, e.Y, depth)
		switch e.Op {
		case token.ADD:
			return x + y
		case token.SUB:
			return x - y
		case token.MUL:
			return x * y
		case token.QUO:
			return x / y
		case token.REM:
			return math.Mod(x, y)
		}
	case *ast.CallExpr:
		return g.call(n, e, depth)
	}
	return math.NaN()
}

func (g *graph) call(n *node, e *ast.CallExpr, depth int) float64 {
	name, ok := e.Fun.(*ast.Ident)
	if !ok || len(e.Args) == 0 {
		return math.NaN()
	}
	x := g.compute(n, e.Args[0], depth)
	switch name.Name {
	case "floor", "int":
		return math.Floor(x)
	case "ceil":
		return math.Ceil(x)
	case "round":
		return math.Round(x)
	case "abs":
		return math.Abs(x)
	case "min", "max":
		for _, a := range e.Args[1:] {
			y := g.compute(n, a, depth)
			if name.Name == "min" {
				x = math.Min(x, y)
			} else {
				x = math.Max(x, y)
			}
		}
		return x
	}
	return math.NaN()
}
