package cli

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/check"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/stats"
)

func (a *app) statsCommand() *cobra.Command {
	var f searchFlags
	var plot string
	cmd := &cobra.Command{
		Use:   "stats SYSTEM",
		Short: "Measure how many steps random walks take to a live state",
		Long: `Makes random walks without faults to their first live state, with the weights of a
search and with equal ones, and prints the percentiles of their length: from the first
state and, when faults are allowed, from states after a random number of steps in which
faults struck, the same for both kinds of weights.

A percentile that is as long as the walk limit tells that a search needs longer walks
(--walk-steps): walks that are cut look dead. --svg plots the distributions.`,
		Example: `  macemc stats randtree --nodes 8
  macemc stats randtree --nodes 8 --crashes 2 --walks 10000 --svg steps.svg
  macemc stats overcast --bug OV1 --walk-steps 2000 --json`,
		Args: exactlyOne("SYSTEM"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if elsewhere, err := a.systemElsewhere(cmd.Context(), args[0], f.test); elsewhere {
				return err
			}
			cfg, err := a.measure(&f, args[0], cmd.Flags().Changed)
			if err != nil {
				return err
			}
			return a.stats(cmd.Context(), cfg, plot, f.json)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	f.subjectFlags(fl)
	fl.IntVar(&f.walks, "walks", 1000, "make `N` walks of each kind")
	fl.IntVar(&f.walkSteps, "walk-steps", 20_000, "length `N` of a walk, in steps")
	f.environmentFlags(fl)
	fl.Uint64Var(&f.seed, "seed", 1, "`SEED` of the random walks, at least 1")
	fl.IntVar(&f.workers, "workers", 0, "how many walks `N` go on at a time (default: all cores)")
	fl.StringVar(&plot, "svg", "", "plot the distributions into `FILE`")
	fl.BoolVar(&f.json, "json", false, "print one JSON object, with all counts")
	return cmd
}

// measure makes sense of the flags of stats.
func (a *app) measure(f *searchFlags, name string, changed func(string) bool) (stats.Config, error) {
	var none stats.Config
	if err := a.validate(f, changed); err != nil {
		return none, err
	}
	subject, err := a.subject(f, name, changed)
	if err != nil {
		return none, err
	}
	sys := subject.System
	if f.property != "" {
		if err := knownProperty(&sys, f.property); err != nil {
			return none, err
		}
		if sys, err = sys.Only(f.property); err != nil {
			return none, err
		}
	}
	var usual search.Config
	if err := f.bugDefaults(&subject, &usual); err != nil {
		return none, err
	}
	if f.weights != "" {
		if usual.Weights, err = check.ParseWeights(f.weights, usual.Weights); err != nil {
			return none, fmt.Errorf("--weights: %w", err)
		}
	}
	return stats.Config{
		System: sys, Bugs: subject.Config.Bugs, Walks: f.walks, WalkSteps: f.walkSteps, Weights: usual.Weights, Seed: f.seed, Workers: f.workers,
	}, nil
}

// plotMark tells a plot that this command wrote.
const plotMark = "<!-- Written by macemc stats. -->"

func (a *app) stats(ctx context.Context, cfg stats.Config, plot string, asJSON bool) error {
	file := generated{plot, plotMark}
	if plot != "" {
		if err := file.check(); err != nil {
			return fmt.Errorf("--svg: %w", err)
		}
	}
	line := newStatus(a.stderr, a.terminal)
	defer line.clear()
	began := time.Now()
	cfg.Progress = func(done, all int) {
		line.tell(time.Since(began), fmt.Sprintf("%s of %s walks of each kind", grouped(done), grouped(all)))
	}
	r, err := stats.Measure(ctx, cfg)
	line.clear()
	if err != nil {
		return err
	}
	if plot != "" {
		var b bytes.Buffer
		if err := r.SVG(&b); err != nil {
			return err
		}
		text := strings.Replace(b.String(), "\n", "\n"+plotMark+"\n", 1) // inside of the root element
		if err := file.write([]byte(text)); err != nil {
			return fmt.Errorf("--svg: %w", err)
		}
	}
	if asJSON {
		err = writeJSON(a.stdout, r)
	} else {
		err = r.Text(a.stdout)
	}
	if err != nil {
		return err
	}
	return ctx.Err()
}
