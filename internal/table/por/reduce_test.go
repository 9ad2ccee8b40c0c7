package por_test

import (
	"context"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/explore/graph"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/por"
	"github.com/macemc/macemc/internal/test/reductions"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems"
	"github.com/macemc/macemc/systems/spec"
)

// lives is a service to which a message matters in its first life only before it moves, and in the second one again.
type lives struct {
	Wrote, Moved, Second, Heard bool
}

func (s *lives) Boot(env sim.Env) { _, s.Second = env.Disk().Get("wrote") }

func (s *lives) Receive(_ sim.Env, _ sim.NodeID, _ any) {
	if !s.Moved {
		s.Heard = true
	}
}

func (s *lives) Timer(sim.Env, any) {}

type word struct{}

// A datagram that changes nothing any more may do so once the node has crashed.
func TestReduction_DatagramBeforeCrash(t *testing.T) {
	t.Parallel()
	sys := sim.System{
		Name: "lives", Nodes: 1, Network: netsim.Datagrams{}, Crashes: 1, New: func(sim.NodeID) sim.Service { return new(lives) },
		Actions: []sim.AnyAction{
			sim.Action[*lives]{Name: "write", Times: 1, Do: func(s *lives, env sim.Env) {
				s.Wrote = true
				env.Disk().Put("wrote", nil)
				env.Disk().Sync()
			}},
			// It does not crash inside this step, having sent that.
			sim.Action[*lives]{Name: "move", Times: 1, When: func(s *lives) bool { return s.Wrote }, Do: func(s *lives, env sim.Env) {
				s.Moved = true
				env.Send(0, word{})
			}},
		},
		Properties: []sim.Property{{Name: "quiet", Always: sim.Each(func(_ sim.NodeID, s *lives) bool { return !s.Second || !s.Heard })}},
	}
	for _, without := range []options.Mutation{"", por.NoRestart} {
		for _, w := range []options.Rules{{DeadMessages: true}, {DeadMessages: true, SingletonAmple: true, Chains: true}} {
			w.Mutation = without
			x, err := table.Explore(context.Background(), &sys, options.Options{Reduce: options.ReduceFull, Rules: &w})
			if err != nil {
				t.Fatal(err)
			}
			if (x.Finding != nil) != (without == "") {
				t.Errorf("%+v: found %v", w, x.Finding)
			}
		}
	}
}

// The bundled Paxos ends in the same states when others are left out.
func TestReduction_Terminals(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Parallel()
	for _, c := range []struct {
		proposers string
		how       options.Reduction
		want      int
	}{{"2", options.ReduceNone, 7}, {"2", options.ReduceFull, 7}, {"3", options.ReduceFull, 49}} {
		e, err := systems.Find("paxos")
		if err != nil {
			t.Fatal(err)
		}
		sys, err := e.New(spec.Config{Params: map[string]string{"proposers": c.proposers}})
		if err != nil {
			t.Fatal(err)
		}
		x, err := reductions.Explore(&sys, options.Options{Reduce: c.how})
		if err != nil || len(x.Terminal) != c.want {
			t.Errorf("%s proposers, %s: %v, %d states in which nothing happens any more, want %d", c.proposers, c.how, err, len(x.Terminal), c.want)
		}
	}
}

// Systems are not reduced if they use features that the reduction is not known to preserve.
func TestReduction_Irreducible(t *testing.T) {
	t.Parallel()
	for why, change := range map[string]func(*sim.System){
		"":              func(*sim.System) {},
		"streams":       func(s *sim.System) { s.Network = netsim.Both{} },
		"queues":        func(s *sim.System) { s.Network = netsim.Queues{} },
		"timing Prompt": func(s *sim.System) { s.Timing = sim.Prompt },
		"partitions":    func(s *sim.System) { s.Network = netsim.Datagrams{Partitions: 1} },
		"nodes that start late": func(s *sim.System) {
			s.Late = func(id sim.NodeID) bool { return id == 1 }
		},
		"fair infinite runs are judged": func(s *sim.System) {
			s.Properties = []sim.Property{{Name: "again", Inevitably: func(*sim.View) bool { return true }}}
		},
	} {
		sys := sim.System{Name: "still", Nodes: 2, Network: netsim.Datagrams{}, New: func(sim.NodeID) sim.Service { return new(lives) }}
		change(&sys)
		x, err := table.Explore(context.Background(), &sys, options.Options{Reduce: options.ReduceFull})
		if err != nil {
			t.Fatal(err)
		}
		want := por.Reduced{Used: options.ReduceFull, Rounds: 1}
		if why != "" {
			want = por.Reduced{Used: options.ReduceNone, Why: why + ": not reduced"}
		}
		if got := x.Reduced; got.Used != want.Used || got.Why != want.Why || got.Rounds != want.Rounds {
			t.Errorf("%s: %+v", why, got)
		}
	}
}

// A property that reads the messages in flight keeps everything.
func TestReduction_PropertyReadsMessages(t *testing.T) {
	t.Parallel()
	e, err := systems.Find("paxos")
	if err != nil {
		t.Fatal(err)
	}
	sys, err := e.New(spec.Config{})
	if err != nil {
		t.Fatal(err)
	}
	sys.Properties = append(sys.Properties[:1:1], sim.Property{Name: "few", Always: func(v *sim.View) bool {
		n := 0
		for range v.InFlight() {
			n++
		}
		return n < 100
	}})
	for _, how := range []options.Reduction{options.ReduceDrop, options.ReduceFull} {
		x, err := table.Explore(context.Background(), &sys, options.Options{Reduce: how})
		if err != nil || x.States != 98_160 || x.Reduced.Used != options.ReduceNone || x.Reduced.Why == "" {
			t.Errorf("%s: %v, %d states, %+v", how, err, x.States, x.Reduced)
		}
	}
}

// armed is a service with one timer, armed from the start.
type armed struct{ sim.Nop }

func (s *armed) Boot(env sim.Env) { env.SetTimer(word{}, 1) }

// A violation in the initial state is found there, also if it concerns another node than the first and disappears later.
func TestReduction_InitialViolation(t *testing.T) {
	t.Parallel()
	sys := sim.System{
		Name: "armed", Nodes: 2, New: func(sim.NodeID) sim.Service { return new(armed) },
		Properties: []sim.Property{{Name: "calm", Always: func(v *sim.View) bool { return !v.TimerSet(1, word{}) }}},
	}
	for _, how := range []options.Reduction{options.ReduceNone, options.ReduceDrop, options.ReduceFull} {
		x, err := table.Explore(context.Background(), &sys, options.Options{Reduce: how})
		if err != nil || x.Finding == nil || len(x.Path) != 0 {
			t.Errorf("%s: %v, found %v at the end of %v, want the empty path", how, err, x.Finding, x.Path)
		}
	}
}

// Messages that a property observes are not dropped on paths to violations of other properties, either: the nearest is found.
func TestReduction_NearestViolation(t *testing.T) {
	t.Parallel()
	sys := sim.System{
		Name: "noisy", Nodes: 1, Network: netsim.Datagrams{}, New: func(sim.NodeID) sim.Service { return new(lives) },
		Actions: []sim.AnyAction{sim.Action[*lives]{Name: "go", Times: 2, Do: func(s *lives, env sim.Env) {
			env.Send(0, word{}) // for nothing, as it has moved
			s.Moved, s.Wrote = true, s.Moved
		}}},
		Properties: []sim.Property{
			{Name: "silent", Always: func(v *sim.View) bool {
				for range v.InFlight() {
					return false
				}
				return true
			}},
			{Name: "once", Always: sim.Each(func(_ sim.NodeID, s *lives) bool { return !s.Wrote })},
		},
	}
	for _, how := range []options.Reduction{options.ReduceNone, options.ReduceDrop, options.ReduceFull} {
		x, err := table.Explore(context.Background(), &sys, options.Options{Reduce: how})
		if err != nil || x.Finding == nil || len(x.Path) != 1 {
			t.Errorf("%s: %v, found %v at the end of %v, want one step", how, err, x.Finding, x.Path)
		}
	}
}

// blind is a visited set that cannot find where edges lead.
type blind struct{ stateset.Visited }

// The proviso needs to find where edges lead. If no set can, nothing is reduced, and the report says so.
func TestReduction_NeedsFinder(t *testing.T) {
	entry, err := systems.Find("twophase")
	if err != nil {
		t.Fatal(err)
	}
	sys, err := entry.New(spec.Config{})
	if err != nil {
		t.Fatal(err)
	}
	set := stateset.Kinds[1]
	made := set.New
	set.New = func(g graph.Graph) stateset.Visited { return blind{made(g)} }
	x, err := table.Explore(t.Context(), &sys, options.Options{Visited: set, Reduce: options.ReduceAuto})
	if err != nil {
		t.Fatal(err)
	}
	full, err := table.Explore(t.Context(), &sys, options.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !x.Complete || x.States != full.States || x.Transitions != full.Transitions || x.Reduced.Used != options.ReduceNone ||
		!strings.Contains(x.Reduced.Why, "cannot find where edges lead") || x.LivenessChecked {
		t.Errorf("%s: %d of %d states, %+v", x.Stopped, x.States, full.States, x.Reduced)
	}
}
