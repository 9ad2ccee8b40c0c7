package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// mapRange is a range over a map. Whether it is a hazard is decided once the effects of all functions are known.
type mapRange struct {
	in   *unit
	stmt *ast.RangeStmt
	over string
}

// mapRange describes e if it yields elements in the order of a map.
func (p *pass) mapRange(e ast.Expr) string {
	if t := p.typeOf(e); t != nil {
		if _, ok := t.(*types.Map); ok {
			return "map " + types.ExprString(e)
		}
	}
	if c, ok := ast.Unparen(e).(*ast.CallExpr); ok && sequence(callee(p.info, c)) {
		return types.ExprString(c)
	}
	return ""
}

// sequence reports whether f returns the elements of a map in its order.
func sequence(f *types.Func) bool {
	return f != nil && f.Pkg() != nil && f.Pkg().Path() == "maps" && slices.Contains([]string{"Keys", "Values", "All"}, f.Name())
}

// unsortedKeys describes the hazard of a call of maps.Keys, Values or All, or of a function that makes a slice from
// one. An empty string means none.
func (p *pass) unsortedKeys(n *ast.CallExpr, f *types.Func, within []ast.Node) string {
	if !sequence(f) || len(within) == 0 {
		return ""
	}
	text := types.ExprString(n)
	i := len(within) - 1
	parent := within[i]
	if r, ok := parent.(*ast.RangeStmt); ok && r.X == ast.Expr(n) {
		return "" // handled as a range
	}
	outer, ok := parent.(*ast.CallExpr)
	if !ok {
		return "keeps the sequence " + text + ", which is in the order of the map"
	}
	g := callee(p.info, outer)
	if g == nil || g.Pkg() == nil {
		return ""
	}
	switch name := g.Pkg().Path() + "." + g.Name(); name {
	case "slices.Collect", "slices.AppendSeq":
		if i > 0 && p.sortedHere(within[i-1], within[:i-1], outer) {
			return ""
		}
		return types.ExprString(outer) + " is in the order of the map"
	}
	return "" // sorts it, fills a map, or is unknown and left to its author
}

// sortedHere reports whether the value e, which n uses, is sorted at once or later in the function.
func (p *pass) sortedHere(n ast.Node, within []ast.Node, e ast.Expr) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		return sorts(callee(p.info, n)) || builtin(p.info, n) == "len"
	case *ast.AssignStmt:
		for i, r := range n.Rhs {
			if r == e && i < len(n.Lhs) {
				return p.sortedAfter(n.Lhs[i], n.End(), within)
			}
		}
	}
	return false
}

// sorts reports whether the name of f is that of a function that sorts its argument.
func sorts(f *types.Func) bool {
	if f == nil || f.Pkg() == nil {
		return false
	}
	return f.Pkg().Path() == "sort" || strings.Contains(strings.ToLower(f.Name()), "sort")
}

// sortedAfter reports whether the same function sorts e after a position.
func (p *pass) sortedAfter(e ast.Expr, after token.Pos, within []ast.Node) bool {
	if len(within) == 0 {
		return false
	}
	text := types.ExprString(e)
	for n := range ast.Preorder(within[0]) {
		c, ok := n.(*ast.CallExpr)
		if !ok || c.Pos() < after || !sorts(callee(p.info, c)) {
			continue
		}
		method, ok := c.Fun.(*ast.SelectorExpr)
		if ok && same(method.X, text) || slices.ContainsFunc(c.Args, func(arg ast.Expr) bool { return same(arg, text) }) {
			return true
		}
	}
	return false
}

// same reports whether arg is the expression, or part of it, or a conversion of it.
func same(arg ast.Expr, text string) bool {
	for {
		if types.ExprString(arg) == text {
			return true
		}
		switch a := arg.(type) {
		case *ast.SliceExpr:
			arg = a.X
		case *ast.ParenExpr:
			arg = a.X
		case *ast.UnaryExpr:
			arg = a.X
		case *ast.CallExpr:
			if len(a.Args) != 1 {
				return false
			}
			arg = a.Args[0]
		default:
			return false
		}
	}
}

// judge reports a range over a map with a body that depends on the order.
func (p *pass) judge(r mapRange) {
	b := &orderedBody{pass: p, stmt: r.stmt, fn: r.in.body()}
	b.look()
	if b.why != "" {
		p.add(r.in, MapOrder, r.stmt.Pos(), "range over "+r.over+" "+b.why)
	}
}

// unorderedYield reports whether the loop passes its elements to the yield function of an iterator.
func (p *pass) unorderedYield(s *ast.RangeStmt) bool {
	for n := range ast.Preorder(s.Body) {
		if c, ok := n.(*ast.CallExpr); ok {
			if id, ok := c.Fun.(*ast.Ident); ok && id.Name == "yield" {
				if v, ok := p.info.Uses[id].(*types.Var); ok && v.Pos() < s.Pos() {
					return true
				}
			}
		}
	}
	return false
}
