package linear_test

import (
	"context"
	"fmt"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/linear"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Messages, and the announcements of clients.
type (
	Op struct {
		ID    int // of the operation: its client has one at a time
		Key   string
		Write bool
		Value int
	}
	Done     struct{ ID, Value int }
	invoked  struct{ Op Op }
	returned struct{ ID, Value int }
)

type store struct {
	sim.Nop
	Values map[string]int
}

func (s *store) Receive(env sim.Env, from sim.NodeID, msg any) {
	op := msg.(Op)
	if op.Write {
		if s.Values == nil {
			s.Values = map[string]int{}
		}
		s.Values[op.Key] = op.Value
	}
	env.Send(from, Done{op.ID, s.Values[op.Key]})
}

type client struct {
	sim.Nop
	Waits bool
}

func (c *client) write(env sim.Env) { c.begin(env, true) }
func (c *client) read(env sim.Env)  { c.begin(env, false) }

func (c *client) begin(env sim.Env, write bool) {
	c.Waits = true
	op := Op{ID: int(env.Self()), Key: "x", Write: write, Value: int(env.Self())}
	env.Announce(invoked{op})
	env.Send(0, op)
}

func (c *client) Receive(env sim.Env, _ sim.NodeID, msg any) {
	c.Waits = false
	env.Announce(returned{msg.(Done).ID, msg.(Done).Value})
}

// observed is the monitor.
type observed struct{ linear.History[int, Op, int] }

func (h *observed) Name() string { return "reads are linearizable" }

func (h *observed) Observe(_ sim.NodeID, event any) error {
	switch e := event.(type) {
	case invoked:
		h.Begin(e.Op.ID, e.Op)
	case returned:
		h.End(e.ID, e.Value)
		return linear.Check(registerModel, &h.History).Err()
	}
	return nil
}

var registerModel = linear.Model[int, Op, int]{
	Key: func(op Op) any { return op.Key },
	Step: func(state int, op Op, result *int) (ok bool, next int) {
		if op.Write {
			state = op.Value
		}
		return result == nil || *result == state, state
	},
}

// A store and two clients. The monitor checks the history of their operations at the end of each operation.
func Example() {
	idle := func(c *client) bool { return !c.Waits }
	system := sim.System{
		Name:  "register",
		Nodes: 3,
		New: func(id sim.NodeID) sim.Service {
			if id == 0 {
				return &store{}
			}
			return &client{}
		},
		Network: netsim.Datagrams{},
		Actions: []sim.AnyAction{
			sim.Action[*client]{Name: "write", Times: 1, When: idle, Do: (*client).write},
			sim.Action[*client]{Name: "read", Times: 2, When: idle, Do: (*client).read},
		},
		Monitors:   []func() sim.Monitor{func() sim.Monitor { return &observed{} }},
		Properties: []sim.Property{{Name: "all are answered", Eventually: sim.Each(func(_ sim.NodeID, c *client) bool { return !c.Waits })}},
	}
	report, err := check.Run(context.Background(), check.Options{Search: search.Config{System: system, MaxPaths: 200, Workers: 1}})
	if err != nil {
		panic(err)
	}
	fmt.Println(report.Verdict)
	// Output: ok
}
