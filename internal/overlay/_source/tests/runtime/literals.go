// The data of composite literals, which has no symbol: it fills gaps between the package variables.

package runtime

// macemcLiterals are the literals that variables or other literals refer to, ascending by address.
type macemcLiterals []macemcLiteral

// macemcLiteral is the data of a literal. It extends to the next one, or to the end of the gap, so it may include literals to which nothing
// refers.
type macemcLiteral struct {
	from, to uintptr
	added    bool // to the snapshot
}

// find finds the literals in the gaps between variables, which are ascending.
func (l *macemcLiterals) find(variables []macemcVariable) {
	end := func(p uintptr) uintptr { // of the gap with that address; 0 means that it is in none
		if !macemcGlobal(p) {
			return 0
		}
		next := macemcFirst(len(variables), func(i int) bool { return variables[i].from > p })
		if next == 0 || next == len(variables) || variables[next-1].to > p || !macemcGlobal(variables[next].from) {
			return 0
		}
		return variables[next].from
	}
	list := (*l)[:0]
	add := func(p uintptr) {
		if to := end(p); to != 0 {
			list = append(list, macemcLiteral{from: p, to: to})
		}
	}
	for m := &firstmoduledata; m != nil; m = m.next {
		macemcReferences(m.data, m.edata, add)
		macemcReferences(m.bss, m.ebss, add)
	}
	macemcSort(list, func(e *macemcLiteral) uintptr { return e.from })
	kept := 0
	for i, e := range list {
		if i+1 < len(list) {
			e.to = min(e.to, list[i+1].from)
		}
		if e.from < e.to {
			list[kept] = e
			kept++
		}
	}
	*l = list[:kept]
}

// of returns the literal that contains an address; nil means none.
func (l macemcLiterals) of(p uintptr) *macemcLiteral {
	next := macemcFirst(len(l), func(i int) bool { return l[i].from > p })
	if next == 0 || l[next-1].to <= p {
		return nil
	}
	return &l[next-1]
}
