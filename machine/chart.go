package machine

import (
	"fmt"
	"slices"
	"strings"
)

// Mermaid returns the state chart of the kind as a Mermaid diagram. A dashed note lists the events that a state defers
// and ignores.
func (k *Kind) Mermaid() string {
	var b strings.Builder
	b.WriteString("stateDiagram-v2\n")
	for i, s := range k.states {
		fmt.Fprintf(&b, "  s%d: %s\n", i, s.name)
	}
	b.WriteString("  [*] --> s0\n")
	for _, a := range k.arrows() {
		fmt.Fprintf(&b, "  s%d --> s%d: %s\n", a.from, a.to, strings.Join(a.labels, ", "))
	}
	for i, s := range k.states {
		if note := s.note(); note != "" {
			fmt.Fprintf(&b, "  note right of s%d: %s\n", i, note)
		}
	}
	return b.String()
}

// arrow holds all edges from one state to another.
type arrow struct {
	from, to int
	labels   []string
}

func (k *Kind) arrows() (all []arrow) {
	for from, s := range k.states {
		for e := range s.edges() {
			to := slices.IndexFunc(k.states, func(t *state) bool { return t.name == e.to })
			label := e.label
			if e.push {
				label = "push " + label
			}
			i := slices.IndexFunc(all, func(a arrow) bool { return a.from == from && a.to == to })
			if i < 0 {
				i = len(all)
				all = append(all, arrow{from: from, to: to})
			}
			if !slices.Contains(all[i].labels, label) {
				all[i].labels = append(all[i].labels, label)
			}
		}
	}
	return all
}

// note describes the events that the state handles without leaving, and whether it is hot or cold.
func (s *state) note() string {
	var parts []string
	for _, n := range []struct {
		how  reaction
		text string
	}{{handle, "handles"}, {deferred, "defers"}, {ignored, "ignores"}} {
		var names []string
		for _, r := range s.rules {
			if r.reaction == n.how && (r.act == nil || len(r.act.targets) == 0) {
				names = append(names, eventName(r.event))
			}
		}
		if n.how == deferred && s.deferAll {
			names = append(names, "all else")
		}
		if len(names) > 0 {
			parts = append(parts, n.text+" "+strings.Join(names, ", "))
		}
	}
	if s.hot {
		parts = append(parts, "hot")
	}
	if s.cold {
		parts = append(parts, "cold")
	}
	return strings.Join(parts, "; ")
}
