package document

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/textfmt"
)

// mostApart is how many fields stand for the difference of two states.
const mostApart = 5

// firstUnlike shows in which fields the last state of the dead run differs from the state in which the live run
// is live first, one per line and mostApart at most: first those that never agree with it after the
// critical step, then those that differ in the end; what lies inside foreign types after the fields of services, and timers last. It is empty
// when there is no such difference.
func firstUnlike(dead, live *replay.Trace, critical, common int) string {
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
	var ranks [6][]string // own fields that stay different, others; then those inside foreign types, and timers, alike
	for kind, places := range unlike(now, goal) {
		for _, at := range places {
			rank := 2 * kind
			if !stays[at] {
				rank++
			}
			x, y := textfmt.CutPair(now.show(at), goal.show(at), mostLetters)
			ranks[rank] = append(ranks[rank], fmt.Sprintf("n%d.%s %s (live run: %s)", at.node, at.path, x, y))
		}
	}
	return strings.Join(textfmt.Few(slices.Concat(ranks[:]...), mostApart), "\n")
}

// firstLive is the first step after the common ones after which the run is live, or its last one.
func firstLive(live *replay.Trace, common int) int {
	for i := max(common, 0); i < len(live.Steps); i++ {
		if live.Steps[i].Live {
			return i + 1
		}
	}
	return len(live.Steps)
}

// changedLast shows the fields that changed last up to a step, the latest first, those inside foreign types last: what can be said of a dead
// state when no live one is known.
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
			line := fmt.Sprintf("n%d.%s %s", at.node, at.path, brief(s.values[at]))
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

// brief is the start of a value.
func brief(value string) string { return cmp.Or(textfmt.Cut(value, mostLetters), "none") }
