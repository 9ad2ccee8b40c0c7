package bubble

import "github.com/macemc/macemc/bubble/internal/userframes"

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
func (n *node) goroutines() string { return userframes.Describe(userframes.Running(n.bubble)) }
