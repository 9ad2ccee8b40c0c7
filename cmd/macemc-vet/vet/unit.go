package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// unit is a piece of code that is executed as a whole: the body of a function, a function literal that is a handler
// itself, or the initial value of a package variable.
type unit struct {
	name    string
	node    ast.Node // *ast.FuncDecl, *ast.FuncLit, or the expression
	lit     *ast.FuncLit
	hazards []hazard
	calls   []call
	effects bool // requests ordered effects, itself or in its callees
	changes bool // a method that changes memory that its receiver refers to
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
	env    bool // passes a sim.Env on
}

// units holds the units of a package.
type units struct {
	all      []*unit
	byObject map[types.Object]*unit
	byLit    map[*ast.FuncLit]*unit
}

// add adds the unit of a function or variable.
func (c *units) add(u *unit, o types.Object) {
	c.byObject[o] = u
	c.all = append(c.all, u)
}

// body returns the code of the unit.
func (u *unit) body() ast.Node {
	if d, ok := u.node.(*ast.FuncDecl); ok {
		return d.Body
	}
	return u.node
}

// collect records what the unit does itself.
func (p *pass) collect(u *unit) {
	ast.PreorderStack(u.body(), nil, func(n ast.Node, within []ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok && lit != u.lit && p.roots[lit] {
			return false // a separate unit
		}
		p.node(u, n, within)
		return true
	})
}

func (p *pass) node(u *unit, n ast.Node, within []ast.Node) {
	report := func(kind Kind, pos token.Pos, message string) { p.add(u, kind, pos, message) }
	switch n := n.(type) {
	case *ast.GoStmt:
		report(Concurrency, n.Pos(), "starts a goroutine")
	case *ast.SelectStmt:
		report(Concurrency, n.Pos(), "selects among channels")
	case *ast.SendStmt:
		if !inSelect(n, within) {
			report(Concurrency, n.Pos(), "sends to a channel")
		}
	case *ast.UnaryExpr:
		if n.Op == token.ARROW && !inSelect(n, within) {
			report(Concurrency, n.Pos(), "receives from a channel")
		}
	case *ast.RangeStmt:
		if t := p.info.TypeOf(n.X); t != nil {
			if _, ok := core(t).(*types.Chan); ok {
				report(Concurrency, n.Pos(), "ranges over a channel")
			}
		}
		if over := p.mapRange(n.X); over != "" {
			p.deferred.ranges = append(p.deferred.ranges, mapRange{u, n, over})
			p.pointerRange(u, n, over)
		}
	case *ast.CallExpr:
		p.call(u, n, within)
	case *ast.Ident:
		p.ident(u, n, within)
	}
	p.keeps(u, n)
	for _, e := range assigned(p.info, n) {
		p.partOf(e)
		_, part := n.(*ast.CallExpr)
		p.assignment(u, e, part)
	}
}

// add records a hazard unless a comment suppresses it.
func (p *pass) add(u *unit, kind Kind, pos token.Pos, message string) {
	p.addIn(scopeOf(kind), u, kind, pos, message)
}

// addIn records a hazard in some scope of the code.
func (p *pass) addIn(where scope, u *unit, kind Kind, pos token.Pos, message string) {
	if !p.suppressions.cover(u, pos) {
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

// ident analyzes a use of a name.
func (p *pass) ident(u *unit, id *ast.Ident, within []ast.Node) {
	switch o := p.info.Uses[id].(type) {
	case *types.Func:
		o = o.Origin()
		if kind, ok := p.tables.hazard(o); ok {
			p.addIn(p.tables.scope(kind, o), u, kind, id.Pos(), "uses "+nameOf(o))
			return
		}
		if p.takesHost(o.Signature()) {
			return // a program, or a part of one that is analyzed separately
		}
		c := call{target: o, pos: id.Pos()}
		if parent := callOf(id, within); parent != nil {
			for _, arg := range parent.Args {
				c.env = c.env || p.isEnv(p.info.TypeOf(arg))
			}
		}
		p.edge(u, c)
	case *types.Var:
		if !isGlobal(o) {
			return
		}
		if kind, ok := p.tables.hazard(o); ok {
			p.add(u, kind, id.Pos(), "uses "+nameOf(o))
			return
		}
		p.edge(u, call{target: o, pos: id.Pos()})
	}
}

// edge adds a call unless a comment suppresses it.
func (p *pass) edge(u *unit, c call) {
	if p.suppressions.cover(u, c.pos) {
		return
	}
	f, ok := c.target.(*types.Func)
	if !ok {
		u.calls = append(u.calls, c)
		return
	}
	if p.isEffect(f) {
		u.effects = true
	}
	recv := f.Signature().Recv()
	if recv == nil || !types.IsInterface(recv.Type()) {
		u.calls = append(u.calls, c)
		return
	}
	if f.Pkg() == nil || p.ours(f.Pkg().Path()) {
		return // implemented by the checker
	}
	found := false
	for _, m := range p.implementations(recv.Type(), f) {
		u.calls = append(u.calls, call{target: m, pos: c.pos})
		found = true
	}
	if !found && c.env {
		u.effects = true // in any implementation
	}
}

// implementations returns the methods named as f of this package's types that implement an interface.
func (p *pass) implementations(recv types.Type, f *types.Func) (methods []*types.Func) {
	iface, ok := recv.Underlying().(*types.Interface)
	if !ok || iface.NumMethods() == 0 {
		return nil
	}
	for _, n := range p.named {
		if t := types.NewPointer(n); types.Implements(t, iface) {
			if m := method(t, f.Name()); m != nil {
				methods = append(methods, m)
			}
		}
	}
	return methods
}

func method(t types.Type, name string) *types.Func {
	for m := range types.NewMethodSet(t).Methods() {
		if f, ok := m.Obj().(*types.Func); ok && f.Name() == name {
			return f.Origin()
		}
	}
	return nil
}

// callOf returns the call of the function that id names.
func callOf(id *ast.Ident, within []ast.Node) *ast.CallExpr {
	var fun ast.Node = id
	for i := len(within) - 1; i >= 0; i-- {
		switch n := within[i].(type) {
		case *ast.SelectorExpr:
			if n.Sel != fun {
				return nil
			}
			fun = n
		case *ast.ParenExpr, *ast.IndexExpr, *ast.IndexListExpr:
			fun = n
		case *ast.CallExpr:
			if n.Fun == fun {
				return n
			}
			return nil
		default:
			return nil
		}
	}
	return nil
}

// call analyzes the effects of a call on package variables, and its printed text.
func (p *pass) call(u *unit, n *ast.CallExpr, within []ast.Node) {
	p.printed(u, n)
	f := callee(p.info, n)
	if f == nil {
		if _, isFunc := p.typeOf(n.Fun).(*types.Signature); isFunc {
			for _, arg := range n.Args {
				if p.isEnv(p.info.TypeOf(arg)) {
					u.effects = true // in any function value
				}
			}
		}
		return
	}
	if over := p.unsortedKeys(n, f, within); over != "" {
		p.add(u, MapOrder, n.Pos(), over)
	}
	if sel, ok := ast.Unparen(n.Fun).(*ast.SelectorExpr); ok && f.Signature().Recv() != nil {
		p.methodCall(u, n, sel, f)
	}
	if f.Pkg() != nil && f.Pkg().Path() == "sync/atomic" && f.Signature().Recv() == nil && !strings.HasPrefix(f.Name(), "Load") &&
		len(n.Args) > 0 {
		if amp, ok := ast.Unparen(n.Args[0]).(*ast.UnaryExpr); ok && amp.Op == token.AND {
			p.assignment(u, amp.X, true)
		}
	}
}

// methodCall analyzes a call of a method on a package variable, or on the own receiver.
func (p *pass) methodCall(u *unit, n *ast.CallExpr, sel *ast.SelectorExpr, f *types.Func) {
	v := root(p.info, sel.X)
	if v == nil {
		return
	}
	if isGlobal(v) {
		if strings.HasPrefix(f.Name(), "Load") || f.Name() == "Len" || f.Name() == "String" {
			return
		}
		if name, ok := p.tables.state(p.info.TypeOf(sel.X)); ok {
			kind, where, what := Global, everywhere, "calls "+f.Name()+" of the package variable "+v.Name()+", a "+name
			switch {
			case strings.HasPrefix(name, "math/rand"):
				kind = Random
			case name == "sync.Once" || name == "sync.Pool":
				where = inHandlers
			}
			p.addIn(where, u, kind, n.Pos(), what)
			return
		}
	}
	p.deferred.changers = append(p.deferred.changers, changer{u, f.Origin(), v, n.Pos()})
}

// changer is a call of a method that may change the variable it is called on.
type changer struct {
	in     *unit
	method *types.Func
	on     *types.Var
	pos    token.Pos
}

// assignment analyzes an assignment to e, or to a part of e.
func (p *pass) assignment(u *unit, e ast.Expr, part bool) {
	v := root(p.info, e)
	if v == nil || v.IsField() {
		return
	}
	_, whole := ast.Unparen(e).(*ast.Ident)
	whole = whole && !part
	what := "changes "
	if whole {
		what = "assigns to "
	}
	switch {
	case isGlobal(v):
		p.add(u, Global, e.Pos(), what+"the package variable "+v.Name())
	case u.lit != nil && (v.Pos() < u.lit.Pos() || u.lit.End() < v.Pos()):
		p.add(u, Global, e.Pos(), what+v.Name()+", a variable from outside the handler")
	case !whole && v == receiverVar(p.info, u.node):
		u.changes = true
	}
}
