package kernel

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/sim"
)

// Survivors is the label of the question how many unsynced writes survive the crash of the node that a step is about.
const Survivors = "unsynced writes that survive"

// SurvivorsOf is that for a node that crashes with it, as they run in one process.
func SurvivorsOf(id sim.NodeID) string { return fmt.Sprintf("unsynced writes of n%d that survive", id) }

// Cut is what happens of a step inside which its node fails: the effects before At, but for some datagrams.
type Cut struct {
	At   int
	Lost uint16 // bit i: the i'th datagram that the step sends
}

// AppendCuts appends the ways in which a node may fail inside a step: before each effect that matters, and then those by which datagrams are lost.
func AppendCuts(cuts []Cut, how sim.CrashCut, effects []Effect, matters func(EffectKind) bool) []Cut {
	if how == sim.CutNone {
		return cuts
	}
	first := len(cuts)
	for i := range effects {
		if matters(effects[i].Kind) {
			cuts = append(cuts, Cut{At: i})
		}
	}
	if how != sim.CutSubset {
		return cuts
	}
	places, sent := cuts[first:], 0
	for k, last := range places { // which happens, so that no two ways are the same
		at := len(effects)
		if k+1 < len(places) {
			at = places[k+1].At
		}
		for lost := 1; lost < 1<<sent; lost++ {
			cuts = append(cuts, Cut{at, uint16(lost)})
		}
		if effects[last.At].Kind == SendEffect {
			sent++
		}
	}
	return cuts
}

// Happened reports whether an effect did: the node did not fail before it, nor was it lost with that.
func (s *Step) Happened(effect int) bool {
	if effect >= s.Applied || s.Lost == 0 || s.Effects[effect].Kind != SendEffect {
		return effect < s.Applied
	}
	sent := 0
	for i := range s.Effects[:effect] {
		if s.Effects[i].Kind == SendEffect {
			sent++
		}
	}
	return s.Lost>>sent&1 == 0
}

// outlasts reports whether it can make a difference that a node fails inside the step. What is heard outlasts, too.
func (s *Step) outlasts() bool {
	for i := range s.Effects {
		if s.Effects[i].Kind.Outlasts() {
			return true
		}
	}
	return false
}

// askCut asks whether a fault strikes the node inside the step, and notes what happens of the step then.
func (w *machine) askCut(id sim.NodeID) {
	for f := range nodeFaults {
		how := &nodeFaults[f]
		if w.left[f] > 0 && w.strikes(sim.Fault(f), id) && w.asksCut(how.inside, how.matters) {
			w.last.Crashed, w.last.Halted = true, sim.Fault(f) == sim.Halts
			return
		}
	}
}

func (w *machine) asksCut(kind choose.Kind, matters func(EffectKind) bool) bool {
	w.cuts = AppendCuts(w.cuts[:0], w.sys.CrashCut, w.last.Effects, matters)
	if len(w.cuts) == 0 {
		return false
	}
	pick := w.ask(choose.Point{Kind: kind, Arity: len(w.cuts) + 1, Label: kind.Label()})
	if pick > 0 {
		w.last.Applied, w.last.Lost = w.cuts[pick-1].At, w.cuts[pick-1].Lost
	}
	return pick > 0
}

// crashInside applies the effects before cut and crashes the node, or halts it.
func (w *machine) crashInside(n *node, cut int) error {
	for _, f := range w.last.Effects[cut:] {
		if f.Kind == WriteEffect {
			n.disk.pending = n.disk.pending[:f.disk]
			break
		}
	}
	err, f := w.apply(n, 0, cut), sim.Crashes
	if w.last.Halted {
		f = sim.Halts
	}
	return cmp.Or(err, w.fail(n, f))
}

// sendable refuses a datagram of a step of which too many subsets could be lost.
func (w *machine) sendable(id sim.NodeID) {
	if w.sys.CrashCut != sim.CutSubset {
		return
	}
	limits, fails := nodeLimits(w.sys), false
	for f := range nodeFaults {
		fails = fails || limits[f] > 0 && (w.may[f] == nil || w.may[f][id])
	}
	if !fails {
		return
	}
	sent := 0
	for _, f := range w.last.Effects[w.own:] {
		if f.Kind == SendEffect {
			sent++
		}
	}
	if sent == sim.MostCut {
		w.end(misuse(fmt.Sprintf("Send: a node that may crash sends more than %d datagrams in a step, which with the crash cut subset may be lost in too many ways: take prefix or none, or limit crashes and halts to other nodes", sim.MostCut)))
	}
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
			err = panicked(name, r)
		}
	}()
	*known = asking(w, func() Asked { return Asked{Name: name} }, func() []bool {
		all := make([]bool, len(w.nodes))
		for i := range all {
			all[i] = may(sim.NodeID(i))
		}
		return all
	})
	return nil
}

// crash takes a node down, and those that run in its process. The error is the finding that a service could not be closed.
func (w *machine) crash(n *node) error {
	err := w.crashAlone(n, Survivors)
	for _, id := range w.groupOf(n.id) {
		if m := &w.nodes[id]; m.up {
			w.last.With = append(w.last.With, id)
			err = cmp.Or(err, w.crashAlone(m, SurvivorsOf(id)))
		}
	}
	return err
}

// crashAlone takes a node down. How many of its unsynced writes survive is a choice.
func (w *machine) crashAlone(n *node, survivors string) error {
	err := w.takeDown(n)
	if p := len(n.disk.pending); p > 0 {
		kept := w.ask(choose.Point{Kind: choose.Outcome, Arity: p + 1, Label: survivors})
		n.disk.flush(kept)
		n.disk.pending = n.disk.pending[:0]
	}
	n.clock.model.Crash()
	w.net.Crashed(n.id)
	w.touch(n)
	w.dirtyNetwork()
	return err
}

// halt takes a node down for ever, and those that run in its process, be they up or not. The error is as that of crash.
func (w *machine) halt(n *node) error {
	err := w.haltAlone(n)
	for _, id := range w.groupOf(n.id) {
		w.last.With = append(w.last.With, id)
		err = cmp.Or(err, w.haltAlone(&w.nodes[id]))
	}
	return err
}

// haltAlone takes a node down for ever. All that have halted are alike: nobody asks any more what they knew.
func (w *machine) haltAlone(n *node) error {
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

// groupOf are the nodes that crash with a node.
func (w *machine) groupOf(id sim.NodeID) []sim.NodeID {
	if w.groups == nil {
		return nil
	}
	return w.groups[id]
}

// leads reports whether a node stands for its process where crashes are listed: it is the first of those that are up.
func (w *machine) leads(id sim.NodeID) bool {
	for _, mate := range w.groupOf(id) {
		if mate < id && w.nodes[mate].up {
			return false
		}
	}
	return true
}

// Mates are by node those that run in its process, ascending; nil: each node has one of its own.
func Mates(sys *sim.System) [][]sim.NodeID {
	if len(sys.Containers) == 0 {
		return nil
	}
	mates := make([][]sim.NodeID, sys.Nodes)
	for id := range mates {
		mates[id] = slices.DeleteFunc(sys.Process(sim.NodeID(id)), func(mate sim.NodeID) bool { return int(mate) == id })
	}
	return mates
}

// processGroups refuses containers of nodes of which only some may crash, or halt.
func processGroups(sys *sim.System, opts *Options) error {
	for f := range nodeFaults {
		may, name := nodeFaults[f].may(sys), nodeFaults[f].name
		if may == nil {
			continue
		}
		for i, c := range sys.Containers {
			for _, id := range c[1:] {
				differ, err := setUp(sys, opts, Asked{Name: name}, func() bool { return may(c[0]) != may(id) })
				if err != nil {
					return err
				}
				if differ {
					return fmt.Errorf("system %q: Containers %d: %s tells nodes %d and %d apart, which run in one process: either both fail or none", sys.Name, i, name, c[0], id)
				}
			}
		}
	}
	return nil
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
