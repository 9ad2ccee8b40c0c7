package replay

import (
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
)

// Saved is a state of a run, with the path to it. It is immutable, so any number of runs of equal systems may
// resume from it, concurrently.
type Saved struct {
	state  *kernel.Checkpoint
	path   choose.Path
	bounds []int32
}

// Path returns the path to the state. It must not be changed.
func (s *Saved) Path() choose.Path { return s.path }

// Save copies the current state of the run. The error describes why it cannot be copied.
func (r *Run) Save() (*Saved, error) {
	w, ok := r.World.(kernel.Checkpointer)
	if !ok {
		return nil, errUncopied
	}
	state, err := w.Checkpoint()
	if err != nil {
		return nil, err
	}
	return &Saved{state, r.Path.Clone(), slices.Clone(r.Bounds)}, nil
}

// Resume restores a saved state, in place of [Run.Start]. After an error the run must be started.
func (r *Run) Resume(s *Saved) error {
	w, ok := r.World.(kernel.Checkpointer)
	if !ok {
		return errUncopied
	}
	if err := w.Resume(s.state); err != nil {
		return err
	}
	r.Path, r.Bounds = append(r.Path[:0], s.path...), append(r.Bounds[:0], s.bounds...)
	return nil
}
