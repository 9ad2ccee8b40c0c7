package options

import (
	"context"
	"testing"

	"github.com/macemc/macemc/internal/kernel/contain"
)

// A handler that was abandoned may still end the process: its call stays noted between other calls, until the next exploration.
func TestGuard_NotesAbandonedCall(t *testing.T) {
	var at, content uint64
	opts := Options{Calls: &Calls{At: &at}}
	opts.World.Overdue = func(int) bool { return content == 1 }
	end := make(chan struct{})
	defer close(end)
	call := func(opts Options, f func()) (noted uint64) {
		content++
		before, err := opts.Calls.Enter(HandlerCall, content<<8)
		if err != nil {
			t.Error(err)
		}
		noted = at
		func() {
			defer func() { recover() }()
			contain.Call(contain.NewWatch(opts.World.Overdue), f)
		}()
		opts.Calls.Leave(before)
		return noted
	}
	for _, abandons := range []bool{true, false} {
		Guard(context.Background(), opts, func(_ context.Context, opts Options) (struct{}, error) {
			want := call(opts, func() {
				if abandons {
					<-end
				}
			})
			if other := call(opts, func() {}); other == want || other == 0 {
				t.Errorf("the second call is noted as %x, after %x", other, want)
			}
			if !abandons {
				want = 0
			}
			if at != want {
				t.Errorf("abandons %v: noted after the calls is %x, want %x", abandons, at, want)
			}
			opts.Calls.BeginState(1)
			if opts.Calls.EndState(); at != want {
				t.Errorf("abandons %v: noted after a state is %x, want %x", abandons, at, want)
			}
			return struct{}{}, nil
		})
	}
}
