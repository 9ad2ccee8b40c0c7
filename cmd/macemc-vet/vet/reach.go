package vet

import (
	"go/token"
	"slices"
)

// reached is a hazard and the call path to it.
type reached struct {
	Kind    Kind
	Message string
	File    string
	Line    int
	Column  int
	Chain   []Frame
	Scope   scope
	pos     token.Pos // in this package: of the hazard, or of the call that leads out of the package
}

// place identifies a hazard.
type place struct {
	kind         Kind
	scope        scope
	file         string
	line, column int
}

// stop is a unit on the way from a handler.
type stop struct {
	at   *unit
	from *stop
	call token.Pos // in from
}

// chain returns the way to a position in the unit.
func (s *stop) chain(pos token.Pos) []Frame {
	var frames []Frame
	for ; s != nil; s = s.from {
		at := s.at.Fset.Position(pos)
		frames = append(frames, Frame{s.at.name, at.Filename, at.Line})
		pos = s.call
	}
	slices.Reverse(frames)
	return frames
}

// reach is a breadth-first search for the hazards that code reaches, each with one of the shortest paths. It follows calls
// by name, but not function values that are unknown.
type reach struct {
	*pass
	found []reached
	index map[place]int // in found
}

// from returns the hazards that a unit reaches.
func (r *reach) from(u *unit) []reached {
	queue := []*stop{{at: u}}
	visited := map[*unit]bool{u: true}
	for i := 0; i < len(queue); i++ {
		s := queue[i]
		for _, h := range s.at.hazards {
			at := r.Fset.Position(h.pos)
			r.add(reached{h.kind, h.message, at.Filename, at.Line, at.Column, s.chain(h.pos), h.scope, h.pos})
		}
		for _, c := range s.at.calls {
			if next := r.code.byObject[c.target]; next == nil {
				r.outside(s, c)
			} else if !visited[next] {
				visited[next] = true
				queue = append(queue, &stop{next, s, c.pos})
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
		h.Chain = slices.Concat(s.chain(c.pos), h.Chain)
		h.pos = c.pos
		if fact.Module != r.module {
			if ownedOnly(h.Kind) {
				continue
			}
			at := r.Fset.Position(c.pos)
			h.Message = "calls " + nameOf(c.target) + ", which " + h.Message
			h.File, h.Line, h.Column = at.Filename, at.Line, at.Column
		}
		r.add(h)
	}
}

func (r *reach) add(h reached) {
	k := place{h.Kind, h.Scope, h.File, h.Line, h.Column}
	if i, ok := r.index[k]; !ok {
		r.index[k] = len(r.found)
		r.found = append(r.found, h)
	} else if len(h.Chain) < len(r.found[i].Chain) {
		r.found[i] = h
	}
}
