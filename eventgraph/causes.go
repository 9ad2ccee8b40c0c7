package eventgraph

import (
	"iter"
	"slices"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/replay"
)

// orderer finds the direct causes of events.
type orderer struct {
	g         *Graph
	lastOn    []int          // last step on each node
	partition int            // step of the last partition
	cuts      map[[2]int]int // last step that ended the connection of two nodes, the smaller one first
	crashes   []int          // last step that crashed each node
	room      map[[2]int]int // last step in which the second node took a message of the first
}

// order fills in what follows what. A violation also follows what its property reads: the last steps of nodes, or what they announced.
func order(g *Graph, t *replay.Trace) {
	o := orderer{
		g: g, lastOn: make([]int, len(g.Nodes)), crashes: make([]int, len(g.Nodes)),
		cuts: map[[2]int]int{}, room: map[[2]int]int{},
	}
	for i := range g.Events {
		if i == 0 {
			continue
		}
		e := &g.Events[i]
		if t.Finding == nil || i != t.FoundAt {
			o.event(e)
			continue
		}
		g.Read = tidy(o.read(t))
		g.Wrote = slices.DeleteFunc(tidy(o.wrote(t)), func(s int) bool { return slices.Contains(g.Read, s) })
		o.event(e)
		e.Causes = tidy(append(e.Causes, g.Read...))
	}
}

// read returns the earlier steps that wrote what the violated property reads.
func (o *orderer) read(t *replay.Trace) (steps []int) {
	wrote := func(step, id int) bool {
		return slices.ContainsFunc(o.g.Events[step].Changes, func(c replay.NodeChange) bool { return c.Node == id && !c.Bookkeeping() })
	}
	for _, id := range t.Read {
		if wrote(t.FoundAt, id) {
			continue
		}
		for s := t.FoundAt - 1; s > 0; s-- {
			if wrote(s, id) {
				steps = append(steps, s)
				break
			}
		}
	}
	for _, o := range t.Observed {
		if o.Step > 0 && o.Step < t.FoundAt {
			steps = append(steps, o.Step)
		}
	}
	return steps
}

// wrote returns the earlier steps that last wrote a field of a node that the violated property reads.
func (o *orderer) wrote(t *replay.Trace) (steps []int) {
	for _, id := range t.Read {
		written := map[string]bool{}
		for s := t.FoundAt; s > 0; s-- {
			e, fields := &o.g.Events[s], len(written)
			for _, c := range e.Changes {
				if c.Node == id && !c.Bookkeeping() {
					written[c.Path] = true
				}
			}
			if s < t.FoundAt && len(written) > fields {
				steps = append(steps, s)
			}
			if e.Node == id && e.kind == eventkind.Boot || e.takesNodeDown(id) {
				break // a new state
			}
		}
	}
	return steps
}

// tidy sorts causes. Whatever happens follows the first boots, which are only named alone.
func tidy(causes []int) []int {
	slices.Sort(causes)
	causes = slices.Compact(causes)
	if len(causes) > 1 && causes[0] == 0 {
		return causes[1:]
	}
	return causes
}

func (o *orderer) event(e *Event) {
	onNode := e.onNode()
	add := func(step int) { e.Causes = append(e.Causes, step) }
	if onNode {
		add(o.lastOn[e.Node])
		o.lastOn[e.Node] = e.Step
	}
	for _, mate := range e.With {
		add(o.lastOn[mate])
		o.lastOn[mate], o.crashes[mate] = e.Step, e.Step
	}
	pair := [2]int{min(e.Node, e.Peer), max(e.Node, e.Peer)}
	switch e.kind {
	case eventkind.Partition:
		o.partition = e.Step
	case eventkind.Heal:
		add(o.partition)
	case eventkind.Break:
		for _, n := range pair {
			if n >= 0 {
				add(o.lastOn[n])
			}
		}
		o.cuts[pair] = e.Step
	case eventkind.DeliverError:
		if e.Peer >= 0 {
			add(max(o.cuts[pair], o.crashes[e.Peer]))
		}
	case eventkind.DeliverReady:
		add(o.room[[2]int{e.Node, e.Peer}])
	case eventkind.Deliver:
		if e.Peer >= 0 {
			o.room[[2]int{e.Peer, e.Node}] = e.Step
		}
	}
	if e.takesDown() {
		o.crashes[e.Node] = e.Step
	}
	for _, f := range e.effects {
		if f.Applied && f.Kind == stepinfo.CloseEffect.String() {
			o.cuts[[2]int{min(e.Node, f.Peer), max(e.Node, f.Peer)}] = e.Step
		}
	}
	for _, i := range e.Consumed {
		add(o.g.Messages[i].Sent)
	}
	e.Causes = tidy(e.Causes)
	if len(e.Causes) == 0 {
		e.Causes = []int{0}
	}
}

// takesDown reports whether the event takes its node down.
func (e *Event) takesDown() bool { return e.Crashed || e.kind.TakesDown() }

// takesNodeDown reports whether the step takes a node down.
func (e *Event) takesNodeDown(node int) bool {
	return e.takesDown() && (node == e.Node || slices.Contains(e.With, node))
}

// onNode reports whether the event happens on its node's lane. The others happen in the network.
func (e *Event) onNode() bool {
	return e.Node >= 0 && (e.kind == eventkind.Arrive || !e.kind.OfNetwork())
}

// Ancestors yields the steps that a step depends on through messages and the order on nodes, the latest first.
func (g *Graph) Ancestors(step int) iter.Seq[int] {
	return func(yield func(int) bool) {
		in := make([]bool, step+1)
		in[step] = true
		for s := step; s > 0; s-- {
			if !in[s] {
				continue
			}
			if s != step && !yield(s) {
				return
			}
			for _, c := range g.Events[s].Causes {
				in[c] = true
			}
		}
	}
}

// Past returns at most n steps before step, ascending: the latest of its ancestors and, if these are fewer than n, the steps right
// before it.
func (g *Graph) Past(step, n int) (past []int) {
	if step < 1 || step >= len(g.Events) {
		return nil
	}
	for s := range g.Ancestors(step) {
		if len(past) == n {
			break
		}
		past = append(past, s)
	}
	for s := step - 1; s > 0 && len(past) < n; s-- {
		if !slices.Contains(past, s) {
			past = append(past, s)
		}
	}
	slices.Sort(past)
	return past
}

// Align returns the steps of another run that correspond to those of this one, see [replay.Align]. The runs share their first steps.
func (g *Graph) Align(other *Graph, shared int) []replay.Counterpart {
	return replay.Align(g.occurrences(), other.occurrences(), shared)
}

func (g *Graph) occurrences() []replay.Occurrence {
	all := make([]replay.Occurrence, g.Last())
	for i := range all {
		e := &g.Events[i+1]
		all[i] = replay.Occurrence{Key: e.Key, Kind: e.kind}
	}
	return all
}
