package explore

import (
	"context"
	"errors"
	"iter"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/explore/stateset"
)

// memoryLog is a log in memory.
type memoryLog struct{ blocks []Block }

func (m *memoryLog) End() (end Mark) {
	if n := len(m.blocks); n > 0 {
		end = m.blocks[n-1].Mark
	}
	return end
}

func (m *memoryLog) Blocks() iter.Seq2[*Block, error] {
	return func(yield func(*Block, error) bool) {
		for i := range m.blocks {
			if !yield(&m.blocks[i], nil) {
				return
			}
		}
	}
}

func (m *memoryLog) Notes() []byte { return m.all().Notes }

func (m *memoryLog) Append(b *Block) error {
	m.blocks = append(m.blocks, Block{b.Mark, slices.Clone(b.Origins), slices.Clone(b.CacheFillers), slices.Clone(b.Notes)})
	return nil
}

// all returns the content of the log, independent of blocks.
func (m *memoryLog) all() (all Block) {
	all.Mark = m.End()
	for i := range m.blocks {
		all.Origins = append(all.Origins, m.blocks[i].Origins...)
		all.CacheFillers = append(all.CacheFillers, m.blocks[i].CacheFillers...)
	}
	return all
}

// loggedGraph is a graph that finds something new in every expansion, or only in the first.
type loggedGraph struct {
	*randomGraph
	always bool
	met    int
}

func (g *loggedGraph) Expand(v []uint32, number int, e *graph.Edges) error {
	if g.met == 0 || g.always {
		g.met++
	}
	return g.randomGraph.Expand(v, number, e)
}

func (g *loggedGraph) Visit() int              { return g.met }
func (g *loggedGraph) Notes(buf []byte) []byte { return buf }
func (g *loggedGraph) Resumed()                {}

// few is a queue that gathers few edges.
var few = FrontierKind{Name: "few", Shortest: true, New: func(words int) Frontier { return fewAtOnce{newQueue(words).(*queue)} },
	Spilled: func(words int, s *stateset.Spill) Frontier { return fewSpooled{newSpooled(words, s).(*diskQueue)} }}

type fewSpooled struct{ *diskQueue }

func (fewSpooled) AtOnce() int { return 9 }

type fewAtOnce struct{ *queue }

func (fewAtOnce) AtOnce() int { return 9 }

func (g *randomGraph) logged(t *rapid.T, log Log, most int, always bool, set stateset.Kind) (Result, *DeadStates) {
	g.checked, g.trails = nil, nil
	dead := &DeadStates{}
	opts := Options{Visited: set, Frontier: few, MaxDepth: most, Analysis: dead, Log: log}
	if rapid.Bool().Draw(t, "second worker") {
		opts.Go = func(f func()) { go f() }
	}
	if rapid.Bool().Draw(t, "spilled") {
		opts.Spill = &stateset.Spill{Dir: os.TempDir(), Young: rapid.IntRange(1, 20).Draw(t, "in memory")}
	}
	l, err := New(&loggedGraph{randomGraph: g, always: always}, opts)
	if err != nil {
		t.Fatal(err)
	}
	x := l.Run(context.Background())
	if x.Spilled {
		return x, nil
	}
	return x, dead
}

// A log that ends anywhere leads to the same result as no log, and is the same in the end.
func TestLog(t *testing.T) {
	resumed := 0
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		most := rapid.SampledFrom([]int{0, 0, 1, 2, 5}).Draw(t, "depth")
		always := rapid.Bool().Draw(t, "always something new")
		set := rapid.SampledFrom(stateset.Kinds).Draw(t, "visited")
		want := g.dumb(most)
		log := &memoryLog{}
		for _, when := range []string{"at first", "again", "once more"} {
			x, dead := g.logged(t, log, most, always, set)
			if err := errors.Join(g.same(&x, &want, true), g.sameDead(&x, &want, dead)); err != nil {
				t.Fatalf("%s: %v: %+v; want %+v", when, err, x, want)
			}
			whole := log.all()
			if x.Err == nil && (whole.States != x.States || whole.Expanded != x.Expanded || whole.Transitions != x.Transitions) {
				t.Fatalf("the log ends with %+v, the exploration with %+v", whole.Mark, x)
			}
			log.blocks = log.blocks[:rapid.IntRange(0, len(log.blocks)).Draw(t, "blocks left")]
			if len(log.blocks) > 1 {
				resumed++
			}
			again := &memoryLog{slices.Clone(log.blocks)}
			g.logged(t, again, most, always, set)
			if all := again.all(); all.Mark != whole.Mark || !slices.Equal(all.Origins, whole.Origins) || !slices.Equal(all.CacheFillers, whole.CacheFillers) {
				t.Fatalf("%s: the log is %+v in the end, was %+v", when, all, whole)
			}
		}
	})
	if resumed < 5 {
		t.Errorf("%d resumed", resumed)
	}
}

// A graph with another edge from a cache filler is another graph, and an invalid log is rejected.
func TestLogOfAnotherGraph(t *testing.T) {
	noticed := 0
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		g.bad, g.failing = -1, -1
		set := rapid.SampledFrom(stateset.Kinds).Draw(t, "visited")
		log := &memoryLog{}
		g.logged(t, log, 0, true, set)
		order := g.dumb(0).order
		at := order[rapid.IntRange(0, len(order)-1).Draw(t, "state")]
		b := &log.blocks[rapid.IntRange(0, len(log.blocks)-1).Draw(t, "block")]
		switch rapid.IntRange(0, 5).Draw(t, "what") {
		case 0:
			g.edges[at] = append(g.edges[at], randomEdge{at, false})
		case 1:
			if len(g.edges[at]) == 0 {
				t.Skip()
			}
			g.edges[at] = g.edges[at][1:]
		case 2:
			if len(g.edges[at]) == 0 {
				t.Skip()
			}
			e := &g.edges[at][0]
			e.recovery = !e.recovery
		case 3:
			if len(b.Origins) == 0 {
				t.Skip()
			}
			b.Origins[len(b.Origins)-1].EdgeIndex += 100 // an equal edge would do as well
		case 4:
			if len(b.Origins) == 0 {
				t.Skip()
			}
			b.Origins = b.Origins[1:]
		case 5:
			if len(log.blocks) < 2 || len(b.Origins) == 0 {
				t.Skip()
			}
			i := rapid.IntRange(0, len(log.blocks)-2).Draw(t, "lost block")
			if len(log.blocks[i].Origins) == 0 {
				t.Skip()
			}
			log.blocks = slices.Delete(log.blocks, i, i+1)
		}
		x, _ := g.logged(t, log, 0, true, set)
		if changed, ok := errors.AsType[*ChangedError](x.Err); !ok {
			t.Fatalf("not noticed: %+v", x)
		} else if changed.Why == "" || x.Complete {
			t.Fatalf("got %+v, want an incomplete exploration that names the change", x)
		}
		noticed++
	})
	if noticed < 10 {
		t.Errorf("%d noticed", noticed)
	}
}

// A log that fails ends the exploration; its earlier content is valid.
func TestLog_Fails(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		log := &failingLog{left: rapid.IntRange(0, 5).Draw(t, "blocks")}
		x, _ := g.logged(t, log, 0, true, stateset.Kinds[0])
		if log.failed != (errors.Is(x.Err, errLog)) || log.failed && x.Complete {
			t.Fatalf("the log failed: %v; %+v", log.failed, x)
		}
		want := g.dumb(0)
		if x, _ := g.logged(t, &log.memoryLog, 0, true, stateset.Kinds[0]); g.same(&x, &want, true) != nil {
			t.Fatalf("%+v, want %+v", x, want)
		}
	})
}

var errLog = errors.New("no room")

type failingLog struct {
	memoryLog
	left   int
	failed bool
}

func (f *failingLog) Append(b *Block) error {
	if f.left--; f.left < 0 {
		f.failed = true
		return errLog
	}
	return f.memoryLog.Append(b)
}

func TestLogRefuses(t *testing.T) {
	g := &loggedGraph{randomGraph: &randomGraph{words: 5}}
	for _, opts := range []Options{{Frontier: Frontiers[1], Log: &memoryLog{}}, {Reducer: everyEdge{}, Log: &memoryLog{}}} {
		if _, err := New(g, opts); err == nil {
			t.Errorf("%+v is not refused", opts)
		}
	}
	if _, err := New(g.randomGraph, Options{Log: &memoryLog{}}); err == nil {
		t.Error("a graph that notes nothing is not refused")
	}
}

type everyEdge struct{ Reducer }
