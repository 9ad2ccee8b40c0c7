package etcdraft

import (
	"time"

	"github.com/macemc/macemc/sim"
)

// Timers. Raft's own time-outs, counted in ticks, are never reached.
type (
	election  struct{} // of followers and candidates: campaign unless there was a sign of a leader
	heartbeat struct{} // of leaders: send heartbeats
	retry     struct{} // of a waiting client: propose again
)

const (
	electionPeriod  = time.Second
	heartbeatPeriod = 100 * time.Millisecond
	retryPeriod     = 2 * time.Second

	never = 1 << 30 // ticks, more than the steps of a run
)

// Timer implements [sim.Service].
func (n *Node) Timer(env sim.Env, t any) {
	n.enter(env)
	switch t.(type) {
	case election:
		n.armed = nil
		if n.quiet++; n.quiet >= n.opts.patience {
			n.quiet = 0
			_ = n.raw.Campaign()
		}
	case heartbeat:
		n.armed = nil
		n.raw.Tick()
	case retry:
		n.ask(env)
	}
	n.ready(env)
}

// arm sets the timer of the node's role. A removed node is silent, as if its process were stopped.
func (n *Node) arm(env sim.Env) {
	var want any
	after := electionPeriod
	switch {
	case !n.opts.timeouts || !n.member(idOf(env.Self())):
	case n.leads():
		want, after = heartbeat{}, heartbeatPeriod
	default:
		want = election{}
	}
	if n.armed == want {
		return
	}
	if n.armed != nil {
		env.StopTimer(n.armed)
	}
	if n.armed = want; want != nil {
		env.SetTimer(want, after)
	}
}
