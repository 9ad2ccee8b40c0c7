package table

// verdicts remember lately what all properties together said of the local states of all nodes: states that differ in what is between nodes alone are many. What
// is remembered is no more than stays near the processor.
type verdicts struct {
	known []uint64 // by hash: local states, and, in the last bit, whether all Eventually properties hold there; all Always ones do. 0: none
}

const verdictBits = 14

// verdictKey is the local states of a packed vector; false: they do not fit, or there is more to properties.
func (g *graph) verdictKey(state []uint32) (key uint64, ok bool) {
	p, s := &g.w.properties, g.sites
	if p.inFlight || len(p.inevitably) > 0 || g.onward != nil {
		return 0, false
	}
	bits := 63 / len(s.places)
	for i := range s.places {
		local := state[i]
		if g.w.layout.bagCount > 0 {
			local = s.places[i].list[local].local
		}
		if local++; uint64(local)>>bits != 0 {
			return 0, false
		}
		key = key<<bits | uint64(local)
	}
	return key << 1, true
}

func verdictSlot(key uint64) int { return int(key * 0x9E3779B97F4A7C15 >> (64 - verdictBits)) }

// of tells what is remembered.
func (v *verdicts) of(key uint64) (live, ok bool) {
	if v.known == nil {
		return false, false
	}
	k := v.known[verdictSlot(key)]
	return k&1 == 1, k&^1 == key
}

// add remembers that all Always properties hold, and whether all Eventually ones do.
func (v *verdicts) add(key uint64, live bool) {
	if v.known == nil {
		v.known = make([]uint64, 1<<verdictBits)
	}
	at := &v.known[verdictSlot(key)]
	if *at = key; live {
		*at = key | 1
	}
}
