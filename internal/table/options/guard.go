package options

import (
	"context"

	"github.com/macemc/macemc/internal/kernel/contain"
)

// Guard explores, and if checked code ends the goroutine that this is done on, or is a property that does not return, does so
// again with worlds that are slower, but contain that, and so tell where it was. This is a finding, so no limit of time keeps from it.
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
	defer cancel() // what was given up ends when the property returns
	if opts.World.Overdue != nil {
		watched.World.Heartbeat = new(contain.Heartbeat)
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
		opts.Progress = nil // the other one may come to call it
	}
	select {
	case r := <-made:
		return r.made, r.err
	default:
	}
	defer opts.Calls.Beyond()()
	opts.World.Contain, opts.Log = true, nil // what the first one logged is whole
	opts.Calls = opts.Calls.unnoted()        // it may still note its own
	return explore(context.WithoutCancel(ctx), opts)
}
