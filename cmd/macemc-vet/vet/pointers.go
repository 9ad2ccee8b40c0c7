package vet

import (
	"go/ast"
	"go/types"
)

// reportPointers reports the type assertions for a pointer in a package that sends such messages only as values, and the
// reverse. They never succeed.
func (p *dropped) reportPointers() {
	if p.sim == nil {
		return
	}
	sent := map[string]bool{}
	var asserted []ast.Expr
	for _, f := range p.Files {
		for n := range ast.Preorder(f) {
			switch n := n.(type) {
			case *ast.CallExpr:
				if f := p.callee(n); inPackage(f, simPath) && f.Name() == "Send" && len(n.Args) > 0 {
					sent[types.TypeString(p.info.TypeOf(n.Args[len(n.Args)-1]), nil)] = true
				}
			case *ast.TypeAssertExpr:
				if n.Type != nil && p.isMessage(n.X) {
					asserted = append(asserted, n.Type)
				}
			case *ast.TypeSwitchStmt:
				for x := range ast.Preorder(n.Assign) {
					if a, ok := x.(*ast.TypeAssertExpr); ok && a.Type == nil && p.isMessage(a.X) {
						for _, c := range n.Body.List {
							asserted = append(asserted, c.(*ast.CaseClause).List...)
						}
					}
				}
			}
		}
	}
	for _, e := range asserted {
		t := p.info.TypeOf(e)
		other, want, got := types.Type(types.NewPointer(t)), "a value", "a pointer"
		if ptr, ok := t.(*types.Pointer); ok {
			other, want, got = ptr.Elem(), got, want
		}
		if !sent[types.TypeString(t, nil)] && sent[types.TypeString(other, nil)] && !p.suppressions.cover(nil, e.Pos()) {
			p.report(Unsent, e.Pos(), types.ExprString(e)+" is expected, "+want+", but the package sends only "+got, "expect the type that is sent")
		}
	}
}

// isMessage reports whether an expression is a variable of the empty interface type, as messages are.
func (p *dropped) isMessage(e ast.Expr) bool {
	_, variable := ast.Unparen(e).(*ast.Ident)
	i, ok := p.typeOf(e).(*types.Interface)
	return variable && ok && i.Empty()
}
