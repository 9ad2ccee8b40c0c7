package table_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/world"
	"github.com/macemc/macemc/internal/test/bruteforce"
	"github.com/macemc/macemc/internal/test/lockstep"
	"github.com/macemc/macemc/internal/test/papers"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Both engines agree on systems with quorums, under all faults.
func TestQuorums_EnginesAgree(t *testing.T) {
	for i, c := range []struct {
		system string
		limits sim.Limits
		bugs   []string
	}{
		{"synod", sim.Limits{}, nil},
		{"synod", sim.Limits{sim.Crashes: 2, sim.Loss: 2, sim.Dup: 3, sim.Partitions: 1}, nil},
		{"synod", sim.Limits{sim.Crashes: 1, sim.Dup: 1}, []string{"SY1"}},
		{"echo", sim.Limits{sim.Crashes: 1, sim.Dup: 3}, nil},
		{"register", sim.Limits{sim.Crashes: 2, sim.Dup: 2, sim.Loss: 1}, []string{"RG2"}},
	} {
		e, err := papers.Find(c.system)
		if err != nil {
			t.Fatal(err)
		}
		sys, err := e.New(spec.Config{Bugs: c.bugs, Params: map[string]string{"quorum": "true"}})
		if err == nil {
			sys, err = sys.WithLimits(c.limits)
		}
		if err != nil {
			t.Fatal(err)
		}
		steps := 600
		if testing.Short() {
			steps = 150
		}
		lockstep.New(t, &sys, uint64(i)).Walk(steps, 100)
	}
}

type (
	share  struct{ Worth int }
	report struct{}
	pool   struct {
		sim.Nop
		Rounds, Sum int
		Got         []sim.NodeID
	}
)

func (p *pool) Boot(env sim.Env) {
	if env.Self() > 0 {
		env.Send(0, share{int(env.Self()) % 2})
		env.Send(0, share{2})
	}
}

func (p *pool) Receive(sim.Env, sim.NodeID, any) {}

// pooled is a system in which node 0 takes shares of other nodes, by one quorum or two of the same type.
func pooled(members, quorums int, edit func(*sim.Quorum[*pool, share])) sim.System {
	sys := sim.System{
		Name: "pool", Nodes: 1 + members, Network: netsim.Datagrams{},
		New: func(sim.NodeID) sim.Service { return &pool{} },
		Actions: []sim.AnyAction{sim.Action[*pool]{Name: "report", Times: 1, At: func(id sim.NodeID) bool { return id == 1 },
			Do: func(_ *pool, env sim.Env) { env.Send(0, report{}); env.Send(0, share{2}) }}},
		Properties: []sim.Property{{Name: "at most", Always: func(v *sim.View) bool { return v.Service(0) == nil || v.Service(0).(*pool).Sum < 100 }}},
	}
	for i := range quorums {
		q := sim.Quorum[*pool, share]{
			Name: fmt.Sprint("pooled", i),
			Need: func(p *pool) int { return 2 - p.Rounds/2 },
			Fits: func(p *pool, _ sim.NodeID, s share) bool { return i == 0 || s.Worth == 2 },
			Do: func(p *pool, env sim.Env, set []sim.From[share]) {
				p.Rounds++
				for _, m := range set {
					p.Sum += m.Msg.Worth << i
				}
				if env.Choose("luck", 2) == 1 {
					p.Sum++
				}
			},
		}
		if edit != nil {
			edit(&q)
		}
		sys.Quorums = append(sys.Quorums, q)
	}
	return sys
}

// Tables visit the same states as brute force: copies, several quorums of a type, faults, draws.
func TestQuorums_States(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, c := range []struct {
		members, quorums int
		limits           sim.Limits
	}{{2, 1, sim.Limits{}}, {3, 2, sim.Limits{}}, {2, 2, sim.Limits{sim.Dup: 1}}, {2, 2, sim.Limits{sim.Crashes: 1, sim.Loss: 1}}} {
		sys, err := pooled(c.members, c.quorums, nil).WithLimits(c.limits)
		if err != nil {
			t.Fatal(err)
		}
		g, err := bruteforce.Explore(&sys)
		if err != nil {
			t.Fatal(err)
		}
		x, err := table.Explore(t.Context(), &sys, options.Options{})
		if err != nil || x.Finding != nil || x.States != len(g.States) || x.Transitions != g.Transitions() {
			t.Errorf("%+v: %d states and %d transitions, want %d and %d; %v, %v", c, x.States, x.Transitions, len(g.States), g.Transitions(), err, x.Finding)
		}
		lockstep.New(t, &sys, 1).Walk(500, 30)
	}
}

// Tables find wrong claims of quorums, also if states are left out.
func TestQuorums_WrongClaims(t *testing.T) {
	asked := 0
	for _, c := range []struct {
		want string
		edit func(*sim.Quorum[*pool, share])
	}{
		{"depends on the order of the messages", func(q *sim.Quorum[*pool, share]) {
			q.Do = func(p *pool, _ sim.Env, set []sim.From[share]) { p.Rounds++; p.Sum += set[0].Msg.Worth }
		}},
		{"the Need of quorum \"pooled0\" changed the state", func(q *sim.Quorum[*pool, share]) {
			q.Need = func(p *pool) int { p.Got = append(p.Got, 1); return 2 }
		}},
		{"no set will be taken any more, crashes included; now it is 2", func(q *sim.Quorum[*pool, share]) {
			q.Need = func(p *pool) int { return [...]int{2, -1}[p.Rounds] }
		}},
		{"more than its node's own events", func(q *sim.Quorum[*pool, share]) {
			q.Guard = func(*pool, []sim.From[share]) bool { asked++; return asked%7 > 0 }
		}},
		{"a stream", func(q *sim.Quorum[*pool, share]) {}},
	} {
		sys := pooled(3, 1, c.edit)
		sys.Crashes = 1
		if c.want == "a stream" {
			sys.Network = netsim.Both{}
			sys.Actions = []sim.AnyAction{sim.Action[*pool]{Name: "stream", Do: func(_ *pool, env sim.Env) { _ = env.Stream(0).Send(share{}) }}}
		}
		for _, how := range []options.Reduction{options.ReduceNone, options.ReduceDrop, options.ReduceFull} {
			x, err := table.Explore(t.Context(), &sys, options.Options{Reduce: how})
			if err != nil || x.Finding == nil || !strings.Contains(x.Finding.Error(), c.want) {
				t.Errorf("%s, %s: %v, %+v", c.want, how, err, x.Finding)
			}
		}
	}
}

type (
	again struct{}
	once  struct{}
	loop  struct {
		sim.Nop
		Odd, Done bool
	}
)

func (l *loop) Boot(env sim.Env) { env.Send(0, again{}); env.Send(0, once{}) }

// Fairness holds for each quorum of a node: a set that it can take forever is taken.
func TestQuorums_Fair(t *testing.T) {
	one := func(*loop) int { return 1 }
	sys := sim.System{
		Name: "loop", Nodes: 1, Network: netsim.Datagrams{}, New: func(sim.NodeID) sim.Service { return &loop{} },
		Quorums: []sim.AnyQuorum{
			sim.Quorum[*loop, again]{Name: "again", Need: one, Do: func(l *loop, env sim.Env, _ []sim.From[again]) { l.Odd = !l.Odd; env.Send(0, again{}) }},
			sim.Quorum[*loop, once]{Name: "once", Need: one, Do: func(l *loop, _ sim.Env, _ []sim.From[once]) { l.Done = true }},
		},
		Properties: []sim.Property{{Name: "done", Inevitably: sim.Each(func(_ sim.NodeID, l *loop) bool { return l.Done })}},
	}
	x, err := table.Explore(t.Context(), &sys, options.Options{})
	if err != nil || x.Finding != nil || !x.Fairness.Judged || x.Fairness.Starvation != nil {
		t.Fatalf("%v, %+v, %+v", err, x.Finding, x.Fairness)
	}
}

// Quorums take only messages that have arrived, and the cost of sets of any size is counted.
func TestQuorums_Coverage(t *testing.T) {
	sys := pooled(2, 1, func(q *sim.Quorum[*pool, share]) {
		q.Need, q.Guard = nil, func(p *pool, set []sim.From[share]) bool { return p.Rounds < 2 && len(set) == 2 }
	})
	x, err := table.Explore(t.Context(), &sys, options.Options{})
	if err != nil || x.Finding != nil {
		t.Fatal(err, x.Finding)
	}
	if !slices.ContainsFunc(x.Coverage.Delivered, func(s world.Sent) bool { _, ok := s.Body.(share); return ok && s.To == 0 }) {
		t.Errorf("delivered: %+v", x.Coverage.Delivered)
	}
	// Each of two members sends two shares: of one sender there are 4 sets, of both 4.
	if x.Stats.Tried < 8 {
		t.Errorf("%d sets were tried", x.Stats.Tried)
	}
}
