package election

import (
	"fmt"

	"github.com/macemc/macemc/internal/test/papers/smr"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
)

// setting has the parameters.
type setting struct {
	nodes, failures int
	abstract        bool
	bugs            bugs
}

// client is the first machine; the nodes are behind it.
const client machine.ID = 0

// machines adds the client, the nodes, and the injector.
func (s setting) machines(abstract bool) *machine.System {
	ms := &machine.System{}
	ms.Add(clientKind, Client{})
	var ids []machine.ID
	for i := range s.nodes {
		ids = append(ids, client+1+machine.ID(i))
	}
	kind := nodeKind
	switch {
	case s.bugs.has(le1):
		kind = proudKind
	case s.bugs.has(le2):
		kind = forgetfulKind
	}
	for range ids {
		ms.Add(kind, Node{Client: client, Up: ids, Leader: ids[len(ids)-1], Bugs: s.bugs})
	}
	ms.Add(smr.InjectorKind, smr.Injector{Victims: ids, Left: min(s.failures, s.nodes-1)})
	if abstract {
		machine.Replace(ms, kind, nodeAbsKind, func(n Node) NodeAbs { return NodeAbs{n.Client, n.Up, s.failures} })
	}
	return ms
}

func (s setting) system() sim.System {
	sys := s.machines(s.abstract).Sim("election")
	if !s.abstract {
		sys.Properties = []sim.Property{
			{Name: "at most one leads", Always: s.one, Explain: s.states},
			{Name: "all follow the highest", Inevitably: s.settled, Explain: s.states},
		}
	}
	sys.Abstractions = []sim.Abstraction{{
		Name: fmt.Sprintf("%d nodes that follow any others", s.nodes), Used: s.abstract, Clients: []sim.NodeID{client},
		Impl: func() sim.System { return s.machines(false).Sim("election") },
		Abs:  func() sim.System { return s.machines(true).Sim("any leaders") },
	}}
	return sys
}

func (s setting) one(v *sim.View) bool {
	leaders := 0
	for i := range s.nodes {
		if machine.StateOf(v, client+1+machine.ID(i)) == leading {
			leaders++
		}
	}
	return leaders <= 1
}

func (s setting) settled(v *sim.View) bool {
	up := smr.Up[Node](v, client+1, s.nodes)
	highest := client
	for i := range s.nodes {
		if id := client + 1 + machine.ID(i); machine.Vars[Node](v, id) != nil {
			highest = id
		}
	}
	for _, n := range up {
		if n.Leader != highest {
			return false
		}
	}
	return true
}

func (s setting) states(v *sim.View) string {
	text := ""
	for i := range s.nodes {
		id := client + 1 + machine.ID(i)
		if n := machine.Vars[Node](v, id); n != nil {
			text += fmt.Sprintf("node%d is %s, its leader is %d; ", id, machine.StateOf(v, id), n.Leader)
		}
	}
	return text
}
