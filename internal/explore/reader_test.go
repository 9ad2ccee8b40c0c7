package explore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/explore/stateset"
)

// readGraph can read the edges of a state once it has expanded one of the same class.
type readGraph struct {
	*randomGraph
	width    int         // of a class
	learned  []int       // in order
	verified map[int]int // states, by their expansion numbers
	readers  []*graphReader
	busy     atomic.Int32 // Expand is running
}

type graphReader struct {
	g       *readGraph
	own     randomGraph // a copy, since sleeping edges are counted
	reads   int
	refused int
	overlap bool // with Expand
}

func verifies(number int) bool { return number >= 0 && number%13 == 0 }

func (g *readGraph) Expand(v []uint32, number int, e *graph.Edges) error {
	g.busy.Add(1)
	defer g.busy.Add(-1)
	if class := g.number(v) / g.width; !slices.Contains(g.learned, class) {
		g.learned = append(g.learned, class)
	}
	if verifies(number) {
		g.verified[number] = g.number(v)
		for range 100 {
			runtime.Gosched() // lets others read meanwhile, if they may
		}
	}
	return g.randomGraph.Expand(v, number, e)
}

func (g *readGraph) Reader() graph.Reader {
	r := &graphReader{g: g, own: *g.randomGraph}
	g.readers = append(g.readers, r)
	return r
}

func (r *graphReader) Read(v []uint32, e *graph.Edges) bool {
	n := r.own.number(v)
	r.overlap = r.overlap || r.g.busy.Load() > 0
	err := r.own.Expand(v, -1, e)
	if err != nil || !slices.Contains(r.g.learned, n/r.g.width) {
		r.refused++
		return false
	}
	r.reads++
	return true
}

func (r *graphReader) Verifies(number int) bool { return verifies(number) }

// little is a queue that looks up few edges together.
type little struct{ *queue }

func (little) AtOnce() int { return 8 }

// The result is the same whether or not the second worker reads edges, and the graph fills its caches in the same
// order.
func TestReaders(t *testing.T) {
	read, refused, failed := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		g, most := drawGraph(t), rapid.SampledFrom([]int{0, 0, 0, 5, 10}).Draw(t, "depth")
		width := rapid.SampledFrom([]int{1, 10, 20, 200}).Draw(t, "width")
		if rapid.Bool().Draw(t, "sleep sets") {
			g.sleep(most, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "asleep"), 1)))
		}
		want := g.dumb(most)
		for _, set := range stateset.Kinds {
			var alone *readGraph
			expanded := 0
			for _, workers := range []func(func()){nil, func(f func()) { go f() }} {
				r := &readGraph{randomGraph: g, width: width, verified: map[int]int{}}
				g.checked, g.trails = nil, nil
				dead := &DeadStates{}
				l, err := New(r, Options{Visited: set, MaxDepth: most, Analysis: dead, Go: workers,
					Frontier: FrontierKind{Name: "little", Shortest: true, New: func(words int) Frontier { return little{newQueue(words).(*queue)} }}})
				if err != nil {
					t.Fatal(err)
				}
				x := l.Run(context.Background())
				if err := errors.Join(g.same(&x, &want, true), g.sameDead(&x, &want, dead)); err != nil {
					t.Fatal(fmt.Errorf("%s: %w: %+v; want %+v", set.Name, err, x, want))
				}
				if workers == nil {
					alone, expanded = r, x.Expanded
					continue
				}
				if x.Expanded != expanded {
					t.Fatalf("%s: %d states were expanded, with one worker %d", set.Name, x.Expanded, expanded)
				}
				if x.Err == nil && !(slices.Equal(r.learned, alone.learned) && maps.Equal(r.verified, alone.verified)) {
					t.Fatalf("known in the order %v, with one worker %v; verified %v, with one worker %v", r.learned, alone.learned, r.verified, alone.verified)
				}
				own, other := r.readers[0], r.readers[1]
				if own.overlap || other.overlap {
					t.Fatal("read while the graph expands")
				}
				read, refused = read+other.reads, refused+other.refused
				if x.Err != nil && other.reads > 0 {
					failed++
				}
			}
		}
	})
	if !testing.Short() && (read == 0 || refused == 0 || failed == 0) { // a short test draws few graphs
		t.Errorf("the second worker read %d states, could not read %d; %d findings", read, refused, failed)
	}
}
