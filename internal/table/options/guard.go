package options

import (
	"context"

	"github.com/macemc/macemc/internal/kernel/contain"
)

// Guard calls explore. If checked code ends its goroutine, or a property does not return, Guard explores again with
// contained worlds. They are slower and find the step responsible. This is a finding, so the time limit does not
// apply to the second exploration.
func Guard[T any](ctx context.Context, opts Options, explore func(context.Context, Options) (T, error)) (T, error) {
	type result struct {
		made T
		err  error
	}
	var (
		first, cancel = context.WithCancel(ctx)
		done          = make(chan struct{})
		made          = make(chan result, 1)
		watched       = opts
	)
	defer cancel() // an abandoned exploration ends when its property returns
	opts.Calls.restart()
	if overdue := opts.World.Overdue; overdue != nil {
		watched.World.Heartbeat = new(contain.Heartbeat)
		watched.World.Overdue = func(ticks int) bool {
			late := overdue(ticks)
			if late {
				opts.Calls.abandon()
			}
			return late
		}
	}
	go func() {
		defer close(done)
		var r result
		if contain.Guard(func() { r.made, r.err = explore(first, watched) }) == nil {
			made <- r
		}
	}()
	if watched.World.Heartbeat == nil {
		<-done
	} else if !watched.World.Heartbeat.Returned(done, opts.World.Overdue) {
		opts.Progress = nil // the abandoned exploration may still call it
	}
	select {
	case r := <-made:
		return r.made, r.err
	default:
	}
	opts.World.Contain, opts.Log = true, nil // the log of the first exploration is complete
	opts.Calls = opts.Calls.unnoted()        // the abandoned exploration may still write to its own
	return explore(context.WithoutCancel(ctx), opts)
}
