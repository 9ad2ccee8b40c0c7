package register

import (
	"fmt"

	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Entry describes the system.
func Entry() spec.Entry {
	return spec.Entry{
		Name:    "register",
		Summary: "regular storage: one writer and readers keep a value at base objects, a minority of which may fail",
		Notes: "The parameters determine the number of nodes; a number of nodes alone determines that of base objects.\n" +
			"Acknowledgements are counted regardless of the sender: duplicated datagrams (--dup) break regularity. Base\n" +
			"objects may crash and boot again, the writer and the readers only crash forever (--halts).",
		Params: []spec.Param{
			{Name: "objects", Kind: spec.Int, Default: "3", Min: 3, Max: 7, Help: "number of base objects"},
			{Name: "readers", Kind: spec.Int, Default: "1", Min: 1, Max: 3, Help: "number of readers"},
			{Name: "writes", Kind: spec.Int, Default: "2", Min: 1, Max: 4, Help: "number of written values"},
			{Name: "reads", Kind: spec.Int, Default: "2", Min: 1, Max: 4, Help: "number of reads of each reader"},
			{Name: "spec", Kind: spec.OneOf, Default: "regular", Values: []string{"regular", "wrong"},
				Help: "what reads must return; wrong: also a write that overlaps a read and ends first"},
			{Name: "quorum", Kind: spec.Bool, Default: "false", Help: "take sets of messages at once instead of counting them"},
		},
		MinNodes: 5, MaxNodes: 11, DefaultNodes: 5,
		Bugs:     knownBugs(),
		Messages: []any{WriteRequest{}, WriteAck{}, ReadRequest{}, ReadAck{}},
		Build:    build,
	}
}

func build(c spec.Config) (sim.System, error) {
	s := &sizes{c.Int("objects"), c.Int("readers")}
	if c.NodesGiven() && !c.Given("objects") {
		s.objects = max(3, c.Nodes-1-s.readers)
	}
	nodes := 1 + s.objects + s.readers
	if c.NodesGiven() && c.Nodes != nodes {
		return sim.System{}, fmt.Errorf("a writer, %d base objects and %d readers are %d nodes, not %d: leave the number of nodes out",
			s.objects, s.readers, nodes, c.Nodes)
	}
	set := spec.Bits[bugs](c.Bugs, knownBugs())
	sys := sim.System{
		Nodes: nodes,
		New: func(id sim.NodeID) sim.Service {
			switch i := int(id); {
			case i == 0:
				return &Writer{sizes: s}
			case i <= s.objects:
				return &Object{bugs: set}
			}
			return &Reader{sizes: s, bugs: set}
		},
		Roles: func(id sim.NodeID) string {
			if 0 < id && int(id) <= s.objects {
				return "base object"
			}
			return "" // the monitor has an entry for each reader
		},
		Network:  netsim.Datagrams{},
		MayCrash: func(id sim.NodeID) bool { return 0 < id && int(id) <= s.objects },
		MayHalt:  func(sim.NodeID) bool { return true },
		Actions: []sim.AnyAction{
			sim.Action[*Writer]{Name: "write", Times: c.Int("writes"), When: func(w *Writer) bool { return !w.Busy }, Do: (*Writer).Write},
			sim.Action[*Reader]{Name: "read", Times: c.Int("reads"), When: func(r *Reader) bool { return !r.Busy }, Do: (*Reader).Begin},
		},
		Monitors: []func() sim.Monitor{func() sim.Monitor {
			return &regularity{Floors: make([]int, nodes), Wrong: c.Text("spec") == "wrong"}
		}},
	}
	if c.Bool("quorum") {
		sys.Quorums = quorums(set)
	}
	return sys, nil
}

// sizes has the number of nodes of each role, without the writer.
type sizes struct{ objects, readers int }

func (s *sizes) majority() int { return s.objects/2 + 1 }

func (s *sizes) toObjects(env sim.Env, msg any) {
	for i := range s.objects {
		env.Send(sim.NodeID(1+i), msg)
	}
}

// bugs is a set of defects, by their index in knownBugs.
type bugs uint8

const (
	rg1 bugs = 1 << iota
	rg2
)

func (b bugs) has(which bugs) bool { return b&which != 0 }

func knownBugs() []spec.Bug {
	return []spec.Bug{
		{
			ID:      "RG1",
			Summary: "a base object accepts an earlier value than its own",
			Shows:   "a late write hides the one after it",
			Fix:     "keep the later value",
			Kind:    sim.Safety, PaperKind: sim.Safety,
		},
		{
			ID:      "RG2",
			Summary: "a read returns what the first base object answers",
			Shows:   "that one has not received the last write",
			Fix:     "wait for a majority",
			Kind:    sim.Safety, PaperKind: sim.Safety,
		},
	}
}
