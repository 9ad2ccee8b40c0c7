package fair

import (
	"slices"
)

// Lasso is an infinite run: a path to the state Start, and then a cycle.
type Lasso struct {
	Start uint32
	// Round is the cycle: edges from Start back to it, by their index in their states. It is empty if no promised
	// event is enabled, and the run stays in Start.
	Round []Step
	// Runs counts the steps of each process in the cycle, no-ops included. Enabled counts the states of the cycle
	// in which the process could act. Places is the number of states of the cycle, at least 1.
	Runs, Enabled []int
	Places        int
	// OneWay lists the unfair choices that are drawn in the cycle and lack an outcome there.
	OneWay []Draw
}

// Step is an edge, by its index in a state.
type Step struct{ State, Edge uint32 }

// Lasso returns a violating cycle through the component. It is minimal: no part can be left out or replaced by a
// shorter path without losing fairness or heat. It starts in its lowest state.
func (c *Component) Lasso() *Lasso {
	w := &way{c: c, first: c.States[0]}
	w.at = w.first
	w.gather()
	w.shrink()
	w.turn()
	return w.lasso()
}

// Way returns a shortest path inside the component between two of its states.
func (c *Component) Way(from, to uint32) (way []Step) {
	path, _ := c.shortest(from, &need{state: func(at uint32) bool { return at == to }})
	for _, i := range path {
		way = append(way, c.s.step(i))
	}
	return way
}

// step converts an edge index.
func (s *search) step(i uint32) Step {
	from := s.edges[i].origin
	return Step{from, i - s.begin[from]}
}

// way is a path through a component.
type way struct {
	c     *Component
	first uint32
	at    uint32
	edges []uint32 // indices in the graph
}

func (w *way) edge(i uint32) *Edge { return &w.c.s.edges[i] }

// gather extends the path until it has everything that a cycle needs, and returns to the first state.
func (w *way) gather() {
	for {
		missing := w.c.missing(w.first, w.edges)
		if missing == nil && w.at == w.first {
			return
		}
		if missing == nil {
			missing = &need{state: func(at uint32) bool { return at == w.first }}
		}
		if !w.to(missing) {
			panic("fair: a component does not satisfy its verdict")
		}
	}
}

// need is something missing from a cycle: it must pass a matching state or edge.
type need struct {
	state func(at uint32) bool // nil: none
	edge  func(i uint32) bool  // nil: none
}

// to extends the path by a shortest path that satisfies the need.
func (w *way) to(n *need) bool {
	path, ok := w.c.shortest(w.at, n)
	if !ok {
		return false
	}
	w.edges = append(w.edges, path...)
	if k := len(w.edges); k > 0 && len(path) > 0 {
		w.at = w.edge(w.edges[k-1]).To
	}
	return true
}

// shortest returns a shortest path inside the component that satisfies a need.
func (c *Component) shortest(from uint32, n *need) (path []uint32, ok bool) {
	if n.state != nil && n.state(from) {
		return nil, true
	}
	back := map[uint32]uint32{} // state: the edge to it, plus one
	back[from] = 0
	queue := []uint32{from}
	for k := 0; k < len(queue); k++ {
		at := queue[k]
		for i := c.s.begin[at]; i < c.s.begin[at+1]; i++ {
			e := &c.s.edges[i]
			if !c.contains(e) {
				continue
			}
			if n.edge != nil && n.edge(i) || n.state != nil && n.state(e.To) {
				path = append(path, i)
				for at != from {
					i = back[at] - 1
					path, at = append(path, i), c.s.edges[i].origin
				}
				slices.Reverse(path)
				return path, true
			}
			if _, visited := back[e.To]; !visited {
				back[e.To] = i + 1
				queue = append(queue, e.To)
			}
		}
	}
	return nil, false
}

// missing returns the first unmet need of a cycle, or nil. An empty cycle stays in the first state.
func (c *Component) missing(first uint32, round []uint32) *need {
	s := c.s
	hot := func(at uint32) bool { return s.marks[s.stay[at]]&Hot != 0 }
	hotEdge := func(i uint32) bool { return s.marks[s.edges[i].Marks]&Hot != 0 }
	if !hot(first) && !slices.ContainsFunc(round, func(i uint32) bool { return hotEdge(i) || hot(s.edges[i].To) }) {
		return &need{hot, hotEdge}
	}
	picks := map[Draw]bool{}
	for _, i := range round {
		for _, d := range s.Draws[s.edges[i].Draws] {
			picks[d] = true
		}
	}
	for p, process := range s.Processes {
		acts := func(i uint32) bool { return int(s.actor[i]) == p+1 }
		idle := func(at uint32) bool { return !s.enables(at, p) }
		if slices.ContainsFunc(round, acts) {
			continue
		}
		switch process.Fairness {
		case Weak:
			if !idle(first) && !slices.ContainsFunc(round, func(i uint32) bool { return idle(s.edges[i].To) }) {
				return &need{idle, acts}
			}
		case Strong:
			if !idle(first) || slices.ContainsFunc(round, func(i uint32) bool { return !idle(s.edges[i].To) }) {
				return &need{edge: acts}
			}
		}
	}
	for k, choice := range s.Choices {
		if !s.fair[k] || !slices.ContainsFunc(round, func(i uint32) bool { return s.draws(i, uint16(k)) }) {
			continue
		}
		for pick := range choice.Arity {
			if d := (Draw{uint16(k), uint16(pick)}); !picks[d] {
				return &need{edge: func(i uint32) bool { return slices.Contains(s.Draws[s.edges[i].Draws], d) }}
			}
		}
	}
	return nil
}

// enables reports whether a process can act in a state, also by edges that leave the component.
func (s *search) enables(at uint32, p int) bool {
	return slices.Contains(s.actor[s.begin[at]:s.begin[at+1]], uint16(p+1))
}

func (s *search) draws(i uint32, choice uint16) bool {
	return slices.ContainsFunc(s.Draws[s.edges[i].Draws], func(d Draw) bool { return d.Choice == choice })
}

// tally counts the steps of a cycle.
func (s *search) tally(first uint32, round []uint32) *Lasso {
	l := &Lasso{Start: first, Places: max(1, len(round)), Runs: make([]int, len(s.Processes)), Enabled: make([]int, len(s.Processes))}
	at := first
	for k := range l.Places {
		for p := range s.Processes {
			if s.enables(at, p) {
				l.Enabled[p]++
			}
		}
		if k < len(round) {
			if p := s.edges[round[k]].Actor; p != 0 {
				l.Runs[p-1]++
			}
			at = s.edges[round[k]].To
		}
	}
	return l
}

// shrink removes closed parts of the cycle, and takes short cuts, while it remains complete.
func (w *way) shrink() {
	for again := true; again; {
		again = false
		for length := len(w.edges); length > 0 && !again; length-- {
			for from := 0; from+length <= len(w.edges) && !again; from++ {
				again = w.cut(from, from+length)
			}
		}
	}
	w.rotate()
}

// cut replaces a part of the cycle by a shortest path between its ends, if that is shorter and the cycle remains
// complete.
func (w *way) cut(from, to int) bool {
	s := w.c.s
	start, end := s.edges[w.edges[from]].origin, s.edges[w.edges[to-1]].To
	path, ok := w.c.shortest(start, &need{state: func(at uint32) bool { return at == end }})
	if !ok || len(path) >= to-from {
		return false
	}
	round := slices.Concat(w.edges[:from], path, w.edges[to:])
	first := start
	if len(round) > 0 {
		first = s.edges[round[0]].origin
	}
	if w.c.missing(first, round) != nil {
		return false
	}
	w.first, w.edges = first, round
	return true
}

// turn replaces staying in a state by a no-op step, if a promised one is enabled.
func (w *way) turn() {
	s := w.c.s
	for i := s.begin[w.first]; i < s.begin[w.first+1] && len(w.edges) == 0; i++ {
		e := w.edge(i)
		if e.To == w.first && w.c.contains(e) && e.Actor != 0 && s.Processes[e.Actor-1].Fairness != None &&
			w.c.missing(w.first, []uint32{i}) == nil {
			w.edges = []uint32{i}
		}
	}
}

// rotate makes the cycle start in its lowest state.
func (w *way) rotate() {
	least := 0
	for k, i := range w.edges {
		if w.edge(i).origin < w.edge(w.edges[least]).origin {
			least = k
		}
	}
	w.edges = slices.Concat(w.edges[least:], w.edges[:least])
	if len(w.edges) > 0 {
		w.first = w.edge(w.edges[0]).origin
	}
}

func (w *way) lasso() *Lasso {
	s := w.c.s
	l := s.tally(w.first, w.edges)
	picks := map[Draw]bool{}
	for _, i := range w.edges {
		l.Round = append(l.Round, s.step(i))
		for _, d := range s.Draws[s.edges[i].Draws] {
			picks[d] = true
		}
	}
	for k := range s.Choices {
		var drawn []Draw
		for pick := range s.Choices[k].Arity {
			if d := (Draw{uint16(k), uint16(pick)}); picks[d] {
				drawn = append(drawn, d)
			}
		}
		if len(drawn) > 0 && len(drawn) < s.Choices[k].Arity && !s.fair[k] {
			l.OneWay = append(l.OneWay, drawn...)
		}
	}
	return l
}
