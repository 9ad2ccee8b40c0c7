package vet

import (
	"go/ast"
	"go/types"
)

// mismatchedPointers adds the type assertions for a pointer in a package that sends such messages only as values, and the
// reverse. They never succeed.
func (p *pass) mismatchedPointers(all collection) {
	if p.sim == nil {
		return
	}
	sent := map[string]bool{}
	var asserted []ast.Expr
	assert := func(x ast.Expr, types ...ast.Expr) {
		if id, ok := ast.Unparen(x).(*ast.Ident); ok && p.isAny(id) {
			asserted = append(asserted, types...)
		}
	}
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if f := callee(p.info, n); f != nil && f.Pkg() == p.sim && f.Name() == "Send" && len(n.Args) > 0 {
					if t := p.info.TypeOf(n.Args[len(n.Args)-1]); t != nil {
						sent[types.TypeString(t, nil)] = true
					}
				}
			case *ast.TypeAssertExpr:
				if n.Type != nil {
					assert(n.X, n.Type)
				}
			case *ast.TypeSwitchStmt:
				for _, c := range n.Body.List {
					assert(switched(n), c.(*ast.CaseClause).List...)
				}
			}
			return true
		})
	}
	for _, e := range asserted {
		t := p.info.TypeOf(e)
		if t == nil {
			continue
		}
		other, want, got := types.Type(types.NewPointer(t)), "a value", "a pointer"
		if ptr, ok := t.(*types.Pointer); ok {
			other, want, got = ptr.Elem(), got, want
		}
		if sent[types.TypeString(t, nil)] || !sent[types.TypeString(other, nil)] || p.suppressions.cover(nil, e.Pos()) {
			continue
		}
		pos := p.fset.Position(e.Pos())
		f := Finding{File: pos.Filename, Line: pos.Line, Column: pos.Column, Kind: Unsent, Instead: "expect the type that is sent",
			Message: types.ExprString(e) + " is expected, " + want + ", but the package sends only " + got}
		all.add(f)
		p.Reportf(e.Pos(), "%s; %s", f.Message, f.Instead)
	}
}

// switched returns the expression whose type a statement examines.
func switched(n *ast.TypeSwitchStmt) (x ast.Expr) {
	ast.Inspect(n.Assign, func(n ast.Node) bool {
		if a, ok := n.(*ast.TypeAssertExpr); ok {
			x = a.X
		}
		return x == nil
	})
	return x
}

// isAny reports whether an identifier is a variable of the empty interface type, as messages are.
func (p *pass) isAny(id *ast.Ident) bool {
	t := p.info.TypeOf(id)
	if t == nil {
		return false
	}
	i, ok := t.Underlying().(*types.Interface)
	return ok && i.Empty()
}
