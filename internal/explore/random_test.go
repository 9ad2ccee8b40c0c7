package explore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/explore/stateset"
)

// randomGraph has states 0 to len(edges)-1. The vector of a state is its digits to the base of 3.
type randomGraph struct {
	words   int
	roots   []int
	edges   [][]randomEdge
	live    []bool
	bad     int             // state that Check finds; -1 if none
	failing int             // state with a failing last edge; -1 if none
	known   map[[2]int]bool // edges that are not listed when edges sleep: they lead to states found before; nil if none
	passed  int
	checked []int

	together [][]int32
	trails   [][]uint32
}

type randomEdge struct {
	to       int
	recovery bool
}

var errBad, errFails = errors.New("a bad state"), errors.New("an edge fails")

func drawGraph(t *rapid.T) *randomGraph {
	n := rapid.IntRange(1, 200).Draw(t, "states")
	rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	g := &randomGraph{words: rapid.SampledFrom([]int{5, 9, 70}).Draw(t, "words"), bad: -1, failing: -1,
		edges: make([][]randomEdge, n), live: make([]bool, n)}
	g.together = drawTogether(t, g.words)
	most := rapid.IntRange(1, 6).Draw(t, "edges")
	rare := rapid.SampledFrom([]int{2, 10, 100}).Draw(t, "live states are rare")
	for i := range g.edges {
		for range rnd.IntN(most + 1) {
			to := rnd.IntN(n)
			if rnd.IntN(2) == 0 {
				to = min(n-1, i+rnd.IntN(3)) // long ways
			}
			g.edges[i] = append(g.edges[i], randomEdge{to, rnd.IntN(4) > 0})
		}
		g.live[i] = rnd.IntN(rare) == 0
	}
	for range 1 + rnd.IntN(3) {
		g.roots = append(g.roots, rnd.IntN(n))
	}
	if rapid.Bool().Draw(t, "bad") {
		g.bad = rnd.IntN(n)
	}
	if rapid.Bool().Draw(t, "failing") {
		g.failing = rnd.IntN(n)
	}
	return g
}

func (g *randomGraph) state(n int) []uint32 {
	v := make([]uint32, g.words)
	for i := 0; n > 0; i++ {
		v[i*(g.words-1)/4] = uint32(n % 3)
		n /= 3
	}
	return v
}

func (g *randomGraph) number(v []uint32) (n int) {
	for i := 4; i >= 0; i-- {
		n = 3*n + int(v[i*(g.words-1)/4])
	}
	return n
}

func (g *randomGraph) Words() int { return g.words }

func (g *randomGraph) Together() [][]int32 { return g.together }

func (g *randomGraph) Fingerprint(v []uint32) graph.Fingerprint {
	h := uint64(g.number(v)+1) * 0x9E3779B97F4A7C15
	return graph.Fingerprint{Lo: h, Hi: h ^ h>>31}
}

func (g *randomGraph) append(e *graph.Edges, from []uint32, to int, note uint8) {
	v := g.state(to)
	for i := range v {
		if v[i] != from[i] {
			e.Change(i, v[i])
		}
	}
	e.End(g.Fingerprint(v), note)
}

func (g *randomGraph) Roots(e *graph.Edges) error {
	for _, to := range g.roots {
		g.append(e, make([]uint32, g.words), to, 0)
	}
	return nil
}

func (g *randomGraph) Expand(v []uint32, _ int, e *graph.Edges) error {
	n := g.number(v)
	for k, edge := range g.edges[n] {
		if n == g.failing && k == len(g.edges[n])-1 {
			return errFails
		}
		if e.By != 0 && g.known[[2]int{n, k}] {
			e.Pass(1)
			g.passed++
			continue
		}
		note := uint8(0)
		if edge.recovery {
			note = graph.Recovery
		}
		g.append(e, v, edge.to, note)
		e.Names[len(e.Names)-1] = edgeName(n, k)
	}
	return nil
}

// edgeName is the name of an edge.
func edgeName(state, edge int) uint32 { return uint32(state<<8 | edge + 2) }

func (g *randomGraph) Check(m *graph.FoundState) (live bool, err error) {
	n := g.number(m.State)
	g.checked, g.trails = append(g.checked, n), append(g.trails, m.Path())
	if n == g.bad {
		return false, errBad
	}
	return g.live[n], nil
}

func (g *randomGraph) Bytes() int { return 0 }

// follow returns the end of a path, or -1 if it leads nowhere.
func (g *randomGraph) follow(trail []uint32) int {
	if int(trail[0]) >= len(g.roots) {
		return -1
	}
	at := g.roots[trail[0]]
	for _, edge := range trail[1:] {
		if int(edge) >= len(g.edges[at]) {
			return -1
		}
		at = g.edges[at][edge].to
	}
	return at
}

// dumb is a textbook breadth-first search.
type dumb struct {
	order       []int       // states in the order in which they are found
	depth       map[int]int // of the states in order
	transitions int
	live        int
	err         error
}

func (g *randomGraph) dumb(most int) (d dumb) {
	d.depth = map[int]int{}
	meet := func(n, depth int) bool {
		if _, ok := d.depth[n]; ok {
			return true
		}
		d.depth[n] = depth
		d.order = append(d.order, n)
		if n == g.bad {
			d.err = errBad
			return false
		}
		if g.live[n] {
			d.live++
		}
		return true
	}
	for _, n := range g.roots {
		if !meet(n, 0) {
			return d
		}
	}
	for k := 0; k < len(d.order); k++ {
		n := d.order[k]
		if most > 0 && d.depth[n] >= most {
			break
		}
		for i, edge := range g.edges[n] {
			if n == g.failing && i == len(g.edges[n])-1 {
				d.err = errFails
				return d
			}
			d.transitions++
			if !meet(edge.to, d.depth[n]+1) {
				return d
			}
		}
	}
	return d
}

// sleep marks some edges as known that lead to states found before theirs is expanded.
func (g *randomGraph) sleep(most int, rnd *rand.Rand) {
	g.known = map[[2]int]bool{}
	foundBy := map[int]int{}
	for _, n := range g.roots {
		foundBy[n] = -1
	}
	for at, n := range g.dumb(most).order {
		for k, edge := range g.edges[n] {
			by, ok := foundBy[edge.to]
			if !ok {
				foundBy[edge.to] = at
			}
			if ok && by < at && rnd.IntN(3) > 0 {
				g.known[[2]int{n, k}] = true
			}
		}
	}
}

// dead returns the states in order from which no live state can be reached.
func (g *randomGraph) dead(order []int) map[int]bool {
	dead := map[int]bool{}
	for _, n := range order {
		dead[n] = !g.live[n]
	}
	for again := true; again; {
		again = false
		for _, n := range order {
			for _, edge := range g.edges[n] {
				if dead[n] && edge.recovery && !dead[edge.to] {
					dead[n], again = false, true
				}
			}
		}
	}
	return dead
}

// compare explores a graph in every way, and compares the results with the dumb search.
func (g *randomGraph) compare(most int, sets []stateset.Kind, frontiers []FrontierKind) error {
	return g.compareSpilled(most, sets, frontiers, nil)
}

func (g *randomGraph) compareSpilled(most int, sets []stateset.Kind, frontiers []FrontierKind, spill *stateset.Spill) error {
	want := g.dumb(most)
	for _, set := range sets {
		for _, frontier := range frontiers {
			for _, workers := range []func(func()){nil, func(f func()) { go f() }} {
				g.checked, g.trails = nil, nil
				dead := &DeadStates{}
				opts := Options{Visited: set, Frontier: frontier, MaxDepth: most, Analysis: dead, Go: workers, Spill: spill, MaxStates: 1000}
				l, err := New(g, opts)
				if err != nil {
					return err
				}
				x := l.Run(context.Background())
				if err := g.same(&x, &want, frontier.Shortest); err != nil {
					return fmt.Errorf("%s, %s: %w: %+v; want %+v", set.Name, frontier.Name, err, x, want)
				}
				if x.Spilled && !dead.Checked {
					continue
				}
				if err := g.sameDead(&x, &want, dead); err != nil {
					return fmt.Errorf("%s, %s: %w: %+v", set.Name, frontier.Name, err, dead)
				}
			}
		}
	}
	return nil
}

func (g *randomGraph) same(x *Result, want *dumb, shortest bool) error {
	for i, trail := range g.trails {
		if g.follow(trail) != g.checked[i] {
			return fmt.Errorf("%v leads to %d, not %d", trail, g.follow(trail), g.checked[i])
		}
		if shortest && len(trail) != want.depth[g.checked[i]]+1 {
			return fmt.Errorf("%v is not shortest", trail)
		}
	}
	if (x.Err == nil) != (want.err == nil) || shortest && x.Err != want.err {
		return errors.New("another error")
	}
	if x.Err != nil {
		end := g.follow(x.Path)
		if x.Err == errBad && end != g.bad || x.Err == errFails && (end != g.failing || !x.AtEdge) {
			return errors.New("the trail does not lead to what was found")
		}
		if !shortest {
			return nil
		}
	}
	if x.States != len(want.order) || x.Transitions != want.transitions || x.Live != want.live {
		return errors.New("other counts")
	}
	if shortest && !slices.Equal(g.checked[:x.States], want.order) {
		return errors.New("another order")
	}
	return nil
}

func (g *randomGraph) sameDead(x *Result, want *dumb, got *DeadStates) error {
	if got == nil {
		return nil // the graph was not to be judged
	}
	if got.Checked != x.Complete {
		return errors.New("the judge was not heard, or too early")
	}
	if !x.Complete {
		return nil
	}
	dead := g.dead(want.order)
	n, nearest := 0, -1
	for _, at := range want.order {
		if dead[at] {
			if n++; n == 1 {
				nearest = want.depth[at]
			}
		}
	}
	if got.Dead != n {
		return fmt.Errorf("%d states are dead", n)
	}
	if n > 0 && (!dead[g.follow(got.Path)] || len(got.Path) != nearest+1) {
		return fmt.Errorf("the nearest dead state is %d steps away", nearest)
	}
	return nil
}

func TestRandomGraphs(t *testing.T) {
	complete, dead, found, passed := 0, 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		g, most := drawGraph(t), rapid.SampledFrom([]int{0, 0, 0, 1, 2, 5, 10}).Draw(t, "depth")
		if rapid.Bool().Draw(t, "sleep sets") {
			g.sleep(most, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "asleep"), 1)))
		}
		if err := g.compare(most, stateset.Kinds, Frontiers); err != nil {
			t.Fatal(err)
		}
		if g.passed > 0 {
			passed++
		}
		switch want := g.dumb(0); {
		case want.err != nil:
			found++
		default:
			complete++
			for _, d := range g.dead(want.order) {
				if d {
					dead++
					break
				}
			}
		}
	})
	if n := complete + found; complete < n/10 || dead < n/20 || found < n/10 || passed < n/100 {
		t.Errorf("%d complete, %d with dead states, %d findings, %d with edges that are not listed", complete, dead, found, passed)
	}
}

// drawTogether draws sets of words that may change together.
func drawTogether(t *rapid.T, words int) [][]int32 {
	return rapid.SliceOfN(rapid.SliceOfNDistinct(rapid.Int32Range(0, int32(words)-1), 0, 3, rapid.ID), 0, 70).Draw(t, "together")
}
