package kernel

import (
	"cmp"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/sim"
)

// Labels of the questions whether a node fails inside a step.
const (
	CrashInside = "crash inside the step"
	HaltInside  = "halt inside the step"
)

// askCut asks whether the node crashes inside the step, or halts, and returns how many of its effects happen.
func (w *machine) askCut(id sim.NodeID, all int) int {
	if w.crashesLeft > 0 && w.crashable(id) {
		if cut := w.askPlace(CrashInside, EffectKind.Outlasts); cut >= 0 {
			w.last.Crashed = true
			return cut
		}
	}
	if w.haltsLeft > 0 && w.haltable(id) {
		if cut := w.askPlace(HaltInside, EffectKind.Heard); cut >= 0 {
			w.last.Crashed, w.last.Halted = true, true
			return cut
		}
	}
	return all
}

// askPlace asks before which of the effects that matter the node fails; -1: before none.
func (w *machine) askPlace(label string, matters func(EffectKind) bool) int {
	effects := w.last.Effects
	n := 0
	for i := range effects {
		if matters(effects[i].Kind) {
			n++
		}
	}
	if n == 0 {
		return -1
	}
	pick := w.ask(choose.Point{Kind: choose.Fault, Arity: n + 1, Label: label})
	for i := range effects {
		if pick > 0 && matters(effects[i].Kind) {
			if pick--; pick == 0 {
				return i
			}
		}
	}
	return -1
}

// crashInside applies the effects before cut and crashes the node, or halts it.
func (w *machine) crashInside(n *node, cut int) error {
	for _, f := range w.last.Effects[cut:] {
		if f.Kind == WriteEffect {
			n.disk.pending = n.disk.pending[:f.disk]
			break
		}
	}
	err := w.apply(n, 0, cut)
	if w.last.Halted {
		return cmp.Or(err, w.halt(n))
	}
	w.crashesLeft--
	return cmp.Or(err, w.crash(n))
}

func (w *machine) crashable(id sim.NodeID) bool {
	return w.nodes[id].up && (w.sys.MayCrash == nil || w.crashing[id])
}

func (w *machine) haltable(id sim.NodeID) bool {
	return w.nodes[id].up && (w.halting == nil || w.halting[id])
}

// whoCrashes asks the system once which nodes may crash. The error is a finding. Like whoHalts it stands in the stack of what it calls by itself,
// so that it can be told what does not return.
func (w *machine) whoCrashes() (err error) {
	if w.sys.MayCrash != nil && (w.sys.Crashes > 0 || w.sys.Halts > 0 && w.sys.MayHalt == nil) {
		err = w.who("MayCrash", func(id sim.NodeID) bool { return w.sys.MayCrash(id) }, &w.crashing)
	}
	return err
}

// whoHalts asks the system once which nodes may halt, after whoCrashes. The error is a finding.
func (w *machine) whoHalts() (err error) {
	switch {
	case w.sys.MayHalt == nil:
		w.halting = w.crashing
	case w.sys.Halts > 0:
		err = w.who("MayHalt", func(id sim.NodeID) bool { return w.sys.MayHalt(id) }, &w.halting)
	}
	return err
}

// who keeps what may, a function of the system of that name, says of each node.
func (w *machine) who(name string, may func(sim.NodeID) bool, known *[]bool) (err error) {
	if *known != nil {
		return nil
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *sim.Finding:
			r.Node, err = -1, r
		default:
			value, stack := raisedBy(r)
			err = &sim.Finding{Kind: sim.Panic, Node: -1, Message: name + " " + panicText(value, "panicked: %v"), Stack: stack}
		}
	}()
	all := make([]bool, len(w.nodes))
	contained(w.watch, func() {
		for i := range all {
			all[i] = may(sim.NodeID(i))
		}
	})
	*known = all
	return nil
}

// MostHalts is how many nodes can halt in a run.
func MostHalts(sys *sim.System) int { return min(sys.Halts, sys.Nodes) }

// crash takes a node down. How many of its unsynced writes survive is a choice. The error is the finding that the service could not be closed.
func (w *machine) crash(n *node) error {
	err := w.takeDown(n)
	if p := len(n.disk.pending); p > 0 {
		kept := w.ask(choose.Point{Kind: choose.Outcome, Arity: p + 1, Label: "unsynced writes that survive"})
		n.disk.flush(kept)
		n.disk.pending = n.disk.pending[:0]
	}
	n.clock.model.Crash()
	w.net.Crashed(n.id)
	w.touch(n)
	w.dirtyNetwork()
	return err
}

// halt takes a node down for ever. All that have halted are alike: nobody asks any more what they knew. The error is as that of crash.
func (w *machine) halt(n *node) error {
	w.haltsLeft--
	err := w.takeDown(n)
	n.halted, n.never = true, 0
	clear(n.counts)
	n.disk.reset()
	n.clock.reset(n.id)
	w.net.Halted(n.id)
	w.touch(n)
	w.dirtyNetwork()
	return err
}

// takeDown takes the service of a node away, with its timers.
func (w *machine) takeDown(n *node) (err error) {
	if found := w.discard(n); found != nil {
		err = found
	}
	n.up, n.service, n.onError, n.onReady, n.stepper = false, nil, nil, nil, nil
	w.check.shown.Services[n.id] = nil
	n.armed = n.armed[:0]
	return err
}
