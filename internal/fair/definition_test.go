package fair

import (
	"flag"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

var graphs = flag.Int("graphs", 30000, "how many random graphs are compared with the definition")

// random is a small graph, and the marks of its edges and states: place k stands for the marks k.
func random(seed uint64) (*Graph, []Mark) {
	r := rand.New(rand.NewPCG(seed, 1))
	g := New()
	for p := range 3 {
		g.Processes = append(g.Processes, Process{string(rune('a' + p)), Fairness(r.IntN(3))})
	}
	g.Choices = []Choice{{"x", 2, true}, {"y", 2, r.IntN(2) == 0}}
	g.Draws = [][]Draw{nil, {{0, 0}}, {{0, 1}}, {{1, 0}}, {{1, 1}}, {{0, 0}, {1, 1}}}
	n := 1 + r.IntN(4)
	rows := make([][]Edge, n)
	for range r.IntN(9) {
		at := r.IntN(n)
		e := Edge{To: uint32(r.IntN(n)), Actor: uint16(r.IntN(4)), Draws: uint32(max(0, r.IntN(9)-3)), Event: uint16(len(rows[at]))}
		if r.IntN(12) == 0 {
			e.To = Outside
		}
		if k := len(rows[at]); k > 0 && r.IntN(2) == 0 {
			e.Event, e.Actor = rows[at][k-1].Event, rows[at][k-1].Actor
		}
		e.Marks = [...]uint32{0, 0, 0, 0, 1, 1, 2, 3}[r.IntN(8)]
		rows[at] = append(rows[at], e)
	}
	for _, row := range rows {
		if err := g.Add([...]uint32{0, 0, 1, 2}[r.IntN(4)], row); err != nil {
			panic(err)
		}
	}
	return g, []Mark{0, Hot, Cold, Hot | Cold}
}

// judged reports whether a run that passes exactly a set of edges infinitely often (or stays in a state, if the set
// is empty) violates the obligation. It uses only the definition.
func judged(g *Graph, marks []Mark, fair []bool, set []Edge, stay uint32) bool {
	states := []uint32{stay}
	if len(set) > 0 {
		states = nil
		for _, e := range set {
			if e.To == Outside {
				return false
			}
			for _, at := range []uint32{e.origin, e.To} {
				if !slices.Contains(states, at) {
					states = append(states, at)
				}
			}
		}
		if !connected(set, states) {
			return false
		}
	}
	hot, cold := false, false
	for _, at := range states {
		hot, cold = hot || marks[g.stay[at]]&Hot != 0, cold || marks[g.stay[at]]&Cold != 0
	}
	var outcomes [2][2]bool
	for _, e := range set {
		hot, cold = hot || marks[e.Marks]&Hot != 0, cold || marks[e.Marks]&Cold != 0
		for _, d := range g.Draws[e.Draws] {
			outcomes[d.Choice][d.Pick] = true
		}
	}
	if !hot || cold {
		return false
	}
	for k, o := range outcomes {
		if fair[k] && o[0] != o[1] {
			return false
		}
	}
	for p, process := range g.Processes {
		acts := slices.ContainsFunc(set, func(e Edge) bool { return int(e.Actor) == p+1 && effective(g, marks, e) })
		enabled := 0
		for _, at := range states {
			if slices.ContainsFunc(g.Edges(at), func(e Edge) bool { return int(e.Actor) == p+1 && effective(g, marks, e) }) {
				enabled++
			}
		}
		if !acts && (process.Fairness == Weak && enabled == len(states) || process.Fairness == Strong && enabled > 0) {
			return false
		}
	}
	return true
}

// effective reports whether an event changes something, by one of its answers at least.
func effective(g *Graph, marks []Mark, e Edge) bool {
	for _, other := range g.Edges(e.origin) {
		if other.Event == e.Event && (other.To != e.origin || marks[other.Marks]&Cold != 0) {
			return true
		}
	}
	return false
}

// connected reports whether each of the states leads to each other one.
func connected(set []Edge, states []uint32) bool {
	for _, from := range states {
		met := []uint32{from}
		for k := 0; k < len(met); k++ {
			for _, e := range set {
				if e.origin == met[k] && !slices.Contains(met, e.To) {
					met = append(met, e.To)
				}
			}
		}
		if len(met) < len(states) {
			return false
		}
	}
	return true
}

// byDefinition tries all sets of edges.
func byDefinition(g *Graph, marks []Mark, fair []bool) bool {
	for at := range uint32(g.Len()) {
		if judged(g, marks, fair, nil, at) {
			return true
		}
	}
	for set := uint(1); set < 1<<len(g.edges); set++ {
		var edges []Edge
		for s := set; s != 0; s &= s - 1 {
			edges = append(edges, g.edges[bits.TrailingZeros(s)])
		}
		if judged(g, marks, fair, edges, 0) {
			return true
		}
	}
	return false
}

// differs compares one random graph with the definition, and describes a difference.
func differs(seed uint64, find func(*Graph, []Mark, []bool) *Component) (how string, violated bool) {
	g, marks := random(seed)
	for _, extra := range [][]bool{nil, {true, true}} {
		fair := []bool{true, g.Choices[1].Fair || extra != nil}
		want := byDefinition(g, marks, fair)
		c := find(g, marks, extra)
		violated = violated || want
		switch {
		case c == nil && want:
			return "a violation is not found", want
		case c != nil && !want:
			return "what is found is no violation", want
		case c == nil:
			continue
		}
		l := c.Lasso()
		at, round := l.Start, []Edge(nil)
		for _, step := range l.Round {
			if step.State != at {
				return "a round leaps", want
			}
			e := g.Edges(at)[step.Edge]
			at, round = e.To, append(round, e)
		}
		if at != l.Start || !judged(g, marks, fair, round, l.Start) {
			return "a round is no violation", want
		}
		for from := range round {
			for to := from + 1; to <= len(round); to++ {
				rest := slices.Concat(round[:from], round[to:])
				if len(round) > 1 && round[from].origin == round[to-1].To && judged(g, marks, fair, rest, l.Start) && (len(rest) > 0 || round[from].origin == l.Start) {
					return "a round is longer than need be", want
				}
			}
		}
	}
	return "", violated
}

func TestDefinition_Agrees(t *testing.T) {
	violated, graphs := 0, *graphs
	if testing.Short() {
		graphs /= 5
	}
	for seed := range uint64(graphs) {
		how, yes := differs(seed, (*Graph).Find)
		if how != "" {
			t.Fatalf("graph %d: %s", seed, how)
		}
		if yes {
			violated++
		}
	}
	if t.Logf("%d of %d graphs have a violation", violated, graphs); violated < graphs/5 || violated > graphs*4/5 {
		t.Errorf("%d of %d graphs have a violation: they are not worth much", violated, graphs)
	}
}

// passedAgain are the states that runs which violate the obligation pass again and again, by all sets of edges.
func passedAgain(g *Graph, marks []Mark, fair []bool) map[uint32]bool {
	in := map[uint32]bool{}
	for at := range uint32(g.Len()) {
		if judged(g, marks, fair, nil, at) {
			in[at] = true
		}
	}
	for set := uint(1); set < 1<<len(g.edges); set++ {
		var edges []Edge
		for s := set; s != 0; s &= s - 1 {
			edges = append(edges, g.edges[bits.TrailingZeros(s)])
		}
		if judged(g, marks, fair, edges, 0) {
			for _, e := range edges {
				in[e.origin] = true
			}
		}
	}
	return in
}

func TestEveryComponent(t *testing.T) {
	several := 0
	for seed := range uint64(*graphs / 3) {
		g, marks := random(seed)
		got, n := map[uint32]bool{}, 0
		for c := range g.Every(marks, nil) {
			n++
			for _, at := range c.States {
				if got[at] {
					t.Fatalf("graph %d: state %d is in two components", seed, at)
				}
				got[at] = true
			}
		}
		if n > 1 {
			several++
		}
		if want := passedAgain(g, marks, []bool{true, g.Choices[1].Fair}); !reflect.DeepEqual(got, want) {
			t.Fatalf("graph %d: states %v, by definition %v", seed, got, want)
		}
	}
	if several < *graphs/100 {
		t.Errorf("%d graphs have several components: they are not worth much", several)
	}
}
