package vet

import (
	"go/token"
	"go/types"
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

// distinct keeps one path to each hazard, the shortest. Otherwise the number of paths would multiply from package to
// package.
func distinct(found []reached) (kept []reached) {
	type place struct {
		kind         Kind
		file         string
		line, column int
	}
	at := map[place]int{}
	for _, r := range found {
		k := place{r.Kind, r.File, r.Line, r.Column}
		if i, ok := at[k]; !ok {
			at[k] = len(kept)
			kept = append(kept, r)
		} else if len(r.Chain) < len(kept[i].Chain) {
			kept[i] = r
		}
	}
	return kept
}

// reach returns the hazards that a unit reaches, with the shortest paths. It follows calls by name, but not function values that are
// unknown.
func (p *pass) reach(u *unit) (found []reached) {
	type stop struct {
		at   *unit
		from *stop
		call token.Pos // in from
	}
	chain := func(s *stop, pos token.Pos) []Frame {
		var frames []Frame
		for ; s != nil; s = s.from {
			frames = append(frames, p.frame(s.at.name, pos))
			pos = s.call
		}
		slices.Reverse(frames)
		return frames
	}
	queue := []*stop{{at: u}}
	visited := map[*unit]bool{u: true}
	type key struct {
		kind Kind
		pos  token.Pos
	}
	foreign := map[key]bool{}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		for _, h := range s.at.hazards {
			at := p.fset.Position(h.pos)
			found = append(found, reached{h.kind, h.message, at.Filename, at.Line, at.Column, chain(s, h.pos), h.scope, h.pos})
		}
		for _, c := range s.at.calls {
			if next := p.code.byObject[c.target]; next != nil {
				if !visited[next] {
					visited[next] = true
					queue = append(queue, &stop{next, s, c.pos})
				}
				continue
			}
			var fact reaches
			if c.target.Pkg() == nil || c.target.Pkg() == p.pkg || !p.ImportObjectFact(c.target, &fact) {
				continue
			}
			for _, r := range fact.Found {
				if fact.Module != p.module && ownedOnly(r.Kind) {
					continue
				}
				r.Chain = slices.Concat(chain(s, c.pos), r.Chain)
				r.pos = c.pos
				if fact.Module != p.module { // not the user's code, so only the call can be changed
					if k := (key{r.Kind, c.pos}); foreign[k] {
						continue
					} else {
						foreign[k] = true
					}
					at := p.fset.Position(c.pos)
					r.Message = "calls " + nameOf(c.target) + ", which " + r.Message
					r.File, r.Line, r.Column = at.Filename, at.Line, at.Column
				}
				found = append(found, r)
			}
		}
	}
	return found
}

func (p *pass) frame(name string, pos token.Pos) Frame {
	at := p.fset.Position(pos)
	return Frame{name, at.Filename, at.Line}
}

// reachOf returns the hazards that a handler reaches.
func (p *pass) reachOf(h handler) []reached {
	if h.lit != nil {
		return p.reach(p.code.byLit[h.lit])
	}
	if u := p.code.byObject[h.object]; u != nil {
		return p.reach(u)
	}
	if f, ok := h.object.(*types.Func); ok {
		if kind, ok := p.tables.hazard(f); ok {
			pos := token.NoPos
			for id, o := range p.info.Uses {
				if o == f && (pos == token.NoPos || id.Pos() < pos) {
					pos = id.Pos()
				}
			}
			at := p.fset.Position(pos)
			return []reached{{kind, "uses " + nameOf(f), at.Filename, at.Line, at.Column, []Frame{p.frame(h.name, pos)},
				p.tables.scope(kind, f), pos}}
		}
	}
	var fact reaches
	if h.object.Pkg() == nil || h.object.Pkg() == p.pkg || !p.ImportObjectFact(h.object, &fact) || fact.Module != p.module {
		return nil
	}
	return fact.Found // in the user's code, with its positions
}
