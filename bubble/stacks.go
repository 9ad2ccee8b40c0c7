package bubble

import (
	"slices"
	"strings"

	"github.com/macemc/macemc/bubble/internal/userframes"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/internal/stacks"
)

// show describes the history by the state of the goroutines. Other descriptions would differ after every step.
func (p *history) show() string {
	stepping.Lock()
	defer stepping.Unlock()
	if p.last == nil {
		return "not booted"
	}
	if p.last.shown == "" {
		if p.outlined {
			return simext.Outlined
		}
		if p.run == nil || p.run.at != p.last {
			return "not running"
		}
		p.last.shown = p.run.n.show()
	}
	return p.last.shown
}

// show describes the goroutines of the program, or its end with the last lines of its output.
func (n *node) show() string {
	if !n.over {
		return n.goroutines()
	}
	return strings.Join(append([]string{"ended: " + n.host.ended}, n.host.lines...), simext.BetweenGoroutines)
}

// pauses describes the goroutines of a node that are held back until its next step.
func pauses(bubble uint64) (all []string) {
	for _, g := range numbered(bubble) {
		if g.Status == userframes.Held {
			all = append(all, simext.Scheduled+userframes.Pauses(g))
		}
	}
	slices.Sort(all)
	return all
}

// numbered returns the goroutines of a program. Those that are held back have their numbers, each of which takes a search of all goroutines.
func numbered(bubble uint64) []stacks.Goroutine {
	all := userframes.Running(bubble, stacksOf)
	for i := range all {
		if g := &all[i]; g.Status == userframes.Held {
			g.Number = max(0, int(number(g.ID))-ownGoroutines)
		}
	}
	return all
}

// goroutines describes the goroutines of the program, see [userframes.Describe].
func (n *node) goroutines() string { return userframes.Describe(numbered(n.bubble)) }
