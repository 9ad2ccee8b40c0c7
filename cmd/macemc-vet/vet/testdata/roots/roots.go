// Package roots has handlers of all sorts.
package roots

import (
	"os"
	"time"

	"github.com/macemc/macemc/sim"
)

type node struct {
	sim.Nop
	up upcall
	n  int
}

type upcall interface{ Deliver(msg any) }

func (n *node) Receive(env sim.Env, from sim.NodeID, msg any) {
	n.up.Deliver(msg)
	walk(visit)
	helper()
}

type app struct{}

func (app) Deliver(any) { _ = time.Now() } // want "in       .*node..Receive"

func walk(f func()) { f() }
func visit()        { _ = time.Now() } // want "in       .*node..Receive"

var helper = func() { _ = time.Now() } // want "in       .*node..Receive"

type monitor struct{}

func (monitor) Observe(sim.NodeID, any) error { _ = time.Now(); return nil } // want "in       monitor.Observe"

func newMonitor() sim.Monitor { _ = time.Now(); return monitor{} } // want "in       System.Monitors"

type state struct{}

func (s *state) AppendState(dst []byte) []byte { return append(dst, os.Args[0]+os.Getenv("A")...) } // want "in       .*state..AppendState"

func (n *node) join(env sim.Env) { _ = time.Now() } // want "in       Do of action .join."

func ready(n *node) bool { return time.Now().IsZero() } // want "in       When of action .join."

func each(f func(*node) bool) func(*sim.View) bool {
	return sim.Each(func(_ sim.NodeID, n *node) bool {
		_ = time.Now() // want "in       function passed to sim.Each"
		return f(n)
	})
}

func help(env sim.Env) { _ = time.Now() } // want "in       help"

func System() sim.System {
	acked := func(_ sim.NodeID, n *node) bool { return time.Now().IsZero() } // want "in       Eventually of property .acked."
	s := sim.System{
		New:      func(sim.NodeID) sim.Service { return &node{n: int(time.Now().Unix())} }, // want "in       System.New"
		Monitors: []func() sim.Monitor{newMonitor},
		Actions:  []sim.AnyAction{sim.Action[*node]{Name: "join", When: ready, Do: (*node).join}},
		State: []sim.StateRule{sim.EncodeBy(func(dst []byte, t time.Time) []byte {
			return t.AppendFormat(dst, time.Now().String()) // want "in       function passed to sim.EncodeBy"
		})},
	}
	s.MayCrash = func(sim.NodeID) bool { return time.Now().IsZero() } // want "in       System.MayCrash"
	s.MayHalt = func(sim.NodeID) bool { return time.Now().IsZero() }  // want "in       System.MayHalt"
	s.Properties = []sim.Property{
		{Name: "safe", Always: func(*sim.View) bool { return time.Now().IsZero() }}, // want "in       Always of property .safe."
		{Name: "acked", Eventually: sim.Each(acked)},
		{Name: "each", Sometimes: each(func(n *node) bool { return time.Now().IsZero() })}, // want "in       Sometimes of property .each."
	}
	_ = time.Now() // the system is built once
	return s
}
