package echo

import "github.com/macemc/macemc/sim"

// echoed is the quorum that replaces counting confirmations.
func echoed() sim.AnyQuorum {
	return sim.Quorum[*Initiator, Echo]{
		Name: "echoed",
		Need: func(s *Initiator) int { return s.sizes.quorum(s.bugs) },
		Fits: func(s *Initiator, _ sim.NodeID, m Echo) bool { return m.Value > 0 && !s.Sent[m.Value] },
		Key:  func(m Echo) any { return m.Value },
		Do:   func(s *Initiator, env sim.Env, set []sim.From[Echo]) { s.commit(env, set[0].Msg.Value) },
	}
}
