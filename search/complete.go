package search

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/search/fpset"
	"github.com/macemc/macemc/internal/search/runloop"
)

// complete returns c with all defaults filled in and the property selected, or an error about the first invalid field.
func (c Config) complete() (Config, error) {
	if c.Property != "" {
		sys, err := c.System.Only(c.Property)
		if err != nil {
			return c, err
		}
		c.System, c.Property = sys, ""
	}
	if err := c.System.Validate(); err != nil {
		return c, err
	}
	if err := c.Strategy.Validate(); err != nil {
		return c, err
	}
	c.Strategy = cmp.Or(c.Strategy, Deepening)
	c.Engine = cmp.Or(c.Engine, AutoEngine)
	if err := c.fits(); err != nil {
		return c, err
	}
	if len(c.Schedules) == 0 {
		c.Schedules = defaultSchedules()
	}
	if c.Weights == (Weights{}) {
		c.Weights = DefaultWeights()
	}
	if err := c.Weights.Validate(); err != nil {
		return c, err
	}
	c.weightsGiven = c.Weights != DefaultWeights()
	c.start = budget.Now()
	c.MaxDepth = cmp.Or(c.MaxDepth, fpset.MaxDepth)
	c.DeepenBy = cmp.Or(c.DeepenBy, 1)
	c.WalkSteps = cmp.Or(c.WalkSteps, 2000)
	c.Walks = cmp.Or(c.Walks, 200)
	c.Seed = cmp.Or(c.Seed, 1)
	c.Workers = cmp.Or(c.Workers, DefaultWorkers())
	c.MaxPaths = cmp.Or(c.MaxPaths, math.MaxInt)
	c.HandlerLimit = cmp.Or(c.HandlerLimit, runloop.DefaultHandlerLimit)
	return c, nil
}

// fits returns the first error about options that do not fit the strategy or engine, or are out of range. It names
// fields. The same rules about logs stand in internal/task/durable.go (validateDurable), which names flags.
func (c *Config) fits() error {
	switch {
	case c.Engine != AutoEngine && c.Engine != ReplayEngine && c.Engine != TableEngine:
		return fmt.Errorf("engine %q is not one of %s, %s, %s", c.Engine, AutoEngine, TableEngine, ReplayEngine)
	case c.MaxBytes < 0:
		return fmt.Errorf("MaxBytes is %d, must not be negative", c.MaxBytes)
	case c.Log != nil && (c.Reduce == ReduceDrop || c.Reduce == ReduceFull):
		return fmt.Errorf("a log cannot be combined with reduction %s, which omits states", c.Reduce)
	case c.Log != nil && c.Symmetry:
		return errors.New("a log cannot be combined with symmetry, which omits states")
	case c.Shortest && c.RemoteExplorer != nil:
		return errors.New("Shortest cannot be combined with RemoteExplorer, which searches breadth first anyway")
	case c.Reach != nil && (len(c.Prefix) > 0 || c.PrefixRuns > 0):
		return errors.New("Reach resumes a search from the initial state and cannot be combined with a prefix")
	case c.Engine == ReplayEngine && c.Strategy.Can(VisitsStates):
		return fmt.Errorf("strategy %s needs the engine %s", c.Strategy, TableEngine)
	}
	for _, o := range []struct {
		name  string
		set   bool
		needs Capability
	}{
		{"MaxBytes", c.MaxBytes != 0, KeepsStates}, {"Alone", c.Alone, Deepens}, {"DeepenBy", c.DeepenBy != 0, Deepens},
		{"Reach", c.Reach != nil, Deepens},
		{"Shortest", c.Shortest, VisitsStates}, {"Symmetry", c.Symmetry, VisitsStates}, {"Log", c.Log != nil, BreadthFirst},
		{"Visited " + string(c.Visited), c.Visited != "", KeepsStates},
		{"Reduce " + string(c.Reduce), c.Reduce == ReduceDrop || c.Reduce == ReduceFull, VisitsStates},
		{"Crashes " + string(c.Crashes), c.Crashes == CrashImplicit || c.Crashes == CrashAuto, VisitsStates},
	} {
		if o.set {
			if err := c.Strategy.Require(o.needs, o.name); err != nil {
				return err
			}
		}
	}
	for _, f := range []struct {
		name  string
		value int
		most  int
	}{
		{"MaxDepth", c.MaxDepth, fpset.MaxDepth}, {"DeepenBy", c.DeepenBy, fpset.MaxDepth}, {"WalkSteps", c.WalkSteps, 1 << 30},
		{"Walks", c.Walks, 1 << 30},
		{"Workers", c.Workers, MaxWorkers}, {"MaxPaths", c.MaxPaths, math.MaxInt}, {"PrefixRuns", c.PrefixRuns, 1 << 20},
		{"Time", int(c.Time), math.MaxInt}, {"HandlerLimit", int(c.HandlerLimit), math.MaxInt},
	} {
		if f.value < 0 || f.value > f.most {
			return fmt.Errorf("%s is %d, must be 0 to %d", f.name, f.value, f.most)
		}
	}
	if err := c.Visited.fits(c.Strategy); err != nil {
		return err
	}
	if err := c.Reduce.fits(); err != nil {
		return err
	}
	if err := c.Crashes.fits(c); err != nil {
		return err
	}
	return validSchedules(c.Schedules)
}
