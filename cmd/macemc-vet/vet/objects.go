package vet

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"iter"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"
)

const (
	module      = "github.com/macemc/macemc"
	simPath     = module + "/sim"
	bubblePath  = module + "/bubble"
	machinePath = module + "/machine"
)

// source is the syntax of a package, and what it denotes.
type source struct {
	*analysis.Pass
	info   *types.Info
	pkg    *types.Package
	sim    *types.Package // nil if the package does not import it
	bubble *types.Package // nil if the package does not import it
	module string
	named  []*types.Named
}

func newSource(ap *analysis.Pass) *source {
	s := &source{Pass: ap, info: ap.TypesInfo, pkg: ap.Pkg}
	if ap.Module != nil {
		s.module = ap.Module.Path
	}
	for _, i := range ap.Pkg.Imports() {
		switch i.Path() {
		case simPath:
			s.sim = i
		case bubblePath:
			s.bubble = i
		}
	}
	for _, name := range ap.Pkg.Scope().Names() {
		if t, ok := ap.Pkg.Scope().Lookup(name).(*types.TypeName); ok && !t.IsAlias() {
			if n, ok := t.Type().(*types.Named); ok && !types.IsInterface(n) {
				s.named = append(s.named, n)
			}
		}
	}
	return s
}

// place returns the file, line and column of a position.
func (s *source) place(pos token.Pos) Place {
	at := s.Fset.Position(pos)
	return Place{at.Filename, at.Line, at.Column}
}

// callee returns the function or method that is called by name, or nil.
func (s *source) callee(n *ast.CallExpr) *types.Func {
	f, _ := typeutil.Callee(s.info, n).(*types.Func)
	return f
}

// builtin returns the name of the built-in function that is called, or an empty string.
func (s *source) builtin(n *ast.CallExpr) string {
	if b, ok := typeutil.Callee(s.info, n).(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}

// root returns the variable that e is, is part of, or refers to, or nil.
func (s *source) root(e ast.Expr) *types.Var {
	for x := range chain(e) {
		id, _ := x.(*ast.Ident)
		if sel, ok := x.(*ast.SelectorExpr); ok && s.info.Selections[sel] == nil { // a name of another package
			id = sel.Sel
		}
		if v, ok := s.info.ObjectOf(id).(*types.Var); ok {
			return v
		}
	}
	return nil
}

// chain yields e, then what that is a part of or is read from, and so on.
func chain(e ast.Expr) iter.Seq[ast.Expr] {
	return func(yield func(ast.Expr) bool) {
		for e != nil && yield(e) {
			switch x := e.(type) {
			case *ast.SelectorExpr:
				e = x.X
			case *ast.ParenExpr:
				e = x.X
			case *ast.IndexExpr:
				e = x.X
			case *ast.SliceExpr:
				e = x.X
			case *ast.StarExpr:
				e = x.X
			default:
				return
			}
		}
	}
}

// typeOf returns the underlying type of an expression; for a type parameter, that of the first type in its constraint.
func (s *source) typeOf(e ast.Expr) types.Type {
	if t := s.info.TypeOf(e); t != nil {
		return core(t)
	}
	return nil
}

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

// text returns the value of a constant string.
func (s *source) text(e ast.Expr) (string, bool) {
	v := s.info.Types[e].Value
	if v == nil || v.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(v), true
}

// functions returns the arguments of a call that are functions.
func (s *source) functions(n *ast.CallExpr) (list []ast.Expr) {
	for _, arg := range n.Args {
		if _, ok := s.typeOf(arg).(*types.Signature); ok {
			list = append(list, arg)
		}
	}
	return list
}

// ours reports whether handlers are written against a package.
func ours(p *types.Package) bool {
	return p != nil && slices.Contains([]string{simPath, machinePath, module + "/macetime"}, p.Path())
}

// simType returns the name of a type of package sim, or of the type that a pointer points to.
func (s *source) simType(t types.Type) string {
	if n := namedOf(t); n != nil && s.sim != nil && n.Obj().Pkg() == s.sim {
		return n.Obj().Name()
	}
	return ""
}

// iface returns an interface of package sim, or nil if the package does not import sim.
func (s *source) iface(name string) *types.Interface {
	if s.sim == nil {
		return nil
	}
	o := s.sim.Scope().Lookup(name)
	if o == nil {
		return nil
	}
	i, _ := o.Type().Underlying().(*types.Interface)
	return i
}

// takesEnv reports whether a parameter is a sim.Env, a *machine.Ctx, or a *sim.View.
func (s *source) takesEnv(sig *types.Signature) bool {
	for v := range sig.Params().Variables() {
		if s.isEnv(v.Type()) || s.simType(v.Type()) == "View" {
			return true
		}
	}
	return false
}

// isEnv reports whether handlers request effects through a type: sim.Env and *machine.Ctx.
func (s *source) isEnv(t types.Type) bool {
	return isPointerTo(t, machinePath, "Ctx") || s.simType(t) == "Env"
}

// passesEnv reports whether a call passes a sim.Env or *machine.Ctx on.
func (s *source) passesEnv(n *ast.CallExpr) bool {
	return slices.ContainsFunc(n.Args, func(e ast.Expr) bool { return s.isEnv(s.info.TypeOf(e)) })
}

// takesHost reports whether a parameter is a *bubble.Host. The function is then a program, or part of one.
func takesHost(sig *types.Signature) bool {
	for v := range sig.Params().Variables() {
		if isPointerTo(v.Type(), bubblePath, "Host") {
			return true
		}
	}
	return false
}

func isPointerTo(t types.Type, pkg, name string) bool {
	ptr, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return false
	}
	n, ok := types.Unalias(ptr.Elem()).(*types.Named)
	return ok && n.Obj().Name() == name && inPackage(n.Obj(), pkg)
}

// inPackage reports whether an object, which may be nil, is declared in a package.
func inPackage(o types.Object, path string) bool {
	if f, ok := o.(*types.Func); ok && f == nil {
		return false
	}
	return o != nil && o.Pkg() != nil && o.Pkg().Path() == path
}

// isUnknown reports whether f is a method of an interface that the checker does not implement.
func isUnknown(f *types.Func) bool {
	recv := f.Signature().Recv()
	return recv != nil && types.IsInterface(recv.Type()) && f.Pkg() != nil && !ours(f.Pkg())
}

// isEffect reports whether a method requests an ordered effect, or draws.
func isEffect(f *types.Func) bool {
	n := receiver(f)
	return n != nil && ours(n.Obj().Pkg()) && slices.Contains(map[string][]string{
		"Env":       {"Send", "SetTimer", "StopTimer", "Choose", "ChooseFair", "ChooseWeighted", "Announce"},
		"Ctx":       {"Send", "TrySend", "Announce", "Raise", "SetTimer", "StopTimer", "Choose", "Flip", "FairFlip"},
		"Stream":    {"Send", "Close"},
		"Rand":      {"IntN", "Perm", "Shuffle", "Jitter", "Seeded"},
		"Generator": {"IntN", "Uint64"},
		"Disk":      {"Put", "Delete", "Sync"},
		"Clock":     {"Now", "Before", "Tick"},
	}[n.Obj().Name()], f.Name())
}

func isGlobal(v *types.Var) bool {
	return v.Pkg() != nil && !v.IsField() && v.Parent() == v.Pkg().Scope()
}

// method returns a method of a type by its name, or nil.
func method(t types.Type, name string) *types.Func {
	for m := range types.NewMethodSet(t).Methods() {
		if f, ok := m.Obj().(*types.Func); ok && f.Name() == name {
			return f.Origin()
		}
	}
	return nil
}

// receiver returns the named receiver type of the method f, or nil.
func receiver(f *types.Func) *types.Named {
	recv := f.Signature().Recv()
	if recv == nil {
		return nil
	}
	return namedOf(recv.Type())
}

// namedOf returns the named type that t is, or points to, or nil.
func namedOf(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, _ := t.(*types.Named)
	return n
}

// nameOf returns the name of a function, method or variable as seen by users: rand.Intn, (*Node).Receive.
func nameOf(o types.Object) string {
	if o.Pkg() == nil {
		return localName(o)
	}
	return qualified(o, o.Pkg().Name()+".")
}

// localName returns the name as used in its own package.
func localName(o types.Object) string { return qualified(o, "") }

func qualified(o types.Object, qualifier string) string {
	f, ok := o.(*types.Func)
	if !ok || receiver(f) == nil {
		return qualifier + o.Name()
	}
	name := qualifier + receiver(f).Obj().Name()
	if _, pointer := types.Unalias(f.Signature().Recv().Type()).(*types.Pointer); pointer {
		name = "(*" + name + ")"
	}
	return name + "." + o.Name()
}
