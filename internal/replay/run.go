package replay

import (
	"fmt"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/netmodel"
)

// Run is a run in progress: a world, and the path to its state. Use NewRun.
type Run struct {
	World kernel.World
	// Path has all choices so far. It belongs to the run and changes; clone it to keep it.
	Path choose.Path
	// Bounds[i] is the length of Path before step i+1, so that Path[Bounds[i]] is the index of the
	// event of step i+1. Its length is the number of steps taken.
	Bounds []int32

	driver     choose.Source
	injections []netmodel.Event
}

// NewRun returns a run of w that has not been started.
func NewRun(w kernel.World) *Run { return &Run{World: w} }

// Steps returns the number of steps since Start.
func (r *Run) Steps() int { return len(r.Bounds) }

// Start returns to the first state. Src answers the questions of the first boots. The error, if any, is a finding.
func (r *Run) Start(src choose.Source) error {
	r.Path, r.Bounds, r.driver = r.Path[:0], r.Bounds[:0], src
	r.endPath()
	return r.World.Start(r)
}

// Choose answers a question of the step in progress by the driver, and records the answer.
func (r *Run) Choose(p choose.Point) int {
	pick := 0
	if p.Arity > 1 {
		pick = r.driver.Choose(p)
		if uint(pick) >= uint(p.Arity) {
			panic(fmt.Sprintf("replay: source picked %d of %d for %q", pick, p.Arity, p.Label))
		}
		r.record(int32(pick))
	}
	return pick
}

// record appends a pick to Path before it takes effect.
func (r *Run) record(pick int32) {
	r.Path = append(r.Path, pick)
	r.endPath()
}

// endPath marks the end of Path for readers of its memory, which may hold an earlier, longer run.
func (r *Run) endPath() {
	if n := len(r.Path); n < cap(r.Path) {
		r.Path[:n+1][n] = -1 // None of package internal/check/flight
	}
}

// Step executes the event with the given index (see [Run.Event]), with its questions answered by src. The error, if
// any, is a finding; then the step is part of the path, too.
func (r *Run) Step(index int, src choose.Source) error {
	ev, ok := r.Event(index)
	if !ok {
		return fmt.Errorf("replay: step %d: no event %d is enabled", r.Steps()+1, index)
	}
	return r.Take(index, ev, src)
}

// Take is Step for a caller that already has the event of that index.
func (r *Run) Take(index int, ev netmodel.Event, src choose.Source) error {
	r.Bounds = append(r.Bounds, int32(len(r.Path)))
	r.record(int32(index))
	r.driver = src
	return r.World.Step(ev, r)
}

// Event returns the event with the given index among the enabled ones and the faults.
func (r *Run) Event(index int) (netmodel.Event, bool) {
	enabled := r.World.Enabled()
	if index < 0 {
		return netmodel.Event{}, false
	}
	if index < len(enabled) {
		return enabled[index], true
	}
	r.injections = r.World.Injections(r.injections[:0])
	index -= len(enabled)
	if index < len(r.injections) {
		return r.injections[index], true
	}
	return netmodel.Event{}, false
}

// Move continues the run in another world of the same system, when its world gave up in the current step. It
// executes the run so far, including the step in progress; the driver answers its remaining questions. The error,
// if any, is that of the step.
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
			return fmt.Errorf("replay: step %d makes other choices in another world", i+1)
		}
		ev, ok := r.Event(int(path[at]))
		if !ok {
			return fmt.Errorf("replay: step %d: no event %d is enabled in another world", i+1, path[at])
		}
		r.record(path[at])
		err = w.Step(ev, src)
	}
	return err
}

// resumed replays the recorded answers, and then asks the driver.
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
	r.record(pick)
	return int(pick)
}
