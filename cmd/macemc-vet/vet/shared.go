package vet

import (
	"go/ast"
	"go/token"
	"go/types"
)

// shared is a position where a pointer to the value of a package variable is stored: in a field of a composite literal,
// or by an assignment to a part of a variable.
type shared struct {
	in  *unit
	on  *types.Var
	pos token.Pos
	to  *types.Named // the type pointed to
}

// keeps analyzes the stores of a node.
func (p *pass) keeps(u *unit, n ast.Node) {
	switch n := n.(type) {
	case *ast.CompositeLit:
		for _, e := range n.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				e = kv.Value
			}
			p.kept(u, e)
		}
	case *ast.AssignStmt:
		if len(n.Lhs) != len(n.Rhs) {
			return
		}
		for i, to := range n.Lhs {
			if _, name := ast.Unparen(to).(*ast.Ident); !name {
				p.kept(u, n.Rhs[i])
			}
		}
	}
}

func (p *pass) kept(u *unit, e ast.Expr) {
	e = ast.Unparen(e)
	at := e
	if amp, ok := e.(*ast.UnaryExpr); ok && amp.Op == token.AND {
		at = amp.X
	}
	pointer, ok := types.Unalias(p.info.TypeOf(e)).(*types.Pointer)
	if !ok {
		return
	}
	to, ok := types.Unalias(pointer.Elem()).(*types.Named)
	if v := root(p.info, at); ok && v != nil && isGlobal(v) {
		p.deferred.sharing = append(p.deferred.sharing, shared{u, v, e.Pos(), to.Origin()})
	}
}

// partOf records that some code changes parts of values of a type, except those of a local variable that is not a
// pointer.
func (p *pass) partOf(e ast.Expr) {
	for {
		switch x := e.(type) {
		case *ast.SelectorExpr:
			if n := namedOf(p.info.TypeOf(x.X)); n != nil && p.info.Selections[x] != nil {
				p.deferred.changedTypes[n.Origin()] = true
			}
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			if pointer, ok := types.Unalias(p.info.TypeOf(x.X)).(*types.Pointer); ok {
				if n, ok := types.Unalias(pointer.Elem()).(*types.Named); ok {
					p.deferred.changedTypes[n.Origin()] = true
				}
			}
			e = x.X
		default:
			return
		}
	}
}

// reportShared reports stored pointers to values that some code changes: immutable values may be shared.
func (p *pass) reportShared() {
	for _, s := range p.deferred.sharing {
		changes := p.deferred.changedTypes[s.to]
		for i := 0; i < s.to.NumMethods() && !changes; i++ {
			m := s.to.Method(i).Origin()
			if u := p.code.byObject[m]; u != nil {
				changes = u.changes
			} else if m.Pkg() != nil && m.Pkg() != p.pkg {
				changes = p.ImportObjectFact(m, new(changesReceiver))
			}
		}
		if _, ok := p.tables.state(s.to); changes || ok {
			p.add(s.in, Global, s.pos, "keeps a pointer to the value of the package variable "+s.on.Name()+", which nodes then share")
		}
	}
}
