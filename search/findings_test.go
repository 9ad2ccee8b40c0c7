package search_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// node is a service made of functions.
type node struct {
	sim.Nop
	State int
}

func oneAction(do func(*node, sim.Env)) sim.System {
	return sim.System{
		Name: "one action", Nodes: 1, New: func(sim.NodeID) sim.Service { return &node{} },
		Actions: []sim.AnyAction{
			sim.Action[*node]{Name: "idle", When: func(n *node) bool { return n.State == 0 }, Do: func(n *node, _ sim.Env) { n.State = 1 }},
			sim.Action[*node]{Name: "act", When: func(n *node) bool { return n.State < 3 }, Do: do},
		},
	}
}

func TestPanic(t *testing.T) {
	res := run(t, search.Config{System: oneAction(func(n *node, _ sim.Env) {
		if n.State++; n.State == 2 {
			panic("two")
		}
	})})
	f := res.Finding
	// The shortest path: idle, act. In state 1 act is forced.
	if f == nil || f.Kind != sim.Panic || f.Message != "two" || f.Node != 0 || f.Stack == "" || !slices.Equal(f.Path, choose.Path{0, 0}) {
		t.Fatalf("got %+v", f)
	}
}

// The handler does not return in state 1: the second step of the first run that gets there.
func TestHandlerThatDoesNotReturn(t *testing.T) {
	var asked []search.Suspect
	searched := func(answer search.Confirmed) *search.Result {
		var end atomic.Bool // ends with its search, to release the processor
		defer end.Store(true)
		return run(t, search.Config{
			Workers: 2, HandlerLimit: 100 * time.Millisecond,
			System: oneAction(func(n *node, env sim.Env) {
				if n.State == 1 && env.Choose("which", 3) == 1 {
					for !end.Load() {
					}
				}
				n.State++
			}),
			Confirm: func(_ context.Context, s search.Suspect) (search.Confirmed, error) {
				asked = append(asked, s)
				return answer, nil
			},
		})
	}
	res := searched(search.Confirmed{Violation: true, Detail: "confirmed"})
	if res.Verdict != search.Violation || res.Detail != "confirmed" || len(asked) != 1 {
		t.Fatalf("got %+v, asked %+v", res, asked)
	}
	f := res.Finding
	if f.Kind != sim.Divergence || !f.Overdue || f.Steps != 2 || !slices.Equal(f.Path, choose.Path{0, 0, 1}) {
		t.Errorf("got %+v, want a divergence in step 2 of 0 0 1", f)
	}
	// The confirmation is undecided.
	if res = searched(search.Confirmed{}); res.Verdict != search.Inconclusive || res.Stopped != stats.StoppedStuck || res.Undecided != 1 {
		t.Errorf("undecided: got %+v", res)
	}
}

// A handler that is slow, but returns, does not end the search.
func TestSlowHandler(t *testing.T) {
	var release atomic.Bool
	res := run(t, search.Config{
		Workers: 1, HandlerLimit: 100 * time.Millisecond,
		System: oneAction(func(n *node, _ sim.Env) {
			for n.State == 1 && !release.Load() {
				time.Sleep(time.Millisecond)
			}
			n.State++
		}),
		Confirm: func(_ context.Context, s search.Suspect) (search.Confirmed, error) {
			release.Store(true)
			return search.Confirmed{Refuted: s.Overdue}, nil
		},
	})
	if res.Verdict != search.OK || res.Suspects != 1 || res.Slow != 1 || !res.Stats.Complete || res.Stats.States != 4 {
		t.Errorf("got %+v", res)
	}
}

// A bound on the choices within a step needs no watchdog.
func TestEndlessChoices(t *testing.T) {
	res := run(t, search.Config{System: oneAction(func(_ *node, env sim.Env) {
		for env.Choose("again", 1) == 0 {
		}
	})})
	if f := res.Finding; f == nil || f.Kind != sim.Divergence || f.Overdue {
		t.Fatalf("got %+v", f)
	}
}

// A service that depends on more than its state is detected, with the step, the field and both values.
func TestNondeterminism(t *testing.T) {
	calls := 0
	res := run(t, search.Config{Workers: 1, System: oneAction(func(n *node, _ sim.Env) {
		calls++
		n.State = 4 + calls%2
	})})
	f := res.Finding
	// The first run is idle, act.
	if f == nil || f.Kind != sim.Nondeterminism || f.Node != 0 || f.Steps != 2 || !slices.Equal(f.Path, choose.Path{0, 0}) {
		t.Fatalf("got %+v", f)
	}
	if d := f.Difference; d == nil || d.Step != 2 || d.Where != "n0" || d.Field != "State" || d.Values != [2]string{"4", "5"} && d.Values != [2]string{"5", "4"} {
		t.Errorf("difference: %+v", d)
	}
	want := "step 2 leaves n0 in different states when repeated: State is "
	if got, ok := strings.CutPrefix(f.Message, want); !ok || !strings.HasPrefix(got, "4 or 5; the service *") && !strings.HasPrefix(got, "5 or 4; the service *") {
		t.Errorf("message: %s", f.Message)
	}
}

// mapSharer counts in a map that all nodes of all runs share.
type mapSharer struct {
	sim.Nop
	Counts map[sim.NodeID]int
}

func (s *mapSharer) Boot(env sim.Env)         { env.SetTimer(1, 1) }
func (s *mapSharer) Timer(env sim.Env, _ any) { s.Counts[env.Self()]++; env.SetTimer(1, 1) }

// State shared with other runs has the same value in both whenever it is read. It differs after more steps are
// executed.
func TestSharedState(t *testing.T) {
	shared := map[sim.NodeID]int{}
	res := run(t, search.Config{Workers: 1, System: sim.System{
		Name: "mapSharer", Nodes: 2, New: func(sim.NodeID) sim.Service { return &mapSharer{Counts: shared} },
	}})
	f := res.Finding
	if f == nil || f.Kind != sim.Nondeterminism || f.Difference == nil || !strings.HasPrefix(f.Difference.Field, "Counts[") ||
		f.Difference.Values[0] == f.Difference.Values[1] || !strings.HasPrefix(f.Message, "the start leaves n") {
		t.Fatalf("got %+v", f)
	}
}

type counting struct {
	Events int
	calls  *int
}

func (c *counting) Observe(sim.NodeID, any) error { *c.calls++; c.Events = *c.calls; return nil }

// The fields of monitors are named, too.
func TestNondeterministicMonitor(t *testing.T) {
	calls := 0
	sys := oneAction(func(_ *node, env sim.Env) { env.Announce("did") })
	sys.Monitors = []func() sim.Monitor{func() sim.Monitor { return &counting{calls: &calls} }}
	sys.State = []sim.StateRule{sim.IgnoreField[counting]("calls")}
	f := run(t, search.Config{Workers: 1, System: sys}).Finding
	if f == nil || f.Kind != sim.Nondeterminism || f.Node != -1 || f.Difference == nil || f.Difference.Where != "monitor 0" || f.Difference.Field != "Events" {
		t.Fatalf("got %+v", f)
	}
}

// A service with different questions is nondeterministic, too.
func TestNondeterministicChoices(t *testing.T) {
	calls := 0
	res := run(t, search.Config{Workers: 1, System: oneAction(func(n *node, env sim.Env) {
		calls++
		env.Choose("n", 2+calls%2)
		env.Choose("m", 1+calls%2)
		n.State++
	})})
	f := res.Finding
	if f == nil || f.Kind != sim.Nondeterminism || !strings.Contains(f.Message, "step 2 behaved differently when repeated: it made ") ||
		!strings.Contains(f.Message, ", the last for draw \"") {
		t.Fatalf("got %+v", f)
	}
}

type list struct{ Items []int }

// sender changes a message after sending it.
type sender struct {
	sim.Nop
	Kept []int
	Sent bool
}

func TestChangedMessage(t *testing.T) {
	res := run(t, search.Config{Workers: 1, System: sim.System{
		Name: "sender", Nodes: 2, New: func(sim.NodeID) sim.Service { return &sender{} }, Network: netsim.Datagrams{},
		Actions: []sim.AnyAction{sim.Action[*sender]{
			Name: "send", When: func(s *sender) bool { return !s.Sent }, At: func(id sim.NodeID) bool { return id == 0 },
			Do: func(s *sender, env sim.Env) {
				s.Kept, s.Sent = []int{1, 2}, true
				env.Send(1, list{s.Kept})
				s.Kept[0] = 7
			},
		}},
	}})
	if f := res.Finding; f == nil || f.Kind != sim.Safety || f.Property != "messages are values" || f.Node != 0 || f.Steps != 1 {
		t.Fatalf("got %+v", f)
	}
}
