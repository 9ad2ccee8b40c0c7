package bubble

import (
	"slices"
	"strings"

	"github.com/macemc/macemc/bubble/internal/userframes"
	"github.com/macemc/macemc/internal/simext"
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
			return "not looked at"
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
	for _, g := range userframes.Running(bubble) {
		if g.Status == heldStatus {
			all = append(all, simext.Scheduled+"a goroutine pauses before "+strings.TrimPrefix(userframes.Where(g.Frames), "at "))
		}
	}
	slices.Sort(all)
	return all
}

// heldStatus is the status of such a goroutine in stacks.
const heldStatus = "held back until the next step"

// goroutines describes the goroutines of the program, see [userframes.Describe].
func (n *node) goroutines() string { return userframes.Describe(userframes.Running(n.bubble)) }
