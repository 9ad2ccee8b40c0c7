package stateset

// roots is the set of the keys of whole states. A look-up takes two reads of memory, or one without numbers.
type roots struct {
	pairs
	table *Fingerprints // of scattered keys; nil if keys are in pairs
	mixed []uint64      // scratch
}

// scattered spreads keys evenly. It is injective, and never 0, which fingerprints must not be: no key has two children
// of the greatest number, see [graph.Graph].
func scattered(key uint64) uint64 { return Hash(key + 1) }

// unnumbered turns it into a set without numbers, see [Whole].
func (r *roots) unnumbered() { r.table = NewFingerprints(1) }

// addAll is AddAll of [Visited].
func (r *roots) addAll(k *Keys, fresh []uint32) []uint32 {
	if r.table != nil {
		r.mixed = r.mixed[:0]
		for _, root := range k.Lo {
			r.mixed = append(r.mixed, scattered(root))
		}
		return r.table.AddAll(&Keys{Edges: k.Edges, Lo: r.mixed}, fresh)
	}
	r.prefetch(k.Lo)
	for i, root := range k.Lo {
		if _, added := r.intern(root); added {
			fresh = append(fresh, k.Edges[i])
		}
	}
	return fresh
}

func (r *roots) bytes() int {
	if r.table == nil {
		return r.pairs.bytes()
	}
	now, _ := r.table.Bytes()
	return now
}

func (r *roots) free() {
	if r.table != nil {
		r.table.Close()
	}
	r.pairs.free()
}
