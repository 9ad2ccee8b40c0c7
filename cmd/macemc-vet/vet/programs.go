package vet

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// scope selects the code in which something is a hazard.
type scope uint8

const (
	inHandlers scope = 1 << iota
	inPrograms       // in code that runs in package bubble
	everywhere = inHandlers | inPrograms
)

// scopeOf returns the scope of a kind of hazard. Time, random numbers and goroutines of programs are controlled.
func scopeOf(k Kind) scope {
	switch k {
	case Clock, Random, Concurrency, MapOrder:
		return inHandlers
	}
	return everywhere
}

// simulated lists packages of the standard library that are hazards in handlers but not in programs: they use the
// simulated machine of the node.
var simulated = []string{"net", "net/http", "net/rpc", "net/smtp", "crypto/tls", "os/signal"}

// harmless lists further names that are hazards in handlers only. Ending the process is a finding in a program.
const harmless = "sync.Pool.Get os.Exit os.Hostname os.Getpid os.Getppid runtime.NumCPU"

// scope returns the scope in which using o is a hazard of the kind.
func (t *tables) scope(k Kind, o types.Object) scope {
	name, all := o.Pkg().Path()+"."+o.Name(), ""
	if f, ok := o.(*types.Func); ok {
		if recv := receiver(f); recv != nil {
			all = o.Pkg().Path() + "." + recv.Obj().Name() + ".*"
			name = o.Pkg().Path() + "." + recv.Obj().Name() + "." + o.Name()
		}
	}
	if fine := strings.Fields(harmless); slices.Contains(fine, name) || slices.Contains(fine, all) ||
		slices.Contains(simulated, o.Pkg().Path()) {
		return inHandlers
	}
	return scopeOf(k)
}

func (h *handler) scope() scope {
	if h.program {
		return inPrograms
	}
	return inHandlers
}

// instead returns the alternative to a hazard of the kind.
func (h *handler) instead(k Kind) string {
	if h.program {
		switch k {
		case Global:
			return "keep it in what the program makes when it starts"
		case Outside:
			return "take the disk from the bubble.Host, and configuration from who makes the program"
		case MapOrder:
			return "sort the elements by something other than their addresses"
		}
	}
	return infoOf(k).Instead
}

// ofBubble reports whether f is a function of package bubble.
func (p *pass) ofBubble(f *types.Func) bool {
	return f != nil && p.bubble != nil && f.Pkg() == p.bubble
}

// takesHost reports whether a parameter is a *bubble.Host. The function is then a program, or part of one.
func (p *pass) takesHost(sig *types.Signature) bool {
	for v := range sig.Params().Variables() {
		ptr, ok := types.Unalias(v.Type()).(*types.Pointer)
		if !ok {
			continue
		}
		n, ok := types.Unalias(ptr.Elem()).(*types.Named)
		if ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == bubblePath && n.Obj().Name() == "Host" {
			return true
		}
	}
	return false
}

// programs adds the functions that a call passes to package bubble.
func (p *pass) programs(n *ast.CallExpr) {
	f := callee(p.info, n)
	if !p.ofBubble(f) || f.Signature().Recv() != nil || f.Name() == "Command" {
		return // a function passed to a Host is part of a program, and a process has its own package variables
	}
	before := len(p.handlers)
	for _, arg := range n.Args {
		if _, ok := p.typeOf(arg).(*types.Signature); ok {
			p.value(arg, "function passed to bubble."+f.Name())
		}
	}
	for i := range p.handlers[before:] {
		p.handlers[before+i].program = true
	}
}

// pointerRange reports a range over a map with pointers as keys, in the order of their addresses, if its body does more
// than compute.
func (p *pass) pointerRange(u *unit, n *ast.RangeStmt, over string) {
	t := p.typeOf(n.X)
	if c, ok := ast.Unparen(n.X).(*ast.CallExpr); ok && len(c.Args) == 1 && sequence(callee(p.info, c)) {
		t = p.typeOf(c.Args[0])
	}
	m, ok := t.(*types.Map)
	if !ok || !hasAddress(m.Key()) {
		return
	}
	for in := range ast.Preorder(n.Body) {
		acts := false
		switch in := in.(type) {
		case *ast.SendStmt, *ast.GoStmt, *ast.ReturnStmt:
			acts = true
		case *ast.CallExpr:
			acts = builtin(p.info, in) == "" && !p.info.Types[in.Fun].IsType()
		}
		if acts {
			p.addIn(inPrograms, u, MapOrder, n.Pos(), "range over "+over+", whose keys are ordered by their addresses")
			return
		}
	}
}

// hasAddress reports whether keys of the type are distinguished by addresses. Interfaces mostly hold pointers.
func hasAddress(t types.Type) bool {
	switch t := t.Underlying().(type) {
	case *types.Pointer, *types.Chan, *types.Interface:
		return true
	case *types.Basic:
		return t.Kind() == types.UnsafePointer
	case *types.Array:
		return hasAddress(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			if hasAddress(f.Type()) {
				return true
			}
		}
	}
	return false
}
