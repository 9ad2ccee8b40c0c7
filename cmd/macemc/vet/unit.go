package vet

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// unit is a piece of code that runs as a whole: the body of a function, a function literal that is a
// handler itself, or the value that a package variable starts with.
type unit struct {
	name    string
	node    ast.Node // *ast.FuncDecl, *ast.FuncLit, or the expression
	lit     *ast.FuncLit
	hazards []hazard
	calls   []call
	effects bool // asks for ordered effects, itself or in what it calls
	changes bool // a method that changes what its receiver refers to
}

// hazard is one that the unit holds itself.
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

// body returns the code of the unit.
func (u *unit) body() ast.Node {
	if d, ok := u.node.(*ast.FuncDecl); ok {
		return d.Body
	}
	return u.node
}

// collect fills in what the unit does itself.
func (p *pass) collect(u *unit) {
	within := []ast.Node{} // from the unit down to the parent of the node at hand
	ast.Inspect(u.body(), func(n ast.Node) bool {
		if n == nil {
			within = within[:len(within)-1]
			return true
		}
		if lit, ok := n.(*ast.FuncLit); ok && lit != u.lit && p.roots[lit] {
			return false // a unit of its own
		}
		p.node(u, n, within)
		within = append(within, n)
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
			p.ranges = append(p.ranges, mapRange{u, n, over})
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

// add notes a hazard, unless a comment says that it is none.
func (p *pass) add(u *unit, kind Kind, pos token.Pos, message string) {
	p.addIn(scopeOf(kind), u, kind, pos, message)
}

// addIn does so for some of the code that is looked at.
func (p *pass) addIn(where scope, u *unit, kind Kind, pos token.Pos, message string) {
	if !p.excused(u, pos) {
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

// ident looks at a use of a name.
func (p *pass) ident(u *unit, id *ast.Ident, within []ast.Node) {
	switch o := p.info.Uses[id].(type) {
	case *types.Func:
		o = o.Origin()
		if kind, ok := p.tables.hazard(o); ok {
			p.addIn(p.tables.scope(kind, o), u, kind, id.Pos(), "uses "+nameOf(o))
			return
		}
		if p.takesHost(o.Signature()) {
			return // a program, or a part of one that is looked at as one
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

// edge adds a call, unless a comment says that it is harmless.
func (p *pass) edge(u *unit, c call) {
	if p.excused(u, c.pos) {
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
		return // what the checker implements
	}
	found := false
	for _, m := range p.implementations(recv.Type(), f) {
		u.calls = append(u.calls, call{target: m, pos: c.pos})
		found = true
	}
	if !found && c.env {
		u.effects = true // of whoever implements it
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

// callOf returns the call whose function id names.
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

// call looks at what a call does to package variables, and at what it prints.
func (p *pass) call(u *unit, n *ast.CallExpr, within []ast.Node) {
	p.printed(u, n)
	f := callee(p.info, n)
	if f == nil {
		if _, isFunc := p.typeOf(n.Fun).(*types.Signature); isFunc {
			for _, arg := range n.Args {
				if p.isEnv(p.info.TypeOf(arg)) {
					u.effects = true // whatever the function value does
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
	if f.Pkg() != nil && f.Pkg().Path() == "sync/atomic" && f.Signature().Recv() == nil && !strings.HasPrefix(f.Name(), "Load") && len(n.Args) > 0 {
		if amp, ok := ast.Unparen(n.Args[0]).(*ast.UnaryExpr); ok && amp.Op == token.AND {
			p.assignment(u, amp.X, true)
		}
	}
}

// methodCall looks at a call of a method on a package variable, or on the own receiver.
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
	p.changers = append(p.changers, changer{u, f.Origin(), v, n.Pos()})
}

// changer is a call of a method that may change the variable it is called on.
type changer struct {
	in     *unit
	method *types.Func
	on     *types.Var
	pos    token.Pos
}

// assignment looks at what is assigned to, or to a part of what.
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

// receiverVar returns the receiver of a method when it refers to what the caller has.
func receiverVar(info *types.Info, n ast.Node) *types.Var {
	d, ok := n.(*ast.FuncDecl)
	if !ok || d.Recv == nil || len(d.Recv.List) == 0 || len(d.Recv.List[0].Names) == 0 {
		return nil
	}
	v, _ := info.Defs[d.Recv.List[0].Names[0]].(*types.Var)
	if v == nil {
		return nil
	}
	switch v.Type().Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Slice:
		return v
	}
	return nil // a copy
}

func isGlobal(v *types.Var) bool {
	return v.Pkg() != nil && !v.IsField() && v.Parent() == v.Pkg().Scope()
}

// assigned returns what n assigns to.
func assigned(info *types.Info, n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return n.Lhs
		}
		var old []ast.Expr
		for _, e := range n.Lhs { // some of them may be declared already
			if id, ok := e.(*ast.Ident); ok && info.Defs[id] == nil && id.Name != "_" {
				old = append(old, e)
			}
		}
		return old
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	case *ast.RangeStmt:
		if n.Tok == token.ASSIGN {
			list := []ast.Expr{n.Key}
			if n.Value != nil {
				list = append(list, n.Value)
			}
			return list
		}
	case *ast.CallExpr:
		if id, ok := ast.Unparen(n.Fun).(*ast.Ident); ok && len(n.Args) > 0 {
			if b, ok := info.Uses[id].(*types.Builtin); ok && (b.Name() == "delete" || b.Name() == "clear" || b.Name() == "copy") {
				return n.Args[:1]
			}
		}
	}
	return nil
}

// root returns the variable that e is, or is a part of, or refers to; nil when there is none.
func root(info *types.Info, e ast.Expr) *types.Var {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			v, _ := info.ObjectOf(x).(*types.Var)
			return v
		case *ast.SelectorExpr:
			if info.Selections[x] == nil { // a name of another package
				e = x.Sel
			} else {
				e = x.X
			}
		case *ast.ParenExpr:
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		default:
			return nil
		}
	}
}

// callee returns the function or method that is called by name, or nil.
func callee(info *types.Info, n *ast.CallExpr) *types.Func {
	fun := ast.Unparen(n.Fun)
	switch x := fun.(type) {
	case *ast.IndexExpr:
		fun = x.X
	case *ast.IndexListExpr:
		fun = x.X
	}
	var id *ast.Ident
	switch x := fun.(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return nil
	}
	f, _ := info.Uses[id].(*types.Func)
	return f
}

// core is the underlying type, of a type parameter that of the first type it stands for.
func core(t types.Type) types.Type {
	if param, ok := types.Unalias(t).(*types.TypeParam); ok {
		iface, ok := param.Constraint().Underlying().(*types.Interface)
		for i := 0; ok && i < iface.NumEmbeddeds(); i++ {
			if union, ok := iface.EmbeddedType(i).(*types.Union); ok && union.Len() > 0 {
				return core(union.Term(0).Type())
			}
		}
	}
	return t.Underlying()
}

func (p *pass) typeOf(e ast.Expr) types.Type {
	if t := p.info.TypeOf(e); t != nil {
		return core(t)
	}
	return nil
}

// nameOf names a function, method or variable as its users do: rand.Intn, (*Node).Receive.
func nameOf(o types.Object) string {
	qualifier := ""
	if o.Pkg() != nil {
		qualifier = o.Pkg().Name() + "."
	}
	f, ok := o.(*types.Func)
	if !ok {
		return qualifier + o.Name()
	}
	return qualified(f, qualifier)
}

// localName names it as its own package does.
func localName(o types.Object) string {
	if f, ok := o.(*types.Func); ok {
		return qualified(f, "")
	}
	return o.Name()
}

func qualified(f *types.Func, qualifier string) string {
	recv := receiver(f)
	if recv == nil {
		return qualifier + f.Name()
	}
	if _, pointer := types.Unalias(f.Signature().Recv().Type()).(*types.Pointer); pointer {
		return "(*" + qualifier + recv.Obj().Name() + ")." + f.Name()
	}
	return qualifier + recv.Obj().Name() + "." + f.Name()
}
