package oracle

import (
	"maps"
	"slices"

	"github.com/macemc/macemc/sim"
)

// graph is what there is to know of a system: its states, as far as they were visited, breadth first.
type graph struct {
	states   []visited
	known    map[string]int
	steps    int            // from states that were expanded
	findings map[string]int // least number of steps to each
	depth    int            // all states that are nearer were expanded
	complete bool           // no state is left that was not expanded
	dead     []bool         // by state, when complete: no live state is reached by recovery
	goals    bool           // there are Eventually properties, so that states can be dead
	kinds    [sim.EventKindCount]int
	inside   int // crashes inside steps
	together int // steps by which several nodes go down
}

// visited is a state, and what is known of it.
type visited struct {
	state    *state
	depth    int
	live     bool
	ends     bool // it violates a property, or a step from the start has: what follows does not matter
	recovery []int
	stuck    bool // nothing that is part of recovery can happen
}

// mostStates is about how many states are visited.
const mostStates = 200

// visitAll visits states.
func visitAll(sc *Script, defect Defect) *graph {
	m := &model{sc, defect}
	g := &graph{known: map[string]int{}, findings: map[string]int{}, goals: len(sc.Eventually) > 0}
	var a asker
	for {
		s, bad := m.start(&a)
		if bad != nil {
			g.found(m, bad, 0)
		} else {
			g.meet(m, s, 0)
		}
		if !a.next() || defect == firstBoot {
			break
		}
	}
	for i := 0; i < len(g.states); i++ {
		if d := g.states[i].depth; d > g.depth {
			g.depth = d
			if len(g.states) > mostStates {
				return g
			}
		}
		g.expand(m, i)
	}
	g.complete = true
	g.mourn()
	return g
}

func (g *graph) found(m *model, bad *finding, depth int) {
	if m.defect == ignoreStepBad {
		return
	}
	g.note(bad, depth)
}

func (g *graph) note(bad *finding, depth int) {
	if _, ok := g.findings[bad.String()]; !ok {
		g.findings[bad.String()] = depth
	}
}

// meet returns the number of a state.
func (g *graph) meet(m *model, s *state, depth int) int {
	enc := m.encode(s)
	if i, ok := g.known[enc]; ok {
		return i
	}
	i := len(g.states)
	g.known[enc] = i
	v := visited{state: s, depth: depth, live: m.live(s)}
	if bad := m.violated(s); bad != nil && !(m.defect == ignoreSafety && depth == 0) {
		v.ends = true
		g.note(bad, depth)
	}
	g.states = append(g.states, v)
	return i
}

// violated returns the first property that does not hold.
func (m *model) violated(s *state) *finding {
	for i, p := range m.script.Always {
		if !m.holds(p, s) {
			return &finding{sim.Safety, propName(i, p), "does not hold", -1}
		}
	}
	return nil
}

func (m *model) live(s *state) bool {
	return !slices.ContainsFunc(m.script.Eventually, func(p Prop) bool { return !m.holds(p, s) })
}

func (g *graph) expand(m *model, i int) {
	if g.states[i].ends {
		return
	}
	from, depth := g.states[i].state, g.states[i].depth+1
	ordinary, faults := m.events(from)
	g.states[i].stuck = !slices.ContainsFunc(ordinary, m.recovers)
	for k, ev := range append(ordinary, faults...) {
		var a asker
		for {
			s, crashed, bad := m.step(from, ev, &a)
			g.steps++
			g.kinds[ev.kind]++
			if crashed {
				g.inside++
			}
			if (crashed || ev.kind.TakesDown()) && from.up()-s.up() > 1 {
				g.together++
			}
			if bad != nil {
				g.found(m, bad, depth)
			} else {
				to := g.meet(m, s, depth)
				if m.recovers(ev) && (k < len(ordinary) || m.defect == recoverByFaults) && (!crashed || m.defect == recoverByCrashes) && !a.weightless {
					g.states[i].recovery = append(g.states[i].recovery, to)
				}
			}
			if !a.next() || m.defect == firstAnswer {
				break
			}
		}
	}
}

// recovers reports whether an ordinary event is part of recovery.
func (m *model) recovers(ev event) bool {
	if ev.kind == sim.DoAction && m.script.Actions[ev.what].Disturbs && m.defect != recoverByDisturbing {
		return false
	}
	for _, d := range m.script.Disturbing {
		switch {
		case d.Kind != ev.kind:
		case d.Of == "" && m.defect != recoverByKind:
			return false
		case d.Of != "" && m.defect != recoverByType && (d.Of == m.typeOf(ev) || m.defect == anyType):
			return false
		}
	}
	return true
}

// typeOf is the type of what an event hands over; "": it hands over nothing.
func (m *model) typeOf(ev event) Type {
	switch ev.kind {
	case sim.FireTimer:
		if has(m.script.Bells, ev.what) {
			return Bell
		}
		return Alarm
	case sim.Deliver:
		return m.script.message(ev.what)
	case sim.TakeQuorum:
		return Vote
	}
	return ""
}

// message is the type of messages of a value.
func (s *Script) message(value int) Type {
	switch {
	case has(s.Votes, value):
		return Vote
	case has(s.Notes, value):
		return Note
	}
	return Word
}

// mourn finds the dead states: it goes back from the live ones.
func (g *graph) mourn() {
	before := make([][]int, len(g.states))
	var work []int
	g.dead = make([]bool, len(g.states))
	for i := range g.states {
		for _, to := range g.states[i].recovery {
			before[to] = append(before[to], i)
		}
		if g.dead[i] = !g.states[i].live; !g.dead[i] {
			work = append(work, i)
		}
	}
	for len(work) > 0 {
		i := work[0]
		work = work[1:]
		for _, b := range before[i] {
			if g.dead[b] {
				g.dead[b] = false
				work = append(work, b)
			}
		}
	}
}

// deaths counts the dead states, and tells how near the nearest is; -1: there is none.
func (g *graph) deaths() (n, nearest int) {
	nearest = -1
	for i, dead := range g.dead {
		if dead && !g.states[i].ends {
			n++
			if nearest < 0 || g.states[i].depth < nearest {
				nearest = g.states[i].depth
			}
		}
	}
	return n, nearest
}

// ahead counts the states that recovery can lead to from one, that one included.
func (g *graph) ahead(i int) int {
	met := map[int]bool{i: true}
	for work := []int{i}; len(work) > 0; work = work[1:] {
		for _, to := range g.states[work[0]].recovery {
			if !met[to] {
				met[to] = true
				work = append(work, to)
			}
		}
	}
	return len(met)
}

// liveStates counts them.
func (g *graph) liveStates() (n int) {
	for i := range g.states {
		if g.states[i].live {
			n++
		}
	}
	return n
}

// nearestFinding is the number of steps to it; -1: there is none.
func (g *graph) nearestFinding() int {
	if len(g.findings) == 0 {
		return -1
	}
	return slices.Min(slices.Collect(maps.Values(g.findings)))
}

// seen is the value of a Sometimes property over all states.
func (g *graph) seen(m *model, p Prop) bool {
	return slices.ContainsFunc(g.states, func(v visited) bool { return m.holds(p, v.state) })
}
