package task

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/check/outfolder"
	"github.com/macemc/macemc/internal/check/walkweights"
	"github.com/macemc/macemc/internal/recording"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/search/option"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Search searches a system for violations. Its fields, and those of Config, are the flags of the command with that
// name.
type Search struct {
	Subject
	Config    search.Config // the fields that equal a flag; the others follow from Subject and other flags
	Unbiased  bool
	Shard     string
	Memory    int // MB
	From      string
	Step      int
	Out       string
	NoShrink  bool
	KeepGoing bool
	Proof     string
	WriteTest bool
	JSON      bool
	Collected Collected
	Durable   string
	Resume    bool
	Cluster   Cluster
	Recheck   bool // the states in Durable, by the present properties; not a flag

	Again string // the arguments of the same search
}

// SearchOptions are the options of the command that are no fields of a search.Config.
var SearchOptions = []option.Row[Search]{
	{Flag: "weights", Help: "set `WEIGHTS` of events in random walks, such as action=40,message=8",
		At: func(s *Search) any { return &s.Weights }},
	{Flag: "unbiased", Help: "give all events equal weights in random walks", At: func(s *Search) any { return &s.Unbiased },
		Not: []string{"weights"}},
	{Flag: "shard", Help: "run part `K/N` of a divided search, for macemc merge", At: func(s *Search) any { return &s.Shard },
		Needs: strategy.Walks},
	{Flag: "memory", Help: "stop when states take about `N` MB (default: half of the free memory)",
		At:   func(s *Search) any { return &s.Memory },
		Most: 1 << 30, Needs: strategy.KeepsStates},
	{Flag: "from", Help: "start from a recording or a path, `FILE`", At: func(s *Search) any { return &s.From },
		Not: []string{"prefixes"}, Is: option.Single},
	{Flag: "step", Help: "start from the state after step `N` of --from (default: the last)", At: func(s *Search) any { return &s.Step },
		With: "from"},
	{Flag: "durable", Help: "checkpoint the search in `DIR`, so that --resume can continue it", At: func(s *Search) any { return &s.Durable },
		Needs: strategy.Durable, Not: []string{"keep-going", "from", "prefixes", "shard"}, Is: option.Single},
	{Flag: "resume", Help: "continue the search in the folder of --durable, or begin it", At: func(s *Search) any { return &s.Resume },
		With: "durable"},
	{Flag: "replicas", Help: "store the states of --cluster on 1 or 3 `SERVERS` (default 3 if possible)",
		At: func(s *Search) any { return &s.Cluster.Replicas }, With: "cluster"},
	{Flag: "cluster", Help: "search on the cluster of the server at `URL`", At: func(s *Search) any { return &s.Cluster.URL },
		Needs: strategy.BreadthFirst, Not: []string{"durable", "resume", "keep-going", "from", "shard"}},
	{Flag: "out", Help: "folder `DIR` for a violation (default: a new one in " + outfolder.Root + ")",
		At: func(s *Search) any { return &s.Out }, Is: option.Single},
	{Flag: "keep-going", Help: "continue after a violation, and report each distinct one", At: func(s *Search) any { return &s.KeepGoing },
		Is: option.Usual},
	{Flag: "proof", Help: "require proof of dead runs by `KIND`: walks or exact", At: func(s *Search) any { return &s.Proof },
		Default: string(critical.Walks), Kinds: []string{string(critical.Walks), string(critical.Exact)}},
	{Flag: "no-shrink", Help: "report the violating run as it was found", At: func(s *Search) any { return &s.NoShrink }},
	{Flag: "write-test", Help: "write a regression test beside the test of a package", At: func(s *Search) any { return &s.WriteTest }},
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
	cfg := f.Config
	cfg.System, cfg.Property, cfg.Seed, cfg.MaxBytes, cfg.Time = subject.System, f.Property, seed, f.Memory<<20, f.Limit()
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

// Validate implements [Task].
func (f *Search) Validate() error {
	if err := f.Subject.validate(); err != nil {
		return err
	}
	caller := option.Caller{Strategy: string(f.Config.Strategy), Given: f.Given.Has}
	if err := option.Check(search.Options, &f.Config, caller, f.Given.Has); err != nil {
		return err
	}
	if err := option.Check(SearchOptions, f, caller, f.Given.Has); err != nil {
		return err
	}
	var err error
	switch {
	case f.Durable != "":
		err = option.Complain(search.Options, &f.Config, caller, "--durable")
	case f.Cluster.URL != "":
		err = cmp.Or(option.Complain(search.Options, &f.Config, caller, "--cluster"), f.validateCluster())
	case f.Shard != "":
		if _, err = report.ParseShard(f.Shard, f.Config.Seed); err != nil {
			err = fmt.Errorf("--shard: %w", err)
		}
	}
	return cmp.Or(err, f.Collected.Validate(f.JSON))
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
