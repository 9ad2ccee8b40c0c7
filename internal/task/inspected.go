package task

import (
	"context"
	"errors"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// Inspected executes the run of a path file again and again, in a process that a debugger stops between steps.
type Inspected struct{ File string }

// Validate implements [Task].
func (*Inspected) Validate() error { return nil }

// These variables are for the debugger, which knows their names.
var (
	breakAt uint64   // the number of states, including the one at which to stop; 0 means none
	reached uint64   // the number of states so far in the run
	cut     bool     // the run ends before its next step
	bubbles []uint64 // of the nodes' programs, by node; 0 means none
	//lint:ignore U1000 the debugger reads it
	repeats bool // the debugger may execute several runs in one process
	//lint:ignore U1000 the debugger reads it
	unfit string // why the run ends before the end of the file; empty if it does not
)

// runBegins, stateReached and runEnds are where the debugger stops.
//
//go:noinline
func runBegins() { reached, cut, unfit = 0, false, "" }

//go:noinline
func stateReached() { cut = false }

//go:noinline
func runEnds() { cut = false }

// Do implements [Task].
func (t *Inspected) Do(ctx context.Context, p *Process) error {
	p.Respawn = nil // the path has been examined when it was opened
	l, _, err := p.load(ctx, t.File)
	if err != nil {
		return err
	}
	for repeats = true; ; {
		executeInspected(&l.System, l.Path)
	}
}

// executeInspected executes a path once.
func executeInspected(sys *sim.System, path choose.Path) {
	runBegins()
	c, err := replay.NewCursor(sys, path, kernel.Options{})
	for err == nil && !cut {
		stopHere(c)
		err = c.Next()
	}
	if finding := new(sim.Finding); c != nil && !cut && errors.As(err, &finding) {
		stopHere(c)
	} else if err != nil && !errors.Is(err, replay.ErrEnd) {
		unfit = err.Error()
	}
	runEnds()
}

// stopHere lets the debugger stop in the state of a cursor.
func stopHere(c *replay.Cursor) {
	reached++
	if breakAt != reached {
		return
	}
	bubbles = bubbles[:0]
	for id := range c.World().System().Nodes {
		n := uint64(0)
		if p, ok := c.World().Service(sim.NodeID(id)).(simext.Hosted); ok {
			n, _ = p.Running()
		}
		bubbles = append(bubbles, n)
	}
	stateReached()
}
