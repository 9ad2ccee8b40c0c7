package realnet

import (
	"slices"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/runner"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
)

// Timers are due by their deadlines, those of the same one in the order in which they were armed last.
func TestTimers_Order(t *testing.T) {
	var (
		timers timers
		start  = time.Now()
		after  = func(n int) time.Time { return start.Add(time.Duration(n) * time.Second) }
	)
	for name, at := range []int{3, 1, 2, 1, 5, 1} {
		timers.set(name, after(at))
	}
	timers.set(1, after(1)) // again: behind 3 and 5
	timers.set(0, after(4))
	timers.stop(2)
	timers.stop("never armed")
	if at, ok := timers.next(); !ok || !at.Equal(after(1)) {
		t.Errorf("next at %v, %v", at.Sub(start), ok)
	}
	var got []any
	for value, ok := timers.due(after(4)); ok; value, ok = timers.due(after(4)) {
		got = append(got, value)
	}
	if want := []any{3, 5, 1, 0}; !slices.Equal(got, want) {
		t.Errorf("due were %v, want %v; the timer at 5 s is not", got, want)
	}
}

// Readings of the clock that the state still holds are kept; others are dropped when there are many.
func TestTimers_HeldInstants(t *testing.T) {
	clock, err := macetime.NewRealClock(0, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	i := newInstants(clock)
	var held []macetime.Time
	reader := sim.System{Name: "reader", Nodes: 1, New: func(sim.NodeID) sim.Service { return &readings{held: &held} }}
	run, err := runner.NewRunner(&reader, kernel.Options{Times: &i})
	if err != nil {
		t.Fatal(err)
	}
	if done := run.Run(netmodel.Event{Kind: eventkind.Boot}, declared.Handed{}, nil, nil); done.Finding != nil {
		t.Fatal(done.Finding)
	}
	if len(i.read) != 2000 {
		t.Fatalf("%d readings, want 2000", len(i.read))
	}
	first := i.real(held[0])
	i.retain(func() []macetime.Time { return held[:1] })
	if len(i.read) != 1 || i.real(held[0]) != first {
		t.Errorf("%d readings are left, want the one that is held", len(i.read))
	}
}

// readings reads the clock two thousand times.
type readings struct {
	sim.Nop
	held *[]macetime.Time `macemc:"-"`
}

func (r *readings) Boot(env sim.Env) {
	for range 2000 {
		*r.held = append(*r.held, env.Clock().Now())
	}
}
