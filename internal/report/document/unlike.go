package document

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/textfmt"
)

// mostApart is the maximum number of fields shown for the difference of two states.
const mostApart = 5

// firstUnlike lists the fields in which the last state of the dead run differs from the first live state of the live
// run, one per line and at most mostApart. Fields that never agree after the critical step come first, then those
// that differ in the end. In each group, fields inside foreign types follow those of services, and timers come last.
// Texts in without are left out. It returns an empty string if there is no difference.
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
