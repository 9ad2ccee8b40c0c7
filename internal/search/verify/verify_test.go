package verify_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/search/verify"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/internal/test/toys"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// node is a service made of functions.
type node struct {
	sim.Nop
	State int
	Mark  *mark
}

type mark struct{ N int }

// acting is a system of two nodes. Node 0 executes do again and again, when enabled.
func acting(enabled func() bool, do func(*node, sim.Env)) sim.System {
	return sim.System{
		Name: "acting", Nodes: 2, Network: netsim.Datagrams{}, New: func(sim.NodeID) sim.Service { return &node{} },
		Actions: []sim.AnyAction{sim.Action[*node]{
			Name: "act", At: func(id sim.NodeID) bool { return id == 0 }, When: func(*node) bool { return enabled() }, Do: do,
		}},
	}
}

// nodes are the types of the services of [acting].
var nodes = []reflect.Type{reflect.TypeFor[*node](), reflect.TypeFor[*node]()}

func always() bool { return true }

// record makes loop execute a path, and records its states in v.
func record(t *testing.T, loop *runloop.Loop, v *verify.Verifier, path choose.Path) {
	t.Helper()
	v.Recorded.Reset()
	loop.Recording = &v.Recorded
	if o := loop.Run(runs.NewWalker(search.DefaultWeights().Scale(), 0), runloop.Task{Path: path}); o.End != runloop.TooLong {
		t.Fatalf("path %v: got %+v, want end %d", path, o, runloop.TooLong)
	}
}

// verifier returns a verifier of the runs of loop.
func verifier(sys *sim.System, loop *runloop.Loop) *verify.Verifier {
	return &verify.Verifier{
		Sys: sys, First: loop.Replay(), Active: func(*replay.Run) {}, Interrupted: func() bool { return false },
		Home: func() *replay.Saved { return loop.Home().Saved },
	}
}

// counting is a monitor that counts the events of all executions.
type counting struct {
	Events int
	calls  *int
}

func (c *counting) Observe(sim.NodeID, any) error { *c.calls++; c.Events = *c.calls; return nil }

// The two executions of each run differ. The mismatch names the first step, and the part of the state with both values.
func TestVerify_NamesDifference(t *testing.T) {
	calls := 0
	again := func() bool { return calls > 2 } // in a second execution of two steps
	monitored := acting(always, func(_ *node, env sim.Env) { env.Announce("did") })
	monitored.Monitors = []func() sim.Monitor{func() sim.Monitor { return &counting{calls: &calls} }}
	monitored.State = []sim.StateRule{sim.IgnoreField[counting]("calls")}
	board := map[string]int{}
	for name, c := range map[string]struct {
		sys        sim.System
		path, want choose.Path
		node       sim.NodeID
		diff       *verify.Difference
		message    string
	}{
		"field": {
			acting(always, func(n *node, _ sim.Env) { calls++; n.State = 4 + calls%4/2 }), choose.Path{0, 0}, choose.Path{0}, 0,
			&verify.Difference{Step: 1, Where: "n0", Field: "State", Values: [2]string{"5", "4"}},
			"step 1 leaves n0 in different states when repeated: State is 5 or 4; " +
				"the service *verify_test.node depends on more than its node's own events",
		},
		"shared map": {
			sim.System{Name: "sharer", Nodes: 1, New: func(sim.NodeID) sim.Service { return &toys.Sharer{Board: board} }},
			choose.Path{0, 0, 0}, nil, 0,
			&verify.Difference{Where: "n0", Field: "Board[seen]", Values: [2]string{"3", "2"}},
			"the start leaves n0 in different states when repeated: Board[seen] is 3 or 2; " +
				"the service *toys.Sharer depends on more than its node's own events",
		},
		"monitor": {
			monitored, choose.Path{0, 0}, choose.Path{0}, -1,
			&verify.Difference{Step: 1, Where: "monitor 0", Field: "Events", Values: [2]string{"3", "4"}},
			"step 1 leaves monitor 0 in different states when repeated: Events is 3 or 4",
		},
		"choices": {
			acting(always, func(n *node, env sim.Env) {
				calls++
				env.Choose("n", 2)
				if again() {
					env.Choose("m", 3)
				}
			}), choose.Path{0, 1, 0, 0}, choose.Path{0, 1}, -1, nil,
			`step 1 behaved differently when repeated: it made 3 choices instead of 2, the last for draw "m" of 3`,
		},
		"enabled event": {
			acting(func() bool { return calls != 3 }, func(*node, sim.Env) { calls++ }), choose.Path{0, 0}, choose.Path{0, 0}, -1, nil,
			"step 2 behaved differently when repeated: event 0 was no longer enabled",
		},
	} {
		t.Run(name, func(t *testing.T) {
			calls = 0
			loop := systest.Loop(t, c.sys)
			v := verifier(&c.sys, loop)
			record(t, loop, v, c.path)
			service := reflect.TypeOf(c.sys.New(0))
			got := v.Verify([]reflect.Type{service, service})
			if got == nil {
				t.Fatal("the executions are taken for equal")
			}
			if f := got.Finding; f.Kind != sim.Nondeterminism || f.Node != c.node || f.Message != c.message {
				t.Errorf("got  %s of node %d: %s\nwant %s of node %d: %s", f.Kind, f.Node, f.Message, sim.Nondeterminism, c.node, c.message)
			}
			if !slices.Equal(got.Path, c.want) || !reflect.DeepEqual(got.Difference, c.diff) {
				t.Errorf("got path %v, %+v; want %v, %+v", got.Path, got.Difference, c.want, c.diff)
			}
		})
	}
}

// The second execution makes closer checks. What they find is the finding, and the path ends there.
func TestVerify_ReportsFindings(t *testing.T) {
	var calls int
	var interned *mark
	for name, c := range map[string]struct {
		do   func(*node, sim.Env)
		kind sim.FindingKind
		path choose.Path // empty if there is none
		text string      // start of the message, or the property
	}{
		"panic": {func(n *node, _ sim.Env) {
			if calls++; calls == 3 {
				panic("third")
			}
		}, sim.Panic, choose.Path{0}, "third"},
		"changed message": {func(n *node, env sim.Env) {
			if n.State++; n.State == 2 {
				n.Mark = &mark{}
				env.Send(1, n.Mark)
				n.Mark.N++
			}
		}, sim.Safety, choose.Path{0, 0}, kernel.MessagesProperty},
		"shared memory": {func(n *node, _ sim.Env) {
			if interned == nil {
				interned = &mark{}
			}
			n.Mark = interned
		}, sim.Nondeterminism, choose.Path{0, 0},
			"the service *verify_test.node: Mark refers to what was made in a run and lasts longer"},
		"none": {func(n *node, _ sim.Env) { n.State++ }, "", nil, ""},
	} {
		calls = 0
		sys := acting(always, c.do)
		loop := systest.Loop(t, sys)
		v := verifier(&sys, loop)
		record(t, loop, v, choose.Path{0, 0})
		got := v.Verify(nodes)
		switch {
		case got == nil || c.path == nil:
			if got != nil || c.path != nil {
				t.Errorf("%s: got %+v, want path %v", name, got, c.path)
			}
		case got.Kind != c.kind || !strings.HasPrefix(got.Message, c.text) && got.Property != c.text,
			!slices.Equal(got.Path, c.path) || got.Steps != len(c.path):
			t.Errorf("%s: got path %v, %d steps, %+v; want path %v, %s %s", name, got.Path, got.Steps, got.Finding, c.path, c.kind, c.text)
		}
	}
}

// A run that began in a kept state is executed again from there, and steps are counted from the initial state.
func TestVerify_FromKeptState(t *testing.T) {
	const kept = 200
	calls, differ := 0, false
	sys := acting(always, func(n *node, _ sim.Env) {
		if calls++; differ {
			n.State = calls
		}
	})
	loop := systest.Loop(t, sys)
	v := verifier(&sys, loop)
	path := make(choose.Path, kept+2)
	loop.Keep(path[:kept])
	record(t, loop, v, path)
	for _, differ = range []bool{false, true} {
		record(t, loop, v, path)
		calls = 0
		got := v.Verify(nodes)
		if !differ && (got != nil || calls != 2) {
			t.Errorf("got %+v after %d calls, want nil after 2", got, calls)
		}
		if differ && (got == nil || got.Steps != kept+1 || len(got.Path) != kept+1) {
			t.Errorf("got %+v, want a difference in step %d", got, kept+1)
		}
	}
}

// An interrupted execution reports no difference.
func TestVerify_Interrupted(t *testing.T) {
	calls := 0
	sys := acting(always, func(n *node, _ sim.Env) { calls++; n.State = calls })
	loop := systest.Loop(t, sys)
	v := verifier(&sys, loop)
	record(t, loop, v, choose.Path{0, 0})
	steps := 0
	v.Interrupted = func() bool { steps++; return steps == 2 }
	if got := v.Verify(nodes); got != nil || calls != 2 {
		t.Errorf("got %+v after %d calls, want nil after the 2 of the recorded run", got, calls)
	}
}

// Short runs are repeated up to 16 times, in at most 64 steps and starts.
func TestRepeats_FewerForLongRuns(t *testing.T) {
	for steps, want := range map[int]int{0: 16, 3: 16, 4: 12, 31: 2, 63: 1, 64: 0} {
		v := verify.Verifier{First: &replay.Run{Bounds: make([]int32, steps)}}
		if got := v.Repeats(true); got != want {
			t.Errorf("%d steps: %d repetitions, want %d", steps, got, want)
		}
		if got := v.Repeats(false); got != 0 {
			t.Errorf("%d steps, no further checks: %d repetitions, want 0", steps, got)
		}
	}
}
