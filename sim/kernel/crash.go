package kernel

import (
	"cmp"
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/sim"
)

// askCut asks whether the node crashes inside the step, and returns how many of its effects happen.
func (w *machine) askCut(all int) int {
	effects := w.last.Effects
	n := 0
	for i := range effects {
		if effects[i].Kind.Outlasts() {
			n++
		}
	}
	if n == 0 {
		return all
	}
	pick := w.ask(choose.Point{Kind: choose.Fault, Arity: n + 1, Label: "crash inside the step"})
	if pick == 0 {
		return all
	}
	w.last.Crashed = true
	for i := range effects {
		if effects[i].Kind.Outlasts() {
			if pick--; pick == 0 {
				return i
			}
		}
	}
	panic("unreachable")
}

// crashInside applies the effects before cut and crashes the node.
func (w *machine) crashInside(n *node, cut int) error {
	for _, f := range w.last.Effects[cut:] {
		if f.Kind == WriteEffect {
			n.disk.pending = n.disk.pending[:f.disk]
			break
		}
	}
	err := w.apply(n, 0, cut)
	w.crashesLeft--
	return cmp.Or(err, w.crash(n))
}

func (w *machine) crashable(id sim.NodeID) bool {
	return w.nodes[id].up && (w.sys.MayCrash == nil || w.crashing[id])
}

// whoCrashes asks the system once which nodes may crash. The error is a finding.
func (w *machine) whoCrashes() (err error) {
	if w.sys.MayCrash == nil || w.sys.Crashes == 0 || w.crashing != nil {
		return nil
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *sim.Finding:
			r.Node, err = -1, r
		default:
			value, stack := raisedBy(r)
			err = &sim.Finding{Kind: sim.Panic, Node: -1, Message: "MayCrash " + panicText(value, "panicked: %v"), Stack: stack}
		}
	}()
	crashing := make([]bool, len(w.nodes))
	contained(w.watch, func() {
		for i := range crashing {
			crashing[i] = w.sys.MayCrash(sim.NodeID(i))
		}
	})
	w.crashing = crashing
	return nil
}

// crash takes a node down. How many of its unsynced writes survive is a choice. The error is the finding that the service could not be closed.
func (w *machine) crash(n *node) (err error) {
	if found := w.discard(n); found != nil {
		err = found
	}
	if p := len(n.disk.pending); p > 0 {
		kept := w.ask(choose.Point{Kind: choose.Outcome, Arity: p + 1, Label: "unsynced writes that survive"})
		n.disk.flush(kept)
		n.disk.pending = n.disk.pending[:0]
	}
	n.up, n.service, n.onError, n.onReady, n.stepper = false, nil, nil, nil, nil
	w.check.shown.Services[n.id] = nil
	n.armed = n.armed[:0]
	n.clock.model.Crash()
	w.net.Crashed(n.id)
	w.touch(n)
	w.dirtyNetwork()
	return err
}
