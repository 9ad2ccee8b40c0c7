package multipaxos

import (
	"fmt"

	"github.com/macemc/macemc/internal/test/papers/smr"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Kinds returns the kinds of machines of Multi-Paxos.
func Kinds() []*machine.Kind { return []*machine.Kind{frontKind, replicaKind, electorKind} }

// Entry describes the system.
func Entry() spec.Entry {
	return spec.Entry{
		Name:    "multipaxos",
		Summary: "machines: Multi-Paxos replicates a counter, with leaders that change, and a single node that stands for it",
		Notes:   "The clients come first, then the front, the replicas, and what appoints leaders and has replicas fail.",
		Params: append(smr.Params("paxos", "1", "0"),
			spec.Param{Name: "changes", Kind: spec.Int, Default: "1", Min: 0, Max: 4, Help: "how often the leader changes, though it has not failed"}),
		MinNodes: 5, MaxNodes: 10, DefaultNodes: 6,
		Bugs:     knownBugs(),
		Messages: machine.Events(append(Kinds(), smr.ClientKind, smr.SingleKind)...),
		LimitsOf: func(c spec.Config) sim.Limits { return sim.Limits{sim.Halts: of(c).halts()} },
		Build: func(c spec.Config) (sim.System, error) {
			s := of(c)
			if s.replicas < 1 {
				return sim.System{}, fmt.Errorf("%d nodes are too few for %d clients, a front, a replica and an elector", c.Nodes, s.Clients)
			}
			return s.system(), s.Check()
		},
	}
}

func of(c spec.Config) setting {
	s := setting{Setting: smr.Of(c), changes: c.Int("changes"), bugs: spec.Bits[bugs](c.Bugs, knownBugs())}
	s.replicas = c.Nodes - s.others()
	return s
}

// bugs is a set of defects, by their index in knownBugs.
type bugs uint8

const (
	mp1 bugs = 1 << iota
	mp2
	mp3
	mp4
	mp5
	mp6
	mp7
)

func (b bugs) has(which bugs) bool { return b&which != 0 }

func knownBugs() []spec.Bug {
	safety := func(id, summary, shows, fix string) spec.Bug {
		return spec.Bug{ID: id, Summary: summary, Shows: shows, Fix: fix, Kind: sim.Safety, PaperKind: sim.Safety}
	}
	with := func(b spec.Bug, changes string) spec.Bug {
		b.OtherKinds = []sim.FindingKind{sim.Deadlock, sim.Starvation, sim.Liveness} // a command may never get a slot
		b.Defaults.Nodes, b.Defaults.Params = 7, map[string]string{"clients": "2", "changes": changes}
		return b
	}
	unanswered := func(b spec.Bug, params ...string) spec.Bug {
		b.Kind, b.PaperKind, b.OtherKinds = sim.Deadlock, sim.Liveness, []sim.FindingKind{sim.Starvation, sim.Liveness}
		b.PaperProperty = "every client comes to an end"
		b.Defaults = spec.Defaults{Params: map[string]string{"fail": "crash", "failures": "1", "changes": "0"}, Limits: sim.Limits{sim.Halts: 1}}
		for i := 0; i < len(params); i += 2 {
			b.Defaults.Params[params[i]] = params[i+1]
		}
		return b
	}
	return []spec.Bug{
		with(safety("MP1", "a new leader does not take over what others have accepted", "something else is chosen for a slot than was", "take it over"), "1"),
		with(safety("MP2", "a new leader takes over what it hears of first, whatever its ballot", "something else is chosen for a slot than was", "take over what has the highest ballot"), "2"),
		with(safety("MP3", "a replica accepts what has a lower ballot than it has promised", "something else is chosen for a slot than was", "leave it"), "1"),
		with(safety("MP4", "half of the replicas are taken for most of them", "something else is chosen for a slot than was", "count one more"), "1"),
		with(safety("MP5", "a replica executes what is chosen for two slots twice", "a command is executed twice", "look whether it was executed"), "2"),
		unanswered(spec.Bug{ID: "MP6", Summary: "a new leader does not answer what was executed before", Shows: "a command is never answered, as its answer was lost with the old leader",
			Fix: "answer it"}),
		unanswered(spec.Bug{ID: "MP7", Summary: "most replicas run in one process, as if each of them failed by itself", Shows: "once that has crashed nothing is chosen any more, and a command never answered",
			Fix: "have no process run so many that the others are not most of them"}, "process", "2"),
	}
}
