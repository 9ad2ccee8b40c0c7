// Package nodestates describes states of nodes for people, as a trace records them: how two states differ, and what changed last.
package nodestates

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/textfmt"
)

// Place names a field of a node's state.
type Place struct {
	Node int
	Path string
	Part replay.Part
}

// PlaceOf returns the field that changes.
func PlaceOf(c *replay.NodeChange) Place { return Place{c.Node, c.Path, c.Part} }

// Minor reports whether changes of the field are less informative than others.
func (at Place) Minor() bool { return (&replay.NodeChange{Part: at.Part}).Minor() }

// State holds the states of the nodes after a step of a trace. It is updated from the changes of each step.
type State struct {
	Values map[Place]string
	Order  []Place        // of first appearance
	inside map[Place]bool // internal parts of values of foreign types
	isDown map[int]bool   // by node
	step   int            // number of the last step; 0 means boot
	since  map[Place]int  // step of the last change
	named  map[string]int // that step, by the text of a difference that names it
}

func newState(t *replay.Trace) *State {
	s := &State{Values: map[Place]string{}, inside: map[Place]bool{}, isDown: map[int]bool{}, since: map[Place]int{},
		named: map[string]int{}, step: -1}
	s.follow(&t.Boot)
	return s
}

// After returns the states after a step of a trace.
func After(t *replay.Trace, step int) *State {
	s := newState(t)
	for i := range min(step, len(t.Steps)) {
		s.follow(&t.Steps[i])
	}
	return s
}

func (s *State) follow(step *replay.TraceStep) {
	s.step++
	for i := range step.Changes {
		c := &step.Changes[i]
		at := PlaceOf(c)
		if _, ok := s.Values[at]; !ok {
			s.Order = append(s.Order, at)
			s.inside[at] = c.Inside != ""
		}
		s.Values[at], s.since[at] = c.New, s.step
		if c.Part.Kind == replay.Status {
			s.isDown[c.Node] = c.New != ""
		}
	}
}

func (s *State) down(node int) bool { return s.isDown[node] }

// show returns the value of a field for display.
func (s *State) show(at Place) string {
	if at.Part.Kind == replay.Status && !s.down(at.Node) {
		return "up"
	}
	return cmp.Or(s.Values[at], "none")
}

// hasParts reports whether the parts of the field have values in place of the field itself.
func (s *State) hasParts(at Place) bool {
	for of, v := range s.Values {
		if v != "" && of.Node == at.Node && replay.PartOf(of.Path, at.Path) {
			return true
		}
	}
	return false
}

// mostCompared is the maximum number of steps that are compared until the states differ in more than timers.
const mostCompared = 200

// AfterSteps describes how the states of a run and of the nearest live run differ after a step and its counterpart.
// If they do not, it uses the first later step after which they do. A difference is "n0.Acked 1 | 2", the dead run's
// value first. Fields that one of the steps changed come first, then other differences on that node. Timers and down
// nodes count only if nothing else ever differs. at is the step of the dead run; 0 means no difference. named are further
// steps of that run that the text names.
func AfterSteps(dead, live *replay.Trace, align []replay.Counterpart, from int) (text string, at int, named []int) {
	a := After(dead, from-1)
	for n := from; n <= min(from+mostCompared, len(dead.Steps)); n++ {
		step, other := &dead.Steps[n-1], align[n]
		a.follow(step)
		changes := step.Changes
		if other.Step > 0 {
			changes = slices.Concat(changes, live.Steps[other.Step-1].Changes)
		}
		found, rest := differences(a, After(live, other.Step), step.Node, changes)
		after := ""
		switch {
		case other.Step != n:
			after = fmt.Sprintf(" (after step %d | step %d)", n, other.Step)
		case n != from:
			after = fmt.Sprintf(" (after step %d)", n)
		}
		if len(found) > 0 {
			return JoinFew(found) + after, n, a.namedBy(found)
		}
		if text == "" && len(rest) > 0 {
			text, at, named = JoinFew(rest)+after, n, a.namedBy(rest)
		}
	}
	return text, at, named
}

// namedBy returns the steps of the last changes that texts of differences name.
func (s *State) namedBy(found []string) (steps []int) {
	for _, text := range found[:min(len(found), MostJoined)] {
		if step := s.named[text]; step > 0 {
			steps = append(steps, step)
		}
	}
	return steps
}

// MostJoined is the maximum number of texts that [JoinFew] joins.
const MostJoined = 3

// JoinFew joins the first texts, and counts the others.
func JoinFew(parts []string) string { return strings.Join(textfmt.Few(parts, MostJoined), "; ") }

// mostLetters is the maximum length of a value in a comparison.
const mostLetters = 40

// pair returns two different values for a comparison: names without their numbers, and long ones around the first difference.
func pair(a, b string) (string, string) {
	a, b = textfmt.Names(a, b)
	return textfmt.CutPair(a, b, mostLetters)
}

// differences lists the fields in which two states differ: the changed ones of a node, its other ones, and those of
// the other nodes. In each group, fields inside values of foreign types come last. rest are bookkeeping fields and
// down nodes.
func differences(a, b *State, node int, changed []replay.NodeChange) (found, rest []string) {
	fresh := map[Place]bool{}
	for i := range changed {
		fresh[PlaceOf(&changed[i])] = true
	}
	var ranks [6][]string
	for kind, places := range unlike(a, b) {
		for _, at := range places {
			x, y := pair(a.show(at), b.show(at))
			since := a.since[at]
			if since >= a.step {
				since = 0
			}
			if since > 0 {
				x += fmt.Sprintf(" (since step %d)", since)
			}
			text := fmt.Sprintf("n%d.%s %s | %s", at.Node, at.Path, x, y)
			a.named[text] = since
			switch {
			case kind == minorKind:
				rest = append(rest, text)
			case fresh[at]:
				ranks[kind] = append(ranks[kind], text)
			case at.Node == node:
				ranks[2+kind] = append(ranks[2+kind], text)
			default:
				ranks[4+kind] = append(ranks[4+kind], text)
			}
		}
	}
	return slices.Concat(ranks[:]...), rest
}

// minorKind is the kind of [unlike] for uninformative fields.
const minorKind = 2

// unlike returns the fields in which two states differ: those of services, those inside values of foreign types, and,
// as minorKind, down nodes and bookkeeping.
func unlike(a, b *State) (kinds [3][]Place) {
	seen := map[Place]bool{}
	for _, order := range [][]Place{a.Order, b.Order} {
		for _, at := range order {
			if seen[at] || a.Values[at] == b.Values[at] {
				continue
			}
			seen[at] = true
			kind := 0
			switch {
			case a.hasParts(at) || b.hasParts(at) || at.Part.Kind != replay.Status && a.down(at.Node) != b.down(at.Node):
				continue // its parts differ, too, or the whole node does
			case at.Minor() || at.Part.Kind == replay.Status:
				kind = minorKind
			case a.inside[at] || b.inside[at]:
				kind = 1
			}
			kinds[kind] = append(kinds[kind], at)
		}
	}
	return kinds
}

// OfNode describes a node in one state or, if b is not nil, how it differs in two states.
func OfNode(a, b *State, node int) (x, y string) {
	const most = 6
	var xs, ys []string
	for _, at := range a.Order {
		if at.Node != node || at.Minor() || a.Values[at] == "" || len(xs) == most || strings.HasPrefix(a.Values[at], "->") {
			continue
		}
		if b == nil {
			if len(a.Values[at]) <= mostLetters {
				xs = append(xs, at.Path+" "+a.Values[at])
			}
			continue
		}
		if a.Values[at] == b.Values[at] || b.Values[at] == "" {
			continue
		}
		u, v := pair(a.Values[at], b.Values[at])
		xs, ys = append(xs, at.Path+" "+u), append(ys, at.Path+" "+v)
	}
	if b != nil {
		xs, ys = differingTimers(a, b, node, xs, ys)
	}
	return strings.Join(xs, ", "), strings.Join(ys, ", ")
}

// differingTimers adds the timers that are set in only one of the states.
func differingTimers(a, b *State, node int, xs, ys []string) (x, y []string) {
	const most = 3
	left := most
	add := func(from, other *State, set, unset *[]string) {
		for _, at := range from.Order {
			if at.Part.Kind == replay.Timer && at.Node == node && from.Values[at] != "" && other.Values[at] == "" && left > 0 {
				left--
				timer := "timer " + replay.Brief(at.Part.Name)
				*set, *unset = append(*set, timer+" set"), append(*unset, timer+" not set")
			}
		}
	}
	add(a, b, &xs, &ys)
	add(b, a, &ys, &xs)
	return xs, ys
}

// Small shows the final states of some nodes, as "n0{Sent:2 Acked:1} n1{Seen:2}". It returns an empty string if that
// is long.
func Small(t *replay.Trace, of []int) string {
	const most = 60
	s := After(t, len(t.Steps))
	nodes := make([][]string, t.Nodes)
	for _, at := range s.Order {
		if !at.Minor() && s.Values[at] != "" {
			nodes[at.Node] = append(nodes[at.Node], at.Path+":"+s.Values[at])
		}
	}
	var parts []string
	for id, fields := range nodes {
		if len(fields) > 0 && slices.Contains(of, id) {
			parts = append(parts, fmt.Sprintf("n%d{%s}", id, strings.Join(fields, " ")))
		}
	}
	if text := strings.Join(parts, " "); len(text) <= most {
		return text
	}
	return ""
}

// mostApart is the maximum number of fields shown for the difference of two states.
const mostApart = 5

// InTheEnd lists the fields in which the last state of the dead run differs from the first live state of the live
// run, one per line and at most mostApart. Fields that never agree after the critical step come first, then those
// that differ in the end. In each group, fields inside foreign types follow those of services, and timers come last.
// Texts in without are left out. An empty string means no difference.
func InTheEnd(dead, live *replay.Trace, critical, common int, without []string) string {
	goal := After(live, firstLive(live, common))
	now := After(dead, critical)
	differs := func(at Place) bool { return now.Values[at] != goal.Values[at] }
	stays := map[Place]bool{}
	for _, s := range []*State{now, goal} {
		for _, at := range s.Order {
			stays[at] = differs(at)
		}
	}
	for i := critical; i < len(dead.Steps); i++ {
		now.follow(&dead.Steps[i])
		for k := range dead.Steps[i].Changes {
			if at := PlaceOf(&dead.Steps[i].Changes[k]); !differs(at) {
				stays[at] = false
			}
		}
	}
	var ranks [6][]string // fields that stay different, then others; the same for fields inside foreign types, and for timers
	for kind, places := range unlike(now, goal) {
		for _, at := range places {
			rank := 2 * kind
			if !stays[at] {
				rank++
			}
			x, y := pair(now.show(at), goal.show(at))
			if text := fmt.Sprintf("n%d.%s %s | %s", at.Node, at.Path, x, y); !slices.ContainsFunc(without, func(other string) bool {
				return other == text || strings.HasPrefix(other, text+" (")
			}) {
				ranks[rank] = append(ranks[rank], text)
			}
		}
	}
	return strings.Join(textfmt.Few(slices.Concat(ranks[:]...), mostApart), "\n")
}

// firstLive returns the first step after the common ones after which the run is live, or else the last step.
func firstLive(live *replay.Trace, common int) int {
	for i := max(common, 0); i < len(live.Steps); i++ {
		if live.Steps[i].Live {
			return i + 1
		}
	}
	return len(live.Steps)
}

// LastChanged lists the fields that changed last up to a step, the latest first, and those inside foreign types last.
// It describes a dead state if no live one is known.
func LastChanged(dead *replay.Trace, step int) string {
	s := After(dead, len(dead.Steps))
	var lines, internal []string
	seen := map[Place]bool{}
	for i := min(step, len(dead.Steps)); i > 0 && len(lines) < mostApart; i-- {
		for _, c := range dead.Steps[i-1].Changes {
			at := PlaceOf(&c)
			if seen[at] || c.Minor() {
				continue
			}
			seen[at] = true
			line := fmt.Sprintf("n%d.%s %s", at.Node, at.Path, cmp.Or(textfmt.Truncate(s.Values[at], mostLetters), "none"))
			if c.Inside != "" {
				internal = append(internal, line)
			} else {
				lines = append(lines, line)
			}
		}
	}
	lines = append(lines, internal...)
	return strings.Join(lines[:min(mostApart, len(lines))], "\n")
}
