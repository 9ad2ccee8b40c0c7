package vet

import (
	"go/ast"
	"go/token"
	"go/types"
)

// receiverVar returns the receiver of a method if it refers to memory of the caller.
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

// assigned returns the expressions to which n assigns.
func assigned(info *types.Info, n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok != token.DEFINE {
			return n.Lhs
		}
		var old []ast.Expr
		for _, e := range n.Lhs { // some may be declared already
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
		switch builtin(info, n) {
		case "delete", "clear", "copy":
			return n.Args[:min(1, len(n.Args))]
		}
	}
	return nil
}

// builtin returns the name of the built-in function that is called, or an empty string.
func builtin(info *types.Info, n *ast.CallExpr) string {
	id, _ := ast.Unparen(n.Fun).(*ast.Ident)
	if b, ok := info.Uses[id].(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}

// root returns the variable that e is, is part of, or refers to, or nil.
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
	f, _ := info.Uses[calledName(n)].(*types.Func)
	return f
}

// calledName returns the name in a call, which type arguments may follow, or nil.
func calledName(n *ast.CallExpr) *ast.Ident {
	e := ast.Unparen(n.Fun)
	switch i := e.(type) {
	case *ast.IndexExpr:
		e = i.X
	case *ast.IndexListExpr:
		e = i.X
	}
	switch e := e.(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	}
	return nil
}

// core returns the underlying type; for a type parameter, that of the first type in its constraint.
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

// nameOf returns the name of a function, method or variable as seen by users: rand.Intn, (*Node).Receive.
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

// localName returns the name as used in its own package.
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
