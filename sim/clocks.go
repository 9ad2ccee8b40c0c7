package sim

import (
	"fmt"
	"time"
)

// Clocks bounds how far the clocks of nodes that are programs of package bubble differ from a common time. It does not
// apply to other services, which use package macetime. The zero value means one clock for all nodes. Common time advances
// when a timer with a later deadline fires. Until then a timer may be late, as [Timing] allows. Its handler reads the
// clock at the time of the step.
type Clocks struct {
	// Offset is the maximum difference between a clock and common time when the node boots, up to 10,000 hours. Each boot
	// chooses 0, +Offset or -Offset.
	Offset time.Duration
	// Drift is the maximum difference between the rates of a clock and of common time, in parts per million, up to
	// 500,000. Each boot chooses 0, +Drift or -Drift.
	Drift int
	_     struct{}
}

// maxOffset and maxDrift are the maxima of [Clocks].
const (
	maxOffset = 10_000 * time.Hour
	maxDrift  = 500_000
)

func (c *Clocks) String() string {
	switch {
	case c == nil:
		return "independent"
	case c.Offset == 0 && c.Drift == 0:
		return "one clock"
	}
	return fmt.Sprintf("within %v, drift %d ppm", c.Offset, c.Drift)
}

func (c *Clocks) validate() error {
	switch {
	case c == nil:
		return nil
	case c.Offset < 0 || c.Offset > maxOffset:
		return fmt.Errorf("Clocks: Offset is %v, must be from 0 to %v", c.Offset, maxOffset)
	case c.Drift < 0 || c.Drift > maxDrift:
		return fmt.Errorf("Clocks: Drift is %d, must be from 0 to %d", c.Drift, maxDrift)
	}
	return nil
}
