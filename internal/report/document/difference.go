package document

import (
	"cmp"
	"fmt"
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

// minor reports whether changes of the field tell less than others.
func (at place) minor() bool { return (&replay.NodeChange{Part: at.part}).Minor() }

// state is the node states of a trace after some step, kept up by following the changes.
type state struct {
	values map[place]string
	inside map[place]bool // internal parts of values of foreign types
	isDown map[int]bool   // by node
	order  []place        // of first appearance
}

func newState(t *replay.Trace) *state {
	s := &state{values: map[place]string{}, inside: map[place]bool{}, isDown: map[int]bool{}}
	s.follow(&t.Boot)
	return s
}

func (s *state) follow(step *replay.TraceStep) {
	for i := range step.Changes {
		c := &step.Changes[i]
		at := placeOf(c)
		if _, ok := s.values[at]; !ok {
			s.order = append(s.order, at)
			s.inside[at] = c.Inside != ""
		}
		s.values[at] = c.New
		if c.Part.Kind == replay.Status {
			s.isDown[c.Node] = c.New != ""
		}
	}
}

func (s *state) down(node int) bool { return s.isDown[node] }

// show is the value of a place for people.
func (s *state) show(at place) string {
	if at.part.Kind == replay.Status && !s.down(at.node) {
		return "up"
	}
	return cmp.Or(s.values[at], "none")
}

// hasParts reports whether the parts of the place have values instead of itself: it is not empty there, and not absent.
func (s *state) hasParts(at place) bool {
	for of, v := range s.values {
		if v != "" && of.node == at.node && replay.PartOf(of.path, at.path) {
			return true
		}
	}
	return false
}

// firstDifference compares two runs that share their first steps, step by step after these, and
// tells of the first step after which their node states differ: "n0.Acked  1 | 2", the dead run's
// value first. Timers count only when nothing else ever differs.
func firstDifference(dead, live *replay.Trace, common int) string {
	a, b := newState(dead), newState(live)
	timers := ""
	for i := range min(len(dead.Steps), len(live.Steps)) {
		a.follow(&dead.Steps[i])
		b.follow(&live.Steps[i])
		if i < common {
			continue
		}
		found, bookkeeping := differences(a, b)
		after := ""
		if i > common {
			after = fmt.Sprintf(" (after step %d)", i+1)
		}
		if len(found) > 0 {
			return joinFew(found) + after
		}
		if timers == "" && len(bookkeeping) > 0 {
			timers = joinFew(bookkeeping) + after
		}
	}
	return timers
}

func joinFew(parts []string) string { return strings.Join(textfmt.Few(parts, 3), ";  ") }

// differences lists the fields in which two states differ, those inside values of foreign types last.
func differences(a, b *state) (own, bookkeeping []string) {
	var lists [3][]string
	for kind, places := range unlike(a, b) {
		for _, at := range places {
			lists[kind] = append(lists[kind], fmt.Sprintf("n%d.%s  %s | %s", at.node, at.path, a.show(at), b.show(at)))
		}
	}
	return append(lists[0], lists[1]...), lists[2]
}

// unlike are the fields in which two states differ: those of services, those inside values of foreign types, and bookkeeping.
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
			case at.minor():
				kind = 2
			case a.inside[at] || b.inside[at]:
				kind = 1
			}
			kinds[kind] = append(kinds[kind], at)
		}
	}
	return kinds
}

// smallState shows what the nodes are like in the end, "n0{Sent:2 Acked:1} n1{Seen:2}", or nothing if
// that is long.
func smallState(t *replay.Trace) string {
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
		if len(fields) > 0 {
			parts = append(parts, fmt.Sprintf("n%d{%s}", id, strings.Join(fields, " ")))
		}
	}
	if text := strings.Join(parts, " "); len(text) <= most {
		return text
	}
	return ""
}
