package cli

import (
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/task"
)

const defaultTime = time.Minute

func (a *app) searchCommand() *cobra.Command {
	var f task.Search
	var test string
	cmd := &cobra.Command{
		Use:   "search SYSTEM | --from RECORDING",
		Short: "Search a system for violations of its properties",
		Long: `Searches until something is found, a limit is hit, or Ctrl-C is pressed. SYSTEM is the name
of a bundled system, or the folder (as ./mysvc) or import path of a package that has a
test which calls mctest.Check. ./mysvc:TestLease names one of several such tests; without
a name, or with a pattern as ./..., all are searched, one after the other, each with a
report of its own; --json prints one object for each, --junit writes one file for all.
Of mctest.CheckWith the system counts, not the options: give them as flags.

A violation is written to a new folder: error.path (the run), live.path (the nearest
run that recovered, when there is one), report.html, report.md and report.json. The run
is shrunk before: what is not needed for the violation is left out. The run as it was
found is original.path; --no-shrink shows that.

Checked code that ends its process (os.Exit, a stack that overflows, too much memory), or does
not return, is a violation like others. bfs and dfs search a second time then, for the run.

--bug puts a known defect back and uses the settings that are documented for it, see
"macemc systems SYSTEM"; flags that are given have precedence.

--durable keeps the states that --strategy bfs finds, in about a byte and a half each, and
of deepening, walk and faulty what their runs come to. A search that was interrupted or killed,
or had no room left on the disk, goes on with --resume and the same flags; see
"macemc durable".

--cluster has other processes, on one machine or several, visit the states of
--strategy bfs; see "macemc cluster" and "macemc worker".

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
  macemc search paxos --set proposers=3 --strategy bfs
  macemc search paxos --set proposers=3 --strategy bfs --visited 64 --durable px3 --resume
  macemc search paxos --set proposers=3 --strategy bfs --cluster nats://127.0.0.1:4222
  macemc search --from macemc-out/live-randtree-1/recording --step 40 --time 30s`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && f.From != "" {
				return nil
			}
			return exactlyOne("SYSTEM")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.Given, f.Again = given(cmd), again(cmd, args)
			if len(args) > 0 {
				f.System = args[0]
			}
			named := func(name string) string { return again(cmd, []string{name}) }
			pkg, inName := splitTest(f.System)
			switch {
			case isPattern(f.System):
				return a.searchPattern(cmd.Context(), f, named)
			case isPackage(pkg) && inName == "" && test == "":
				return a.searchPackage(cmd.Context(), f, named)
			}
			return a.onSystem(cmd.Context(), f.System, test, &f)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	subjectFlags(fl, &f.Subject, &test)
	fl.StringVar(&f.Strategy, "strategy", "", "`NAME`, one of "+strings.Join(task.StrategyNames(), ", ")+" (default deepening)")
	fl.StringVar(&f.Schedules, "schedules", "", "how random walks order events, in turn, by `NAMES` as in weighted,pos: any of "+strings.Join(task.ScheduleNames(), ", ")+" (default all)")
	fl.IntVar(&f.Depth, "depth", 0, "deepest `D` of the exhaustive part, in choices, or steps for bfs and dfs (default: until a limit is hit)")
	fl.IntVar(&f.DeepenBy, "deepen-by", 0, "how much deeper `N` deepening goes each time (default 1); more finds sooner what lies deep, and explores less of what does not")
	fl.IntVar(&f.WalkSteps, "walk-steps", 0, "length `N` of a random walk, in steps (default 2000)")
	fl.IntVar(&f.Walks, "walks", 0, "walks `K` per probe of a critical transition (default 200)")
	environmentFlags(fl, &f.Subject)
	fl.BoolVar(&f.Unbiased, "unbiased", false, "equal weights in random walks")
	fl.Uint64Var(&f.Seed, "seed", 1, "`SEED` of the random walks, at least 1")
	fl.StringVar(&f.Shard, "shard", "", "be the part `K/N` of a search that N processes make, with random walks of its own; macemc merge puts their reports together")
	fl.StringVar(&f.Engine, "engine", "", "how steps are executed, by `NAME`: table, replay, or auto, the one that is measured to be faster (default auto; bfs and dfs: table)")
	fl.StringVar(&f.Visited, "visited", "", "how visited states are kept, by `KIND`: of bfs and dfs exact, or fingerprints of 64 or 128 bits (default exact); of deepening none, or fingerprints of 1 to 128 bits (default 128), of which short ones lose states")
	fl.StringVar(&f.Reduce, "reduce", "", "leave out states that cannot change the verdict of bfs and dfs, by `KIND`: none, drop (messages that change nothing any more), full (also orders of events that do not matter), or auto (full, and drop if that takes half of the time) (default auto); the report says what could not be reduced, and why")
	fl.BoolVar(&f.Symmetry, "symmetry", false, "bfs and dfs visit one of the states that differ by a permutation of nodes of one role (System.Roles), once that is shown to change nothing; the report says what shows the contrary")
	fl.StringVar(&f.Crashes, "crash-model", "", "whether bfs and dfs let nodes crash and halt, by `MODEL`: explicit; implicit (none does, and it is shown in the end that this changes no verdict, or nothing is said); or auto (those do of which that is not shown) (default explicit)")
	fl.BoolVar(&f.Shortest, "shortest", false, "of bfs and dfs, look for a violation of safety in fewer steps than the one that was found, all orders of events included; the report says whether there is none")
	fl.BoolVar(&f.Alone, "alone", false, "deepening does not alternate with walks from the start; those from leaves are made")
	fl.IntVar(&f.Memory, "memory", 0, "stop when visited states, and of bfs and dfs tables, take about `N` MB, of the strategies that keep any: deepening, bfs, dfs (default: half of what is available); with --durable, and --visited 64 or 128, what does not fit goes to its folder")
	fl.IntVar(&f.Workers, "workers", 0, "how many runs `N` go on at a time (default: all cores)")
	fl.StringVar(&f.Prefix, "prefix", "", "search from the end of the path in `FILE`")
	fl.StringVar(&f.From, "from", "", "search onward from a recording or a path, `FILE`")
	fl.IntVar(&f.Step, "step", 0, "with --from, from the state after step `N` (default: the last)")
	fl.StringVar(&f.SavePrefixes, "save-prefixes", "", "only write paths to live states into the folder `DIR`, for --prefix")
	fl.DurationVar(&f.Time, "time", defaultTime, "stop after this `TIME`; 0, and with --durable or --cluster the default: no limit; with what follows a finding it takes 1.5 TIME and 5s at most")
	fl.IntVar(&f.MaxPaths, "max-paths", 0, "stop after `N` paths (default: no limit)")
	fl.DurationVar(&f.HandlerLimit, "handler-limit", 500*time.Millisecond, "suspect a handler that runs longer than this `TIME` to run for ever")
	fl.StringVar(&f.Durable, "durable", "", "but of dfs, keep what is found in the folder `DIR`, so that --resume can go on with it after the process or the machine has ended")
	fl.BoolVar(&f.Resume, "resume", false, "go on with the search in the folder of --durable; begin it when there is none")
	fl.IntVar(&f.Cluster.Replicas, "replicas", 0, "with --cluster, how many `SERVERS` keep what is found: 1 or 3 (default 3, if there are three)")
	clusterFlags(fl, &f.Cluster, "cluster", "of bfs, have the workers at the server `URL` search, see macemc cluster")
	fl.StringVar(&f.Out, "out", "", "folder `DIR` for a violation (default: a new one in "+check.Root+")")
	fl.BoolVar(&f.KeepGoing, "keep-going", false, "go on after a violation, until a limit, and report those that differ by kind, property and critical handler, each in a folder of its own")
	fl.StringVar(&f.Proof, "proof", string(critical.Walks), "what shows that a run never recovers, by `KIND`: walks (0 of K recovered; the report says when that is not proven), or exact (all states that follow were visited; else it is only a suspect)")
	fl.BoolVar(&f.NoShrink, "no-shrink", false, "show a violating run as it was found, not a smaller one")
	fl.BoolVar(&f.WriteTest, "write-test", false, "of a package, write a regression test for what is found beside the test")
	fl.BoolVar(&f.JSON, "json", false, "print the report as one JSON object on standard output")
	fl.StringVar(&f.JUnit, "junit", "", "also write the report as JUnit XML to `FILE`; replaces what an earlier search wrote there, nothing else")
	return cmd
}

// subjectFlags are those that say what is executed.
func subjectFlags(fl *pflag.FlagSet, f *task.Subject, test *string) {
	fl.StringVar(test, "test", "", "of a package, the system of the test `NAME`")
	fl.StringArrayVar(&f.Bugs, "bug", nil, "put a known bug `ID` back; may be repeated")
	fl.Var((*only)(&f.Property), "property", "check only the property or monitor `NAME`; what else there is is not checked")
	fl.IntVar(&f.Nodes, "nodes", 0, "number of nodes `N`")
	fl.StringArrayVar(&f.Set, "set", nil, "set a parameter of the system, as `KEY=VALUE`; may be repeated")
}

// environmentFlags are those that say what can happen, and how probable it is.
func environmentFlags(fl *pflag.FlagSet, f *task.Subject) {
	fl.IntVar(&f.Limits.Crashes, "crashes", 0, "at most `N` crashes in a run")
	fl.IntVar(&f.Limits.Halts, "halts", 0, "at most `N` nodes that halt in a run: they crash and never come back")
	fl.IntVar(&f.Limits.NetErrors, "net-errors", 0, "at most `N` socket errors in a run")
	fl.IntVar(&f.Limits.Loss, "loss", 0, "at most `N` datagrams lost in a run")
	fl.IntVar(&f.Limits.Dup, "dup", 0, "at most `N` datagrams duplicated in a run")
	fl.IntVar(&f.Limits.Partitions, "partitions", 0, "at most `N` partitions in a run")
	fl.StringVar(&f.Timing, "timing", "", "when timers fire, by `MODE`: ByDeadline, AnyOrder, Prompt or Bounded:DURATION")
	fl.StringVar(&f.Interleave, "interleave", "", "how the goroutines of a node take turns, by `MODE`: rotate, fifo, random, or pct:N, random priorities that change N times in a step; for systems of package bubble")
	fl.StringVar(&f.CrashCut, "crash-cut", "", "what happens of a step inside which its node crashes or halts, by `MODE`: prefix (its effects up to some point, the default), none (nodes fail between steps only), or subset (as prefix, and any of its datagrams may be lost)")
	fl.StringVar(&f.Weights, "weights", "", "`WEIGHTS` of events in random walks, as action=40,message=8,timer=1,consequence=8,fault=4")
}
