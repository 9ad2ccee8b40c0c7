package table_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/crashes"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/lockstep"
	"github.com/macemc/macemc/internal/test/shards"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// lodger writes, sends and arms a timer, once, and records what it received.
type lodger struct {
	sim.Nop
	Got, Errors int
	stream      bool
}

func (l *lodger) Work(env sim.Env) {
	env.Disk().Put("a", []byte{1})
	if l.stream {
		_ = env.Stream(1).Send(pulse{})
	} else {
		env.Send(1, pulse{})
	}
	env.SetTimer("sync", 1)
}

func (l *lodger) Boot(env sim.Env) {
	if _, ok := env.Disk().Get("a"); ok {
		l.Got = 7
	}
}

func (l *lodger) Timer(env sim.Env, _ any) { env.Disk().Sync() }

func (l *lodger) Receive(sim.Env, sim.NodeID, any) { l.Got++ }

func (l *lodger) PeerError(sim.Env, sim.NodeID, error) { l.Errors++ }

type pulse struct{}

// lodgers are nodes 0 and 2 in one process, and 1 in another process.
func lodgers(network sim.Network, cut sim.CrashCut, containers ...[]sim.NodeID) *sim.System {
	_, stream := network.(netsim.Streams)
	return &sim.System{
		Name: "lodgers", Nodes: 3, New: func(sim.NodeID) sim.Service { return &lodger{stream: stream} }, Network: network, Timing: sim.AnyOrder,
		Crashes: 2, Halts: 1, CrashCut: cut, Containers: containers,
		Actions:    []sim.AnyAction{sim.Action[*lodger]{Name: "work", Times: 1, At: func(id sim.NodeID) bool { return id != 1 }, Do: (*lodger).Work}},
		Properties: []sim.Property{{Name: "back", Eventually: func(v *sim.View) bool { return v.Service(0) != nil }}},
	}
}

// All explorations agree with the replay engine when nodes run in one process, also if other nodes have unsynced writes.
func TestContainers_AgreeWithReplay(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	together := []sim.NodeID{2, 0}
	for _, test := range []struct {
		name                string
		sys                 *sim.System
		states, transitions int
	}{
		{"datagrams", lodgers(netsim.Datagrams{}, sim.CutPrefix, together), 1_091, 5_165},
		{"none inside", lodgers(netsim.Datagrams{}, sim.CutNone, together), 995, 3_841},
		{"subsets", lodgers(netsim.Datagrams{}, sim.CutSubset, together), 1_091, 5_165},
		{"queues", lodgers(netsim.Queues{}, sim.CutPrefix, together), 921, 4_546},
		{"streams", lodgers(netsim.Streams{}, sim.CutPrefix, together), 1_533, 7_764},
		{"all of them", lodgers(netsim.Datagrams{}, sim.CutPrefix, []sim.NodeID{0, 1, 2}), 1_044, 4_378},
		{"each by itself", lodgers(netsim.Datagrams{}, sim.CutPrefix), 1_138, 5_390},
	} {
		t.Run(test.name, func(t *testing.T) {
			states, transitions, live, found := oracle(t, test.sys, 0)
			if found != nil || states != test.states || transitions != test.transitions {
				t.Errorf("the replay engine: %d states, %d transitions, %v", states, transitions, found)
			}
			set, err := stateset.Named("128")
			if err != nil {
				t.Fatal(err)
			}
			opts := options.Options{Visited: set}
			name := filepath.Join(t.TempDir(), "log")
			for how, explored := range map[string]func() *table.Exploration{
				"breadth first": func() *table.Exploration { return breadth(t, test.sys, opts) },
				"two workers": func() *table.Exploration {
					second := opts
					second.Go = func(f func()) { go f() }
					return breadth(t, test.sys, second)
				},
				"depth first": func() *table.Exploration { return dive(t, test.sys, opts) },
				"in parts":    func() *table.Exploration { return shards.Explore(t, test.sys) },
				"stopped, and gone on with": func() *table.Exploration {
					first := opts
					for first.MaxDepth = 1; first.MaxDepth < 6; first.MaxDepth++ {
						if _, err := logged(t, name, test.sys, first); err != nil {
							t.Fatal(err)
						}
					}
					x, err := logged(t, name, test.sys, opts)
					if err != nil {
						t.Fatal(err)
					}
					return x
				},
			} {
				x := explored()
				if x.States != states || x.Transitions != transitions || !x.Complete || x.Finding != nil || how != "in parts" && x.Live != live {
					t.Errorf("%s: %d states, %d transitions, %d live, complete %v, %v", how, x.States, x.Transitions, x.Live, x.Complete, x.Finding)
				}
			}
			lockstep.New(t, test.sys, 1).Walk(500, 30)
		})
	}
}

// A property that reads a node is asked when that node falls with another one.
func TestContainers_CrashBreaksAlways(t *testing.T) {
	for _, id := range []sim.NodeID{0, 2} {
		sys := lodgers(netsim.Datagrams{}, sim.CutPrefix, []sim.NodeID{2, 0})
		sys.Properties = []sim.Property{{Name: "up", Always: func(v *sim.View) bool { return v.Service(id) != nil }}}
		x := breadth(t, sys, options.Options{})
		if x.Finding == nil || !slices.Equal(x.Path, choose.Path{0, 0, 1}) { // n0 halts inside its step
			t.Errorf("n%d: %v by %v", id, x.Finding, x.Path)
		}
	}
}

// A system with containers is not reduced, and the report says so.
func TestContainers_NotReduced(t *testing.T) {
	sys := lodgers(netsim.Datagrams{}, sim.CutPrefix, []sim.NodeID{2, 0})
	sys.Properties, sys.Roles = nil, func(id sim.NodeID) string { return fmt.Sprint(id != 1) }
	all := breadth(t, sys, options.Options{})
	x := breadth(t, sys, options.Options{Reduce: options.ReduceFull, Symmetry: true, Crashes: options.CrashAuto})
	if x.States != all.States || x.Reduced.Used != options.ReduceNone || x.Reduced.Why != "containers: not reduced" || x.Reduced.Asymmetry != "containers" {
		t.Errorf("%d states of %d, %+v", x.States, all.States, x.Reduced)
	}
	if x.Crashes == nil || x.Crashes.Why != "containers" || len(x.Crashes.Implicit) > 0 {
		t.Errorf("got %+v, want no implicit crashes because of containers", x.Crashes)
	}
	x = breadth(t, sys, options.Options{Crashes: options.CrashImplicit})
	if x.Complete || x.Stopped != crashes.StoppedCrashes {
		t.Errorf("complete %v, %s", x.Complete, x.Stopped)
	}
	both := lodgers(netsim.Streams{Buffer: 1}, sim.CutPrefix, []sim.NodeID{2, 0})
	if x := breadth(t, both, options.Options{Reduce: options.ReduceFull}); x.Reduced.Why != "streams, containers: not reduced" {
		t.Errorf("got %+v, want no reduction because of streams and containers", x.Reduced)
	}
	sys.Containers = nil
	sys.Halts, sys.Crashes = 0, 0
	if x := breadth(t, sys, options.Options{Reduce: options.ReduceFull}); slices.Contains([]options.Reduction{options.ReduceNone}, x.Reduced.Used) {
		t.Errorf("got %+v, want a reduction", x.Reduced)
	}
}
