package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/macemc/macemc/check"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/live/recording"
	"github.com/macemc/macemc/report"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// searchFlags are the flags of search, as they were given.
type searchFlags struct {
	test         string
	bugs         []string
	property     string
	nodes        int
	set          []string
	strategy     string
	depth        int
	deepenBy     int
	walkSteps    int
	walks        int
	limits       sim.Limits
	timing       string
	interleave   string
	weights      string
	unbiased     bool
	seed         uint64
	engine       string
	visited      string
	alone        bool
	memory       int // MB
	workers      int
	prefix       string
	from         string
	run          *check.Source // that from names
	step         int
	savePrefixes string
	time         time.Duration
	maxPaths     int
	handlerLimit time.Duration
	out          string
	noShrink     bool
	keepGoing    bool
	proof        string
	writeTest    bool
	json         bool
	junit        string
}

const defaultTime = time.Minute

func (a *app) searchCommand() *cobra.Command {
	var f searchFlags
	cmd := &cobra.Command{
		Use:   "search SYSTEM | --from RECORDING",
		Short: "Search a system for violations of its properties",
		Long: `Searches until something is found, a limit is hit, or Ctrl-C is pressed. SYSTEM is the name
of a bundled system, or the folder (as ./mysvc) or import path of a package that has a
test which calls mctest.Check; if it has several, one is named as in ./mysvc:TestLease.
Of mctest.CheckWith the system counts, not the options: give them as flags.

A violation is written to a new folder: error.path (the run), live.path (the nearest
run that recovered, when there is one), report.html, report.md and report.json. The run
is shrunk before: what is not needed for the violation is left out. The run as it was
found is original.path; --no-shrink shows that.

--bug puts a known defect back and uses the settings that are documented for it, see
"macemc systems SYSTEM"; flags that are given have precedence.

--from searches onward from what live nodes have recorded (a folder, see macemc live) or
from a path file: from its last state, or from the one after --step N. System, nodes,
parameters and bugs are those of the recording. Fault limits count from there on.

Exit status:

` + strings.TrimRight(check.StatusTable(), "\n"),
		Example: `  macemc search pingack
  macemc search randtree --bug RT13
  macemc search ./mysvc:TestLease --time 10m
  macemc search randtree --nodes 5 --crashes 2 --strategy faulty --time 10m
  macemc search randtree --bug RT4 --json > report.json
  macemc search randtree --time 5m --junit macemc.xml
  macemc search randtree --bug RT13 --bug RT4 --keep-going --time 2m
  macemc search --from macemc-out/live-randtree-1/recording --step 40 --time 30s`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && f.from != "" {
				return nil
			}
			return exactlyOne("SYSTEM")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			name, err := a.resume(&f, args, cmd.Flags().Changed)
			if err != nil {
				return err
			}
			if elsewhere, err := a.systemElsewhere(cmd.Context(), name, f.test); elsewhere {
				return err
			}
			r, err := a.request(&f, name, cmd.Flags().Changed)
			if err != nil {
				return err
			}
			r.again = again(cmd, args)
			return a.search(cmd.Context(), r)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	f.subjectFlags(fl)
	fl.StringVar(&f.strategy, "strategy", "", "`NAME`, one of "+strings.Join(strategyNames(), ", ")+" (default deepening)")
	fl.IntVar(&f.depth, "depth", 0, "deepest `D` of the exhaustive part, in choices, or steps for bfs and dfs (default: until a limit is hit)")
	fl.IntVar(&f.deepenBy, "deepen-by", 0, "how much deeper `N` deepening goes each time (default 1); more finds sooner what lies deep, and explores less of what does not")
	fl.IntVar(&f.walkSteps, "walk-steps", 0, "length `N` of a random walk, in steps (default 2000)")
	fl.IntVar(&f.walks, "walks", 0, "walks `K` per probe of a critical transition (default 200)")
	f.environmentFlags(fl)
	fl.BoolVar(&f.unbiased, "unbiased", false, "equal weights in random walks")
	fl.Uint64Var(&f.seed, "seed", 1, "`SEED` of the random walks, at least 1")
	fl.StringVar(&f.engine, "engine", "", "how steps are executed, by `NAME`: table, replay, or auto, the one that is measured to be faster (default auto; bfs and dfs: table)")
	fl.StringVar(&f.visited, "visited", "", "how visited states are kept, by `KIND`: of bfs and dfs exact, or fingerprints of 64 or 128 bits (default exact); of deepening none, or fingerprints of 1 to 128 bits (default 128), of which short ones lose states")
	fl.BoolVar(&f.alone, "alone", false, "deepening does not alternate with walks from the start; those from leaves are made")
	fl.IntVar(&f.memory, "memory", 0, "stop when visited states, and of bfs and dfs tables, take about `N` MB, of the strategies that keep any: deepening, bfs, dfs (default: half of what is available)")
	fl.IntVar(&f.workers, "workers", 0, "how many runs `N` go on at a time (default: all cores)")
	fl.StringVar(&f.prefix, "prefix", "", "search from the end of the path in `FILE`")
	fl.StringVar(&f.from, "from", "", "search onward from a recording or a path, `FILE`")
	fl.IntVar(&f.step, "step", 0, "with --from, from the state after step `N` (default: the last)")
	fl.StringVar(&f.savePrefixes, "save-prefixes", "", "only write paths to live states into the folder `DIR`, for --prefix")
	fl.DurationVar(&f.time, "time", defaultTime, "stop after this `TIME`; 0: no limit; what is suspected by then is examined until 1.5 TIME or 30s")
	fl.IntVar(&f.maxPaths, "max-paths", 0, "stop after `N` paths (default: no limit)")
	fl.DurationVar(&f.handlerLimit, "handler-limit", 500*time.Millisecond, "suspect a handler that runs longer than this `TIME` to run for ever")
	fl.StringVar(&f.out, "out", "", "folder `DIR` for a violation (default: a new one in "+check.Root+")")
	fl.BoolVar(&f.keepGoing, "keep-going", false, "go on after a violation, until a limit, and report those that differ by kind, property and critical handler, each in a folder of its own")
	fl.StringVar(&f.proof, "proof", string(critical.Walks), "what shows that a run never recovers, by `KIND`: walks (0 of K recovered; the report says when that is not proven), or exact (all states that follow were visited; else it is only a suspect)")
	fl.BoolVar(&f.noShrink, "no-shrink", false, "show a violating run as it was found, not a smaller one")
	fl.BoolVar(&f.writeTest, "write-test", false, "of a package, write a regression test for what is found beside the test")
	fl.BoolVar(&f.json, "json", false, "print the report as one JSON object on standard output")
	fl.StringVar(&f.junit, "junit", "", "also write the report as JUnit XML to `FILE`; replaces what an earlier search wrote there, nothing else")
	return cmd
}

// subjectFlags are those that say what is executed.
func (f *searchFlags) subjectFlags(fl *pflag.FlagSet) {
	fl.StringVar(&f.test, "test", "", "of a package, the system of the test `NAME`")
	fl.StringArrayVar(&f.bugs, "bug", nil, "put a known bug `ID` back; may be repeated")
	fl.StringVar(&f.property, "property", "", "check only the property or monitor `NAME`; what else there is is not checked")
	fl.IntVar(&f.nodes, "nodes", 0, "number of nodes `N`")
	fl.StringArrayVar(&f.set, "set", nil, "set a parameter of the system, as `KEY=VALUE`; may be repeated")
}

// environmentFlags are those that say what can happen, and how probable it is.
func (f *searchFlags) environmentFlags(fl *pflag.FlagSet) {
	fl.IntVar(&f.limits.Crashes, "crashes", 0, "at most `N` crashes in a run")
	fl.IntVar(&f.limits.NetErrors, "net-errors", 0, "at most `N` socket errors in a run")
	fl.IntVar(&f.limits.Loss, "loss", 0, "at most `N` datagrams lost in a run")
	fl.IntVar(&f.limits.Dup, "dup", 0, "at most `N` datagrams duplicated in a run")
	fl.IntVar(&f.limits.Partitions, "partitions", 0, "at most `N` partitions in a run")
	fl.StringVar(&f.timing, "timing", "", "when timers fire, by `MODE`: ByDeadline, AnyOrder or Prompt")
	fl.StringVar(&f.interleave, "interleave", "", "how the goroutines of a node take turns, by `MODE`: fifo, random, or pct:N, random priorities that change N times in a step; for systems of package bubble")
	fl.StringVar(&f.weights, "weights", "", "`WEIGHTS` of events in random walks, as action=40,message=8,timer=1,consequence=8,fault=4")
}

// request is a search that was asked for, checked as far as it can be before it begins.
type request struct {
	subject      check.Subject
	recording    *recording.Merged // where the search starts; nil: not there
	options      check.Options
	savePrefixes string
	json         bool
	junit        generated // no name: none
	writeTest    bool
	again        string // the arguments that ask for the same
}

// request makes sense of the flags. changed tells which of them were given.
func (a *app) request(f *searchFlags, name string, changed func(string) bool) (*request, error) {
	if err := a.validate(f, changed); err != nil {
		return nil, err
	}
	if f.junit != "" {
		if err := (generated{f.junit, report.JUnitMark}).check(); err != nil {
			return nil, err
		}
	}
	subject, err := a.subject(f, name, changed)
	if err != nil {
		return nil, err
	}
	if err := knownProperty(&subject.System, f.property); err != nil {
		return nil, err
	}
	cfg := search.Config{
		System:       subject.System,
		Strategy:     search.Name(f.strategy),
		Property:     f.property,
		MaxDepth:     f.depth,
		DeepenBy:     f.deepenBy,
		WalkSteps:    f.walkSteps,
		Walks:        f.walks,
		Seed:         f.seed,
		Workers:      f.workers,
		Time:         f.time,
		MaxPaths:     f.maxPaths,
		HandlerLimit: f.handlerLimit,
		Engine:       search.Engine(f.engine),
		Visited:      search.Visited(f.visited),
		Alone:        f.alone,
		MaxBytes:     f.memory << 20,
	}
	if cfg.Workers == 0 {
		cfg.Workers = search.DefaultWorkers()
	}
	if err := f.bugDefaults(&subject, &cfg); err != nil {
		return nil, err
	}
	if cfg.Strategy == "" {
		cfg.Strategy = search.Deepening
	}
	switch {
	case f.unbiased:
		cfg.Weights = search.Weights{Action: 1, Message: 1, Timer: 1, Consequence: 1, Fault: 1}
	case f.weights != "":
		if cfg.Weights, err = check.ParseWeights(f.weights, cfg.Weights); err != nil {
			return nil, fmt.Errorf("--weights: %w", err)
		}
	}
	var merged *recording.Merged
	if f.from != "" {
		if merged, err = f.onward(&subject, &cfg, changed); err != nil {
			return nil, err
		}
	}
	if f.prefix != "" {
		loaded, err := check.LoadFor(context.Background(), f.prefix, &subject.System, nil)
		if err != nil {
			return nil, err
		}
		cfg.Prefix, cfg.PrefixRuns = loaded.Path, 0
	}
	return &request{
		subject:   subject,
		recording: merged,
		options: check.Options{
			Search: cfg,
			Header: subject.Header(f.seed),
			Dir:    f.out,

			NoShrink:  f.noShrink,
			KeepGoing: f.keepGoing,
			Proven:    f.proof == string(critical.Exact),
		},
		savePrefixes: f.savePrefixes,
		json:         f.json,
		junit:        generated{f.junit, report.JUnitMark},
		writeTest:    f.writeTest,
	}, nil
}

// validate checks what can be checked without a system.
func (a *app) validate(f *searchFlags, changed func(string) bool) error {
	if err := (numbers{
		{"nodes", f.nodes, 1}, {"depth", f.depth, 1}, {"deepen-by", f.deepenBy, 1}, {"walk-steps", f.walkSteps, 1},
		{"walks", f.walks, 1}, {"workers", f.workers, 1}, {"max-paths", f.maxPaths, 1},
		{"crashes", f.limits.Crashes, 0}, {"net-errors", f.limits.NetErrors, 0}, {"loss", f.limits.Loss, 0},
		{"dup", f.limits.Dup, 0}, {"partitions", f.limits.Partitions, 0},
	}).check(changed); err != nil {
		return err
	}
	switch {
	case f.writeTest && a.test == nil:
		return fmt.Errorf("--write-test is for packages")
	case f.time < 0:
		return fmt.Errorf("--time is %v, must not be negative", f.time)
	case changed("handler-limit") && f.handlerLimit <= 0:
		return fmt.Errorf("--handler-limit is %v, must be positive", f.handlerLimit)
	case f.seed == 0:
		return fmt.Errorf("--seed is 0, must be at least 1")
	case f.unbiased && changed("weights"):
		return fmt.Errorf("--unbiased and --weights contradict each other; give one of them")
	case changed("from") && (changed("prefix") || changed("save-prefixes")):
		return fmt.Errorf("--from contradicts --prefix and --save-prefixes; give one of them")
	case changed("step") && !changed("from"):
		return fmt.Errorf("--step says which state of --from FILE; give that too")
	case f.step < 0:
		return fmt.Errorf("--step is %d, must not be negative", f.step)
	case changed("prefix") && changed("save-prefixes"):
		return fmt.Errorf("--prefix and --save-prefixes contradict each other; give one of them")
	case f.junit != "" && changed("save-prefixes"):
		return fmt.Errorf("--junit and --save-prefixes contradict each other; give one of them")
	case changed("engine") && !slices.Contains(engineNames(), f.engine):
		return fmt.Errorf("--engine %q is not available; accepted are %s", f.engine, strings.Join(engineNames(), ", "))
	case changed("max-paths") && search.Name(f.strategy).Stateful():
		return fmt.Errorf("strategy %s visits states and executes no paths, whose number --max-paths could limit; use --depth, --memory or --time", f.strategy)
	case changed("proof") && f.proof != string(critical.Walks) && f.proof != string(critical.Exact):
		return fmt.Errorf("--proof %q is not available; accepted are %s, %s", f.proof, critical.Walks, critical.Exact)
	case f.memory < 0 || f.memory > 1<<30:
		return fmt.Errorf("--memory is %d, must be 0 to %d", f.memory, 1<<30)
	case changed("strategy") && !slices.Contains(strategyNames(), f.strategy):
		return fmt.Errorf("--strategy %q is not available; accepted are %s", f.strategy, strings.Join(strategyNames(), ", "))
	case changed("depth") && (f.strategy == string(search.Walk) || f.strategy == string(search.Faulty)):
		return fmt.Errorf("--depth bounds the strategies deepening, bfs and dfs; --strategy %s has no depth", f.strategy)
	}
	return nil
}

func strategyNames() []string {
	return []string{string(search.Deepening), string(search.Walk), string(search.Faulty), string(search.BFS), string(search.DFS)}
}

func engineNames() []string {
	return []string{string(search.AutoEngine), string(search.TableEngine), string(search.ReplayEngine)}
}
