package toys

import "github.com/macemc/macemc/sim"

// Sharer is a node that changes a map of all nodes. Its behavior is therefore not a function of its local state.
type Sharer struct {
	sim.Nop
	Board map[string]int
}

// Boot implements [sim.Service].
func (s *Sharer) Boot(env sim.Env) { env.SetTimer("go", 1) }

// Timer implements [sim.Service].
func (s *Sharer) Timer(env sim.Env, t any) {
	s.Board["seen"] = (s.Board["seen"] + 1) % 4
	env.SetTimer(t, 1)
}
