package vet

import (
	"go/types"
	"slices"
)

// dropped finds messages and timers that a service receives, and drops.
type dropped struct{ *pass }

// reportUncalled reports the methods that have the signature of a handler which their service lacks, and that neither
// code nor an interface uses. The names are likely to be misspelt.
func (p *dropped) reportUncalled() {
	service := p.iface("Service")
	if service == nil {
		return
	}
	used := map[types.Object]bool{}
	for _, o := range p.info.Uses {
		if f, ok := o.(*types.Func); ok {
			used[f.Origin()] = true
		}
	}
	for _, n := range p.named {
		if !types.Implements(types.NewPointer(n), service) {
			continue
		}
		for m := range n.Methods() {
			handler := p.handlerLike(m)
			if handler == "" || handler == m.Name() || used[m] || p.inInterface(m.Name()) || p.suppressions.cover(p.code.byObject[m], m.Pos()) {
				continue
			}
			if own := method(types.NewPointer(n), handler); own != nil && own.Pkg() != p.sim {
				continue
			}
			p.report(Uncalled, m.Pos(), localName(m)+" has the parameters of "+handler+", but nothing calls it", infoOf(Uncalled).Instead)
		}
	}
}

// inInterface reports whether an interface of the package, or of one that it imports, has a method of that name.
func (p *dropped) inInterface(name string) bool {
	for _, pkg := range append(slices.Clone(p.pkg.Imports()), p.pkg) {
		for _, n := range pkg.Scope().Names() {
			if t, ok := pkg.Scope().Lookup(n).(*types.TypeName); ok && types.IsInterface(t.Type()) && method(t.Type(), name) != nil {
				return true
			}
		}
	}
	return false
}

// handlerLike returns the name of the handler that has the signature of m, or an empty string. Boot is not among
// them, because actions have its signature.
func (p *dropped) handlerLike(m *types.Func) string {
	for _, h := range [][2]string{{"Service", "Receive"}, {"Service", "Timer"}, {"PeerErrorHandler", "PeerError"}} {
		i := p.iface(h[0])
		if i == nil {
			continue
		}
		if f := method(i, h[1]); f != nil && types.Identical(f.Signature(), m.Signature()) {
			return h[1]
		}
	}
	return ""
}
