package hardbugs

import (
	"fmt"
	"time"

	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// Late is a log that a leader copies to two followers, entry by entry. Each node may compact its log once. If the
// log is nearly full, compaction loses the last entry. An action executed as soon as it is enabled finds an empty
// log.
func Late() Case {
	system := func(corrected bool) sim.System {
		return sim.System{
			Name: "late", Nodes: 3,
			New:     func(sim.NodeID) sim.Service { return &logger{Corrected: corrected} },
			Network: netsim.Datagrams{},
			Actions: []sim.AnyAction{
				sim.Action[*logger]{Name: "compact", Times: 1, Do: (*logger).compact},
				sim.Action[*logger]{Name: "look", Times: 2, Do: func(s *logger, _ sim.Env) { s.Looked = (s.Looked + s.Last) % 5 }},
			},
			Properties: []sim.Property{
				{Name: "all have the log", Eventually: sim.Each(func(_ sim.NodeID, s *logger) bool { return s.Last == entries })},
				{Name: "nothing is lost", Always: sim.Each(func(_ sim.NodeID, s *logger) bool { return s.Lost == 0 }),
					Explain: func(v *sim.View) string {
						for id, s := range sim.Nodes[*logger](v) {
							if s.Lost > 0 {
								return fmt.Sprintf("node %d lost entry %d", id, s.Lost)
							}
						}
						return ""
					}},
			},
		}
	}
	return Case{
		Name: "late action", Why: "an action that can happen once must happen 25 steps after it is enabled",
		System: system(false), Corrected: system(true),
	}
}

const (
	entries   = 8
	resending = 50 * time.Millisecond
)

type (
	entry  struct{ Number int }
	have   struct{ Number int }
	resend struct{}
)

// logger is a node of [Late]; node 0 leads.
type logger struct {
	sim.Nop
	Corrected bool
	Last      int    // number of the last entry
	Have      [3]int // of the leader: the last entry of each node
	Looked    int
	Lost      int
}

func (l *logger) Boot(env sim.Env) {
	if env.Self() == 0 {
		env.SetTimer(resend{}, resending)
	}
}

func (l *logger) compact(sim.Env) {
	if !l.Corrected && l.Last == entries-1 {
		l.Lost = l.Last
	}
}

func (l *logger) Timer(env sim.Env, _ any) {
	if l.Last < entries && l.Have[1] >= l.Last && l.Have[2] >= l.Last {
		l.Last++
	}
	for peer := sim.NodeID(1); peer < 3; peer++ {
		if l.Have[peer] < l.Last {
			env.Send(peer, entry{l.Last})
		}
	}
	env.SetTimer(resend{}, resending)
}

func (l *logger) Receive(env sim.Env, from sim.NodeID, msg any) {
	switch m := msg.(type) {
	case entry:
		if m.Number == l.Last+1 {
			l.Last++
		}
		env.Send(from, have{l.Last})
	case have:
		l.Have[from] = max(l.Have[from], m.Number)
	}
}
