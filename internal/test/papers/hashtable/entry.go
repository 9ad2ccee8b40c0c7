package hashtable

import (
	"fmt"
	"time"

	"github.com/macemc/macemc/internal/test/papers/smr"
	"github.com/macemc/macemc/internal/test/papers/smr/group"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Entry describes the system.
func Entry() spec.Entry {
	return spec.Entry{
		Name:    "hashtable",
		Summary: "machines: a dispatcher in front of a hash table with keys that move between replicated members",
		Notes: "The clients come first, then the dispatcher, the master, and the members: each a front, its replicas, and an " +
			"injector of failures, if there are any. The number of\n" +
			"replicas follows from the number of nodes. A single node leaves the other nodes of its member idle.",
		Params: append([]spec.Param{
			{Name: "clients", Kind: spec.Int, Default: "2", Min: 1, Max: 3, Help: "number of clients"},
			{Name: "requests", Kind: spec.Int, Default: "1", Min: 1, Max: smr.MaxRequests, Help: "number of commands of each client"},
			{Name: "pause", Kind: spec.Int, Default: "0", Min: 0, Max: 60_000, Help: "milliseconds that clients wait before each command"},
			{Name: "members", Kind: spec.Int, Default: "2", Min: 1, Max: 3, Help: "number of members"},
			{Name: "moves", Kind: spec.Int, Default: "1", Min: 0, Max: 9, Help: "number of moves of keys"},
			{Name: "smr", Kind: spec.OneOf, Values: []string{"spread", "single"}, Default: "spread", Help: "the service of the clients"},
		}, group.Params("member", "a member")...),
		MinNodes: 10, MaxNodes: 24, DefaultNodes: 12,
		Bugs:     knownBugs(),
		Messages: machine.Events(append(group.Kinds(), dispatcherKind, masterKind, smr.ClientKind)...),
		Build: func(c spec.Config) (sim.System, error) {
			s := setting{
				Setting: smr.Setting{
					Clients: c.Int("clients"), Requests: c.Int("requests"), Single: c.Text("smr") == "single", Service: smr.Table{},
					Pause: time.Duration(c.Int("pause")) * time.Millisecond,
				},
				members: c.Int("members"), moves: c.Int("moves"), bugs: spec.Bits[bugs](c.Bugs, knownBugs()),
			}
			left := c.Nodes - int(s.Front()) - 2
			s.group = group.Of(c, "member", left/s.members)
			if s.group.Replicas < 1 || left%s.members != 0 {
				return sim.System{}, fmt.Errorf("%d nodes are not %d clients, a dispatcher, a master and %d members of equal size, each "+
					"at least a front and a replica", c.Nodes, s.Clients, s.members)
			}
			return s.system(), nil
		},
	}
}

// bugs is a set of defects, by their index in knownBugs.
type bugs uint8

const (
	ht1 bugs = 1 << iota
	ht2
	ht3
	ht4
	ht5
	ht6
)

func (b bugs) has(which bugs) bool { return b&which != 0 }

func knownBugs() []spec.Bug {
	unanswered := func(id, summary, fix string) spec.Bug {
		return spec.Bug{
			ID: id, Summary: summary, Shows: "a command is never answered", Fix: fix, Kind: sim.Deadlock, PaperKind: sim.Liveness,
			OtherKinds: []sim.FindingKind{sim.Starvation, sim.Liveness}, PaperProperty: "every client comes to an end",
		}
	}
	lost := spec.Bug{
		ID: "HT4", Summary: "the master loses the value of a key that it moves", Shows: "a read does not return the last write",
		Fix: "pass the value on", Kind: sim.Safety, PaperKind: sim.Safety,
	}
	lost.Defaults.Params = map[string]string{"requests": "2"}
	back := unanswered("HT6", "a refused request is not repeated when the key is back at the refusing member",
		"compare how often the key has moved")
	back.Defaults.Params = map[string]string{"moves": "2"}
	return []spec.Bug{
		unanswered("HT1", "a refused request is not repeated when the key has moved", "repeat it"),
		unanswered("HT2", "a request refused after the dispatcher has learned of the move is not repeated", "repeat it at once"),
		{
			ID: "HT3", Summary: "the dispatcher passes a refusal on", Shows: "a client gets a wrong answer", Fix: "repeat the request",
			Kind: sim.Safety, PaperKind: sim.Safety,
		},
		lost,
		unanswered("HT5", "the dispatcher learns of a move before the new member has the key", "notify it after the member's answer"),
		back,
	}
}
