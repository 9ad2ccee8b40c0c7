// Package foreign has tiny visited sets, frontiers, reducers, analyses, graphs and networks that no other package
// refers to.
package foreign

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems"
	"github.com/macemc/macemc/systems/spec"
)

// mapSet is a visited set that is a Go map.
type mapSet map[[2]uint64]uint32

func (s mapSet) Width() int { return 2 }

func (s mapSet) AddAll(k *stateset.Keys, fresh []uint32) []uint32 {
	for i, name := range k.Edges {
		key := [2]uint64{k.Lo[i], k.Hi[i]}
		if _, ok := s[key]; !ok {
			s[key] = uint32(len(s))
			fresh = append(fresh, name)
		}
	}
	return fresh
}

func (s mapSet) Places() int { return len(s) }

func (s mapSet) FindAll(k *stateset.Keys, places []uint32) []uint32 {
	for i := range k.Lo {
		place, ok := s[[2]uint64{k.Lo[i], k.Hi[i]}]
		if !ok {
			place = stateset.NoPlace
		}
		places = append(places, place)
	}
	return places
}

func (s mapSet) Bytes() (now, growth int) { return 24 * len(s), 0 }
func (s mapSet) Omission(int) float64     { return 0 }
func (s mapSet) Close()                   {}

// list is a first-in, first-out frontier in a slice.
type list struct {
	found []explore.Found
	next  int
}

func (l *list) AtOnce() int { return 0 }

func (l *list) Push(b *explore.Batch) {
	for k := range b.Len() {
		f := b.Found(k)
		f.Record = slices.Clone(f.Record)
		l.found = append(l.found, f)
	}
}

func (l *list) Pop(item *explore.Item) bool {
	if l.next == len(l.found) {
		return false
	}
	f := &l.found[l.next]
	item.Record, item.ID, item.Depth = f.Record, uint32(l.next), f.Depth
	l.next++
	return true
}

func (l *list) More() bool { return l.next < len(l.found) }

func (l *list) Path(id uint32) (trail []uint32) {
	for at := id + 1; at != 0; at = l.found[at-1].From {
		trail = append(trail, l.found[at-1].EdgeIndex)
	}
	slices.Reverse(trail)
	return trail
}

func (l *list) Origin(id uint32) (from, edge uint32) { return l.found[id].From, l.found[id].EdgeIndex }
func (l *list) Monotone() bool                       { return true }
func (l *list) Bytes() (kept, waiting int)           { return 64 * len(l.found), 0 }
func (l *list) Close()                               {}

// everything is a reducer that leaves nothing out.
type everything struct{}

func (everything) Sufficient(_ []uint32, row graph.Row, keep []uint32) []uint32 {
	for k := range row.Len() {
		keep = append(keep, uint32(k))
	}
	return keep
}

func (everything) Rest([]uint32, bool) bool { panic("nothing was left out") }

// later is a reducer that first leaves out every other edge, and always requires the rest.
type later struct{}

func (later) Sufficient(_ []uint32, row graph.Row, keep []uint32) []uint32 {
	for k := 0; k < row.Len(); k += 2 {
		keep = append(keep, uint32(k))
	}
	return keep
}

func (later) Rest([]uint32, bool) bool { return true }

// counter is an analysis that counts.
type counter struct{ states, live, edges int }

func (c *counter) Visit(id uint32, live bool, _ uint8) error {
	if int(id) != c.states {
		return fmt.Errorf("state %d is the %d. one", id, c.states)
	}
	c.states++
	if live {
		c.live++
	}
	return nil
}

func (c *counter) Analyze(ctx context.Context, s *explore.Space) error {
	return s.Pass(ctx, false, func(uint32) bool { return true }, func(_ uint32, _ explore.StateEdges, to []uint32) {
		for _, id := range to {
			if id < s.Len() {
				c.edges++
			}
		}
	})
}

func (c *counter) Bytes() int             { return 0 }
func (c *counter) NeedsEdges(uint32) bool { return true }

var (
	maps  = stateset.Kind{Name: "map", New: func(graph.Graph) stateset.Visited { return mapSet{} }}
	lists = explore.FrontierKind{Name: "slice", Shortest: true, New: func(int) explore.Frontier { return &list{} }}
)

func TestForeignOnesCountTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, c := range []struct {
		system string
		nodes  int
		depth  int
		bugs   []string
	}{
		{"paxos", 5, 0, nil}, {"twophase", 3, 0, nil}, {"twophase", 3, 0, []string{"TP3"}}, {"randtree", 3, 6, nil}, {"paxos", 6, 0, []string{"PX1"}},
	} {
		t.Run(fmt.Sprint(c.system, c.bugs), func(t *testing.T) {
			entry, err := systems.Find(c.system)
			if err != nil {
				t.Fatal(err)
			}
			sys, err := entry.New(spec.Config{Nodes: c.nodes, Bugs: c.bugs})
			if err != nil {
				t.Fatal(err)
			}
			want := explored(t, &sys, options.Options{MaxDepth: c.depth})
			for _, visited := range append([]stateset.Kind{maps}, stateset.Kinds...) {
				for _, frontier := range []explore.FrontierKind{lists, explore.Frontiers[0]} {
					for _, reducer := range []explore.Reducer{nil, everything{}} {
						compare(t, want, explored(t, &sys, options.Options{Visited: visited, Frontier: frontier, Reducer: reducer, MaxDepth: c.depth}))
					}
				}
			}
			if want.Finding == nil && c.depth == 0 { // other edges are followed later, so that paths are longer
				for _, frontier := range []explore.FrontierKind{lists, explore.Frontiers[0], explore.Frontiers[1]} {
					x := explored(t, &sys, options.Options{Visited: maps, Frontier: frontier, Reducer: later{}})
					if x.States != want.States || x.Transitions != want.Transitions || x.Expanded != want.Expanded || x.Live != want.Live {
						t.Errorf("%s, the rest later: %+v; want %+v", frontier.Name, x, want)
					}
				}
			}
		})
	}
}

func explored(t *testing.T, sys *sim.System, opts options.Options) *table.Exploration {
	t.Helper()
	x, err := table.Explore(context.Background(), sys, opts)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func compare(t *testing.T, x, y *table.Exploration) {
	t.Helper()
	if x.States != y.States || x.Transitions != y.Transitions || x.Live != y.Live || x.Depth != y.Depth || x.Complete != y.Complete ||
		x.Stopped != y.Stopped || x.Expanded != y.Expanded && x.Finding == nil || fmt.Sprint(x.Finding) != fmt.Sprint(y.Finding) || !slices.Equal(x.Path, y.Path) ||
		x.LivenessChecked != y.LivenessChecked || x.Dead != y.Dead || !slices.Equal(x.DeadPath, y.DeadPath) {
		t.Errorf("%+v\n%+v", x, y)
	}
}

// square is a foreign graph: a king on a board, who moves right or up.
type square struct{ size uint32 }

func (s square) Words() int          { return 2 }
func (s square) Together() [][]int32 { return nil }
func (s square) Bytes() int          { return 0 }

func (s square) Fingerprint(v []uint32) graph.Fingerprint {
	return graph.Fingerprint{Lo: uint64(v[0])<<40 | uint64(v[1]) + 1, Hi: 7}
}

func (s square) Roots(e *graph.Edges) error {
	e.End(s.Fingerprint([]uint32{0, 0}), 0)
	return nil
}

func (s square) Expand(v []uint32, _ int, e *graph.Edges) error {
	for word, at := range v {
		if at+1 < s.size {
			to := slices.Clone(v)
			to[word]++
			e.Change(word, at+1)
			e.End(s.Fingerprint(to), graph.Recovery)
		}
	}
	return nil
}

func (s square) Check(m *graph.FoundState) (live bool, err error) {
	return m.State[0] == m.State[1], nil
}

func TestJudgeOfAForeignGraph(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, visited := range append([]stateset.Kind{maps}, stateset.Kinds...) {
		for _, frontier := range append([]explore.FrontierKind{lists}, explore.Frontiers...) {
			c := &counter{}
			l, err := explore.New(square{100}, explore.Options{Visited: visited, Frontier: frontier, Analysis: c})
			if err != nil {
				t.Fatal(err)
			}
			x := l.Run(context.Background())
			// Each of 100 rows has 99 edges, and each column.
			if x.States != 10_000 || x.Transitions != 19_800 || x.Live != 100 || *c != (counter{10_000, 100, 19_800}) || !x.Complete {
				t.Errorf("%s, %s: %+v, %+v", visited.Name, frontier.Name, x, c)
			}
		}
	}
}
