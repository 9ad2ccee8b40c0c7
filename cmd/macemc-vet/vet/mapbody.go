package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// orderedBody analyzes the body of a range over a map.
type orderedBody struct {
	pass *pass
	stmt *ast.RangeStmt
	fn   ast.Node
	why  string // the effect of the order; the worst that was found
	bad  int
}

// found records an effect of the order, if it is worse than the previous one.
func (b *orderedBody) found(bad int, pos token.Pos, what string) {
	if bad > b.bad && !b.pass.suppressions.cover(nil, pos) {
		b.bad, b.why = bad, what
	}
}

const (
	shows = iota + 1
	picks
	effect
)

func (b *orderedBody) look() {
	p := b.pass
	ast.PreorderStack(b.stmt.Body, nil, func(n ast.Node, within []ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			b.use(n, within)
		case *ast.ReturnStmt:
			if !inLiteral(within) && slices.ContainsFunc(n.Results, b.ofElement) {
				b.found(picks, n.Pos(), "returns the first element found"+b.line(n))
			}
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for i, e := range n.Lhs {
					rhs := n.Rhs[0]
					if len(n.Rhs) == len(n.Lhs) {
						rhs = n.Rhs[i]
					}
					b.assign(n, e, rhs, within)
				}
			}
		case *ast.CallExpr:
			b.call(n)
		}
		return true
	})
	if id, ok := b.stmt.Key.(*ast.Ident); ok && b.stmt.Tok == token.ASSIGN && id.Name != "_" {
		b.found(shows, id.Pos(), "keeps the last key in "+id.Name)
	}
	if p.unorderedYield(b.stmt) {
		b.found(picks, b.stmt.Pos(), "yields in the order of the map")
	}
}

func inLiteral(within []ast.Node) bool {
	return slices.ContainsFunc(within, func(n ast.Node) bool { _, ok := n.(*ast.FuncLit); return ok })
}

// line returns the line of n for a message, if it is not the first line of the loop.
func (b *orderedBody) line(n ast.Node) string {
	at := b.pass.fset.Position(n.Pos()).Line
	if at == b.pass.fset.Position(b.stmt.Pos()).Line {
		return ""
	}
	return " in line " + itoa(at)
}

// use looks for effects.
func (b *orderedBody) use(id *ast.Ident, within []ast.Node) {
	p := b.pass
	f, ok := p.info.Uses[id].(*types.Func)
	if !ok {
		return
	}
	f = f.Origin()
	switch {
	case p.isEffect(f):
		b.found(effect, id.Pos(), "calls "+nameOf(f)+b.line(id))
	case p.hasEffects(f):
		b.found(effect, id.Pos(), "calls "+localName(f)+b.line(id)+", which requests effects")
	}
	if c := callOf(id, within); c != nil && f.Signature().Recv() != nil && types.IsInterface(f.Signature().Recv().Type()) &&
		!(f.Pkg() != nil && p.ours(f.Pkg().Path())) && slices.ContainsFunc(c.Args, func(e ast.Expr) bool { return p.isEnv(p.info.TypeOf(e)) }) {
		b.found(effect, id.Pos(), "passes its sim.Env to "+nameOf(f)+b.line(id))
	}
}

// ofElement reports whether e depends on the current element: it names a variable of the loop.
func (b *orderedBody) ofElement(e ast.Expr) bool {
	for n := range ast.Preorder(e) {
		if id, ok := n.(*ast.Ident); ok {
			if v, ok := b.pass.info.Uses[id].(*types.Var); ok && b.inner(v) {
				return true
			}
		}
	}
	return false
}

// inner reports whether a variable belongs to the loop or is declared in its body.
func (b *orderedBody) inner(v *types.Var) bool {
	return !v.IsField() && b.stmt.Pos() <= v.Pos() && v.Pos() < b.stmt.End() ||
		b.stmt.Tok == token.ASSIGN && (v == root(b.pass.info, b.stmt.Key) || b.stmt.Value != nil && v == root(b.pass.info, b.stmt.Value))
}

// assign analyzes an assignment to a variable from outside the loop.
func (b *orderedBody) assign(n *ast.AssignStmt, lhs, rhs ast.Expr, within []ast.Node) {
	p := b.pass
	v := root(p.info, lhs)
	if v == nil || v.Name() == "_" || b.inner(v) {
		return
	}
	if b.keyed(lhs) {
		return // a separate element for each iteration
	}
	text := types.ExprString(lhs)
	if n.Tok != token.ASSIGN {
		if !integral(p.info.TypeOf(lhs)) && b.ofElement(rhs) {
			b.found(shows, n.Pos(), "adds to "+text+b.line(n)+" in the order of the map")
		}
		return
	}
	if c, ok := ast.Unparen(rhs).(*ast.CallExpr); ok && len(c.Args) > 0 {
		switch builtin(p.info, c) {
		case "append":
			if slices.ContainsFunc(c.Args[1:], b.ofElement) && !p.sortedAfter(lhs, b.stmt.End(), []ast.Node{b.fn}) {
				b.found(shows, n.Pos(), "appends to "+text+b.line(n)+", which is not sorted afterwards")
			}
			return
		case "min", "max":
			return
		}
	}
	if !b.ofElement(rhs) || accumulates(p.info, rhs, text) || b.compared(text, within) {
		return
	}
	b.found(picks, n.Pos(), "keeps the last element in "+text+b.line(n))
}

// keyed reports whether e is an element with an index that depends on the loop.
func (b *orderedBody) keyed(e ast.Expr) bool {
	for {
		switch x := ast.Unparen(e).(type) {
		case *ast.IndexExpr:
			if b.ofElement(x.Index) {
				return true
			}
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		default:
			return false
		}
	}
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

// compared reports whether a condition around the assignment compares the variable: a minimum or maximum.
func (b *orderedBody) compared(text string, within []ast.Node) bool {
	for _, n := range within {
		s, ok := n.(*ast.IfStmt)
		if !ok {
			continue
		}
		for n := range ast.Preorder(s.Cond) {
			if e, ok := n.(ast.Expr); ok && types.ExprString(e) == text {
				return true
			}
		}
	}
	return false
}

// call looks for text that is composed.
func (b *orderedBody) call(n *ast.CallExpr) {
	f := callee(b.pass.info, n)
	if f == nil || f.Pkg() == nil {
		return
	}
	var target ast.Expr
	switch {
	case f.Pkg().Path() == "fmt" && strings.HasPrefix(f.Name(), "Fprint") && len(n.Args) > 0:
		target = n.Args[0]
	case f.Signature().Recv() != nil && strings.HasPrefix(f.Name(), "Write"):
		if sel, ok := n.Fun.(*ast.SelectorExpr); ok {
			target = sel.X
		}
	}
	if amp, ok := target.(*ast.UnaryExpr); ok {
		target = amp.X
	}
	if target == nil {
		return
	}
	if v := root(b.pass.info, target); v != nil && !b.inner(v) && v.Pkg() == b.pass.pkg && slices.ContainsFunc(n.Args, b.ofElement) {
		b.found(shows, n.Pos(), "writes to "+types.ExprString(target)+b.line(n))
	}
}
