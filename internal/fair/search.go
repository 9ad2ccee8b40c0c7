package fair

import (
	"iter"
	"slices"
)

// Mark is the label of an edge or a state.
type Mark uint8

const (
	Hot Mark = 1 << iota
	Cold
)

// Component is a strongly connected set of states in which a violating fair run can continue forever.
type Component struct {
	States []uint32 // ascending

	s         *search
	inside    []bool
	forbidden []bool // by choice: it is not drawn
}

// Find returns a component that violates the obligation under these marks, or nil. Edges and states refer to marks
// by index. All states of the graph count as reachable. Extra, if not nil, marks more choices as fair.
//
// The search is the emptiness check of Streett automata (Emerson and Lei, Modalities for Model Checking, 1987): it
// splits strongly connected components until one is fair. If a choice lacks an outcome in a component, no fair run
// that stays there draws it infinitely often. If a strong process never acts there, no fair run passes a state in
// which it is enabled infinitely often. Each round takes time linear in the number of edges.
func (g *Graph) Find(marks []Mark, extra []bool) *Component {
	return newSearch(g, marks, extra).find()
}

// Every yields disjoint components that cover all states which some violating run passes infinitely often.
func (g *Graph) Every(marks []Mark, extra []bool) iter.Seq[*Component] {
	return newSearch(g, marks, extra).every
}

func (s *search) find() *Component {
	for c := range s.every {
		return c
	}
	return nil
}

func (s *search) every(yield func(*Component) bool) {
	work := []job{s.all()}
	for len(work) > 0 {
		j := work[len(work)-1]
		work = work[:len(work)-1]
		for _, c := range s.components(j) {
			v := s.look(c, j.forbidden)
			switch {
			case v.fair():
				if !yield(s.component(c, j.forbidden)) {
					return
				}
			case !v.hopeless:
				work = append(work, v.rest(c, j.forbidden))
			}
		}
	}
}

// all returns the states that are not cold.
func (s *search) all() job {
	states := make([]uint32, 0, s.Len())
	for at := range uint32(s.Len()) {
		if s.marks[s.stay[at]]&Cold == 0 {
			states = append(states, at)
		}
	}
	return job{states, make([]bool, len(s.Choices))}
}

// job is a set of states to split into components, without edges that draw a forbidden choice.
type job struct {
	states    []uint32
	forbidden []bool
}

// search is a search for one obligation.
type search struct {
	*Graph
	marks  []Mark
	fair   []bool   // by choice
	actor  []uint16 // by edge: as Edge.Actor, 0 for steps that change nothing
	region []uint32 // by state: the set that contains it
	last   uint32   // last region
	tarjan tarjan

	// Scratch of look, by process.
	acts    []bool
	enabled []int    // number of states in which it is enabled
	seen    []uint32 // the last state in which it was enabled, plus one
	picks   map[Draw]bool
}

func newSearch(g *Graph, marks []Mark, extra []bool) *search {
	s := &search{Graph: g, marks: marks, actor: make([]uint16, len(g.edges)), region: make([]uint32, g.Len()),
		acts: make([]bool, len(g.Processes)), enabled: make([]int, len(g.Processes)), seen: make([]uint32, len(g.Processes)),
		picks: map[Draw]bool{}}
	for i, c := range g.Choices {
		s.fair = append(s.fair, c.Fair || extra != nil && extra[i])
	}
	for i := 0; i < len(g.edges); {
		end, changes := i, false
		for ; end < len(g.edges) && g.edges[end].origin == g.edges[i].origin && g.edges[end].Event == g.edges[i].Event; end++ {
			e := &g.edges[end]
			changes = changes || e.Actor != 0 && (e.To != e.origin || marks[e.Marks]&Cold != 0)
		}
		for ; i < end; i++ {
			if changes {
				s.actor[i] = g.edges[i].Actor
			}
		}
	}
	return s
}

// uses reports whether a run may take an edge infinitely often: it stays in the region of its state, is not cold,
// and draws nothing forbidden.
func (s *search) uses(e *Edge, forbidden []bool) bool {
	if e.To == Outside || s.region[e.To] != s.region[e.origin] || s.marks[e.Marks]&Cold != 0 {
		return false
	}
	for _, d := range s.Draws[e.Draws] {
		if forbidden[d.Choice] {
			return false
		}
	}
	return true
}

// verdict is the judgement of a component.
type verdict struct {
	hot      bool
	hopeless bool   // no subset can violate: none is hot, or a weak process is enabled everywhere and never acts
	forbid   []bool // choices that lack an outcome, or nil
	remove   []bool // processes that are enabled but never act, or nil
	s        *search
}

func (v *verdict) fair() bool { return v.hot && !v.hopeless && v.forbid == nil && v.remove == nil }

// rest returns the part of a component to search further.
func (v *verdict) rest(states []uint32, forbidden []bool) job {
	j := job{states, slices.Clone(forbidden)}
	for k, b := range v.forbid {
		j.forbidden[k] = j.forbidden[k] || b
	}
	if v.remove != nil {
		j.states = slices.DeleteFunc(slices.Clone(states), func(at uint32) bool {
			for i := v.s.begin[at]; i < v.s.begin[at+1]; i++ {
				if p := v.s.actor[i]; p != 0 && v.remove[p-1] {
					return true
				}
			}
			return false
		})
	}
	return j
}

// look judges a component, which is a region.
func (s *search) look(states []uint32, forbidden []bool) verdict {
	v := verdict{s: s}
	acts, enabled, seen, picks := s.acts, s.enabled, s.seen, s.picks
	clear(acts)
	clear(enabled)
	clear(seen)
	clear(picks)
	for _, at := range states {
		v.hot = v.hot || s.marks[s.stay[at]]&Hot != 0
		for i := s.begin[at]; i < s.begin[at+1]; i++ {
			e, p := &s.edges[i], s.actor[i]
			if p != 0 && seen[p-1] != at+1 {
				seen[p-1] = at + 1
				enabled[p-1]++
			}
			if !s.uses(e, forbidden) {
				continue
			}
			v.hot = v.hot || s.marks[e.Marks]&Hot != 0
			if p != 0 {
				acts[p-1] = true
			}
			for _, d := range s.Draws[e.Draws] {
				picks[d] = true
			}
		}
	}
	v.hopeless = !v.hot
	for p, process := range s.Processes {
		switch {
		case acts[p] || enabled[p] == 0:
		case process.Fairness == Weak && enabled[p] == len(states):
			v.hopeless = true
		case process.Fairness == Strong:
			if v.remove == nil {
				v.remove = make([]bool, len(s.Processes))
			}
			v.remove[p] = true
		}
	}
	for d := range picks {
		if s.fair[d.Choice] && s.lacks(d.Choice, picks) {
			if v.forbid == nil {
				v.forbid = make([]bool, len(s.Choices))
			}
			v.forbid[d.Choice] = true
		}
	}
	return v
}

// lacks reports whether an outcome of a choice is missing from picks.
func (s *search) lacks(choice uint16, picks map[Draw]bool) bool {
	for k := range s.Choices[choice].Arity {
		if !picks[Draw{choice, uint16(k)}] {
			return true
		}
	}
	return false
}

func (s *search) component(states []uint32, forbidden []bool) *Component {
	c := &Component{States: slices.Clone(states), s: s, forbidden: forbidden, inside: make([]bool, s.Len())}
	slices.Sort(c.States)
	for _, at := range states {
		c.inside[at] = true
	}
	return c
}

// contains reports whether an edge from one of its states belongs to the component.
func (c *Component) contains(e *Edge) bool {
	return e.To != Outside && c.inside[e.To] && c.s.uses(e, c.forbidden)
}
