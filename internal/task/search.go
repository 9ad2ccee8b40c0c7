package task

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/check/walkweights"
	"github.com/macemc/macemc/internal/recording"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/search/schedules"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Search searches a system for violations. Its fields, and those of Config, are the flags of the command with that
// name.
type Search struct {
	Subject
	Config       search.Config // the fields that equal a flag; the others follow from Subject and other flags
	Schedules    string
	Unbiased     bool
	Shard        string
	Memory       int // MB
	From         string
	Step         int
	SavePrefixes string
	Out          string
	NoShrink     bool
	KeepGoing    bool
	Proof        string
	WriteTest    bool
	JSON         bool
	Collected    Collected
	Durable      string
	Resume       bool
	Cluster      Cluster
	Recheck      bool // the states in Durable, by the present properties; not a flag

	Again string // the arguments of the same search
}

// request is a requested search, validated before it begins.
type request struct {
	*Search
	subject   check.Subject
	recording *recording.Merged // that the search starts from; nil means none
	options   check.Options
	job       ClusterJob
}

// Do searches.
func (s *Search) Do(ctx context.Context, p *Process) error {
	if s.WriteTest && p.WriteTest == nil {
		return fmt.Errorf("--write-test needs a package, not a bundled system")
	}
	if s.JSON || s.Collected.Printed() != "" {
		if err := p.reserveStdout(); err != nil {
			return err
		}
	}
	f := *s // a recording fills in fields
	r, err := f.request(p)
	if err != nil {
		return err
	}
	return p.search(ctx, r)
}

// request builds the search from the flags.
func (f *Search) request(p *Process) (*request, error) {
	run, err := f.resume(p)
	if err != nil {
		return nil, err
	}
	if err := f.Collected.Check(); err != nil {
		return nil, err
	}
	subject, err := f.Subject.build(p)
	if err != nil {
		return nil, err
	}
	if err := knownProperty(&subject.System, f.Property); err != nil {
		return nil, err
	}
	seed, shard := f.Config.Seed, (*report.Shard)(nil)
	if f.Shard != "" {
		s, err := report.ParseShard(f.Shard, f.Config.Seed)
		if err != nil {
			return nil, fmt.Errorf("--shard: %w", err)
		}
		seed, shard = s.SeedOf(), &s
	}
	cfg, err := f.config(subject.System, seed)
	if err != nil {
		return nil, err
	}
	var job ClusterJob
	if f.Cluster.URL != "" {
		if job, err = f.clusterJob(p, &subject); err != nil {
			return nil, err
		}
		cfg.Visited, cfg.Reduce = string(job.Visited), options.ReduceNone
	}
	if cfg.Workers == 0 {
		cfg.Workers = runs.DefaultWorkers()
	}
	if err := bugDefaults(&subject, &cfg); err != nil {
		return nil, err
	}
	if cfg.Strategy == "" {
		cfg.Strategy = search.Deepening
	}
	if run == nil && !f.Given.Has("timing") && !cfg.Strategy.Can(strategy.VisitsStates) && cfg.Engine != runloop.TableEngine {
		subject.System.Timing = check.LivenessTiming(&subject.System)
		cfg.System.Timing = subject.System.Timing
	}
	switch {
	case f.Unbiased:
		cfg.Weights = search.Weights{Action: 1, Message: 1, Timer: 1, Consequence: 1, Fault: 1}
	case f.Weights != "":
		if cfg.Weights, err = walkweights.Parse(f.Weights, cfg.Weights); err != nil {
			return nil, fmt.Errorf("--weights: %w", err)
		}
	}
	var merged *recording.Merged
	if run != nil {
		if merged, err = f.onward(run, &subject, &cfg); err != nil {
			return nil, err
		}
	}
	if err := f.crashing(&subject.System); err != nil {
		return nil, err
	}
	known, err := f.known(p, &subject)
	if err != nil {
		return nil, err
	}
	return &request{
		Search: f, subject: subject, recording: merged, job: job,
		options: check.Options{
			Search: cfg, Header: subject.Header(seed), Shard: shard, Dir: f.Out,
			NoShrink: f.NoShrink, KeepGoing: f.KeepGoing, Known: known, RequireProof: f.Proof == string(critical.Exact),
		},
	}, nil
}

// known returns the path files that accept a finding of the subject.
func (f *Search) known(p *Process, s *check.Subject) ([]string, error) {
	if p.WriteTest == nil { // bundled systems have no folder
		return nil, nil
	}
	files, err := check.KnownFiles(p.Package, s.Entry.Test)
	if f.Durable == "" && f.Cluster.URL == "" {
		return files, err
	}
	if len(files) > 0 && p.Role.Recorder == nil {
		fmt.Fprintf(p.Stderr, "macemc: known findings are reported as new ones, because a search with --durable or --cluster ends at its first violation\n")
	}
	return nil, err
}

// Limit returns the time limit of the search; 0 means none. Searches that last longer than one process have no default.
func (f *Search) Limit() time.Duration {
	if (f.Durable != "" && !f.Recheck || f.Cluster.URL != "") && !f.Given.Has("time") {
		return 0
	}
	return f.Config.Time
}

// config returns the settings of the search, without those of bugs, clusters, recordings and prefixes.
func (f *Search) config(sys sim.System, seed uint64) (search.Config, error) {
	cfg := f.Config
	cfg.System, cfg.Property, cfg.Seed, cfg.MaxBytes, cfg.Time = sys, f.Property, seed, f.Memory<<20, f.Limit()
	if f.Schedules != "" {
		var err error
		if cfg.Schedules, err = schedules.Parse(f.Schedules); err != nil {
			return cfg, fmt.Errorf("--schedules: %w", err)
		}
	}
	return cfg, nil
}

// Validate implements [Task].
func (f *Search) Validate() error {
	if err := f.Subject.validate(); err != nil {
		return err
	}
	if err := (numbers{
		{"depth", f.Config.MaxDepth, 1}, {"deepen-by", f.Config.DeepenBy, 1}, {"walk-steps", f.Config.WalkSteps, 1},
		{"walks", f.Config.Walks, 1}, {"workers", f.Config.Workers, 1}, {"max-paths", f.Config.MaxPaths, 1},
	}).check(f.Given); err != nil {
		return err
	}
	if f.Given.Has("schedules") {
		if _, err := schedules.Parse(f.Schedules); err != nil {
			return fmt.Errorf("--schedules: %w", err)
		}
	}
	if err := f.validateDurable(); err != nil {
		return err
	}
	if err := f.validateShard(); err != nil {
		return err
	}
	if err := f.validateCluster(); err != nil {
		return err
	}
	switch {
	case f.Config.Time < 0:
		return fmt.Errorf("--time is %v, must not be negative", f.Config.Time)
	case f.Given.Has("handler-limit") && f.Config.HandlerLimit <= 0:
		return fmt.Errorf("--handler-limit is %v, must be positive", f.Config.HandlerLimit)
	case f.Config.Seed == 0:
		return fmt.Errorf("--seed is 0, must be at least 1")
	case f.Unbiased && f.Given.Has("weights"):
		return fmt.Errorf("--unbiased and --weights contradict each other; give one of them")
	case f.Given.Has("from") && f.Given.Has("save-prefixes"):
		return fmt.Errorf("--from and --save-prefixes contradict each other; give one of them")
	case f.Given.Has("step") && !f.Given.Has("from"):
		return fmt.Errorf("--step selects a state of --from FILE; give --from, too")
	case f.Step < 0:
		return fmt.Errorf("--step is %d, must not be negative", f.Step)
	case len(f.Collected) > 0 && f.Given.Has("save-prefixes"):
		return fmt.Errorf("--%s and --save-prefixes contradict each other; give one of them", f.Collected.names()[0])
	case f.KeepGoing && f.Given.Has("save-prefixes"):
		return fmt.Errorf("--keep-going and --save-prefixes contradict each other; give one of them")
	case f.Given.Has("engine") && !slices.Contains(runloop.Engines(), f.Config.Engine):
		return fmt.Errorf("--engine %q is not available; accepted are %s", f.Config.Engine, strings.Join(runloop.Engines(), ", "))
	case f.Given.Has("proof") && f.Proof != string(critical.Walks) && f.Proof != string(critical.Exact):
		return fmt.Errorf("--proof %q is not available; accepted are %s, %s", f.Proof, critical.Walks, critical.Exact)
	case f.Memory < 0 || f.Memory > 1<<30:
		return fmt.Errorf("--memory is %d, must be 0 to %d", f.Memory, 1<<30)
	case f.Config.Strategy.Validate() != nil || f.Config.Strategy == "" && f.Given.Has("strategy"):
		return fmt.Errorf("--strategy %q is not available; accepted are %s", f.Config.Strategy, strings.Join(strategy.Names(0), ", "))
	case f.Given.Has("reduce") && !slices.Contains(options.Reductions(), f.Config.Reduce):
		return fmt.Errorf("--reduce %q is not available; accepted are %s", f.Config.Reduce, strings.Join(options.Reductions(), ", "))
	case f.Given.Has("crash-model") && !slices.Contains(options.CrashModels(), f.Config.Crashes):
		return fmt.Errorf("--crash-model %q is not available; accepted are %s, %s, %s", f.Config.Crashes, options.CrashExplicit,
			options.CrashImplicit, options.CrashAuto)
	}
	return cmp.Or(f.Collected.Validate(f.JSON), f.validateStrategy())
}

// validateStrategy returns an error for flags that need a strategy with other capabilities.
func (f *Search) validateStrategy() error {
	for _, o := range []struct {
		flag  string
		set   bool
		needs strategy.Capability
	}{
		{"max-paths", f.Given.Has("max-paths"), strategy.Walks},
		{"schedules", f.Schedules != "", strategy.Walks},
		{"shard", f.Shard != "", strategy.Walks},
		{"depth", f.Given.Has("depth"), strategy.BoundsDepth},
		{"deepen-by", f.Config.DeepenBy != 0, strategy.Deepens},
		{"alone", f.Config.Alone, strategy.Deepens},
		{"memory", f.Memory != 0, strategy.KeepsStates},
		{"visited " + f.Config.Visited, f.Config.Visited != "", strategy.KeepsStates},
		{"reduce " + f.Config.Reduce, f.Config.Reduce == options.ReduceDrop || f.Config.Reduce == options.ReduceFull, strategy.VisitsStates},
		{"symmetry", f.Config.Symmetry, strategy.VisitsStates},
		{"crash-model " + f.Config.Crashes, f.leavesOutCrashes(), strategy.VisitsStates},
		{"shortest", f.Config.Shortest, strategy.VisitsStates},
		{"durable", f.Durable != "", strategy.Durable},
		{"cluster", f.Cluster.URL != "", strategy.BreadthFirst},
	} {
		if !o.set {
			continue
		}
		if err := f.Config.Strategy.Require(o.needs, "--"+o.flag); err != nil {
			return err
		}
	}
	return nil
}

// leavesOutCrashes reports whether the crash model omits crashes.
func (f *Search) leavesOutCrashes() bool {
	return f.Config.Crashes != "" && f.Config.Crashes != options.CrashExplicit
}

// crashing returns an error for flags about crashes if no node can fail.
func (f *Search) crashing(sys *sim.System) error {
	const none = "and no node of %s crashes or halts within the limits; give --crashes or --halts, too"
	switch {
	case sys.Crashes > 0 || sys.Halts > 0:
	case f.Given.Has("crash-cut"):
		return fmt.Errorf("--crash-cut %s defines the effects of steps in which nodes fail, "+none, f.CrashCut, sys.Name)
	case f.leavesOutCrashes():
		return fmt.Errorf("--crash-model %s omits crashes, "+none, f.Config.Crashes, sys.Name)
	}
	return nil
}

// validateShard returns an error for a search that cannot be divided.
func (f *Search) validateShard() error {
	if f.Shard == "" {
		return nil
	}
	if f.Given.Has("save-prefixes") {
		return fmt.Errorf("--shard and --save-prefixes contradict each other; give one of them")
	}
	_, err := report.ParseShard(f.Shard, f.Config.Seed)
	if err != nil {
		err = fmt.Errorf("--shard: %w", err)
	}
	return err
}
