package oracle

import (
	"maps"
	"slices"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/sim"
)

// graph is the oracle's result: the states visited breadth first, with their properties.
type graph struct {
	states   []visited
	known    map[string]int
	steps    int            // from expanded states
	findings map[string]int // minimum number of steps to each
	depth    int            // all nearer states are expanded
	complete bool           // all states are expanded
	dead     []bool         // by state, if complete: recovery reaches no live state
	goals    bool           // there are Eventually properties, so states can be dead
	kinds    [eventkind.Count]int
	inside   int // crashes inside steps
	together int // steps that take several nodes down
}

// visited is a visited state.
type visited struct {
	state    *state
	depth    int
	live     bool
	ends     bool // it violates a property, or a step from the start has failed: successors do not matter
	recovery []int
	stuck    bool // no event of recovery is enabled
}

// mostStates is the approximate maximum number of visited states.
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
			g.intern(m, s, 0)
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
	g.findDead()
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

// intern returns the number of a state.
func (g *graph) intern(m *model, s *state, depth int) int {
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

// violated returns the first violated property.
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
				to := g.intern(m, s, depth)
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

// recovers reports whether an ordinary event belongs to recovery.
func (m *model) recovers(ev event) bool {
	if ev.kind == eventkind.DoAction && m.script.Actions[ev.what].Disturbs && m.defect != recoverByDisturbing {
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

// typeOf returns the type of the value that an event delivers, or "".
func (m *model) typeOf(ev event) Type {
	switch ev.kind {
	case eventkind.FireTimer:
		if has(m.script.Bells, ev.what) {
			return Bell
		}
		return Alarm
	case eventkind.Deliver:
		return m.script.message(ev.what)
	case eventkind.TakeQuorum:
		return Vote
	}
	return ""
}

// message returns the type of messages of a value.
func (s *Script) message(value int) Type {
	switch {
	case has(s.Votes, value):
		return Vote
	case has(s.Notes, value):
		return Note
	}
	return Word
}

// findDead finds the dead states by a backward search from the live ones.
func (g *graph) findDead() {
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

// deadStates returns the number of dead states, and the distance of the nearest one, or -1.
func (g *graph) deadStates() (n, nearest int) {
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

// ahead counts the states that recovery can reach from a state, itself included.
func (g *graph) ahead(i int) int {
	reached := map[int]bool{i: true}
	for work := []int{i}; len(work) > 0; work = work[1:] {
		for _, to := range g.states[work[0]].recovery {
			if !reached[to] {
				reached[to] = true
				work = append(work, to)
			}
		}
	}
	return len(reached)
}

// liveStates counts the live states.
func (g *graph) liveStates() (n int) {
	for i := range g.states {
		if g.states[i].live {
			n++
		}
	}
	return n
}

// nearestFinding returns the number of steps to the nearest finding, or -1.
func (g *graph) nearestFinding() int {
	if len(g.findings) == 0 {
		return -1
	}
	return slices.Min(slices.Collect(maps.Values(g.findings)))
}

// seen reports whether a Sometimes property holds in some state.
func (g *graph) seen(m *model, p Prop) bool {
	return slices.ContainsFunc(g.states, func(v visited) bool { return m.holds(p, v.state) })
}
