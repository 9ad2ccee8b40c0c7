package echo

import (
	"fmt"

	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

const minNodes = 4

// Entry describes the system.
func Entry() spec.Entry {
	return spec.Entry{
		Name:    "echo",
		Summary: "echo multicast: honest receivers deliver the same, although some nodes are Byzantine",
		Notes: "The parameters determine the number of nodes; a number of nodes alone determines that of honest receivers.\n" +
			"Confirmations are counted regardless of the sender: duplicated datagrams (--dup) break agreement. So do more\n" +
			"Byzantine receivers than a third.",
		Params: []spec.Param{
			{Name: "receivers", Kind: spec.Int, Default: "3", Min: 1, Max: 6, Help: "number of honest receivers"},
			{Name: "initiators", Kind: spec.Int, Default: "1", Min: 0, Max: 3, Help: "number of honest initiators"},
			{Name: "byzantine-receivers", Kind: spec.Int, Default: "1", Min: 0, Max: 3, Help: "number of Byzantine receivers"},
			{Name: "byzantine-initiators", Kind: spec.Int, Default: "1", Min: 0, Max: 2, Help: "number of Byzantine initiators"},
			{Name: "quorum", Kind: spec.Bool, Default: "false", Help: "take sets of messages at once instead of counting them"},
		},
		MinNodes: minNodes, MaxNodes: 14, DefaultNodes: 6,
		Bugs:     knownBugs(),
		Messages: []any{Init{}, Echo{}, Commit{}},
		Build:    build,
	}
}

func build(c spec.Config) (sim.System, error) {
	s := &sizes{c.Int("receivers"), c.Int("byzantine-receivers"), c.Int("initiators"), c.Int("byzantine-initiators")}
	if c.NodesGiven() && !c.Given("receivers") {
		s.honest = max(1, c.Nodes-s.byzantine-s.initiators-s.byzantineInitiators)
	}
	nodes := s.receivers() + s.initiators + s.byzantineInitiators
	if nodes < minNodes {
		return sim.System{}, fmt.Errorf("%d receivers and %d initiators are %d nodes, must be at least %d", s.receivers(),
			nodes-s.receivers(), nodes, minNodes)
	}
	if c.NodesGiven() && c.Nodes != nodes {
		return sim.System{}, fmt.Errorf("%d receivers and %d initiators are %d nodes, not %d: leave the number of nodes out",
			s.receivers(), nodes-s.receivers(), nodes, c.Nodes)
	}
	set := spec.Bits[bugs](c.Bugs, knownBugs())
	sys := sim.System{
		Nodes: nodes,
		New: func(id sim.NodeID) sim.Service {
			switch i := int(id); {
			case i < s.honest:
				return &Receiver{Echoed: make([]int, nodes), Delivered: make([]int, nodes)}
			case i < s.receivers():
				return &Traitor{sizes: s}
			default:
				return &Initiator{byzantine: i >= s.receivers()+s.initiators, sizes: s, bugs: set}
			}
		},
		Roles:      s.role,
		Network:    netsim.Datagrams{},
		Actions:    []sim.AnyAction{sim.Action[*Initiator]{Name: "start", Times: 1, Do: (*Initiator).Start}},
		Properties: properties(),
	}
	if c.Bool("quorum") {
		sys.Quorums = []sim.AnyQuorum{echoed()}
	}
	return sys, nil
}

// sizes has the number of nodes of each role, in the order of their nodes.
type sizes struct{ honest, byzantine, initiators, byzantineInitiators int }

func (s *sizes) receivers() int { return s.honest + s.byzantine }

// role returns the role of interchangeable nodes. Receivers are interchangeable if Byzantine initiators send them
// the same value. Initiators are not, since receivers store them by number.
func (s *sizes) role(id sim.NodeID) string {
	switch i := int(id); {
	case i >= s.receivers():
		return ""
	case i >= s.honest:
		return "Byzantine receiver"
	case s.byzantineInitiators > 0 && s.second(i):
		return "second half"
	}
	return "receiver"
}

// second reports whether Byzantine initiators send value 2 to a receiver.
func (s *sizes) second(i int) bool { return (s.honest+1)/2 <= i && i < s.honest }

// quorum returns the number of confirmations that an initiator needs. Any two such sets share an honest receiver if
// at most a third are Byzantine.
func (s *sizes) quorum(b bugs) int {
	n := s.receivers()
	if b.has(ec1) {
		return n/2 + 1
	}
	return (n + (n-1)/3 + 2) / 2
}

// bugs is a set of defects, by their index in knownBugs.
type bugs uint8

const ec1 bugs = 1 << iota

func (b bugs) has(which bugs) bool { return b&which != 0 }

func knownBugs() []spec.Bug {
	return []spec.Bug{{
		ID:      "EC1",
		Summary: "wrong threshold: an initiator waits for a majority, as if all receivers were honest",
		Shows:   "both values of a Byzantine initiator are confirmed by a majority that includes the Byzantine receiver",
		Fix:     "wait until any two sets share an honest receiver",
		Kind:    sim.Safety, PaperKind: sim.Safety, PaperProperty: Agreement,
		Defaults: spec.Defaults{Params: map[string]string{"receivers": "4"}},
	}}
}
