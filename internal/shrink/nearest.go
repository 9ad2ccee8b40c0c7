package shrink

import (
	"context"
	"errors"
	"slices"

	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/sim"
)

const (
	// stepsPerState divides the budget of steps. The quotient is the maximum number of states that nearest visits.
	stepsPerState = 64
	// nearestShare is the denominator of the share of the time that it has. nearestBytes is its approximate memory.
	nearestShare = 8
	nearestBytes = 64 << 20
)

// nearest searches breadth first for a run to the finding with fewer steps than the best script, and at most its faults. It
// finds runs that random walks hardly ever take. It does nothing if the state tables do not support the system.
func (cfg *Config) nearest(ctx context.Context, r *reducer, p *Player) error {
	most := cfg.MaxSteps / stepsPerState
	if r.over || most == 0 || cfg.contains() {
		return nil
	}
	p.Play(r.best)
	o, err := runs.Follow(&cfg.Walks.System, p.Run.Path.Clone())
	if err != nil {
		return err
	}
	sys, err := cfg.Walks.System.WithLimits(o.Used)
	if err != nil {
		return err
	}
	opts := options.Options{
		World:    kernel.Options{Overdue: runloop.Overdue(cfg.Walks.HandlerLimit)},
		MaxDepth: len(r.best.Steps) - 1, MaxStates: most, MaxBytes: nearestBytes, Reduce: options.ReduceDrop,
		Calls: cfg.Walks.Calls, Known: map[string]bool{},
	}
	// Other violations do not end the search, and whether states are dead does not matter.
	sys.Properties = slices.DeleteFunc(slices.Clone(sys.Properties), func(p sim.Property) bool { return p.Always == nil })
	for _, other := range sys.Properties {
		opts.Known[other.Name] = other.Name != cfg.Finding.Property
	}
	searching, cancel := ctx, func() {}
	if cfg.Time > 0 {
		searching, cancel = budget.WithProcessorTime(ctx, cfg.Time/nearestShare)
	}
	x, err := table.Explore(searching, &sys, opts)
	cancel()
	if err != nil || x == nil {
		return nil // the tables do not support it
	}
	p.Steps += x.Transitions / cheaper
	var found *sim.Finding
	if !errors.As(x.Finding, &found) || !same(found, &cfg.Finding) {
		return nil
	}
	run, err := p.Follow(x.Path)
	if err == nil && run.Script.last() == r.best.last() {
		r.tryReduced(ctx, run.Script, func(branch *reducer) { branch.dropSteps(ctx) })
	}
	return nil
}
