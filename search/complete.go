package search

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/search/fpset"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/search/schedules"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/table/options"
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
	c.Engine = cmp.Or(c.Engine, runloop.AutoEngine)
	if err := c.fits(); err != nil {
		return c, err
	}
	if len(c.Schedules) == 0 {
		c.Schedules = schedules.Default()
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
	c.Workers = cmp.Or(c.Workers, runs.DefaultWorkers())
	c.MaxPaths = cmp.Or(c.MaxPaths, math.MaxInt)
	c.HandlerLimit = cmp.Or(c.HandlerLimit, budget.DefaultHandlerLimit)
	return c, nil
}

// fits returns the first error about options that do not fit the strategy or engine, or are out of range. It names
// fields. The same rules about logs stand in internal/task/durable.go (validateDurable), which names flags.
func (c *Config) fits() error {
	switch {
	case c.Engine != runloop.AutoEngine && c.Engine != runloop.ReplayEngine && c.Engine != runloop.TableEngine:
		return fmt.Errorf("engine %q is not one of %s, %s, %s", c.Engine, runloop.AutoEngine, runloop.TableEngine, runloop.ReplayEngine)
	case c.MaxBytes < 0:
		return fmt.Errorf("MaxBytes is %d, must not be negative", c.MaxBytes)
	case c.Log != nil && (c.Reduce == options.ReduceDrop || c.Reduce == options.ReduceFull):
		return fmt.Errorf("a log cannot be combined with reduction %s, which omits states", c.Reduce)
	case c.Log != nil && c.Symmetry:
		return errors.New("a log cannot be combined with symmetry, which omits states")
	case c.Shortest && c.RemoteExplorer != nil:
		//lint:ignore ST1005 it begins with the name of a field
		return errors.New("Shortest cannot be combined with RemoteExplorer, which searches breadth first anyway")
	case c.Reach != nil && (len(c.Prefix) > 0 || c.PrefixRuns > 0):
		return errors.New("Reach resumes a search from the initial state and cannot be combined with a prefix")
	case c.Engine == runloop.ReplayEngine && c.Strategy.Can(strategy.VisitsStates):
		return fmt.Errorf("strategy %s needs the engine %s", c.Strategy, runloop.TableEngine)
	}
	for _, o := range []struct {
		name  string
		set   bool
		needs strategy.Capability
	}{
		{"MaxBytes", c.MaxBytes != 0, strategy.KeepsStates}, {"Alone", c.Alone, strategy.Deepens},
		{"DeepenBy", c.DeepenBy != 0, strategy.Deepens},
		{"Reach", c.Reach != nil, strategy.Deepens},
		{"Shortest", c.Shortest, strategy.VisitsStates}, {"Symmetry", c.Symmetry, strategy.VisitsStates},
		{"Log", c.Log != nil, strategy.BreadthFirst},
		{"Visited " + c.Visited, c.Visited != "", strategy.KeepsStates},
		{"Reduce " + c.Reduce, c.Reduce == options.ReduceDrop || c.Reduce == options.ReduceFull, strategy.VisitsStates},
		{"Crashes " + c.Crashes, c.Crashes == options.CrashImplicit || c.Crashes == options.CrashAuto, strategy.VisitsStates},
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
		{"Workers", c.Workers, runs.MaxWorkers}, {"MaxPaths", c.MaxPaths, math.MaxInt}, {"PrefixRuns", c.PrefixRuns, 1 << 20},
		{"Time", int(c.Time), math.MaxInt}, {"HandlerLimit", int(c.HandlerLimit), math.MaxInt},
	} {
		if f.value < 0 || f.value > f.most {
			return fmt.Errorf("%s is %d, must be 0 to %d", f.name, f.value, f.most)
		}
	}
	if err := c.fitsVisited(); err != nil {
		return err
	}
	if c.Reduce != "" && !slices.Contains(options.Reductions(), c.Reduce) {
		return fmt.Errorf("reduction %q is not one of %s", c.Reduce, strings.Join(options.Reductions(), ", "))
	}
	switch m := c.Crashes; {
	case m == "" || m == options.CrashExplicit:
	case !slices.Contains(options.CrashModels(), m):
		return fmt.Errorf("crash model %q is not one of %s", m, strings.Join(options.CrashModels(), ", "))
	case c.Log != nil:
		return fmt.Errorf("a log cannot be combined with crash model %s, which omits states", m)
	}
	return schedules.Validate(c.Schedules)
}

// fitsVisited returns an error if Visited does not fit the strategy.
func (c *Config) fitsVisited() error {
	if c.Visited == "" {
		return nil
	}
	if c.Strategy.Can(strategy.Deepens) {
		if _, ok := runs.ParseKey(c.Visited); !ok {
			return fmt.Errorf("visited set %q of strategy %s is neither %s nor a number of bits, 1 to 128", c.Visited, c.Strategy, runs.AllStates)
		}
		return nil
	}
	if _, err := stateset.Named(c.Visited); err != nil {
		return fmt.Errorf("strategy %s: %w", c.Strategy, err)
	}
	return nil
}

// key returns the key of deepening.
func (c *Config) key() runs.Key {
	key, _ := runs.ParseKey(c.Visited)
	return key
}
