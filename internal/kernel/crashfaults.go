package kernel

import (
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/sim"
)

// crashFault is a fault that takes a node down, and the nodes of its process with it.
type crashFault struct {
	fault      sim.Fault
	inside     choose.Kind                    // class of the question whether the fault strikes inside a step
	matters    func(stepinfo.EffectKind) bool // whether striking before an effect makes a difference
	strike     func(*Machine, *Node) error
	may        func(*sim.System) func(sim.NodeID) bool // the nodes that it may strike; nil means those of the fault defaultsTo
	name       string                                  // of may
	defaultsTo sim.Fault
}

// crashFaults are the faults that take a node down, in the order in which they are offered.
var crashFaults = [...]crashFault{
	{
		fault: sim.Crashes, inside: choose.CrashInside, matters: stepinfo.EffectKind.SurvivesCrash, strike: (*Machine).Crash,
		may: func(sys *sim.System) func(sim.NodeID) bool { return sys.MayCrash }, name: "MayCrash", defaultsTo: sim.Crashes,
	},
	{
		fault: sim.Halts, inside: choose.HaltInside, matters: stepinfo.EffectKind.VisibleAfterHalt, strike: (*Machine).halt,
		may: func(sys *sim.System) func(sim.NodeID) bool { return sys.MayHalt }, name: "MayHalt", defaultsTo: sim.Crashes,
	},
}

// fail makes a fault strike a node.
func (w *Machine) fail(n *Node, f sim.Fault) error {
	w.FaultsLeft[f]--
	return crashFaultOf(f).strike(w, n)
}

func crashFaultOf(f sim.Fault) *crashFault {
	return &crashFaults[slices.IndexFunc(crashFaults[:], func(c crashFault) bool { return c.fault == f })]
}

// FaultInside returns the fault that questions of kind k are about. Ok is false if k does not ask whether a fault
// strikes inside a step.
func FaultInside(k choose.Kind) (f sim.Fault, ok bool) {
	for i := range crashFaults {
		if crashFaults[i].inside == k {
			return crashFaults[i].fault, true
		}
	}
	return 0, false
}

// strikes reports whether a fault can strike a node, if any is left.
func (w *Machine) strikes(f sim.Fault, id sim.NodeID) bool {
	return w.Members[id].Up && (w.May[f] == nil || w.May[f][id])
}

// WhoFails evaluates once which nodes may fail, by the functions of the system. The error is a finding.
func (w *Machine) WhoFails() (err error) {
	for i := range crashFaults {
		how := &crashFaults[i]
		f := how.fault
		if how.may(w.Sys) == nil {
			how = crashFaultOf(how.defaultsTo)
		}
		if may := how.may(w.Sys); may != nil && w.limits[f] > 0 && err == nil {
			err = w.evaluateMay(how.name, may, &w.May[how.fault])
		}
		w.May[f] = w.May[how.fault]
	}
	return err
}
