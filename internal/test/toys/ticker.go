// Package toys has tiny systems for tests of several packages.
package toys

import (
	"slices"
	"time"

	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// Period is the time between two ticks of a [Ticker].
const Period = 500 * time.Millisecond

type (
	tick  struct{}
	alarm struct{}
)

// Ticker is a node whose timer advances two clocks. At its last tick it sends an alarm to the other node.
type Ticker struct {
	sim.Nop
	Uptime  time.Duration
	Ticks   int
	Alarmed bool

	last int
}

// Boot implements [sim.Service].
func (s *Ticker) Boot(env sim.Env) {
	if env.Self() == 0 {
		env.SetTimer(tick{}, Period)
	}
}

// Timer implements [sim.Service].
func (s *Ticker) Timer(env sim.Env, _ any) {
	s.Uptime += Period
	if s.Ticks++; s.Ticks == s.last {
		env.Send(1, alarm{})
		return
	}
	env.SetTimer(tick{}, Period)
}

// Receive implements [sim.Service].
func (s *Ticker) Receive(sim.Env, sim.NodeID, any) { s.Alarmed = true }

// Ticking returns a system of two nodes. The first one ticks last times. After each step from noon on, a property
// does not hold. The alarm violates another one.
func Ticking(last, noon int) *sim.System {
	return &sim.System{
		Name: "ticking", Nodes: 2,
		New:     func(sim.NodeID) sim.Service { return &Ticker{last: last} },
		Network: netsim.Datagrams{},
		Properties: []sim.Property{
			{Name: "no alarm", Always: sim.Each(func(_ sim.NodeID, s *Ticker) bool { return !s.Alarmed })},
			{Name: "morning", Eventually: sim.Each(func(_ sim.NodeID, s *Ticker) bool { return s.Ticks < noon })},
		},
	}
}

// Ticks returns the keys of the run of [Ticking] to the violation, which has last+1 steps.
func Ticks(last int) []string {
	return append(slices.Repeat([]string{"timer n0 tick{}"}, last), "deliver n1<-n0 alarm{}")
}
