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
func (s *source) mapRange(e ast.Expr) string {
	if t := s.typeOf(e); t != nil {
		if _, ok := t.(*types.Map); ok {
			return "map " + types.ExprString(e)
		}
	}
	if c, ok := ast.Unparen(e).(*ast.CallExpr); ok && sequence(s.callee(c)) {
		return types.ExprString(c)
	}
	return ""
}

// addressed reports whether a range is over a map with pointers as keys, in the order of their addresses, and its body
// does more than compute.
func (s *source) addressed(n *ast.RangeStmt) bool {
	t := s.typeOf(n.X)
	if c, ok := ast.Unparen(n.X).(*ast.CallExpr); ok && len(c.Args) == 1 && sequence(s.callee(c)) {
		t = s.typeOf(c.Args[0])
	}
	if m, ok := t.(*types.Map); !ok || !hasAddress(m.Key()) {
		return false
	}
	for in := range ast.Preorder(n.Body) {
		switch in := in.(type) {
		case *ast.SendStmt, *ast.GoStmt, *ast.ReturnStmt:
			return true
		case *ast.CallExpr:
			if s.builtin(in) == "" && !s.info.Types[in.Fun].IsType() {
				return true
			}
		}
	}
	return false
}

// hasAddress reports whether keys of the type are distinguished by addresses. Interfaces mostly hold pointers.
func hasAddress(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Pointer, *types.Chan, *types.Interface:
		return true
	case *types.Basic:
		return t.Kind() == types.UnsafePointer
	case *types.Array:
		return hasAddress(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if hasAddress(f.Type()) {
				return true
			}
		}
	}
	return false
}

// sequence reports whether f returns the elements of a map in its order.
func sequence(f *types.Func) bool {
	return inPackage(f, "maps") && slices.Contains([]string{"Keys", "Values", "All"}, f.Name())
}

// unsortedKeys describes the hazard of a call of maps.Keys, Values or All, or of a function that makes a slice from
// one. An empty string means none.
func (s *source) unsortedKeys(n *ast.CallExpr, f *types.Func, within []ast.Node) string {
	if !sequence(f) || len(within) == 0 {
		return ""
	}
	i := len(within) - 1
	switch parent := within[i].(type) {
	case *ast.RangeStmt: // handled as a range
		return ""
	case *ast.CallExpr: // collects or sorts it, fills a map, or is unknown and left to its author
		g := s.callee(parent)
		if !inPackage(g, "slices") || g.Name() != "Collect" && g.Name() != "AppendSeq" || i > 0 && s.sortedHere(within[:i], parent) {
			return ""
		}
		return types.ExprString(parent) + " is in the order of the map"
	}
	return "keeps the sequence " + types.ExprString(n) + ", which is in the order of the map"
}

// sortedHere reports whether a value is sorted by the call that surrounds it, or later in the function.
func (s *source) sortedHere(within []ast.Node, e ast.Expr) bool {
	switch n := within[len(within)-1].(type) {
	case *ast.CallExpr:
		return sorts(s.callee(n)) || s.builtin(n) == "len"
	case *ast.AssignStmt:
		i := slices.Index(n.Rhs, e)
		return 0 <= i && i < len(n.Lhs) && s.sortedAfter(n.Lhs[i], n.End(), within[0])
	}
	return false
}

// sorts reports whether the name of f is that of a function that sorts its argument.
func sorts(f *types.Func) bool {
	return f != nil && (inPackage(f, "sort") || f.Pkg() != nil && strings.Contains(strings.ToLower(f.Name()), "sort"))
}

// sortedAfter reports whether code sorts e after a position.
func (s *source) sortedAfter(e ast.Expr, after token.Pos, code ast.Node) bool {
	for n := range ast.Preorder(code) {
		if c, ok := n.(*ast.CallExpr); ok && c.Pos() >= after && sorts(s.callee(c)) && mentions(c, types.ExprString(e)) {
			return true
		}
	}
	return false
}

// mentions reports whether an expression is part of n.
func mentions(n ast.Node, text string) bool {
	for n := range ast.Preorder(n) {
		if e, ok := n.(ast.Expr); ok && types.ExprString(e) == text {
			return true
		}
	}
	return false
}
