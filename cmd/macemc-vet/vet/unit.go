package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// unit is a piece of code that is executed as a whole: a function, a literal that is a handler itself, or the initial
// value of a package variable. Other literals belong to the code around them.
type unit struct {
	*pass
	name     string
	syntax   ast.Node     // *ast.FuncDecl, *ast.FuncLit, or the expression
	lit      *ast.FuncLit // nil for other code
	receiver *types.Var   // of a method, if it refers to memory of the caller
	hazards  []hazard
	calls    []call
	summary  summary
}

// hazard is a hazard in the unit itself.
type hazard struct {
	kind    Kind
	message string
	pos     token.Pos
	scope   scope
}

// call is a use of a function, method, or package variable.
type call struct {
	target types.Object
	pos    token.Pos
}

// collect records what the unit does itself.
func (u *unit) collect() {
	ast.PreorderStack(u.syntax, nil, func(n ast.Node, within []ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok && lit != u.lit && u.roots[lit] {
			return false // a separate unit
		}
		u.node(n, within)
		return true
	})
}

func (u *unit) node(n ast.Node, within []ast.Node) {
	switch n := n.(type) {
	case *ast.GoStmt:
		u.add(Concurrency, n.Pos(), "starts a goroutine")
	case *ast.SelectStmt:
		u.add(Concurrency, n.Pos(), "selects among channels")
	case *ast.SendStmt:
		if !inSelect(n, within) {
			u.add(Concurrency, n.Pos(), "sends to a channel")
		}
	case *ast.UnaryExpr:
		if n.Op == token.ARROW && !inSelect(n, within) {
			u.add(Concurrency, n.Pos(), "receives from a channel")
		}
	case *ast.RangeStmt:
		u.rangeOver(n)
	case *ast.CallExpr:
		u.call(n, within)
	case *ast.Ident:
		u.ident(n)
	case *ast.IncDecStmt:
		u.change(n.X, false)
	case *ast.AssignStmt:
		for i, e := range n.Lhs {
			u.change(e, false)
			if _, name := ast.Unparen(e).(*ast.Ident); !name && len(n.Lhs) == len(n.Rhs) {
				u.keep(n.Rhs[i])
			}
		}
	case *ast.CompositeLit:
		for _, e := range n.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				e = kv.Value
			}
			u.keep(e)
		}
	}
}

// add records a hazard unless a comment suppresses it.
func (u *unit) add(kind Kind, pos token.Pos, message string) {
	u.addIn(scopeOf(kind), kind, pos, message)
}

// addIn records a hazard in some scope of the code.
func (u *unit) addIn(where scope, kind Kind, pos token.Pos, message string) {
	if !u.suppressions.cover(u, pos) {
		u.hazards = append(u.hazards, hazard{kind, message, pos, where})
	}
}

// inSelect reports whether n is the communication of a case of a select statement.
func inSelect(n ast.Node, within []ast.Node) bool {
	for i := len(within) - 1; i >= 0; i-- {
		if c, ok := within[i].(*ast.CommClause); ok {
			return c.Comm != nil && c.Comm.Pos() <= n.Pos() && n.End() <= c.Comm.End()
		}
	}
	return false
}

// rangeOver analyzes a range over a channel or a map.
func (u *unit) rangeOver(n *ast.RangeStmt) {
	if _, ok := u.typeOf(n.X).(*types.Chan); ok {
		u.add(Concurrency, n.Pos(), "ranges over a channel")
	}
	if over := u.mapRange(n.X); over != "" {
		u.deferred.ranges = append(u.deferred.ranges, mapRange{u, n, over})
		if u.addressed(n) {
			u.addIn(inPrograms, MapOrder, n.Pos(), "range over "+over+", whose keys are ordered by their addresses")
		}
	}
	u.change(n.Key, false)
	u.change(n.Value, false)
}

// ident analyzes a use of a function, method or package variable.
func (u *unit) ident(id *ast.Ident) {
	o := u.info.Uses[id]
	f, isFunc := o.(*types.Func)
	if v, ok := o.(*types.Var); !isFunc && !(ok && isGlobal(v)) {
		return
	}
	if isFunc {
		f = f.Origin()
		o = f
	}
	if kind, ok := hazardOf(o); ok {
		u.addIn(useScope(kind, o), kind, id.Pos(), "uses "+nameOf(o))
		return
	}
	switch {
	case u.suppressions.cover(u, id.Pos()):
	case !isFunc:
		u.calls = append(u.calls, call{o, id.Pos()})
	case takesHost(f.Signature()): // a program, or a part of one that is analyzed separately
	default:
		u.summary.Effects = u.summary.Effects || isEffect(f)
		for _, m := range u.targets(f) {
			u.calls = append(u.calls, call{m, id.Pos()})
		}
	}
}

// targets returns the methods of this package that a method of an interface may denote, or f itself if it is none.
func (u *unit) targets(f *types.Func) (methods []*types.Func) {
	recv := f.Signature().Recv()
	if recv == nil || !types.IsInterface(recv.Type()) {
		return []*types.Func{f}
	}
	iface, ok := recv.Type().Underlying().(*types.Interface)
	if !ok || !isUnknown(f) {
		return nil
	}
	for _, n := range u.named {
		if t := types.NewPointer(n); types.Implements(t, iface) {
			if m := method(t, f.Name()); m != nil {
				methods = append(methods, m)
			}
		}
	}
	return methods
}

// call analyzes what a call does to its arguments and its receiver.
func (u *unit) call(n *ast.CallExpr, within []ast.Node) {
	f := u.callee(n)
	if f == nil {
		switch u.builtin(n) {
		case "delete", "clear", "copy":
			u.change(n.Args[0], true)
		}
		if _, isFunc := u.typeOf(n.Fun).(*types.Signature); isFunc && u.passesEnv(n) {
			u.summary.Effects = true // in any function value
		}
		return
	}
	if isUnknown(f) && u.passesEnv(n) && len(u.targets(f)) == 0 && !u.suppressions.cover(u, n.Pos()) {
		u.summary.Effects = true // in any implementation
	}
	printed(u, n, f)
	if over := u.unsortedKeys(n, f, within); over != "" {
		u.add(MapOrder, n.Pos(), over)
	}
	if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok && f.Signature().Recv() != nil {
		u.methodCall(n, sel, f)
	}
	if inPackage(f, "sync/atomic") && f.Signature().Recv() == nil && !strings.HasPrefix(f.Name(), "Load") && len(n.Args) > 0 {
		if amp, ok := ast.Unparen(n.Args[0]).(*ast.UnaryExpr); ok && amp.Op == token.AND {
			u.change(amp.X, true)
		}
	}
}
