// Package replay executes paths step by step. It is the only caller of [kernel.World.Step]: search,
// critical transition, debugger and reports all drive a [Run].
package replay

import (
	"fmt"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// Run is a run in progress: a world, and the path that led to its state. The zero Run is not usable.
type Run struct {
	World kernel.World
	// Path is all that was chosen so far. It is the run's; clone it to keep it.
	Path choose.Path
	// Bounds[i] is the length of Path before step i+1, so that Path[Bounds[i]] is the index of the
	// event of step i+1. Its length is the number of steps taken.
	Bounds []int32

	driver     choose.Source
	injections []sim.Event
}

// NewRun returns a run of w that has not been started.
func NewRun(w kernel.World) *Run { return &Run{World: w} }

// Steps is the number of steps taken since Start.
func (r *Run) Steps() int { return len(r.Bounds) }

// Start goes back to the first state; questions of the first boots are answered by src. The error,
// if any, is a finding.
func (r *Run) Start(src choose.Source) error {
	r.Path, r.Bounds, r.driver = r.Path[:0], r.Bounds[:0], src
	return r.World.Start(r)
}

// Choose answers a question of the step in progress by asking the driver, and records the answer.
func (r *Run) Choose(p choose.Point) int {
	pick := 0
	if p.Arity > 1 {
		pick = r.driver.Choose(p)
		if uint(pick) >= uint(p.Arity) {
			panic(fmt.Sprintf("replay: source picked %d of %d for %q", pick, p.Arity, p.Label))
		}
		r.Path = append(r.Path, int32(pick))
	}
	return pick
}

// Step executes the event with the given index (see [Run.Event]); its questions are answered by src.
// The error, if any, is a finding; the step is part of the path then too.
func (r *Run) Step(index int, src choose.Source) error {
	ev, ok := r.Event(index)
	if !ok {
		return fmt.Errorf("replay: step %d: no event %d is enabled", r.Steps()+1, index)
	}
	return r.Take(index, ev, src)
}

// Take is Step with the event of that index, which the caller knows already.
func (r *Run) Take(index int, ev sim.Event, src choose.Source) error {
	r.Bounds = append(r.Bounds, int32(len(r.Path)))
	r.Path = append(r.Path, int32(index))
	r.driver = src
	return r.World.Step(ev, r)
}

// Event returns the event with the given index among the enabled ones and the injections.
func (r *Run) Event(index int) (sim.Event, bool) {
	enabled := r.World.Enabled()
	if index < 0 {
		return sim.Event{}, false
	}
	if index < len(enabled) {
		return enabled[index], true
	}
	r.injections = r.World.Injections(r.injections[:0])
	index -= len(enabled)
	if index < len(r.injections) {
		return r.injections[index], true
	}
	return sim.Event{}, false
}

// Move goes on in another world of the same system: it executes the run so far, the step in progress included,
// whose remaining questions the driver answers. For when the world that the run was in gave up in that step. The
// error, if any, is that of the step.
func (r *Run) Move(w kernel.World) error {
	r.World = w
	path, bounds := r.Path.Clone(), r.Bounds
	r.Path = r.Path[:0]
	src := &resumed{run: r, path: path}
	err := w.Start(src)
	for i, at := range bounds {
		if err != nil {
			return err
		}
		if len(r.Path) != int(at) {
			return fmt.Errorf("replay: step %d asks other questions in another world", i+1)
		}
		ev, ok := r.Event(int(path[at]))
		if !ok {
			return fmt.Errorf("replay: step %d: no event %d is enabled in another world", i+1, path[at])
		}
		r.Path = append(r.Path, path[at])
		err = w.Step(ev, src)
	}
	return err
}

// resumed answers as was answered before, then as the driver does.
type resumed struct {
	run  *Run
	path choose.Path
}

func (s *resumed) Choose(p choose.Point) int {
	r := s.run
	if p.Arity < 2 || len(r.Path) >= len(s.path) {
		return r.Choose(p)
	}
	pick := min(s.path[len(r.Path)], int32(p.Arity-1))
	r.Path = append(r.Path, pick)
	return int(pick)
}
