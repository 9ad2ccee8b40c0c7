package explore

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/explore/stateset"
)

// shown is an analysis that passes over all states several times, up and down, and compares the edges with those of the
// drawn graph. It needs only some rows, and sometimes all rows are dropped.
type shown struct {
	g            *randomGraph
	loop         *Loop
	numbers      map[int]uint32 // by state: its number in a dumb search
	order        []int
	every        uint32 // one of so many states is not needed
	names        bool
	forget       uint32 // the state at which all rows are dropped during the exploration
	drop         int    // the pass before which all rows are dropped; -1 if none
	within       int    // the pass during which they are dropped; -1 if none
	spoil        func(row, names []uint32)
	spoilUnknown func(prints, bits, rest []uint32)
	early        int // rows kept before the analysis
	long         int // of these, rows with more than three edges
	sparse       int // of these, rows that lack edges
	failed       error
}

func (*shown) Bytes() int                  { return 0 }
func (j *shown) NeedsEdges(id uint32) bool { return id%j.every != 0 }
func (j *shown) Names() bool               { return j.names }
func (j *shown) Visit(id uint32, _ bool, _ uint8) error {
	if id == j.forget {
		j.loop.rows.drop()
	}
	return nil
}

func (j *shown) Analyze(ctx context.Context, s *Space) error {
	if int(s.Len()) != len(j.order) {
		return fmt.Errorf("%d states, not %d", s.Len(), len(j.order))
	}
	for id := range s.Len() {
		if r := &j.loop.rows; r.has(id) {
			j.early++
			if r.sparse(id) {
				j.sparse++
			}
			if len(j.g.edges[j.order[id]]) > 3 {
				j.long++
			}
			switch {
			case j.spoil == nil && j.spoilUnknown == nil:
			case s.Holds():
				to, names, _ := r.parts(r.of(id))
				j.spoil(to, names)
			default:
				n := int(r.list[r.begin[id]-1] &^ unknown)
				prints, all := r.unknowns(n)
				row := r.list[r.begin[id]:]
				j.spoilUnknown(row[:prints], row[prints:all], row[all:][:r.size(n)-n])
			}
		}
	}
	if err := j.few(ctx, s); err != nil {
		return err
	}
	for pass, down := range []bool{true, false, true, false} {
		if pass == j.drop {
			j.loop.rows.drop()
		}
		wanted := func(id uint32) bool { return pass > 0 || id%3 != 0 }
		var ids []uint32
		ordered := s.Holds() || pass != j.within
		for id := range s.Len() {
			ordered = ordered && (s.Holds() || !wanted(id) || j.loop.rows.has(id))
		}
		err := s.Pass(ctx, down, wanted, func(id uint32, row StateEdges, to []uint32) {
			if ids = append(ids, id); pass == j.within && len(ids) == int(s.Len())/2 {
				j.loop.rows.drop()
			}
			if err := j.compare(id, row, to); err != nil && j.failed == nil {
				j.failed = fmt.Errorf("pass %d: state %d: %w", pass, id, err)
			}
		})
		if err != nil {
			return err
		}
		var want []uint32
		for id := range s.Len() {
			if wanted(id) {
				want = append(want, id)
			}
		}
		if !ordered { // some come last
			slices.Sort(ids)
		} else if down {
			slices.Reverse(want)
		}
		if !slices.Equal(ids, want) && j.failed == nil {
			j.failed = fmt.Errorf("pass %d shows %v, not %v", pass, ids, want)
		}
	}
	return nil
}

// few passes over the kept rows, which may lack edges that sleep.
func (j *shown) few(ctx context.Context, s *Space) error {
	for _, down := range []bool{true, false} {
		var ids, want []uint32
		for id := range s.Len() {
			if j.loop.rows.has(id) && id%5 != 0 {
				want = append(want, id)
			}
		}
		if down {
			slices.Reverse(want)
		}
		err := s.PassKept(ctx, down, func(id uint32) bool { return id%5 != 0 }, func(id uint32, row StateEdges, to []uint32) {
			ids = append(ids, id)
			all := j.g.edges[j.order[id]]
			edges := all
			if j.loop.rows.sparse(id) {
				edges = nil
				for k, edge := range all {
					if !j.g.known[[2]int{j.order[id], k}] {
						edges = append(edges, edge)
					}
				}
			}
			ok := len(to) == len(edges) && (len(edges) < len(all)) == j.loop.rows.sparse(id)
			for k := range min(len(to), len(edges)) {
				ok = ok && to[k] == j.numbers[edges[k].to] && row.Recovers(k) == edges[k].recovery
			}
			if !ok && j.failed == nil {
				j.failed = fmt.Errorf("of what was kept of state %d edges lead to %v, not as %v", id, to, edges)
			}
		})
		if err != nil {
			return err
		}
		if !slices.Equal(ids, want) && j.failed == nil {
			j.failed = fmt.Errorf("what was kept is shown of %v, not %v", ids, want)
		}
	}
	return nil
}

// compare compares the presented edges of a state with those of the graph.
func (j *shown) compare(id uint32, row StateEdges, to []uint32) error {
	n := j.order[id]
	if from := row.From(); j.loop.whole == nil && !j.names {
		if from != nil {
			return fmt.Errorf("is %v, which nobody asked for", from)
		}
	} else if !slices.Equal(from, j.g.state(n)) {
		return fmt.Errorf("is %v, not %v", row.From(), j.g.state(n))
	}
	if len(to) != len(j.g.edges[n]) {
		return fmt.Errorf("has %d edges, not %d", len(to), len(j.g.edges[n]))
	}
	for k, edge := range j.g.edges[n] {
		if j.names && row.Names()[k] != edgeName(n, k) {
			return fmt.Errorf("edge %d is named %x", k, row.Names()[k])
		}
		if to[k] != j.numbers[edge.to] || row.Recovers(k) != edge.recovery {
			return fmt.Errorf("edge %d leads to %d, recovery %v, not to %d, %v", k, to[k], row.Recovers(k), j.numbers[edge.to], edge.recovery)
		}
	}
	return nil
}

// show runs the analysis, and returns the first difference.
func (j *shown) show(opts Options) error {
	return j.over(&readGraph{randomGraph: j.g, width: 10, verified: map[int]int{}}, opts)
}

func (j *shown) over(g graph.Graph, opts Options) error {
	j.numbers, j.order = map[int]uint32{}, j.g.dumb(0).order
	for k, n := range j.order {
		j.numbers[n] = uint32(k)
	}
	opts.Analysis = j
	l, err := New(g, opts)
	if err != nil {
		return err
	}
	j.loop = l
	out := l.Run(context.Background())
	return cmp.Or(out.Err, j.failed)
}

func drawShown(seed uint64) *randomGraph {
	g := rapid.Custom(drawGraph).Example(int(seed))
	rnd := rand.New(rand.NewPCG(seed, 2))
	for n := range g.edges { // long rows, which are rarely drawn
		for range rnd.IntN(6) {
			g.edges[n] = append(g.edges[n], randomEdge{rnd.IntN(len(g.edges)), rnd.IntN(2) == 0})
		}
	}
	g.bad, g.failing = -1, -1
	if seed%2 == 0 {
		g.sleep(0, rnd)
	}
	return g
}

// The presented edges equal those of the graph, in order: for any kept rows, whenever rows are dropped, and for any
// number of workers.
func TestRows_AgreeWithGraph(t *testing.T) {
	early, long, sparse := 0, 0, 0
	for seed := range uint64(24) {
		g := drawShown(seed)
		for _, set := range stateset.Kinds {
			for drop := -1; drop < 4; drop++ {
				for _, workers := range []func(func()){nil, func(f func()) { go f() }} {
					j := &shown{g: g, every: 1 + uint32(seed%4), names: seed%3 != 1, drop: drop, within: -1, forget: 1 << 30}
					if drop > 0 {
						j.forget = uint32(int(seed)*drop) % uint32(len(g.edges))
					}
					little := FrontierKind{Name: "little", Shortest: true, New: func(words int) Frontier { return little{newQueue(words).(*queue)} }}
					if err := j.show(Options{Visited: set, Go: workers, Frontier: little}); err != nil {
						t.Fatalf("seed %d, %s, let go of in pass %d: %v", seed, set.Name, drop, err)
					}
					early, long, sparse = early+j.early, long+j.long, sparse+j.sparse
				}
			}
		}
	}
	if early == 0 || long < early/10 || sparse == 0 {
		t.Errorf("%d rows were kept, %d of them long, %d lack edges", early, long, sparse)
	}
}

// counting counts the states that are expanded again.
type counting struct {
	*randomGraph
	again int
}

func (c *counting) Expand(v []uint32, number int, e *graph.Edges) error {
	if number < 0 {
		c.again++
	}
	return c.randomGraph.Expand(v, number, e)
}

// A state with a complete kept row is not expanded again. A state with an incomplete row is expanded again once.
func TestRowsSpareExpansions(t *testing.T) {
	for seed := range uint64(20) {
		g := drawShown(seed)
		for _, set := range stateset.Kinds {
			again, j := &counting{randomGraph: g}, showing(g)
			if err := j.over(again, Options{Visited: set}); err != nil || again.again > 1+j.sparse { // the first state is not needed
				t.Errorf("seed %d, %s: %d states are expanded again, %d rows lack edges: %v", seed, set.Name, again.again, j.sparse, err)
			}
		}
	}
}

// No state is expanded again to search for dead states, if the kept edges settle all.
func TestRows_ReadBeforeExpansion(t *testing.T) {
	sparse := 0
	for seed := range uint64(200) {
		g := drawShown(2 * seed)
		settled := slices.Clone(g.live)
		for again := true; again; {
			again = false
			for n, edges := range g.edges {
				for k, edge := range edges {
					if !settled[n] && edge.recovery && settled[edge.to] && !g.known[[2]int{n, k}] {
						settled[n], again = true, true
					}
				}
			}
		}
		if order := g.dumb(0).order; slices.ContainsFunc(order, func(n int) bool { return !settled[n] }) {
			continue
		}
		if len(g.known) > 0 {
			sparse++
		}
		again, dead := &counting{randomGraph: g}, &DeadStates{}
		l, err := New(again, Options{Analysis: dead})
		if err != nil {
			t.Fatal(err)
		}
		if x := l.Run(context.Background()); x.Err != nil || !dead.Checked || dead.Dead > 0 || again.again > 0 {
			t.Errorf("seed %d: %v, %d states are dead, %d are expanded again", seed, x.Err, dead.Dead, again.again)
		}
	}
	if sparse == 0 {
		t.Error("all rows have all edges")
	}
}

// The same holds if a pass has more edges than one batch, some of states without kept rows, and if rows are dropped
// while one is shown.
func TestRowsOfManyBatches(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	const states = 240
	g, rnd := &randomGraph{words: 5, roots: []int{0}, edges: make([][]randomEdge, states), live: make([]bool, states), bad: -1, failing: -1}, rand.New(rand.NewPCG(1, 2))
	for n := range g.edges {
		g.edges[n] = append(g.edges[n], randomEdge{(n + 1) % states, true})
		for range 560 + rnd.IntN(60) { // enough for rows outside the garbage-collected heap
			g.edges[n] = append(g.edges[n], randomEdge{rnd.IntN(states), rnd.IntN(2) == 0})
		}
	}
	for _, set := range stateset.Kinds {
		for within := -1; within < 4; within++ {
			for _, workers := range []func(func()){nil, func(f func()) { go f() }} {
				j := &shown{g: g, every: 5, names: true, drop: -1, within: within, forget: 1 << 30}
				if err := j.show(Options{Visited: set, Go: workers}); err != nil {
					t.Fatalf("%s, let go of in pass %d: %v", set.Name, within, err)
				}
			}
		}
	}
}
