package superstep

import "slices"

// Link is a member's traffic with another one in a superstep.
type Link struct {
	Sent  int     // batches
	Taken int     // batches
	Total int     // number of batches to come; -1 if unknown
	Early []Batch // received before their predecessors
}

// begin begins a superstep.
func (l *Link) begin() { *l = Link{Total: -1} }

// complete reports whether all batches of this superstep were taken.
func (l *Link) complete() bool { return l.Taken == l.Total }

// take takes a batch and the early ones behind it, if it is the next. It returns their contents.
func (l *Link) take(m Batch, b bugs) (contents []any) {
	if b.has(counted) {
		l.Taken++
		return []any{m.Content}
	}
	if m.Seq > l.Taken {
		l.Early = append(l.Early, m)
	}
	for next := &m; next != nil; next = l.next() {
		if next.Seq == l.Taken {
			l.Taken++
			contents = append(contents, next.Content)
		}
	}
	return contents
}

// next returns the next batch, if it was received early.
func (l *Link) next() *Batch {
	i := slices.IndexFunc(l.Early, func(m Batch) bool { return m.Seq == l.Taken })
	if i < 0 {
		return nil
	}
	return &l.Early[i]
}
