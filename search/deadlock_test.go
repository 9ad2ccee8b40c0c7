package search_test

import (
	"testing"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

type (
	lock    struct{}
	unlock  struct{}
	granted struct{}
)

// locker holds a lock, and serves one client after the other.
type locker struct {
	sim.Nop
	Queue []sim.NodeID // the first has the lock
}

func (k *locker) Receive(env sim.Env, from sim.NodeID, msg any) {
	switch msg.(type) {
	case lock:
		if k.Queue = append(k.Queue, from); len(k.Queue) > 1 {
			return
		}
	case unlock:
		if k.Queue = k.Queue[1:]; len(k.Queue) == 0 {
			return
		}
	}
	env.Send(k.Queue[0], granted{})
}

// transfer takes both locks, in its own order, and releases them.
type transfer struct {
	sim.Nop
	order [2]sim.NodeID `macemc:"-"`
	Held  int
	Busy  bool
}

func (c *transfer) begin(env sim.Env) {
	c.Busy = true
	env.Send(c.order[0], lock{})
}

func (c *transfer) Receive(env sim.Env, _ sim.NodeID, _ any) {
	if c.Held++; c.Held == 1 {
		env.Send(c.order[1], lock{})
		return
	}
	env.Send(c.order[0], unlock{})
	env.Send(c.order[1], unlock{})
	c.Held, c.Busy = 0, false
}

// twoLocks is idle, and live, until the application begins a transfer. With deadlock the clients differ in their order.
func twoLocks(deadlock, disturbs bool) sim.System {
	return sim.System{
		Name: "two locks", Nodes: 4, Network: netsim.Datagrams{},
		New: func(n sim.NodeID) sim.Service {
			switch {
			case n < 2:
				return &locker{}
			case n == 2 && deadlock:
				return &transfer{order: [2]sim.NodeID{1, 0}}
			}
			return &transfer{order: [2]sim.NodeID{0, 1}}
		},
		Actions: []sim.AnyAction{
			sim.Action[*transfer]{Name: "transfer", Disturbs: disturbs, When: func(c *transfer) bool { return !c.Busy }, Do: (*transfer).begin},
		},
		Properties: []sim.Property{{Name: "no transfer is pending", Eventually: func(v *sim.View) bool {
			for _, c := range sim.Nodes[*transfer](v) {
				if c.Busy {
					return false
				}
			}
			return true
		}}},
	}
}

// Random walks begin transfers that the application may begin, also if these disturb and no other event is enabled. All
// seeds find the deadlock, and walks without it are not short.
func TestDeadlock_IdleSystem(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, disturbs := range []bool{false, true} {
		for _, name := range runStrategies {
			for _, steps := range []int{20, 0} {
				config := func(deadlock bool, seed uint64) search.Config {
					sys := twoLocks(deadlock, disturbs)
					return search.Config{System: sys, Strategy: name, WalkSteps: steps, Seed: seed, Workers: 1, MaxPaths: 500,
						Confirm: critical.Confirm(critical.Config{System: sys, Workers: 1})}
				}
				for seed := range uint64(2) {
					if res := run(t, config(true, seed+1)); res.Verdict != search.Violation || res.Finding.Kind != sim.Deadlock {
						t.Errorf("disturbs %v, %s, %d steps, seed %d: %s", disturbs, name, steps, seed+1, res.Verdict)
					}
				}
				if !disturbs {
					continue // transfers never end, so that recovery may take long
				}
				res := run(t, config(false, 1))
				if res.Verdict != search.OK {
					t.Errorf("%s, %d steps: %s", name, steps, res.Verdict)
				}
				for _, p := range res.Stats.Phases {
					walks := strategy.OfWalks(p.Name) != nil
					if walks && 2*p.Short > p.Paths || !walks && p.Short > 0 {
						t.Errorf("%s, %d steps: %d of %d %s are short", name, steps, p.Short, p.Paths, p.Name)
					}
				}
				if name == search.Deepening && phaseOf(res, "faulty walks").Paths == 0 {
					t.Error("there are no faulty walks")
				}
			}
		}
	}
}
