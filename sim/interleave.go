package sim

import "fmt"

// Interleave selects how the goroutines of a node are scheduled within a step: [Rotate], [FIFO], [Random], or a
// positive number N for random priorities, N of which change within the step (Burckhardt et al., A randomized scheduler
// with probabilistic guarantees of finding bugs, ASPLOS 2010, section 2.4). The schedule of a step is drawn as a choice
// unless it is FIFO.
type Interleave int

const (
	Rotate Interleave = 0  // one of FIFO, Random and 3 is chosen each time a node boots
	FIFO   Interleave = -2 // first come, first served
	Random Interleave = -1 // any runnable goroutine is next; some also yield at possible points, or are held back there until the next step
)

func (i Interleave) String() string {
	switch {
	case i == Rotate:
		return "rotate"
	case i == FIFO:
		return "fifo"
	case i == Random:
		return "random"
	}
	return fmt.Sprintf("pct:%d", int(i))
}
