// Package uncalled has methods that look like handlers.
package uncalled

import "github.com/macemc/macemc/sim"

type node struct {
	sim.Nop
	got int
}

func (n *node) OnMesage(_ sim.Env, _ sim.NodeID, msg any) { n.got++ } // want "OnMesage has the parameters of Receive, but nothing calls it"

func (n *node) timer(sim.Env, any) { n.got++ } // want "timer has the parameters of Timer"

func (n *node) PeerErr(sim.Env, sim.NodeID, error) {} // want "PeerErr has the parameters of PeerError"

func (n *node) Join(sim.Env) { n.got++ }

type receiver interface {
	Deliver(sim.Env, sim.NodeID, any)
}

func (n *node) Deliver(sim.Env, sim.NodeID, any) {}

//macemc:ok another package calls it
func (n *node) Take(sim.Env, sim.NodeID, any) {}

// router handles messages and timers itself.
type router struct {
	sim.Nop
	got int
}

func (r *router) Receive(env sim.Env, from sim.NodeID, msg any) { r.route(env, from, msg) }

func (r *router) route(sim.Env, sim.NodeID, any) { r.got++ }

func (r *router) Other(sim.Env, sim.NodeID, any) { r.got++ }

type (
	Job  struct{ n int }
	Done struct{ n int }
)

// worker expects messages of other types than those that are sent.
type worker struct {
	sim.Nop
	got int
}

func (w *worker) Boot(env sim.Env) {
	env.Send(1, Job{1})
	_ = env.Stream(1).Send(&Done{2})
}

func (w *worker) Receive(_ sim.Env, _ sim.NodeID, msg any) {
	if j, ok := msg.(*Job); ok { // want "[*]Job is expected, a pointer, but the package sends only a value"
		w.got += j.n
	}
	switch m := msg.(type) {
	case Done: // want "Done is expected, a value, but the package sends only a pointer"
		w.got += m.n
	case Job, *Done, string:
	}
}

// table takes messages from a router, and is no service.
type table struct{ got int }

func (t *table) Take(sim.Env, sim.NodeID, any) { t.got++ }
