package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// deferred holds what is decided when the summaries of all functions are known.
type deferred struct {
	ranges       []mapRange
	changers     []changer
	kept         []kept
	changedTypes map[*types.Named]bool // types of values that code of the package changes in part
}

// changer is a call of a method that may change the variable it is called on.
type changer struct {
	in     *unit
	method *types.Func
	on     *types.Var
	pos    token.Pos
}

// kept is a position where a pointer to the value of a package variable is stored: in a field of a composite literal,
// or by an assignment to a part of a variable.
type kept struct {
	in  *unit
	on  *types.Var
	pos token.Pos
	to  *types.Named // the type pointed to
}

// shared describes a variable that exists once for all nodes. An empty string means that the unit has its own.
func (u *unit) shared(v *types.Var) string {
	switch {
	case v.IsField():
		return ""
	case isGlobal(v):
		return "the package variable " + v.Name()
	case u.lit != nil && (v.Pos() < u.lit.Pos() || u.lit.End() < v.Pos()):
		return v.Name() + ", a variable from outside the handler"
	}
	return ""
}

// change analyzes a change of e, or only of a part of e.
func (u *unit) change(e ast.Expr, part bool) {
	for x := range chain(e) {
		switch x := x.(type) {
		case *ast.SelectorExpr:
			if u.info.Selections[x] != nil {
				u.changesPart(u.info.TypeOf(x.X))
			}
		case *ast.StarExpr:
			u.changesPart(u.info.TypeOf(x.X))
		}
	}
	v := u.root(e)
	if v == nil {
		return
	}
	what := "changes "
	if _, whole := ast.Unparen(e).(*ast.Ident); whole && !part {
		what = "assigns to "
	} else if v == u.receiver {
		u.summary.Changes = true
	}
	if where := u.shared(v); where != "" {
		u.add(Global, e.Pos(), what+where)
	}
}

func (u *unit) changesPart(t types.Type) {
	if n := namedOf(t); n != nil {
		u.deferred.changedTypes[n.Origin()] = true
	}
}

// methodCall analyzes a call of a method on a variable.
func (u *unit) methodCall(n *ast.CallExpr, sel *ast.SelectorExpr, f *types.Func) {
	v := u.root(sel.X)
	if v == nil {
		return
	}
	if isGlobal(v) {
		if strings.HasPrefix(f.Name(), "Load") || f.Name() == "Len" || f.Name() == "String" {
			return
		}
		if name, ok := sharedState(u.info.TypeOf(sel.X)); ok {
			kind, where := Global, everywhere
			switch {
			case strings.HasPrefix(name, "math/rand"):
				kind = Random
			case name == "sync.Once" || name == "sync.Pool":
				where = inHandlers
			}
			u.addIn(where, kind, n.Pos(), "calls "+f.Name()+" of the package variable "+v.Name()+", a "+name)
			return
		}
	}
	u.deferred.changers = append(u.deferred.changers, changer{u, f.Origin(), v, n.Pos()})
}

// keep records that e is stored, if it is a pointer to the value of a package variable.
func (u *unit) keep(e ast.Expr) {
	e = ast.Unparen(e)
	at := e
	if amp, ok := e.(*ast.UnaryExpr); ok && amp.Op == token.AND {
		at = amp.X
	}
	pointer, ok := types.Unalias(u.info.TypeOf(e)).(*types.Pointer)
	if !ok {
		return
	}
	to, ok := types.Unalias(pointer.Elem()).(*types.Named)
	if v := u.root(at); ok && v != nil && isGlobal(v) {
		u.deferred.kept = append(u.deferred.kept, kept{u, v, e.Pos(), to.Origin()})
	}
}
