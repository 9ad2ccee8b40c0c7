package vet

import (
	"go/ast"
	"go/constant"
	"go/types"
	"strings"
)

// printed looks for addresses in text that a call formats.
func (p *pass) printed(u *unit, n *ast.CallExpr) {
	f := callee(p.info, n)
	if f == nil || f.Pkg() == nil {
		return
	}
	sig := f.Signature()
	if !sig.Variadic() || p.ours(f.Pkg().Path()) && f.Name() == "Assert" { // only shown to people
		return
	}
	format := -1
	for i, arg := range n.Args {
		if i < sig.Params().Len()-1 || !strings.HasSuffix(f.Name(), "f") {
			if text, ok := p.text(arg); ok && strings.HasSuffix(f.Name(), "f") && strings.Contains(text, "%") {
				format = i
			}
		}
	}
	fmtFunc := f.Pkg().Path() == "fmt" && !strings.HasPrefix(f.Name(), "Print") && !strings.Contains(f.Name(), "can")
	if format >= 0 {
		text, _ := p.text(n.Args[format])
		if f.Pkg().Path() == "fmt" && !fmtFunc {
			return
		}
		verbs := verbsOf(text)
		for _, v := range verbs {
			if v == 'p' {
				p.add(u, Address, n.Pos(), "formats an address with %p")
				return
			}
		}
		for i, arg := range n.Args[format+1:] {
			if i < len(verbs) && strings.ContainsRune("vds", rune(verbs[i])) {
				p.shown(u, arg)
			}
		}
		return
	}
	if fmtFunc && !strings.HasSuffix(f.Name(), "f") {
		for _, arg := range n.Args {
			p.shown(u, arg)
		}
	}
}

// shown reports an argument that prints as an address.
func (p *pass) shown(u *unit, arg ast.Expr) {
	t := p.info.TypeOf(arg)
	if t == nil || !isAddress(t) {
		return
	}
	p.add(u, Address, arg.Pos(), "prints a "+types.TypeString(t, types.RelativeTo(p.pkg))+", which shows as an address")
}

// isAddress reports whether fmt prints values of the type as an address.
func isAddress(t types.Type) bool {
	for _, name := range []string{"String", "Error", "Format", "GoString"} {
		if o, _, _ := types.LookupFieldOrMethod(t, true, nil, name); o != nil {
			if _, ok := o.(*types.Func); ok {
				return false
			}
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Chan, *types.Signature:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Pointer:
		switch u.Elem().Underlying().(type) {
		case *types.Struct, *types.Slice, *types.Array, *types.Map:
			return false
		}
		return true
	}
	return false
}

// text returns the value of a constant string.
func (p *pass) text(e ast.Expr) (string, bool) {
	v := p.info.Types[e].Value
	if v == nil || v.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(v), true
}

// verbsOf returns the verbs of a format in the order of the arguments, up to the first numbered one.
func verbsOf(format string) (verbs []byte) {
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		for i++; i < len(format) && strings.IndexByte("+-# 0123456789.*[]", format[i]) >= 0; i++ {
			if format[i] == '*' {
				verbs = append(verbs, '*')
			}
		}
		if i < len(format) && format[i] != '%' {
			verbs = append(verbs, format[i])
		}
	}
	return verbs
}
