package kernel

import (
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/sim"
)

// nodeFault is a fault that takes a node down, and the nodes of its process with it.
type nodeFault struct {
	inside  choose.Kind                    // asks whether it strikes inside a step
	matters func(stepinfo.EffectKind) bool // whether it makes a difference that it strikes before an effect
	strike  func(*machine, *node) error
	may     func(*sim.System) func(sim.NodeID) bool // which nodes it may strike; nil: as decided for the fault like
	name    string                                  // of may
	like    sim.Fault
}

// nodeFaults are the faults of nodes, in the order in which they are offered.
var nodeFaults = [...]nodeFault{
	sim.Crashes: {
		inside: choose.CrashInside, matters: stepinfo.EffectKind.Outlasts, strike: (*machine).crash,
		may: func(sys *sim.System) func(sim.NodeID) bool { return sys.MayCrash }, name: "MayCrash", like: sim.Crashes,
	},
	sim.Halts: {
		inside: choose.HaltInside, matters: stepinfo.EffectKind.Heard, strike: (*machine).halt,
		may: func(sys *sim.System) func(sim.NodeID) bool { return sys.MayHalt }, name: "MayHalt", like: sim.Crashes,
	},
}

// fail has a fault strike a node.
func (w *machine) fail(n *node, f sim.Fault) error {
	w.left[f]--
	return nodeFaults[f].strike(w, n)
}

// mayFail reports whether any of them can still strike.
func (w *machine) mayFail() bool {
	for f := range nodeFaults {
		if w.left[f] > 0 {
			return true
		}
	}
	return false
}

// strikes reports whether a fault can strike a node, if any is left.
func (w *machine) strikes(f sim.Fault, id sim.NodeID) bool {
	return w.nodes[id].up && (w.may[f] == nil || w.may[f][id])
}

// whoFails asks the system once which nodes may fail. The error is a finding.
func (w *machine) whoFails() (err error) {
	limits := declared.NodeLimits(w.sys)
	for f := range nodeFaults {
		of := sim.Fault(f)
		if nodeFaults[f].may(w.sys) == nil {
			of = nodeFaults[f].like
		}
		if may := nodeFaults[of].may(w.sys); may != nil && limits[f] > 0 && err == nil {
			err = w.who(nodeFaults[of].name, may, &w.may[of])
		}
		w.may[f] = w.may[of]
	}
	return err
}
