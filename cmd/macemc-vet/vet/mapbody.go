package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// orderedBody analyzes the body of a range over a map.
type orderedBody struct {
	*unit
	stmt *ast.RangeStmt
	why  string // the effect of the order; the worst that was found
	bad  int
}

const (
	shows = iota + 1
	picks
	effect
)

// judge reports a range over a map with a body that depends on the order.
func (r *mapRange) judge() {
	b := &orderedBody{unit: r.in, stmt: r.stmt}
	ast.PreorderStack(r.stmt.Body, nil, func(n ast.Node, within []ast.Node) bool {
		b.look(n, within)
		return true
	})
	if id, ok := r.stmt.Key.(*ast.Ident); ok && r.stmt.Tok == token.ASSIGN && id.Name != "_" {
		b.foundAt(shows, id, "keeps the last key in "+id.Name)
	}
	if b.why != "" {
		r.in.add(MapOrder, r.stmt.Pos(), "range over "+r.over+" "+b.why)
	}
}

// foundAt records an effect of the order, if it is worse than the previous one.
func (b *orderedBody) foundAt(bad int, n ast.Node, what string) {
	if bad > b.bad && !b.suppressions.cover(nil, n.Pos()) {
		b.bad, b.why = bad, what
	}
}

// line returns the line of n for a message, if it is not the first line of the loop.
func (b *orderedBody) line(n ast.Node) string {
	at := b.place(n.Pos()).Line
	if at == b.place(b.stmt.Pos()).Line {
		return ""
	}
	return " in line " + strconv.Itoa(at)
}

func (b *orderedBody) look(n ast.Node, within []ast.Node) {
	switch n := n.(type) {
	case *ast.Ident:
		if f, ok := b.info.Uses[n].(*types.Func); ok && isEffect(f.Origin()) {
			b.foundAt(effect, n, "calls "+nameOf(f)+b.line(n))
		} else if ok && b.summaryOf(f.Origin()).Effects {
			b.foundAt(effect, n, "calls "+localName(f)+b.line(n)+", which requests effects")
		}
	case *ast.ReturnStmt:
		inLiteral := slices.ContainsFunc(within, func(n ast.Node) bool { _, ok := n.(*ast.FuncLit); return ok })
		if !inLiteral && slices.ContainsFunc(n.Results, b.ofElement) {
			b.foundAt(picks, n, "returns the first element found"+b.line(n))
		}
	case *ast.AssignStmt:
		for i, e := range n.Lhs {
			if n.Tok != token.DEFINE {
				b.assign(n, e, n.Rhs[min(i, len(n.Rhs)-1)], within)
			}
		}
	case *ast.CallExpr:
		b.call(n)
	}
}

// ofElement reports whether e depends on the current element: it names a variable of the loop.
func (b *orderedBody) ofElement(e ast.Expr) bool {
	for n := range ast.Preorder(e) {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := b.info.Uses[id].(*types.Var); ok && b.inner(v) {
				return true
			}
		}
	}
	return false
}

// inner reports whether a variable belongs to the loop or is declared in its body.
func (b *orderedBody) inner(v *types.Var) bool {
	return !v.IsField() && b.stmt.Pos() <= v.Pos() && v.Pos() < b.stmt.End() ||
		b.stmt.Tok == token.ASSIGN && (v == b.root(b.stmt.Key) || v == b.root(b.stmt.Value))
}

// assign analyzes an assignment to a variable from outside the loop.
func (b *orderedBody) assign(n *ast.AssignStmt, lhs, rhs ast.Expr, within []ast.Node) {
	v := b.root(lhs)
	if v == nil || v.Name() == "_" || b.inner(v) || b.keyed(lhs) {
		return
	}
	text := types.ExprString(lhs)
	if n.Tok != token.ASSIGN {
		if !integral(b.info.TypeOf(lhs)) && b.ofElement(rhs) {
			b.foundAt(shows, n, "adds to "+text+b.line(n)+" in the order of the map")
		}
		return
	}
	if c, ok := ast.Unparen(rhs).(*ast.CallExpr); ok && len(c.Args) > 0 {
		switch b.builtin(c) {
		case "append":
			if slices.ContainsFunc(c.Args[1:], b.ofElement) && !b.sortedAfter(lhs, b.stmt.End(), b.syntax) {
				b.foundAt(shows, n, "appends to "+text+b.line(n)+", which is not sorted afterwards")
			}
			return
		case "min", "max":
			return
		}
	}
	compared := slices.ContainsFunc(within, func(n ast.Node) bool { // a minimum or maximum
		s, ok := n.(*ast.IfStmt)
		return ok && mentions(s.Cond, text)
	})
	if b.ofElement(rhs) && !compared && !accumulates(b.info, rhs, text) {
		b.foundAt(picks, n, "keeps the last element in "+text+b.line(n))
	}
}

// keyed reports whether e is an element with an index that depends on the loop: a separate one for each iteration.
func (b *orderedBody) keyed(e ast.Expr) bool {
	for x := range chain(e) {
		if i, ok := x.(*ast.IndexExpr); ok && b.ofElement(i.Index) {
			return true
		}
	}
	return false
}

// integral reports whether sums and similar operations on values of type t are independent of the order.
func integral(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsInteger|types.IsBoolean) != 0
}

// accumulates reports whether e is an integer operation on the variable itself: x + v, x || v.
func accumulates(info *types.Info, e ast.Expr, text string) bool {
	op, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok || !integral(info.TypeOf(e)) {
		return false
	}
	switch op.Op {
	case token.ADD, token.MUL, token.AND, token.OR, token.XOR, token.LAND, token.LOR:
		return types.ExprString(op.X) == text || types.ExprString(op.Y) == text ||
			accumulates(info, op.X, text) || accumulates(info, op.Y, text)
	}
	return false
}

// call looks for unknown code that gets a sim.Env, for the yield function of an iterator, and for text that is composed.
func (b *orderedBody) call(n *ast.CallExpr) {
	if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "yield" {
		if v, ok := b.info.Uses[id].(*types.Var); ok && v.Pos() < b.stmt.Pos() {
			b.foundAt(picks, b.stmt, "yields in the order of the map")
		}
	}
	f := b.callee(n)
	if f == nil || f.Pkg() == nil {
		return
	}
	if isUnknown(f) && b.passesEnv(n) {
		b.foundAt(effect, n, "passes its sim.Env to "+nameOf(f)+b.line(n))
	}
	var target ast.Expr
	if sel, ok := n.Fun.(*ast.SelectorExpr); ok && f.Signature().Recv() != nil && strings.HasPrefix(f.Name(), "Write") {
		target = sel.X
	} else if inPackage(f, "fmt") && strings.HasPrefix(f.Name(), "Fprint") && len(n.Args) > 0 {
		target = n.Args[0]
	}
	if amp, ok := target.(*ast.UnaryExpr); ok {
		target = amp.X
	}
	if v := b.root(target); v != nil && !b.inner(v) && v.Pkg() == b.pkg && slices.ContainsFunc(n.Args, b.ofElement) {
		b.foundAt(shows, n, "writes to "+types.ExprString(target)+b.line(n))
	}
}
