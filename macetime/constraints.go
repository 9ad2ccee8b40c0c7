package macetime

import "slices"

// row returns the bounds on reading ids[i]: relative to each of ids, then to now.
func (m *Model) row(i int) []bound {
	width := len(m.ids) + 1
	return m.bounds[i*width : (i+1)*width]
}

// bound returns the tightest bound on reading k minus reading l. An untracked reading is bounded through its neighbors:
// k is not after the next tracked reading, and l not before the last one. Neighbors further away cannot tighten the
// result, because the bounds are closed.
func (m *Model) bound(k, l uint64) bound {
	if k == l {
		return notAfter
	}
	best := unbounded
	if k < l {
		best = notAfter
	}
	i, _ := slices.BinarySearch(m.ids, k)
	j, exact := slices.BinarySearch(m.ids, l)
	if !exact {
		j--
	}
	if i < len(m.ids) && j >= 0 {
		best = min(best, m.row(i)[j])
	}
	return best
}

// boundNow returns the tightest bound on reading k minus now.
func (m *Model) boundNow(k uint64) bound {
	i, _ := slices.BinarySearch(m.ids, k)
	if i == len(m.ids) {
		return notAfter
	}
	return min(notAfter, m.row(i)[len(m.ids)])
}

// track makes m.spareIDs the tracked readings, keeping the bounds that follow for them from the present bounds.
func (m *Model) track() {
	next := m.spareBounds[:0]
	for _, k := range m.spareIDs {
		for _, l := range m.spareIDs {
			next = append(next, m.bound(k, l))
		}
		next = append(next, m.boundNow(k))
	}
	m.ids, m.spareIDs = m.spareIDs, m.ids
	m.bounds, m.spareBounds = next, m.bounds
}

// decide adds the constraint that reading k minus reading l is bounded by b, which must be consistent with the present
// bounds, and closes the bounds again.
func (m *Model) decide(k, l uint64, b bound) {
	m.spareIDs = append(append(m.spareIDs[:0], m.ids...), k, l)
	slices.Sort(m.spareIDs)
	m.spareIDs = slices.Compact(m.spareIDs)
	if len(m.spareIDs) > len(m.ids) {
		m.track()
	}
	u, _ := slices.BinarySearch(m.ids, k)
	v, _ := slices.BinarySearch(m.ids, l)
	// A tightest path uses the new edge at most once, and no path to u or from v uses it, so one pass in place is
	// enough.
	from := m.row(v)
	for i := range m.ids {
		row := m.row(i)
		if row[u] == unbounded {
			continue
		}
		via := row[u].plus(b)
		for j, rest := range from {
			row[j] = min(row[j], via.plus(rest))
		}
	}
}
