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
	name    string
	rank    int
	object  types.Object // a function, method, or package variable; or
	lit     *ast.FuncLit
	program bool // run by package bubble
}

const (
	ofService = iota
	ofSystem  // actions, properties, monitors
	bySignature
)

// finder finds the handlers of a package.
type finder struct {
	*source
	handlers []handler
	roots    map[*ast.FuncLit]bool // literals that are handlers themselves
	literals map[types.Object]ast.Expr
}

// findHandlers finds all handlers. The checker's own handlers run others and are not checked.
func (h *finder) findHandlers() {
	if ours(h.pkg) {
		return
	}
	h.methods(h.iface("Service"), "Boot", "Receive", "Timer", "PeerError", "PeerReady")
	h.methods(h.iface("Monitor"), "Observe")
	for _, n := range h.named {
		if m := method(types.NewPointer(n), "AppendState"); m != nil && m.Pkg() == h.pkg {
			h.add(handler{name: localName(m), rank: ofSystem, object: m})
		}
	}
	for _, f := range h.Files {
		for n := range ast.Preorder(f) {
			h.findLiterals(n)
		}
	}
	for _, f := range h.Files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); !ok || !h.declared(fn) {
				ast.Inspect(d, h.node)
			}
		}
	}
}

// methods adds the methods of types that implement an interface.
func (h *finder) methods(iface *types.Interface, names ...string) {
	for _, n := range h.named {
		t := types.NewPointer(n)
		if iface == nil || !types.Implements(t, iface) {
			continue
		}
		for _, name := range names {
			if m := method(t, name); m != nil && !ours(m.Pkg()) {
				label := localName(m)
				if receiver(m) != nil && receiver(m).Obj() != n.Obj() {
					label = n.Obj().Name() + "." + name // promoted
				}
				h.add(handler{name: label, rank: ofService, object: m})
			}
		}
	}
}

func (h *finder) add(new handler) {
	if new.lit != nil {
		h.roots[new.lit] = true
	}
	h.handlers = append(h.handlers, new)
}

// findLiterals records the variables that hold function literals.
func (h *finder) findLiterals(n ast.Node) {
	var names, values []ast.Expr
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE {
			names, values = n.Lhs, n.Rhs
		}
	case *ast.ValueSpec:
		for _, id := range n.Names {
			names = append(names, id)
		}
		values = n.Values
	}
	for i, e := range names {
		if len(names) == len(values) {
			if lit, ok := ast.Unparen(values[i]).(*ast.FuncLit); ok {
				h.literals[h.info.Defs[e.(*ast.Ident)]] = lit
			}
		}
	}
}

// declared adds a declared function that takes what the checker passes. It reports whether the literals in a function
// are part of a handler.
func (h *finder) declared(fn *ast.FuncDecl) bool {
	o, ok := h.info.Defs[fn.Name].(*types.Func)
	if !ok {
		return false
	}
	if h.takesEnv(o.Signature()) {
		h.add(handler{name: localName(o), rank: bySignature, object: o})
	}
	if takesHost(o.Signature()) {
		h.add(handler{name: localName(o), rank: bySignature, object: o, program: true})
	}
	return slices.ContainsFunc(h.handlers, func(h handler) bool { return h.object == o })
}

// node adds the handlers that a node of other code denotes. It reports whether to visit the nodes in it.
func (h *finder) node(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CompositeLit:
		h.fields(n)
	case *ast.AssignStmt:
		for i, e := range n.Lhs {
			if sel, ok := e.(*ast.SelectorExpr); ok && i < len(n.Rhs) {
				if t := h.simType(h.info.TypeOf(sel.X)); called(t, sel.Sel.Name) {
					h.value(n.Rhs[i], handler{name: t + "." + sel.Sel.Name, rank: ofSystem})
				}
			}
		}
	case *ast.CallExpr:
		h.passed(n)
	case *ast.FuncLit:
		if sig, ok := h.typeOf(n).(*types.Signature); ok && !h.roots[n] && (h.takesEnv(sig) || takesHost(sig)) {
			h.add(handler{name: fmt.Sprintf("function in line %d", h.place(n.Pos()).Line), rank: bySignature, lit: n, program: takesHost(sig)})
		}
		return !h.roots[n] // its literals are part of it
	}
	return true
}

// fields adds the functions in a literal of System, Action or Property.
func (h *finder) fields(n *ast.CompositeLit) {
	t := h.simType(h.info.TypeOf(n))
	if t == "" {
		return
	}
	values := map[string]ast.Expr{}
	for _, e := range n.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok {
				values[id.Name] = kv.Value
			}
		}
	}
	title, _ := h.text(values["Name"])
	for _, e := range n.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		if id, ok := kv.Key.(*ast.Ident); ok && called(t, id.Name) {
			name := t + "." + id.Name
			if title != "" {
				name = fmt.Sprintf("%s of %s %q", id.Name, strings.ToLower(t), title)
			}
			h.value(kv.Value, handler{name: name, rank: ofSystem})
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

// passed adds the functions that a call passes to package sim or bubble. A function passed to a Host is part of a
// program, and a process of Command has its own package variables.
func (h *finder) passed(n *ast.CallExpr) {
	f := h.callee(n)
	found := handler{rank: ofSystem}
	switch {
	case f == nil || f.Pkg() == nil:
		return
	case f.Pkg() == h.sim && f.Name() != "Step":
		found.name = "function passed to sim." + f.Name()
	case f.Pkg() == h.bubble && f.Signature().Recv() == nil && f.Name() != "Command":
		found.name, found.program = "function passed to bubble."+f.Name(), true
	default:
		return
	}
	for _, arg := range h.functions(n) {
		h.value(arg, found)
	}
}

// value adds the functions that a function value denotes, like the given handler.
func (h *finder) value(e ast.Expr, found handler) {
	switch e := ast.Unparen(e).(type) {
	case *ast.FuncLit:
		if !h.roots[e] {
			found.lit = e
			h.add(found)
		}
	case *ast.Ident:
		h.object(h.info.Uses[e], found)
	case *ast.SelectorExpr:
		h.object(h.info.Uses[e.Sel], found)
	case *ast.IndexExpr:
		h.value(e.X, found)
	case *ast.CallExpr: // a function that wraps functions
		if f := h.callee(e); f != nil && f.Pkg() != nil && f.Pkg() == h.bubble {
			return
		} else if f != nil && f.Pkg() != h.sim {
			h.object(f, found)
		}
		for _, arg := range h.functions(e) {
			h.value(arg, found)
		}
	case *ast.CompositeLit:
		for _, elem := range e.Elts {
			h.value(elem, found)
		}
	}
}

func (h *finder) object(o types.Object, found handler) {
	switch o := o.(type) {
	case *types.Func:
		found.object = o.Origin()
		h.add(found)
	case *types.Var:
		if isGlobal(o) {
			found.object = o
			h.add(found)
		} else if lit := h.literals[o]; lit != nil {
			h.value(lit, found)
		}
	}
}
