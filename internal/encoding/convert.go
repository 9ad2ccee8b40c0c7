package encoding

import "github.com/macemc/macemc/internal/encoding/typeinfo"

// joinMaps sets n's common: the map type that represents all types to which n's values can be converted.
func (c *compiler) joinMaps(n *node) *unsupportedType {
	n.common = n
	for _, m := range c.set.maps {
		if typeinfo.Convertible(m.typ, n.typ) {
			if !alike(m.key, n.key) || !alike(m.elem, n.elem) {
				return refuse(n.typ, "it could be one with a "+m.typ.String()+", whose parts are treated in another way")
			}
			n.common = m.common
			break
		}
	}
	c.set.maps = append(c.set.maps, n)
	return nil
}

// alike reports whether types that are identical except for tags are also treated alike.
func alike(a, b *node) bool {
	if a == b {
		return true
	}
	if a.how != b.how || a.opaque || b.opaque || a.copyAt != nil || b.copyAt != nil || a.copyBoxed != nil || b.copyBoxed != nil ||
		len(a.fields) != len(b.fields) || (a.elem == nil) != (b.elem == nil) || (a.key == nil) != (b.key == nil) {
		return false
	}
	for i, f := range a.fields {
		if g := b.fields[i]; f.off != g.off || !alike(f.n, g.n) {
			return false
		}
	}
	return (a.elem == nil || alike(a.elem, b.elem)) && (a.key == nil || alike(a.key, b.key))
}
