package vet

import (
	"bytes"
	"go/ast"
	"go/types"
	"strings"
)

// printed looks for addresses in text that a call of f formats.
func printed(u *unit, n *ast.CallExpr, f *types.Func) {
	sig := f.Signature()
	if f.Pkg() == nil || !sig.Variadic() || ours(f.Pkg()) && f.Name() == "Assert" { // only shown to people
		return
	}
	inFmt := inPackage(f, "fmt")
	if inFmt && (strings.HasPrefix(f.Name(), "Print") || strings.Contains(f.Name(), "can")) {
		return
	}
	if !strings.HasSuffix(f.Name(), "f") {
		for _, arg := range n.Args {
			if inFmt {
				shown(u, arg)
			}
		}
		return
	}
	at := sig.Params().Len() - 2 // of the format
	if at < 0 || at >= len(n.Args) {
		return
	}
	format, _ := u.text(n.Args[at])
	verbs := verbsOf(format)
	if bytes.IndexByte(verbs, 'p') >= 0 {
		u.add(Address, n.Pos(), "formats an address with %p")
		return
	}
	for i, arg := range n.Args[at+1:] {
		if i < len(verbs) && strings.ContainsRune("vds", rune(verbs[i])) {
			shown(u, arg)
		}
	}
}

// shown reports an argument that prints as an address.
func shown(u *unit, arg ast.Expr) {
	if t := u.info.TypeOf(arg); t != nil && isAddress(t) {
		u.add(Address, arg.Pos(), "prints a "+types.TypeString(t, types.RelativeTo(u.pkg))+", which shows as an address")
	}
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
