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
		Summary: "machines: Multi-Paxos replicates a counter, with leaders that change, and a single node as its abstraction",
		Notes:   "The clients come first, then the front, the replicas, and the elector, which appoints leaders and makes replicas fail.",
		Params: append(smr.Params("paxos", "1", "0"),
			spec.Param{Name: "changes", Kind: spec.Int, Default: "1", Min: 0, Max: 4, Help: "number of changes of a leader that has not failed"}),
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
		with(safety("MP1", "a new leader does not adopt what others have accepted", "two commands are chosen for one slot", "adopt it"), "1"),
		with(safety("MP2", "a new leader adopts the first command that it learns, whatever its ballot",
			"two commands are chosen for one slot", "adopt that of the highest ballot"), "2"),
		with(safety("MP3", "a replica accepts below its promise", "two commands are chosen for one slot", "ignore lower ballots"), "1"),
		with(safety("MP4", "half of the replicas count as a majority", "two commands are chosen for one slot", "count one more"), "1"),
		with(safety("MP5", "a replica executes a command twice that is chosen for two slots", "a command is executed twice",
			"check whether it was executed"), "2"),
		unanswered(spec.Bug{ID: "MP6", Summary: "a new leader does not answer commands executed before",
			Shows: "a command is never answered, since its answer was lost with the old leader", Fix: "answer it"}),
		unanswered(spec.Bug{ID: "MP7", Summary: "a majority of replicas runs in one process, as if each failed by itself",
			Shows: "after its crash nothing is chosen any more, and a command is never answered",
			Fix:   "let a majority of replicas run outside of each process"}, "process", "2"),
	}
}
