package bruteforce_test

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/test/bruteforce"
	"github.com/macemc/macemc/sim"
)

// picker draws one of three numbers, once.
type picker struct {
	sim.Nop
	Picked int
}

func (p *picker) pick(env sim.Env) { p.Picked = env.Choose("number", 3) }

func picking(crashes int, properties ...sim.Property) *sim.System {
	return &sim.System{
		Name: "picking", Nodes: 1, Crashes: crashes,
		New:        func(sim.NodeID) sim.Service { return &picker{Picked: -1} },
		Actions:    []sim.AnyAction{sim.Action[*picker]{Name: "pick", Times: 1, Do: (*picker).pick}},
		Properties: properties,
	}
}

// Without crashes: the start and three numbers, by three transitions. With one crash, these four and,
// when it is used up, down with and without having picked, up without, up with each number, and up
// again after having picked and forgotten: 11 states. Transitions: 3 picks and a crash from the start, a
// crash from each number; afterwards a boot of each node that is down, and 3 picks: 12.
func TestExplore(t *testing.T) {
	for crashes, want := range [][2]int{{4, 3}, {11, 12}} {
		g, err := bruteforce.Explore(picking(crashes))
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]int{len(g.States), g.Transitions()}; got != want {
			t.Errorf("%d crashes: got %v, want %v", crashes, got, want)
		}
		if g.Violation() != nil || g.Dead() != nil {
			t.Errorf("%d crashes: a violation or a dead state without any property", crashes)
		}
	}
}

// The start, three numbers, and one state for a node that has halted, with any number; a halt from each of the four others.
func TestExploreHalts(t *testing.T) {
	sys := picking(0)
	sys.Halts = 1
	g, err := bruteforce.Explore(sys)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := [2]int{len(g.States), g.Transitions()}, [2]int{5, 7}; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A node with one pick is dead after another number; a node with unlimited picks is not.
func TestDead(t *testing.T) {
	two := sim.Property{Name: "two", Eventually: sim.Each(func(_ sim.NodeID, p *picker) bool { return p.Picked == 2 })}
	for times, want := range []bool{false, true} {
		sys := picking(0, two)
		sys.Actions = []sim.AnyAction{sim.Action[*picker]{Name: "pick", Times: times, Do: (*picker).pick}}
		g, err := bruteforce.Explore(sys)
		if err != nil {
			t.Fatal(err)
		}
		dead := g.Dead()
		if (dead != nil) != want {
			t.Errorf("picking %d times: dead: %v, want %v", times, dead != nil, want)
		}
		if dead != nil && (len(dead.Path) != 2 || dead.Path[1] == 2) {
			t.Errorf("dead after path %v", dead.Path)
		}
	}
}

// A fault is not recovery: without faults a node that is never live stays so.
func TestInjectionsDoNotRecover(t *testing.T) {
	down := sim.Property{Name: "down", Eventually: func(v *sim.View) bool { return v.Service(0) == nil }}
	g, err := bruteforce.Explore(picking(1, down))
	if err != nil {
		t.Fatal(err)
	}
	if s := g.Dead(); s == nil || len(s.Path) != 0 {
		t.Errorf("got %+v, want the first state", s)
	}
}

func TestViolation(t *testing.T) {
	g, err := bruteforce.Explore(picking(0, sim.Property{Name: "not one",
		Always: sim.Each(func(_ sim.NodeID, p *picker) bool { return p.Picked != 1 })}))
	if err != nil {
		t.Fatal(err)
	}
	if s := g.Violation(); s == nil || len(s.Path) != 2 || s.Path[1] != 1 || !strings.Contains(s.Err.Error(), "not one") {
		t.Errorf("got %+v", s)
	}
}
