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
		Summary: "machines: a dispatcher in front of a hash table whose keys move between replicated members",
		Notes: "The clients come first, then the dispatcher, the master, and the members: each a front, its replicas, and what has them fail, if any do. How many\n" +
			"replicas there are follows from the number of nodes. Single nodes take one place each; the rest does nothing then.",
		Params: append([]spec.Param{
			{Name: "clients", Kind: spec.Int, Default: "2", Min: 1, Max: 3, Help: "how many clients there are"},
			{Name: "requests", Kind: spec.Int, Default: "1", Min: 1, Max: smr.MaxRequests, Help: "how many commands each of them has"},
			{Name: "pause", Kind: spec.Int, Default: "0", Min: 0, Max: 60_000, Help: "so many milliseconds clients wait before each command"},
			{Name: "members", Kind: spec.Int, Default: "2", Min: 1, Max: 3, Help: "how many members there are"},
			{Name: "moves", Kind: spec.Int, Default: "1", Min: 0, Max: 9, Help: "how often a key moves"},
			{Name: "smr", Kind: spec.OneOf, Values: []string{"spread", "single"}, Default: "spread", Help: "what the clients ask"},
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
				return sim.System{}, fmt.Errorf("%d nodes are not %d clients, a dispatcher, a master and %d members of equally many nodes, a front and a replica at least",
					c.Nodes, s.Clients, s.members)
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
		ID: "HT4", Summary: "the master does not carry the value of a key that it moves", Shows: "what was written is not read", Fix: "give what was taken",
		Kind: sim.Safety, PaperKind: sim.Safety,
	}
	lost.Defaults.Params = map[string]string{"requests": "2"}
	back := unanswered("HT6", "a request that is refused is not repeated when the key is back at who has refused", "compare how often the key has moved")
	back.Defaults.Params = map[string]string{"moves": "2"}
	return []spec.Bug{
		unanswered("HT1", "a request that was refused is not repeated when the key has moved", "repeat it"),
		unanswered("HT2", "a request that is refused after the dispatcher was told of the move is not repeated", "repeat it at once"),
		{
			ID: "HT3", Summary: "the dispatcher passes a refusal on", Shows: "a client is answered by something else than its command comes to", Fix: "repeat the request",
			Kind: sim.Safety, PaperKind: sim.Safety,
		},
		lost,
		unanswered("HT5", "the dispatcher is told of a move before the new member has the key", "tell it when the member has answered"),
		back,
	}
}
