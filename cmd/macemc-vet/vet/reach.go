package vet

import (
	"go/token"
	"slices"
)

// reached is a hazard and the call path to it.
type reached struct {
	Kind    Kind
	Message string
	Place
	Chain []Frame
	Scope scope
	pos   token.Pos // in this package: of the hazard, or of the call that leads out of the package
}

// reachedKey identifies a hazard. Programs and handlers may have different ones at a place.
type reachedKey struct {
	Place
	kind  Kind
	scope scope
}

// reach is a breadth-first search for the hazards that code reaches, each with one of the shortest paths. It follows
// calls by name, but not function values that are unknown.
type reach struct {
	*pass
	found []reached
	index map[reachedKey]int // in found
}

// stop is a unit that the search reaches.
type stop struct {
	at    *unit
	from  *stop
	call  token.Pos // in from
	depth int       // the number of units up to this one
}

// chain returns the way to a position in the unit.
func (s *stop) chain(pos token.Pos) []Frame {
	frames := make([]Frame, s.depth)
	for ; s != nil; s = s.from {
		at := s.at.place(pos)
		frames[s.depth-1] = Frame{s.at.name, at.File, at.Line}
		pos = s.call
	}
	return frames
}

// from returns the hazards that a unit reaches.
func (r *reach) from(u *unit) []reached {
	queue := []*stop{{at: u, depth: 1}}
	visited := map[*unit]bool{u: true}
	for i := 0; i < len(queue); i++ {
		s := queue[i]
		for _, h := range s.at.hazards {
			r.add(s, h.pos, reached{Kind: h.kind, Message: h.message, Place: r.place(h.pos), Scope: h.scope})
		}
		for _, c := range s.at.calls {
			if next := r.code.byObject[c.target]; next == nil {
				r.outside(s, c)
			} else if !visited[next] {
				visited[next] = true
				queue = append(queue, &stop{next, s, c.pos, s.depth + 1})
			}
		}
	}
	return r.found
}

// outside adds the hazards that a call of another package reaches. The code of another module is not the user's, so only
// the call can be changed.
func (r *reach) outside(s *stop, c call) {
	fact := r.summaryOf(c.target)
	for _, h := range fact.Found {
		if fact.Module != r.module {
			if ownedOnly(h.Kind) {
				continue
			}
			h.Message = "calls " + nameOf(c.target) + ", which " + h.Message
			h.Place = r.place(c.pos)
		}
		r.add(s, c.pos, h)
	}
}

// add adds a hazard at a position in the unit, or one that the call there leads to, unless a shorter way is known.
func (r *reach) add(s *stop, pos token.Pos, h reached) {
	k := reachedKey{h.Place, h.Kind, h.Scope}
	i, known := r.index[k]
	if known && s.depth+len(h.Chain) >= len(r.found[i].Chain) {
		return
	}
	h.Chain, h.pos = slices.Concat(s.chain(pos), h.Chain), pos
	if known {
		r.found[i] = h
		return
	}
	r.index[k] = len(r.found)
	r.found = append(r.found, h)
}
