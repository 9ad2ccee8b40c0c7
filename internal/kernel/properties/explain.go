package properties

import (
	"fmt"
	"sync"

	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/sim"
)

// explainLimit is how many intervals a call of Explain may take. It is less than the default limit of handlers, which
// would otherwise suspect that the property does not return.
const explainLimit = 5

// unreturned holds the names of properties with an Explain that did not return. It is not called again in this process:
// shrinking would wait for it in each candidate, which is a world of its own.
//
//lint:state affects only the text of a finding
var unreturned sync.Map

// Explain calls the property's Explain. It returns "" if the property has none. If Explain fails, the text says so: a
// failure must not replace the violation that is explained.
func (c *State) Explain(p *sim.Property) (text string) {
	if p.Explain == nil {
		return ""
	}
	if _, ok := unreturned.Load(p.Name); ok {
		return Unexplained(notReturned)
	}
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		f, ok := r.(*sim.Finding)
		switch {
		case ok && contain.Overdue(f):
			unreturned.Store(p.Name, true)
			text = Unexplained(notReturned)
		case ok:
			text = Unexplained("failed: " + f.Message)
		default:
			text = Unexplained(contain.Panicked("", r).Message[1:])
		}
	}()
	watch := contain.NewWatch(func(ticks int) bool { return ticks >= explainLimit })
	defer watch.Ticker.Stop()
	return contain.Value(watch, func() string { return p.Explain(&c.view) })
}

const notReturned = "did not return"

// Unexplained returns the message of a safety violation with an Explain that failed. failure is a phrase such as "did not return".
func Unexplained(failure string) string {
	return fmt.Sprintf("%s (its Explain %s)", DoesNotHold, failure)
}
