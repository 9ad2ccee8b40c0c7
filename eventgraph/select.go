package eventgraph

import (
	"fmt"
	"slices"
	"strings"
)

// Class is a kind of step that can be selected.
type Class string

const (
	Messages Class = "messages" // deliveries
	Timers   Class = "timers"
	Actions  Class = "actions" // of applications, and steps that nodes take of themselves
	Errors   Class = "errors"  // connection errors and call-backs that nodes hear of
	Faults   Class = "faults"  // what is injected, and what puts it right: crash and boot, partition and healing, ...
)

// Classes returns all classes.
func Classes() []Class { return []Class{Messages, Timers, Actions, Errors, Faults} }

// ParseClasses reads names separated by commas.
func ParseClasses(list string) ([]Class, error) {
	var out []Class
	for name := range strings.SplitSeq(list, ",") {
		c := Class(strings.TrimSpace(name))
		if !slices.Contains(Classes(), c) {
			return nil, fmt.Errorf("unknown class %q; known are %s", c, joinClasses(Classes()))
		}
		out = append(out, c)
	}
	return out, nil
}

func joinClasses(all []Class) string {
	var names []string
	for _, c := range all {
		names = append(names, string(c))
	}
	return strings.Join(names, ", ")
}

func (e *Event) class() Class { return Class(e.kind.Seam().Class) }

// Options select what a renderer shows. The zero value shows everything, long quiet stretches folded.
type Options struct {
	From, To int // steps shown, both inclusive; To 0: to the last
	// Steps, when not nil, are the only steps shown, ascending; From and To do not count then.
	Steps []int
	// Nodes are the nodes that have a lane; nil: all. Steps that happen on none of them are left out.
	Nodes []int
	// Classes are those of the steps shown; nil: all. The critical step and errors are always shown.
	Classes []Class
	// Fold is how many steps in a row that change nothing are shown one by one; a longer stretch
	// becomes a summary. 0: 4; negative: no folding.
	Fold int
	// Width is the number of columns that lines should keep to (text), 0: 100; or that of pixels (SVG),
	// 0: as many as the nodes need.
	Width int
	// NoHeader leaves out the names of the lanes (text, SVG), and NoSource the places in the code (text).
	NoHeader, NoSource bool
	// Notes shows what handlers announced and logged, their nested calls, and the names of the
	// properties that cease to hold or hold again (text).
	Notes bool
}

// Check reports the first option that does not suit the graph.
func (g *Graph) Check(o Options) error {
	switch {
	case o.From < 0 || o.From > g.Last():
		return fmt.Errorf("there is no step %d; the run has %d", o.From, g.Last())
	case o.To < 0 || o.To > g.Last():
		return fmt.Errorf("there is no step %d; the run has %d", o.To, g.Last())
	case o.To > 0 && o.To < o.From:
		return fmt.Errorf("steps %d to %d: the last is before the first", o.From, o.To)
	}
	for i, n := range o.Nodes {
		if n < 0 || n >= len(g.Nodes) {
			return fmt.Errorf("there is no node %d; nodes are 0 to %d", n, len(g.Nodes)-1)
		}
		if slices.Contains(o.Nodes[:i], n) {
			return fmt.Errorf("node %d is selected twice", n)
		}
	}
	return nil
}

// lane returns the position of the node's lane among those shown, -1: it has none.
func (o *Options) lane(node int) int {
	switch {
	case node < 0:
		return -1
	case o.Nodes == nil:
		return node
	}
	return slices.Index(o.Nodes, node)
}

// shown are the nodes that have a lane, in order.
func (g *Graph) shown(o Options) []Node {
	if o.Nodes == nil {
		return g.Nodes
	}
	var out []Node
	for _, n := range o.Nodes {
		if n >= 0 && n < len(g.Nodes) {
			out = append(out, g.Nodes[n])
		}
	}
	return out
}

// selected reports whether the step is to be shown.
func (g *Graph) selected(e *Event, o *Options) bool {
	if e.Step > 0 && (e.Step == g.Critical || e.Error != "" || g.inRound(e.Step)) {
		return true
	}
	if o.Classes != nil && !slices.Contains(o.Classes, e.class()) && !(e.Crashed && slices.Contains(o.Classes, Faults)) {
		return false
	}
	if o.Nodes == nil || e.Node < 0 {
		return true
	}
	shows := func(mate int) bool { return o.lane(mate) >= 0 }
	return shows(e.Node) || !e.onNode() && shows(e.Peer) || slices.ContainsFunc(e.With, shows)
}
