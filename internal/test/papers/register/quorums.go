package register

import "github.com/macemc/macemc/sim"

// quorums returns the quorums that replace counting.
func quorums(b bugs) []sim.AnyQuorum {
	return []sim.AnyQuorum{
		sim.Quorum[*Writer, WriteAck]{
			Name: "written",
			Need: func(w *Writer) int { return needs(w.Busy, w.sizes.majority()) },
			Fits: func(w *Writer, _ sim.NodeID, m WriteAck) bool { return m.Stamp == w.Stamp },
			Do:   func(w *Writer, env sim.Env, _ []sim.From[WriteAck]) { w.end(env) },
		},
		sim.Quorum[*Reader, ReadAck]{
			Name: "answered",
			Need: func(r *Reader) int {
				if b.has(rg2) {
					return needs(r.Busy, 1)
				}
				return needs(r.Busy, r.sizes.majority())
			},
			Fits: func(r *Reader, _ sim.NodeID, m ReadAck) bool { return m.Read == r.Read },
			Do:   (*Reader).answered,
		},
	}
}

func needs(busy bool, many int) int {
	if !busy {
		return 0
	}
	return many
}

func (r *Reader) answered(env sim.Env, set []sim.From[ReadAck]) {
	stamp := 0
	for _, m := range set {
		stamp = max(stamp, m.Msg.Stamp)
	}
	r.end(env, stamp)
}
