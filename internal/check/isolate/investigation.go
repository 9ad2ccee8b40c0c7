package isolate

import (
	"cmp"
	"context"
	"time"

	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/check/flight"
	"github.com/macemc/macemc/sim"
)

// investigate executes the runs that the dead process left, one by one, until one kills its process again. It is not
// known in which step the first process died, so that run is executed once more: a death in another step is a
// nondeterminism. If no run kills its process, investigate returns their last steps.
func (s *Supervisor) investigate(ctx context.Context, rec *flight.Recorder) (d *Death, left []*Death, err error) {
	fresh := Fresh{s.Respawn, ConfirmLimit(s.HandlerLimit)}
	for run := range rec.Runs() {
		d, last, err := fresh.Examine(ctx, rec.Recorded(run))
		if err != nil {
			return nil, nil, err
		}
		if d != nil && d.Kind == sim.Panic && d.Running == 0 && d.signal == "" {
			again, last, err := fresh.Examine(ctx, d.Path())
			if err != nil {
				return nil, nil, err
			}
			d.compare(again, last)
		}
		if d != nil {
			return d, nil, nil
		}
		if last.outline != nil && len(last.outline.Steps) > 0 {
			left = append(left, last)
		}
	}
	return nil, left, nil
}

// ConfirmLimit returns the time limit of a step in a fresh process: ten times the limit that made it suspect. 0 means
// the default limit.
func ConfirmLimit(handlerLimit time.Duration) time.Duration {
	return 10 * cmp.Or(handlerLimit, budget.DefaultHandlerLimit)
}

// Limits of an execution for a path file, which follows the end of a search: for all steps, and for one.
const (
	outlineTime = 10 * time.Second
	outlineStep = 200 * time.Millisecond
)

// outline executes the run of a suspect that is in no file, because the process that searched had no time to write it.
// It drops the error: the suspect is reported without its run.
func (s *Supervisor) outline(suspect *PendingSuspect) {
	if suspect == nil || suspect.PathFile != "" || len(suspect.Path) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), outlineTime)
	defer cancel()
	d, last, err := Fresh{s.Respawn, outlineStep}.Examine(ctx, suspect.Path)
	if err == nil {
		suspect.run = cmp.Or(d, last).Run()
	}
}
