package hardbugs

import (
	"time"

	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// Excuse is a leader with followers that watch it by heartbeats. A follower that misses one forgets its leader. By
// the defect it waits for a campaign, which is an action: it heals everything, as an operator would, but does not
// count as recovery.
func Excuse() Case {
	system := func(corrected bool) sim.System {
		return sim.System{
			Name: "excuse", Nodes: 3, New: func(sim.NodeID) sim.Service { return &follower{Corrected: corrected} },
			Network: netsim.Datagrams{Loss: 1},
			Actions: []sim.AnyAction{sim.Action[*follower]{Name: "campaign", Disturbs: true, Do: (*follower).campaign}},
			Properties: []sim.Property{{Name: "all follow", Eventually: sim.Each(func(_ sim.NodeID, s *follower) bool {
				return s.Leader != 0
			})}},
		}
	}
	return Case{
		Name: "disturbing recovery", Why: "only an action heals the system",
		System: system(false), Corrected: system(true),
	}
}

// Campaign returns the action of [Excuse] as an ordinary one.
func Campaign() sim.AnyAction {
	return sim.Action[*follower]{Name: "campaign", Do: (*follower).campaign}
}

type (
	lead  struct{ Leader int }
	beat  struct{}
	watch struct{}
)

// follower is a node of [Excuse]. Leaders are counted from 1.
type follower struct {
	sim.Nop
	Corrected bool
	Leader    int // 0 for none
	Heard     bool
}

func (f *follower) Boot(env sim.Env) {
	if f.Leader = 1; env.Self() == 0 {
		env.SetTimer(beat{}, time.Second)
	} else {
		env.SetTimer(watch{}, 2*time.Second)
	}
}

func (f *follower) campaign(env sim.Env) {
	f.Leader = int(env.Self()) + 1
	for id := range sim.NodeID(env.Nodes()) {
		if id != env.Self() {
			env.Send(id, lead{f.Leader})
		}
	}
	env.SetTimer(beat{}, time.Second)
	env.StopTimer(watch{})
}

func (f *follower) Timer(env sim.Env, t any) {
	switch {
	case t == beat{}:
		for id := range sim.NodeID(env.Nodes()) {
			if id != env.Self() {
				env.Send(id, beat{})
			}
		}
		env.SetTimer(beat{}, time.Second)
	case f.Heard:
		f.Heard = false
		env.SetTimer(watch{}, 2*time.Second)
	default:
		f.Leader = 0
		if f.Corrected {
			f.campaign(env)
		}
	}
}

func (f *follower) Receive(env sim.Env, _ sim.NodeID, msg any) {
	switch m := msg.(type) {
	case beat:
		f.Heard = true
	case lead:
		f.Leader, f.Heard = m.Leader, true
		env.StopTimer(beat{})
		env.SetTimer(watch{}, 2*time.Second)
	}
}
