package eventgraph

import (
	"fmt"
	"slices"
	"strings"
)

// Classes of steps that [Options] select.
const (
	messageClass = "messages" // deliveries
	timerClass   = "timers"
	actionClass  = "actions" // of applications, and internal steps of nodes
	errorClass   = "errors"  // connection errors and callbacks that nodes receive
	faultClass   = "faults"  // faults and recoveries: crash and boot, partition and healing, ...
)

// ParseClasses parses names of classes, separated by commas, for [Options].
func ParseClasses(list string) ([]string, error) {
	all := []string{messageClass, timerClass, actionClass, errorClass, faultClass}
	var out []string
	for name := range strings.SplitSeq(list, ",") {
		c := strings.TrimSpace(name)
		if !slices.Contains(all, c) {
			return nil, fmt.Errorf("unknown class %q; known are %s", c, strings.Join(all, ", "))
		}
		out = append(out, c)
	}
	return out, nil
}

func (e *Event) class() string { return e.kind.Presentation().Class }

// Options select what a renderer shows. The zero value shows everything, with ticks and long quiet
// stretches folded.
type Options struct {
	From, To int // shown steps, both inclusive; 0 in To means the last
	// Steps, if not nil, lists the shown steps, ascending, and replaces From and To. Reports set it (internal/report/document/excerpt.go).
	Steps []int
	// Nodes are the nodes with a lane; nil means all. Steps that happen on none of them are omitted.
	Nodes []int
	// Classes are the shown classes of steps, see [ParseClasses]; nil means all. The critical step and errors are always shown.
	Classes []string
	// Fold is the maximum number of consecutive steps without a change that are shown individually. A longer
	// stretch becomes a summary. 0 means 4. A negative number disables summaries, and
	// Expand the others.
	Fold int
	// Expand shows each step of a [Fold].
	Expand bool
	// Width is the maximum width of lines in columns (text), 0 means 100; or the width in pixels (SVG), 0 means as
	// needed.
	Width int
	// NoHeader omits the names of the lanes (text, SVG), and NoSource the places in the code (text).
	NoHeader, NoSource bool
	// Notes shows announcements and log lines of handlers, their nested calls, and the names of the properties that
	// stop to hold or hold again (text).
	Notes bool
}

// Check reports the first option that does not fit the graph.
func (g *Graph) Check(o Options) error {
	switch {
	case o.From < 0 || o.From > g.Last():
		return fmt.Errorf("no step %d; the run has %d", o.From, g.Last())
	case o.To < 0 || o.To > g.Last():
		return fmt.Errorf("no step %d; the run has %d", o.To, g.Last())
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

// lane returns the position of the node's lane among those shown, or -1.
func (o *Options) lane(node int) int {
	switch {
	case node < 0:
		return -1
	case o.Nodes == nil:
		return node
	}
	return slices.Index(o.Nodes, node)
}

// shown returns the nodes with a lane, in order.
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

// selected reports whether to show the step.
func (g *Graph) selected(e *Event, o *Options) bool {
	if e.Step > 0 && (e.Step == g.Critical || e.Error != "" || g.inRound(e.Step)) {
		return true
	}
	if o.Classes != nil && !slices.Contains(o.Classes, e.class()) && !(e.Crashed && slices.Contains(o.Classes, faultClass)) {
		return false
	}
	if o.Nodes == nil || e.Node < 0 {
		return true
	}
	shows := func(mate int) bool { return o.lane(mate) >= 0 }
	return shows(e.Node) || !e.onNode() && shows(e.Peer) || slices.ContainsFunc(e.With, shows)
}
