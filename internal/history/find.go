package history

import (
	"context"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
)

// Test selects steps of a run. Either Step or World is set.
type Test struct {
	Step  func(n int) (bool, error)        // whether step n matches
	World func(n int, w kernel.World) bool // whether the state after step n matches; called in order
	First func(n int)                      // for World: called for the state before a sequence of steps
}

// Nearest returns the nearest matching step in a direction, or 0 if there is none.
func (t *Test) Nearest(ctx context.Context, r *Run, direction int) (int, error) {
	if t.World != nil {
		if direction > 0 {
			return t.scan(ctx, r, r.At+1, r.Len(), false)
		}
		// Search backward in windows, each of them forward.
		size := max(WindowSteps, r.distance())
		for end := r.At - 1; end > 0; {
			from := max(1, end-size+1)
			n, err := t.scan(ctx, r, from, end, true)
			if n > 0 || err != nil {
				return n, err
			}
			end = from - 1
			size *= 2 // states without a copy are recomputed from the start each time
		}
		return 0, nil
	}
	for n := r.At + direction; n > 0 && n <= r.Len(); n += direction {
		if n%1024 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if matches, err := t.Step(n); matches || err != nil {
			return n, err
		}
	}
	return 0, nil
}

// scan executes steps from..to and returns the first match, or the last one.
func (t *Test) scan(ctx context.Context, r *Run, from, to int, last bool) (found int, err error) {
	if from > to {
		return 0, nil
	}
	if _, err := r.World(from - 1); err != nil {
		return 0, err
	}
	if t.First != nil {
		t.First(from - 1)
	}
	for n := from; n <= to; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		w, err := r.World(n)
		if err != nil {
			return 0, err
		}
		if t.World(n, w) {
			if found = n; !last {
				return found, nil
			}
		}
	}
	return found, nil
}

// Match returns the step of b that corresponds to step n of a, see [replay.Align], and whether both have the same event.
func Match(a, b *Run, n int) (int, bool) {
	c := replay.Align(occurrences(a, n), occurrences(b, b.Len()), a.Shared(b))[n]
	return c.Step, c.Same
}

// Counterparts returns the step of b that corresponds to each step of a, see [replay.Align].
func Counterparts(a, b *Run) []replay.Counterpart {
	return replay.Align(occurrences(a, a.Len()), occurrences(b, b.Len()), a.Shared(b))
}

// occurrences returns the occurrences of the first n steps.
func occurrences(r *Run, n int) []replay.Occurrence {
	all := make([]replay.Occurrence, n)
	for i := range all {
		s := r.Step(i + 1)
		all[i] = replay.Occurrence{Key: s.Key, Kind: s.Ev.Kind}
	}
	return all
}
