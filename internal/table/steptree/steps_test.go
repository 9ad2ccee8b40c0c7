package steptree_test

import (
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// actor has an action, given by a test.
type actor struct {
	sim.Nop
	N   int
	Had []string // keys on the disk at the last boot
}

func (a *actor) Boot(env sim.Env) { a.Had = env.Disk().Keys("") }

// walker looks up steps of node 0 in an engine.
type walker struct {
	*steptree.Engine
	t    rapid.TB
	room int // in all streams, unless they are empty
}

// RoomOf returns the room in a stream.
func (w *walker) RoomOf(_ sim.NodeID, fresh bool) int {
	if fresh {
		return w.Net.Capacity()
	}
	return w.room
}

// newWalker returns a walker for a system of two actors, and the local state of node 0 after its boot.
func newWalker(t rapid.TB, sys sim.System, act func(a *actor, env sim.Env)) (w *walker, booted uint32) {
	t.Helper()
	sys.Nodes, sys.New = 2, func(sim.NodeID) sim.Service { return new(actor) }
	sys.Actions = []sim.AnyAction{sim.Action[*actor]{Name: "act", Do: act}}
	e, err := steptree.NewEngine(&sys, kernel.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	e.Samples.Off = true
	w = &walker{Engine: e, t: t}
	return w, w.at(w.step(e.Boots.Initial[0], eventkind.Boot, choose.First)).Next
}

func (w *walker) walk(local uint32, kind eventkind.Kind, src choose.Source) (leaf uint32, err error) {
	class := store.ActionEvent
	if kind == eventkind.Boot {
		class = store.BootEvent
	}
	s := store.Situation{Local: local, EventID: w.EventID(class, 0, 0), Event: netmodel.Event{Kind: kind, Peer: -1}}
	return w.Walk(&s, src, w)
}

// step is a walk without a finding.
func (w *walker) step(local uint32, kind eventkind.Kind, src choose.Source) (leaf uint32) {
	w.t.Helper()
	leaf, err := w.walk(local, kind, src)
	if err != nil {
		w.t.Fatal(err)
	}
	return leaf
}

func (w *walker) at(leaf uint32) *steptree.Leaf { return w.Trees.Leaves.At(leaf) }

func (w *walker) actor(local uint32) *actor { return w.Locals.List[local].State.Service().(*actor) }

// sent returns the messages that a leaf sends.
func (w *walker) sent(ops []steptree.Op) (bodies []int) {
	for _, o := range ops {
		bodies = append(bodies, w.Contents.List[o.ID].Body.(int))
	}
	return bodies
}

// mostAsked is the maximum number of draws of a step.
const mostAsked = 3

// outcome is a random function: in state n, after picks, an actor draws one of so many. If it draws no more, next is its
// state, and it sends so many messages.
func outcome(seed uint64, n int, picks []int) (arity, next, sends int) {
	h := fnv.New64a()
	fmt.Fprint(h, seed, n, picks)
	v := int(h.Sum64() >> 33)
	if len(picks) == mostAsked {
		return 0, v / 8 % 4, v % 3
	}
	return []int{0, 2, 3, 5000}[v%4], v / 8 % 4, v % 3
}

// randomActor follows outcome.
func randomActor(seed uint64) func(a *actor, env sim.Env) {
	return func(a *actor, env sim.Env) {
		var picks []int
		arity, next, sends := outcome(seed, a.N, picks)
		for ; arity > 0; arity, next, sends = outcome(seed, a.N, picks) {
			picks = append(picks, env.Choose(fmt.Sprint(picks), arity))
		}
		a.N = next
		for k := range sends {
			env.Send(1, k)
		}
	}
}

// taken identifies a step by its local state and its picks.
type taken struct {
	local uint32
	picks string
}

// Steps are looked up in a map of all that were taken. A handler runs once for each of its entries.
func TestWalk_AgreesWithMap(t *testing.T) {
	hits, far := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		w, local := newWalker(t, sim.System{Name: "random", Network: netsim.Datagrams{}}, randomActor(seed))
		w.Samples.All = rapid.Bool().Draw(t, "verify")
		w.Samples.Off = !w.Samples.All
		leaves, at := map[taken]uint32{}, map[uint32]taken{}
		steps := rapid.IntRange(1, 60).Draw(t, "steps")
		for range steps {
			n, picks := w.actor(local).N, []int(nil)
			answers := rapid.SliceOfN(rapid.SampledFrom([]int{0, 1, 1023, 1024, 4999}), mostAsked, mostAsked).Draw(t, "answers")
			leaf := w.step(local, eventkind.DoAction, choose.SourceFunc(func(p choose.Point) int {
				if arity, _, _ := outcome(seed, n, picks); p.Arity != arity || p.Label != fmt.Sprint(picks) {
					panic(fmt.Sprintf("%d after %v was asked %q of %d, want %d", n, picks, p.Label, p.Arity, arity))
				}
				picks = append(picks, min(p.Arity-1, answers[len(picks)]))
				return picks[len(picks)-1]
			}))
			k := taken{local, fmt.Sprint(picks)}
			if known, ok := leaves[k]; ok && known != leaf {
				t.Fatalf("%d after %v has leaves %d and %d", n, picks, known, leaf)
			} else if ok {
				hits++
			}
			if other, ok := at[leaf]; ok && other != k {
				t.Fatalf("leaf %d stands for %v and %v", leaf, other, k)
			}
			leaves[k], at[leaf] = leaf, k
			_, next, sends := outcome(seed, n, picks)
			bodies, l := []int{0, 1, 2}[:sends], w.at(leaf)
			if got := w.actor(l.Next).N; got != next || !slices.Equal(w.sent(l.Ops), bodies) || len(l.Answers) != len(picks) {
				t.Fatalf("%d after %v becomes %d and sends %v, want %d and %v; answers %v", n, picks, got, w.sent(l.Ops), next, bodies, l.Answers)
			}
			if slices.Max(append(picks, 0)) > 1023 {
				far++
			}
			local = l.Next
		}
		verified := 0
		if w.Samples.All {
			verified = steps - len(leaves)
		}
		// One more is the boot.
		if c := w.Counters; c.Steps != steps+1 || c.Misses != len(leaves)+1 || c.Handlers != c.Misses+verified || c.Verified != verified {
			t.Fatalf("%+v after %d steps, %d of them different", c, steps, len(leaves))
		}
	})
	if hits == 0 || far == 0 {
		t.Errorf("%d steps were looked up, %d had large picks", hits, far)
	}
}

// The room in a stream distinguishes steps only as far as the handler observes it.
func TestWalk_RoomObserved(t *testing.T) {
	const most = 3
	for _, c := range []struct {
		name string
		act  func(a *actor, env sim.Env)
		n    [6]int // by room
	}{
		{"not", func(*actor, sim.Env) {}, [6]int{}},
		{"exactly", func(a *actor, env sim.Env) { a.N = env.Stream(1).Room() }, [6]int{0, 1, 2, 3, 4, 5}},
		{"by sending", func(a *actor, env sim.Env) {
			for a.N < most && env.Stream(1).Send("fill") == nil {
				a.N++
			}
		}, [6]int{0, 1, 2, most, most, most}},
		{"after closing", func(a *actor, env sim.Env) {
			env.Stream(1).Close()
			a.N = env.Stream(1).Room()
		}, [6]int{5, 5, 5, 5, 5, 5}},
	} {
		w, local := newWalker(t, sim.System{Name: "stream", Network: netsim.Streams{Buffer: 5}}, c.act)
		w.Samples.All, w.Samples.Off = true, false
		leaves := map[int]uint32{}
		for round := range 2 {
			for room, want := range c.n {
				w.room = room
				leaf := w.step(local, eventkind.DoAction, choose.First)
				if n := w.actor(w.at(leaf).Next).N; n != want {
					t.Errorf("%s: with room %d it becomes %d, want %d", c.name, room, n, want)
				}
				if known, ok := leaves[want]; ok && known != leaf || !ok && round > 0 {
					t.Errorf("%s: with room %d the leaf is %d, want %d", c.name, room, leaf, known)
				}
				leaves[want] = leaf
			}
		}
		if misses := w.Counters.Misses - 1; misses != len(leaves) {
			t.Errorf("%s: the handler ran for %d leaves, want %d", c.name, misses, len(leaves))
		}
	}
}

// A handler that depends on something other than its state, the event and its answers is found when its step is executed
// again.
func TestWalk_ReportsNondeterminism(t *testing.T) {
	for want, act := range map[string]func(a *actor, env sim.Env, hidden int){
		"":                            func(a *actor, env sim.Env, _ int) { a.N = env.Choose("same", 2) },
		"reached another state":       func(a *actor, _ sim.Env, hidden int) { a.N = hidden },
		"from effect 2 on: send 1 to": func(_ *actor, env sim.Env, hidden int) { env.Send(1, 7); env.Send(1, hidden) },
		"a step ended with":           func(_ *actor, env sim.Env, hidden int) { env.Assert(hidden == 0, "hidden") },
		`asked "1", before "0"`:       func(_ *actor, env sim.Env, hidden int) { env.Choose(fmt.Sprint(hidden), 2) },
		`asked "more", before no more questions`: func(_ *actor, env sim.Env, hidden int) {
			if hidden > 0 {
				env.Choose("more", 2)
			}
		},
	} {
		hidden := 0
		w, local := newWalker(t, sim.System{Name: "hidden", Network: netsim.Datagrams{}}, func(a *actor, env sim.Env) { act(a, env, hidden) })
		w.Samples.All, w.Samples.Off = true, false
		for ; hidden < 2; hidden++ {
			_, err := w.walk(local, eventkind.DoAction, choose.First)
			var f *sim.Finding
			found := errors.As(err, &f) && f.Kind == sim.Nondeterminism && strings.Contains(f.Message, want)
			if fine := want == "" || hidden == 0; fine && err != nil || !fine && !found {
				t.Errorf("with %d hidden: got %v, want a finding of nondeterminism: %q", hidden, err, want)
			}
		}
	}
}
