package knowncounts

import (
	"fmt"

	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// Messages of clients of a register.
type (
	put struct {
		ID    int
		Value byte
	}
	get   struct{ ID int }
	putOK struct{ ID int }
	getOK struct {
		ID    int
		Value byte
	}
)

// Events of histories: an operation writes Value, or reads it.
type (
	invoke struct {
		Write bool
		Value byte
	}
	ret struct{ Value byte } // of a read
)

// client writes a value of its own, then reads from the next server.
type client struct {
	sim.Nop
	Servers int
	Waits   int // ID of the unanswered request; 0 for none
	Done    int // number of sent operations
}

func (c *client) Boot(env sim.Env) {
	id := int(env.Self())
	value := byte('A' + id - c.Servers)
	env.Announce(invoke{true, value})
	env.Send(env.Self()%sim.NodeID(c.Servers), put{id, value})
	c.Waits, c.Done = id, 1
}

func (c *client) Receive(env sim.Env, _ sim.NodeID, msg any) {
	switch m := msg.(type) {
	case putOK:
		if m.ID != c.Waits {
			return
		}
		env.Announce(ret{})
		env.Announce(invoke{})
		c.Waits = 2 * int(env.Self())
		env.Send((env.Self()+1)%sim.NodeID(c.Servers), get{c.Waits})
		c.Done = 2
	case getOK:
		if m.ID != c.Waits {
			return
		}
		env.Announce(ret{m.Value})
		c.Waits, c.Done = 0, 3
	}
}

// history checks that the operations of two clients are linearizable. For each operation it stores how many
// operations of the other client had ended before it began.
type history struct{ Ops [2][]operation }

type operation struct {
	invoke
	After int
	Ended bool
	Saw   byte
}

func (h *history) Observe(from sim.NodeID, event any) error {
	k := int(from) & 1
	mine, other := &h.Ops[k], h.Ops[1-k]
	switch e := event.(type) {
	case invoke:
		op := operation{invoke: e}
		for _, o := range other {
			if o.Ended {
				op.After++
			}
		}
		*mine = append(*mine, op)
	case ret:
		last := &(*mine)[len(*mine)-1]
		last.Ended, last.Saw = true, e.Value
		if !h.explained([2]int{}, 0) {
			return fmt.Errorf("not linearizable: %+v", h.Ops)
		}
	}
	return nil
}

// explained reports whether the operations from next on can take effect in some order.
func (h *history) explained(next [2]int, value byte) bool {
	rest := false
	for k, ops := range h.Ops {
		if next[k] == len(ops) {
			continue
		}
		op := ops[next[k]]
		rest = rest || op.Ended
		if next[1-k] < op.After || op.Ended && !op.Write && op.Saw != value {
			continue
		}
		after, then := value, next
		if op.Write {
			after = op.Value
		}
		then[k]++
		if h.explained(then, after) {
			return true
		}
	}
	return !rest // an unfinished operation need not have taken effect
}

// registerSystem has two clients and some servers.
func registerSystem(servers int, server func() sim.Service) sim.System {
	return sim.System{
		Nodes: servers + 2,
		New: func(id sim.NodeID) sim.Service {
			if int(id) < servers {
				return server()
			}
			return &client{Servers: servers}
		},
		Network:    netsim.Datagrams{},
		Monitors:   []func() sim.Monitor{func() sim.Monitor { return &history{} }},
		Properties: []sim.Property{},
	}
}

type copyServer struct {
	sim.Nop
	Value byte
}

func (s *copyServer) Receive(env sim.Env, from sim.NodeID, msg any) {
	switch m := msg.(type) {
	case put:
		s.Value = m.Value
		env.Send(from, putOK{m.ID})
	case get:
		env.Send(from, getOK{m.ID, s.Value})
	}
}

const stateright = "github.com/stateright/stateright, examples/"

func singleCopyRegister() System {
	return System{
		Name: "single-copy register, 2 clients", Source: stateright + "single-copy-register.rs", States: 93,
		System: registerSystem(1, func() sim.Service { return &copyServer{} }),
	}
}

// drops explains a greater number of states: the other checker keeps a message until its receiver can use it; here
// it is delivered without effect.
const drops = "messages without effect are delivered here, but not there"

// Messages of the register that servers share (Attiya, Bar-Noy, Dolev 1995).
type (
	query  struct{ ID int }
	answer struct {
		ID    int
		Seq   seq
		Value byte
	}
	record struct {
		ID    int
		Seq   seq
		Value byte
	}
	recorded struct{ ID int }
	seq      struct {
		Count int
		By    sim.NodeID
	}
)

func (s seq) less(t seq) bool { return s.Count < t.Count || s.Count == t.Count && s.By < t.By }

type abdServer struct {
	sim.Nop
	Seq   seq
	Value byte
	Phase int // 0: none, 1: query, 2: update
	ID    int // of the request
	For   sim.NodeID
	Write bool
	New   byte // value to write, or read
	Seen  map[sim.NodeID]answer
	Told  map[sim.NodeID]bool
}

const abdServers = 2

func (s *abdServer) begin(env sim.Env, id int, from sim.NodeID, write bool, value byte) {
	if s.Phase != 0 {
		return
	}
	s.Phase, s.ID, s.For, s.Write, s.New = 1, id, from, write, value
	s.Seen = map[sim.NodeID]answer{env.Self(): {id, s.Seq, s.Value}}
	env.Send(1-env.Self(), query{id})
}

// keep stores a value unless a later one is known.
func (s *abdServer) keep(n seq, value byte) {
	if s.Seq.less(n) {
		s.Seq, s.Value = n, value
	}
}

func (s *abdServer) Receive(env sim.Env, from sim.NodeID, msg any) {
	switch m := msg.(type) {
	case put:
		s.begin(env, m.ID, from, true, m.Value)
	case get:
		s.begin(env, m.ID, from, false, 0)
	case query:
		env.Send(from, answer{m.ID, s.Seq, s.Value})
	case answer:
		if s.Phase != 1 || s.ID != m.ID {
			return
		}
		s.Seen[from] = m
		if len(s.Seen) < abdServers/2+1 {
			return
		}
		best := answer{Seq: seq{-1, 0}}
		for id := range sim.NodeID(abdServers) {
			if a, ok := s.Seen[id]; ok && best.Seq.less(a.Seq) {
				best = a
			}
		}
		if s.Write {
			best.Seq, best.Value = seq{best.Seq.Count + 1, env.Self()}, s.New
		}
		s.New, s.Seen, s.Phase = best.Value, nil, 2
		s.keep(best.Seq, best.Value)
		s.Told = map[sim.NodeID]bool{env.Self(): true}
		env.Send(1-env.Self(), record{m.ID, best.Seq, best.Value})
	case record:
		env.Send(from, recorded{m.ID})
		s.keep(m.Seq, m.Value)
	case recorded:
		if s.Phase != 2 || s.ID != m.ID {
			return
		}
		s.Told[from] = true
		if len(s.Told) < abdServers/2+1 {
			return
		}
		if s.Write {
			env.Send(s.For, putOK{s.ID})
		} else {
			env.Send(s.For, getOK{s.ID, s.New})
		}
		*s = abdServer{Seq: s.Seq, Value: s.Value}
	}
}

func linearizableRegister() System {
	return System{
		Name: "linearizable register, 2 servers", Source: stateright + "linearizable-register.rs: 544", States: 626, Differs: drops,
		System: registerSystem(abdServers, func() sim.Service { return &abdServer{} }),
	}
}
