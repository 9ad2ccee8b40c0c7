package superstep

import "slices"

// Link is what a member knows of its traffic with another one in a superstep.
type Link struct {
	Sent  int     // batches
	Taken int     // batches
	Total int     // how many come; -1: not known
	Early []Batch // that came before those ahead of them
}

// begin begins a superstep.
func (l *Link) begin() { *l = Link{Total: -1} }

// complete reports whether all that was sent in this superstep was taken.
func (l *Link) complete() bool { return l.Taken == l.Total }

// take takes a batch, and those behind it that came before, when it is its turn. It returns what is in them.
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

// next is the batch whose turn it is, if it is there.
func (l *Link) next() *Batch {
	i := slices.IndexFunc(l.Early, func(m Batch) bool { return m.Seq == l.Taken })
	if i < 0 {
		return nil
	}
	return &l.Early[i]
}
