package kernel

import (
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/sim"
)

// nodeFault is a fault that takes a node down, and the nodes of its process with it.
type nodeFault struct {
	inside  choose.Kind                    // class of the question whether the fault strikes inside a step
	matters func(stepinfo.EffectKind) bool // whether striking before an effect makes a difference
	strike  func(*Machine, *Node) error
	may     func(*sim.System) func(sim.NodeID) bool // the nodes that it may strike; nil means as for the fault like
	name    string                                  // of may
	like    sim.Fault
}

// nodeFaults are the faults of nodes, in the order in which they are offered.
var nodeFaults = [...]nodeFault{
	sim.Crashes: {
		inside: choose.CrashInside, matters: stepinfo.EffectKind.Outlasts, strike: (*Machine).Crash,
		may: func(sys *sim.System) func(sim.NodeID) bool { return sys.MayCrash }, name: "MayCrash", like: sim.Crashes,
	},
	sim.Halts: {
		inside: choose.HaltInside, matters: stepinfo.EffectKind.Heard, strike: (*Machine).halt,
		may: func(sys *sim.System) func(sim.NodeID) bool { return sys.MayHalt }, name: "MayHalt", like: sim.Crashes,
	},
}

// fail makes a fault strike a node.
func (w *Machine) fail(n *Node, f sim.Fault) error {
	w.Left[f]--
	return nodeFaults[f].strike(w, n)
}

// mayFail reports whether any fault of nodes can still strike.
func (w *Machine) mayFail() bool {
	for f := range nodeFaults {
		if w.Left[f] > 0 {
			return true
		}
	}
	return false
}

// strikes reports whether a fault can strike a node, if any is left.
func (w *Machine) strikes(f sim.Fault, id sim.NodeID) bool {
	return w.Members[id].Up && (w.May[f] == nil || w.May[f][id])
}

// WhoFails evaluates once which nodes may fail, by the functions of the system. The error is a finding.
func (w *Machine) WhoFails() (err error) {
	limits := declared.NodeLimits(w.Sys)
	for f := range nodeFaults {
		of := sim.Fault(f)
		if nodeFaults[f].may(w.Sys) == nil {
			of = nodeFaults[f].like
		}
		if may := nodeFaults[of].may(w.Sys); may != nil && limits[f] > 0 && err == nil {
			err = w.who(nodeFaults[of].name, may, &w.May[of])
		}
		w.May[f] = w.May[of]
	}
	return err
}
