package fair

// tarjan is the state of the search for strongly connected components, allocated once.
type tarjan struct {
	number []uint32 // in the order of first visits; 0: not visited
	low    []uint32
	stack  []uint32
	on     []bool // the stack
	frames []frame
	next   uint32
	out    []uint32 // storage of components
}

type frame struct{ state, edge uint32 }

// components returns the strongly connected components of a set of states, by Tarjan's algorithm without recursion.
// It omits single states in which no violating run can stay. Each component becomes a region.
func (s *search) components(j job) (out [][]uint32) {
	t := &s.tarjan
	if t.number == nil {
		n := s.Len()
		t.number, t.low, t.on = make([]uint32, n), make([]uint32, n), make([]bool, n)
	}
	s.last++
	for _, at := range j.states {
		s.region[at], t.number[at] = s.last, 0
	}
	t.next, t.out = 0, make([]uint32, 0, len(j.states)) // components are kept for later
	for _, root := range j.states {
		if t.number[root] == 0 {
			out = s.visit(root, j.forbidden, out)
		}
	}
	for _, c := range out {
		s.last++
		for _, at := range c {
			s.region[at] = s.last
		}
	}
	return out
}

// visit explores the states that can be reached from root, depth first, and appends the components that it
// completes.
func (s *search) visit(root uint32, forbidden []bool, out [][]uint32) [][]uint32 {
	t := &s.tarjan
	t.frames = append(t.frames[:0], frame{root, s.begin[root]})
	t.meet(root)
	for len(t.frames) > 0 {
		f := &t.frames[len(t.frames)-1]
		if f.edge < s.begin[f.state+1] {
			e := &s.edges[f.edge]
			f.edge++
			switch {
			case !s.uses(e, forbidden):
			case t.number[e.To] == 0:
				t.meet(e.To)
				t.frames = append(t.frames, frame{e.To, s.begin[e.To]})
			case t.on[e.To]:
				t.low[f.state] = min(t.low[f.state], t.number[e.To])
			}
			continue
		}
		at := f.state
		t.frames = t.frames[:len(t.frames)-1]
		if n := len(t.frames); n > 0 {
			up := t.frames[n-1].state
			t.low[up] = min(t.low[up], t.low[at])
		}
		if t.low[at] == t.number[at] {
			if c := t.leave(at); len(c) > 1 || s.mayStutter(at, forbidden) {
				out = append(out, c)
			}
		}
	}
	return out
}

func (t *tarjan) meet(at uint32) {
	t.next++
	t.number[at], t.low[at], t.on[at] = t.next, t.next, true
	t.stack = append(t.stack, at)
}

// leave pops the component of a state from the stack.
func (t *tarjan) leave(at uint32) []uint32 {
	begin := len(t.out)
	for {
		top := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		t.on[top] = false
		t.out = append(t.out, top)
		if top == at {
			return t.out[begin:len(t.out):len(t.out)]
		}
	}
}

// mayStutter reports whether a single state is a candidate: it has an edge to itself, or no promised event is enabled.
func (s *search) mayStutter(at uint32, forbidden []bool) bool {
	stays := s.marks[s.stay[at]]&Hot != 0
	for i := s.begin[at]; i < s.begin[at+1]; i++ {
		if s.edges[i].To == at && s.uses(&s.edges[i], forbidden) {
			return true
		}
		if p := s.actor[i]; p != 0 && s.Processes[p-1].Fairness != None {
			stays = false
		}
	}
	return stays
}
