package vet

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// handler is code that the checker calls.
type handler struct {
	name   string
	rank   int
	object types.Object // a function, method, or package variable; or
	lit    *ast.FuncLit

	program bool // run by package bubble
}

const (
	ofService = iota
	ofSystem  // actions, properties, monitors
	bySignature
)

// findHandlers finds the handlers of the package. The checker's own handlers run others and are not checked.
func (p *pass) findHandlers() {
	if p.ours(p.pkg.Path()) {
		return
	}
	p.serviceMethods()
	p.literals = map[*types.Var]ast.Expr{}
	for _, f := range p.Files {
		ast.Inspect(f, func(n ast.Node) bool { p.noteLiterals(n); return true })
	}
	for _, f := range p.Files {
		for _, d := range f.Decls {
			p.handlersIn(d)
		}
	}
}

// serviceMethods finds handlers that are methods.
func (p *pass) serviceMethods() {
	of := func(iface *types.Interface, names ...string) {
		for _, n := range p.named {
			t := types.NewPointer(n)
			if iface == nil || !types.Implements(t, iface) {
				continue
			}
			for _, name := range names {
				if m := method(t, name); m != nil && (m.Pkg() == nil || !p.ours(m.Pkg().Path())) {
					label := localName(m)
					if receiver(m) != nil && receiver(m).Obj() != n.Obj() {
						label = n.Obj().Name() + "." + name // promoted
					}
					p.addHandler(handler{name: label, rank: ofService, object: m})
				}
			}
		}
	}
	of(p.iface("Service"), "Boot", "Receive", "Timer", "PeerError", "PeerReady")
	of(p.iface("Monitor"), "Observe")
	for _, n := range p.named {
		if m := method(types.NewPointer(n), "AppendState"); m != nil && m.Pkg() == p.pkg {
			p.addHandler(handler{name: localName(m), rank: ofSystem, object: m})
		}
	}
}

// iface returns an interface of package sim, or nil if the package does not import sim.
func (p *pass) iface(name string) *types.Interface {
	if p.sim == nil {
		return nil
	}
	o := p.sim.Scope().Lookup(name)
	if o == nil {
		return nil
	}
	i, _ := o.Type().Underlying().(*types.Interface)
	return i
}

func (p *pass) addHandler(h handler) {
	if h.lit != nil {
		p.roots[h.lit] = true
	}
	p.handlers = append(p.handlers, h)
}

// noteLiterals records the variables that hold function literals.
func (p *pass) noteLiterals(n ast.Node) {
	note := func(id *ast.Ident, e ast.Expr) {
		if _, ok := ast.Unparen(e).(*ast.FuncLit); ok {
			if v, ok := p.info.Defs[id].(*types.Var); ok {
				p.literals[v] = ast.Unparen(e)
			}
		}
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE && len(n.Lhs) == len(n.Rhs) {
			for i, e := range n.Lhs {
				if id, ok := e.(*ast.Ident); ok {
					note(id, n.Rhs[i])
				}
			}
		}
	case *ast.ValueSpec:
		for i, id := range n.Names {
			if i < len(n.Values) {
				note(id, n.Values[i])
			}
		}
	}
}

// handlersIn finds handlers in a declaration.
func (p *pass) handlersIn(d ast.Decl) {
	if fn, ok := d.(*ast.FuncDecl); ok {
		o, ok := p.info.Defs[fn.Name].(*types.Func)
		if ok && p.takesEnv(o.Signature()) {
			p.addHandler(handler{name: localName(o), rank: bySignature, object: o})
		}
		if ok && p.takesHost(o.Signature()) {
			p.addHandler(handler{name: localName(o), rank: bySignature, object: o, program: true})
			return
		}
		if ok && (p.takesEnv(o.Signature()) || p.isHandler(o)) {
			return // its literals are part of it
		}
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			p.fields(n)
		case *ast.AssignStmt:
			for i, e := range n.Lhs {
				if sel, ok := e.(*ast.SelectorExpr); ok && i < len(n.Rhs) {
					if t := p.simType(p.info.TypeOf(sel.X)); called(t, sel.Sel.Name) {
						p.value(n.Rhs[i], label(t, sel.Sel.Name, ""))
					}
				}
			}
		case *ast.CallExpr:
			p.programs(n)
			if f := callee(p.info, n); f != nil && f.Pkg() == p.sim && p.sim != nil && f.Name() != "Step" {
				for _, arg := range n.Args {
					if _, ok := p.typeOf(arg).(*types.Signature); ok {
						p.value(arg, "function passed to sim."+f.Name())
					}
				}
			}
		case *ast.FuncLit:
			if sig, ok := p.typeOf(n).(*types.Signature); ok && !p.roots[n] && (p.takesEnv(sig) || p.takesHost(sig)) {
				p.addHandler(handler{name: "function in line " + itoa(p.fset.Position(n.Pos()).Line), rank: bySignature, lit: n,
					program: p.takesHost(sig)})
			}
			return !p.roots[n] // its literals are part of it
		}
		return true
	})
}

func (p *pass) isHandler(o *types.Func) bool {
	return slices.ContainsFunc(p.handlers, func(h handler) bool { return h.object == o })
}

// fields finds the functions in a literal of System, Action or Property.
func (p *pass) fields(n *ast.CompositeLit) {
	t := p.simType(p.info.TypeOf(n))
	if t == "" {
		return
	}
	name := ""
	for _, e := range n.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok && id.Name == "Name" {
				name, _ = p.text(kv.Value)
			}
		}
	}
	for _, e := range n.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok && called(t, id.Name) {
				p.value(kv.Value, label(t, id.Name, name))
			}
		}
	}
}

// called reports whether the checker calls the functions in a field of a struct of package sim.
func called(typ, field string) bool {
	return slices.Contains(map[string][]string{
		"Action":   {"When", "Do", "At"},
		"Property": {"Always", "Eventually", "Inevitably", "Sometimes", "Explain"},
		"System":   {"New", "MayCrash", "MayHalt", "Late", "Monitors"},
	}[typ], field)
}

func label(typ, field, name string) string {
	if name == "" {
		return typ + "." + field
	}
	return fmt.Sprintf("%s of %s %q", field, strings.ToLower(typ), name)
}

// simType returns the name of a type of package sim, or of the type that a pointer points to.
func (p *pass) simType(t types.Type) string {
	if n := namedOf(t); n != nil && p.sim != nil && n.Obj().Pkg() == p.sim {
		return n.Obj().Name()
	}
	return ""
}

// value adds the functions that a function value denotes.
func (p *pass) value(e ast.Expr, name string) {
	switch e := ast.Unparen(e).(type) {
	case *ast.FuncLit:
		if !p.roots[e] {
			p.addHandler(handler{name: name, rank: ofSystem, lit: e})
		}
	case *ast.Ident:
		p.object(p.info.Uses[e], name)
	case *ast.SelectorExpr:
		p.object(p.info.Uses[e.Sel], name)
	case *ast.IndexExpr:
		p.value(e.X, name)
	case *ast.CallExpr: // a function that wraps functions
		f := callee(p.info, e)
		if p.ofBubble(f) {
			return
		}
		if f != nil && f.Pkg() != p.sim {
			p.object(f, name)
		}
		for _, arg := range e.Args {
			if _, ok := p.typeOf(arg).(*types.Signature); ok {
				p.value(arg, name)
			}
		}
	case *ast.CompositeLit:
		for _, elem := range e.Elts {
			p.value(elem, name)
		}
	}
}

func (p *pass) object(o types.Object, name string) {
	switch o := o.(type) {
	case *types.Func:
		p.addHandler(handler{name: name, rank: ofSystem, object: o.Origin()})
	case *types.Var:
		if lit, ok := p.literals[o].(*ast.FuncLit); ok && !isGlobal(o) {
			p.value(lit, name)
		} else if isGlobal(o) {
			p.addHandler(handler{name: name, rank: ofSystem, object: o})
		}
	}
}

// takesEnv reports whether a parameter is a sim.Env, a *machine.Ctx, or a *sim.View.
func (p *pass) takesEnv(sig *types.Signature) bool {
	for v := range sig.Params().Variables() {
		if p.isEnv(v.Type()) || p.simType(v.Type()) == "View" {
			return true
		}
	}
	return false
}

// isEnv reports whether handlers request effects through a type: sim.Env and *machine.Ctx.
func (p *pass) isEnv(t types.Type) bool {
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		n, named := types.Unalias(ptr.Elem()).(*types.Named)
		if named && ofMachine(n.Obj()) && n.Obj().Name() == "Ctx" {
			return true
		}
	}
	return p.simType(t) == "Env"
}

// isEffect reports whether a method requests an ordered effect, or draws.
func (p *pass) isEffect(f *types.Func) bool {
	n := receiver(f)
	if n == nil || n.Obj().Pkg() == nil || !p.ours(n.Obj().Pkg().Path()) {
		return false
	}
	return slices.Contains(map[string][]string{
		"Env":       {"Send", "SetTimer", "StopTimer", "Choose", "ChooseFair", "ChooseWeighted", "Announce"},
		"Ctx":       {"Send", "TrySend", "Announce", "Raise", "SetTimer", "StopTimer", "Choose", "Flip", "FairFlip"},
		"Stream":    {"Send", "Close"},
		"Rand":      {"IntN", "Perm", "Shuffle", "Jitter", "Seeded"},
		"Generator": {"IntN", "Uint64"},
		"Disk":      {"Put", "Delete", "Sync"},
		"Clock":     {"Now", "Before", "Tick"},
	}[n.Obj().Name()], f.Name())
}
