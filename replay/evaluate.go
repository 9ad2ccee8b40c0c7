package replay

import (
	"fmt"

	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/sim/kernel"
)

func holds(w kernel.World, p *sim.Property) (ok bool, err error) {
	defer kernel.CatchState(&err)
	return w.Holds(p), nil
}

func explain(w kernel.World, p *sim.Property) (text string) {
	defer func() {
		r := recover()
		if f, ok := r.(*sim.Finding); ok && kernel.Overdue(f) {
			text = "(its function did not return)"
		} else if r != nil {
			text = fmt.Sprintf("(its function panicked: %v)", r)
		}
	}()
	return w.Explain(p)
}
