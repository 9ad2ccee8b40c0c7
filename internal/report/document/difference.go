package document

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/textfmt"
)

// place names a field of a node's state.
type place struct {
	node int
	path string
	part replay.Part
}

func placeOf(c *replay.NodeChange) place { return place{c.Node, c.Path, c.Part} }

// minor reports whether changes of the field are less informative than others.
func (at place) minor() bool { return (&replay.NodeChange{Part: at.part}).Minor() }

// state holds the states of the nodes after a step of a trace. It is updated from the changes of each step.
type state struct {
	values map[place]string
	inside map[place]bool // internal parts of values of foreign types
	isDown map[int]bool   // by node
	order  []place        // of first appearance
	step   int            // number of the last step; 0 means boot
	since  map[place]int  // step of the last change
	named  map[string]int // that step, by the text of a difference that names it
}

func newState(t *replay.Trace) *state {
	s := &state{values: map[place]string{}, inside: map[place]bool{}, isDown: map[int]bool{}, since: map[place]int{},
		named: map[string]int{}, step: -1}
	s.follow(&t.Boot)
	return s
}

func (s *state) follow(step *replay.TraceStep) {
	s.step++
	for i := range step.Changes {
		c := &step.Changes[i]
		at := placeOf(c)
		if _, ok := s.values[at]; !ok {
			s.order = append(s.order, at)
			s.inside[at] = c.Inside != ""
		}
		s.values[at], s.since[at] = c.New, s.step
		if c.Part.Kind == replay.Status {
			s.isDown[c.Node] = c.New != ""
		}
	}
}

func (s *state) down(node int) bool { return s.isDown[node] }

// show returns the value of a field for display.
func (s *state) show(at place) string {
	if at.part.Kind == replay.Status && !s.down(at.node) {
		return "up"
	}
	return cmp.Or(s.values[at], "none")
}

// hasParts reports whether the parts of the field have values in place of the field itself.
func (s *state) hasParts(at place) bool {
	for of, v := range s.values {
		if v != "" && of.node == at.node && replay.PartOf(of.path, at.path) {
			return true
		}
	}
	return false
}

// mostCompared is the maximum number of steps that are compared until the states differ in more than timers.
const mostCompared = 200

// difference describes how the states of a run and of the nearest live run differ after a step and its counterpart.
// If they do not, it uses the first later step after which they do. A difference is "n0.Acked 1 | 2", the dead run's
// value first. Fields that one of the steps changed come first, then other differences on that node. Timers and down
// nodes count only if nothing else ever differs. at is the step of the dead run; 0 means no difference. named are further
// steps of that run that the text names.
func difference(dead, live *replay.Trace, align []replay.Counterpart, from int) (text string, at int, named []int) {
	a := stateAfter(dead, from-1)
	for n := from; n <= min(from+mostCompared, len(dead.Steps)); n++ {
		step, other := &dead.Steps[n-1], align[n]
		a.follow(step)
		changes := step.Changes
		if other.Step > 0 {
			changes = slices.Concat(changes, live.Steps[other.Step-1].Changes)
		}
		found, rest := differences(a, stateAfter(live, other.Step), step.Node, changes)
		after := ""
		switch {
		case other.Step != n:
			after = fmt.Sprintf(" (after step %d | step %d)", n, other.Step)
		case n != from:
			after = fmt.Sprintf(" (after step %d)", n)
		}
		if len(found) > 0 {
			return joinFew(found) + after, n, a.namedBy(found)
		}
		if text == "" && len(rest) > 0 {
			text, at, named = joinFew(rest)+after, n, a.namedBy(rest)
		}
	}
	return text, at, named
}

// namedBy returns the steps of the last changes that texts of differences name.
func (s *state) namedBy(found []string) (steps []int) {
	for _, text := range found[:min(len(found), mostJoined)] {
		if step := s.named[text]; step > 0 {
			steps = append(steps, step)
		}
	}
	return steps
}

// mostJoined is the maximum number of texts that [joinFew] joins.
const mostJoined = 3

func joinFew(parts []string) string { return strings.Join(textfmt.Few(parts, mostJoined), "; ") }

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
func differences(a, b *state, node int, changed []replay.NodeChange) (found, rest []string) {
	fresh := map[place]bool{}
	for i := range changed {
		fresh[placeOf(&changed[i])] = true
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
			text := fmt.Sprintf("n%d.%s %s | %s", at.node, at.path, x, y)
			a.named[text] = since
			switch {
			case kind == minorKind:
				rest = append(rest, text)
			case fresh[at]:
				ranks[kind] = append(ranks[kind], text)
			case at.node == node:
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
func unlike(a, b *state) (kinds [3][]place) {
	seen := map[place]bool{}
	for _, order := range [][]place{a.order, b.order} {
		for _, at := range order {
			if seen[at] || a.values[at] == b.values[at] {
				continue
			}
			seen[at] = true
			kind := 0
			switch {
			case a.hasParts(at) || b.hasParts(at) || at.part.Kind != replay.Status && a.down(at.node) != b.down(at.node):
				continue // its parts differ, too, or the whole node does
			case at.minor() || at.part.Kind == replay.Status:
				kind = minorKind
			case a.inside[at] || b.inside[at]:
				kind = 1
			}
			kinds[kind] = append(kinds[kind], at)
		}
	}
	return kinds
}

// smallState shows the final states of some nodes, as "n0{Sent:2 Acked:1} n1{Seen:2}". It returns an empty string if that
// is long.
func smallState(t *replay.Trace, of []int) string {
	const most = 60
	s := stateAfter(t, len(t.Steps))
	nodes := make([][]string, t.Nodes)
	for _, at := range s.order {
		if !at.minor() && s.values[at] != "" {
			nodes[at.node] = append(nodes[at.node], at.path+":"+s.values[at])
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

// firstUnlike lists the fields in which the last state of the dead run differs from the first live state of the live
// run, one per line and at most mostApart. Fields that never agree after the critical step come first, then those
// that differ in the end. In each group, fields inside foreign types follow those of services, and timers come last.
// Texts in without are left out. An empty string means no difference.
func firstUnlike(dead, live *replay.Trace, critical, common int, without []string) string {
	goal := stateAfter(live, firstLive(live, common))
	now := stateAfter(dead, critical)
	differs := func(at place) bool { return now.values[at] != goal.values[at] }
	stays := map[place]bool{}
	for _, s := range []*state{now, goal} {
		for _, at := range s.order {
			stays[at] = differs(at)
		}
	}
	for i := critical; i < len(dead.Steps); i++ {
		now.follow(&dead.Steps[i])
		for k := range dead.Steps[i].Changes {
			if at := placeOf(&dead.Steps[i].Changes[k]); !differs(at) {
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
			if text := fmt.Sprintf("n%d.%s %s | %s", at.node, at.path, x, y); !slices.ContainsFunc(without, func(other string) bool {
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

// changedLast lists the fields that changed last up to a step, the latest first, and those inside foreign types last.
// It describes a dead state if no live one is known.
func changedLast(dead *replay.Trace, step int) string {
	s := stateAfter(dead, len(dead.Steps))
	var lines, internal []string
	seen := map[place]bool{}
	for i := min(step, len(dead.Steps)); i > 0 && len(lines) < mostApart; i-- {
		for _, c := range dead.Steps[i-1].Changes {
			at := placeOf(&c)
			if seen[at] || c.Minor() {
				continue
			}
			seen[at] = true
			line := fmt.Sprintf("n%d.%s %s", at.node, at.path, cmp.Or(textfmt.Truncate(s.values[at], mostLetters), "none"))
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
