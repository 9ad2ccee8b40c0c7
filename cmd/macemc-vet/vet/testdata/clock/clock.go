// Package clock reads the wall clock.
package clock

import (
	"context"
	"time"

	"github.com/macemc/macemc/sim"
)

type node struct {
	sim.Nop
	last  time.Time
	now   func() time.Time
	start time.Duration
}

func newNode(sim.NodeID) sim.Service { return &node{now: time.Now} } // want "wall clock: uses time.Now"

func (n *node) Receive(env sim.Env, from sim.NodeID, msg any) {
	n.last = time.Now()                   // want "uses time.Now"
	if time.Since(n.last) > time.Second { // want "uses time.Since"
		n.wait()
	}
	stop := time.AfterFunc(n.start, func() {}) // want "uses time.AfterFunc"
	_ = stop
	ctx, cancel := context.WithTimeout(context.Background(), time.Second) // want "uses context.WithTimeout"
	defer cancel()
	_ = ctx
	if n.last.After(time.Unix(0, 0)) && n.last.Add(time.Hour).Before(n.last) {
		env.SetTimer(msg, time.Until(n.last)) // want "uses time.Until"
	}
	_ = env.Clock().Before(env.Clock().Now(), env.Clock().Now())
}

func (n *node) wait() { time.Sleep(time.Millisecond) } // want "uses time.Sleep"

// started is read by a handler.
var started = time.Now() // want "uses time.Now"

func (n *node) Timer(env sim.Env, t any) { _ = started }

func unused() { time.Sleep(time.Second) }

func System() sim.System { return sim.System{Nodes: 1, New: newNode} }
