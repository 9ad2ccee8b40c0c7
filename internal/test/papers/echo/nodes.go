package echo

import "github.com/macemc/macemc/sim"

// Receiver is an honest receiver.
type Receiver struct {
	sim.Nop
	Echoed    []int // by initiator's node: the confirmed value
	Delivered []int // by initiator's node: the delivered value
}

// Receive implements [sim.Service].
func (r *Receiver) Receive(env sim.Env, from sim.NodeID, msg any) {
	switch m := msg.(type) {
	case Init:
		if r.Echoed[from] == 0 {
			r.Echoed[from] = m.Value
			env.Send(from, Echo(m))
		}
	case Commit:
		if r.Delivered[from] == 0 {
			r.Delivered[from] = m.Value
		}
	}
}

// Traitor is a Byzantine receiver.
type Traitor struct {
	sim.Nop

	sizes *sizes
}

// Receive implements [sim.Service].
func (t *Traitor) Receive(env sim.Env, from sim.NodeID, msg any) {
	m, ok := msg.(Init)
	switch {
	case !ok:
	case int(from) < t.sizes.receivers()+t.sizes.initiators:
		env.Send(from, Echo{-m.Value})
	default:
		env.Send(from, Echo{1})
		env.Send(from, Echo{2})
	}
}

// Initiator tries to get its value delivered; a Byzantine one, both values.
type Initiator struct {
	sim.Nop
	Echoes [3]int  // valid confirmations by value, below the quorum and beyond it
	Sent   [3]bool // by value: Commit was sent

	byzantine bool
	sizes     *sizes
	bugs      bugs
}

// Start sends the value.
func (s *Initiator) Start(env sim.Env) {
	for i := range s.sizes.receivers() {
		value := 1
		if s.byzantine && s.sizes.second(i) {
			value = 2
		}
		env.Send(sim.NodeID(i), Init{value})
	}
}

// Receive implements [sim.Service].
func (s *Initiator) Receive(env sim.Env, _ sim.NodeID, msg any) {
	m := msg.(Echo)
	if m.Value < 0 {
		return
	}
	s.Echoes[m.Value]++
	if s.Echoes[m.Value] == s.sizes.quorum(s.bugs) {
		s.Echoes[m.Value] = 0
		s.commit(env, m.Value)
	}
}

func (s *Initiator) commit(env sim.Env, value int) {
	s.Sent[value] = true
	for i := range s.sizes.receivers() {
		env.Send(sim.NodeID(i), Commit{value})
	}
}
