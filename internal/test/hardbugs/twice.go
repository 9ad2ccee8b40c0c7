package hardbugs

import (
	"fmt"
	"strconv"
	"time"

	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// Twice hands out numbers. Each node reserves blocks of numbers on its disk. After a restart a node reserves
// another block, and forgets to sync. So after a second crash it hands out the same numbers again, but only when
// the system is live again.
func Twice() Case {
	system := func(corrected bool) sim.System {
		return sim.System{
			Name: "twice", Nodes: 3, Crashes: 2,
			New:     func(sim.NodeID) sim.Service { return &counter{Corrected: corrected} },
			Network: netsim.Datagrams{},
			Actions: []sim.AnyAction{
				sim.Action[*counter]{Name: "number", Times: 8, When: func(s *counter) bool { return s.Ready == 7 }, Do: (*counter).number},
			},
			Monitors: []func() sim.Monitor{func() sim.Monitor { return &numbers{} }},
			Properties: []sim.Property{{Name: "all know all", Eventually: func(v *sim.View) bool {
				up := 0
				for _, s := range sim.Nodes[*counter](v) {
					if s.Joined == 7 {
						up++
					}
				}
				return up == v.Len()
			}}},
		}
	}
	return Case{
		Name: "second failure", Why: "a node must crash, recover, crash again, and recover before the defect shows",
		System: system(false), Corrected: system(true),
	}
}

const block = 10

type (
	hello   struct{ Joined uint8 }
	greet   struct{}
	number  struct{ Node, Value int }
	numbers struct{ Given map[number]bool }
)

// counter is a node of [Twice].
type counter struct {
	sim.Nop
	Corrected bool
	Joined    uint8 // known nodes
	Ready     uint8 // nodes that know all
	Next      int
}

func (c *counter) Boot(env sim.Env) {
	c.Joined = 1 << env.Self()
	reserved := 0
	text, again := env.Disk().Get("reserved")
	if again {
		reserved, _ = strconv.Atoi(string(text))
	}
	c.Next = reserved
	env.Disk().Put("reserved", []byte(strconv.Itoa(reserved+block)))
	if !again || c.Corrected {
		env.Disk().Sync()
	}
	env.SetTimer(greet{}, time.Second)
}

func (c *counter) number(env sim.Env) {
	env.Announce(number{int(env.Self()), c.Next})
	c.Next++
}

func (c *counter) Timer(env sim.Env, _ any) {
	for id := range sim.NodeID(env.Nodes()) {
		if id != env.Self() && c.Ready>>id&1 == 0 {
			env.Send(id, hello{c.Joined})
		}
	}
	if c.Ready != 7 {
		env.SetTimer(greet{}, time.Second)
	}
}

func (c *counter) Receive(env sim.Env, from sim.NodeID, msg any) {
	c.Joined |= 1 << from
	m := msg.(hello)
	if m.Joined == 7 {
		c.Ready |= 1 << from
	}
	if c.Joined == 7 {
		c.Ready |= 1 << env.Self()
	}
	if m.Joined>>env.Self()&1 == 0 || m.Joined != 7 && c.Joined == 7 {
		env.Send(from, hello{c.Joined})
	}
}

func (m *numbers) Observe(_ sim.NodeID, event any) error {
	n := event.(number)
	if m.Given[n] {
		return fmt.Errorf("node %d gave number %d twice", n.Node, n.Value)
	}
	if m.Given == nil {
		m.Given = map[number]bool{}
	}
	m.Given[n] = true
	return nil
}
