package bubble

import (
	"runtime"

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
			return "not looked at"
		}
		if p.run == nil || p.run.at != p.last {
			return "not running"
		}
		p.last.shown = p.run.n.goroutines()
	}
	return p.last.shown
}

// goroutines describes the goroutines of the program, see [userframes.Describe].
func (n *node) goroutines() string { return userframes.Describe(n.ownGoroutines()) }

// ownGoroutines returns the goroutines of the program.
func (n *node) ownGoroutines() (own []stacks.Goroutine) {
	buf := make([]byte, 64<<10)
	for {
		if used := runtime.Stack(buf, true); used < len(buf) {
			buf = buf[:used]
			break
		}
		buf = make([]byte, 2*len(buf))
	}
	host := stacks.Name(simext.HostProgram)
	for _, g := range stacks.Read(string(buf)) {
		if g.Bubble == n.bubble && !g.Calls(host) {
			own = append(own, g)
		}
	}
	return own
}
