package cli

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/check/outfolder"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/internal/search/schedules"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/sim"
)

const defaultTime = time.Minute

func (a *app) searchCommand() *cobra.Command {
	var f task.Search
	var test string
	var all, verbose bool
	cmd := &cobra.Command{
		Use:   "search SYSTEM | --from RECORDING",
		Short: "Search a system for violations of its properties",
		Long:  searchUsage + "\n\n--help-all shows all flags. For the exit status, see \"macemc help\".",
		Example: `  macemc search randtree --bug RT13
  macemc search ./mysvc:TestLease --time 10m
  macemc search randtree --nodes 5 --crashes 2 --strategy faulty --time 10m
  macemc search paxos --set proposers=3 --strategy bfs`,
		Args: func(cmd *cobra.Command, args []string) error {
			if all || len(args) == 0 && f.From != "" {
				return nil
			}
			return exactlyOne("SYSTEM")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if all {
				return cmd.Help()
			}
			if f.Cluster.URL != "" && a.Cluster == nil {
				return a.become(clusterProgram)
			}
			name, err := a.runFile(f.From)
			if err == nil && name != f.From {
				err = cmd.Flags().Set("from", name)
			}
			if err != nil {
				return err
			}
			f.Given, f.Again = given(cmd), rerunArgs(cmd, args)
			a.Style.Brief, a.Style.Expand = !verbose, verbose
			if len(args) > 0 {
				f.System = args[0]
			}
			named := func(name string) string { return rerunArgs(cmd, []string{name}) }
			if parsed := packagePath(f.From); parsed != nil && !isPattern(f.System) {
				return a.searchFrom(cmd.Context(), &f, test, &parsed.Header)
			}
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
	subjectFlags(fl, &f.Subject, &test, "check only")
	fl.Var((*only)(&f.Property), "property", "check only property or monitor `NAME`")
	fl.StringVar((*string)(&f.Config.Strategy), "strategy", "",
		"use `NAME`: "+strings.Join(strategy.Names(0), ", ")+" (default "+strategy.All[0].Name+")")
	fl.StringVar(&f.Schedules, "schedules", "", "order by `NAMES`: "+strings.Join(schedules.Names(), ", "))
	fl.IntVar(&f.Config.MaxDepth, "depth", 0, "maximum depth `D`: steps for bfs and dfs, choices for deepening")
	fl.IntVar(&f.Config.DeepenBy, "deepen-by", 0, "increase the depth of deepening by `N` each time (default 1)")
	fl.IntVar(&f.Config.WalkSteps, "walk-steps", 0, "length `N` of a random walk in steps (default 2000)")
	fl.IntVar(&f.Config.Walks, "walks", 0, "make `K` walks per probe of a critical transition (default 200)")
	environmentFlags(fl, &f.Subject)
	fl.StringVar(&f.Weights, "weights", "", "set `WEIGHTS` of events in random walks, such as action=40,message=8")
	fl.BoolVar(&f.Unbiased, "unbiased", false, "give all events equal weights in random walks")
	fl.Uint64Var(&f.Config.Seed, "seed", 1, "seed the random walks with `N`, at least 1")
	fl.StringVar(&f.Shard, "shard", "", "run part `K/N` of a divided search, for macemc merge")
	fl.StringVar((*string)(&f.Config.Engine), "engine", "", "execute steps by `NAME`: table, replay or auto (default auto)")
	fl.StringVar((*string)(&f.Config.Visited), "visited", "",
		"store states as `KIND`: "+strings.Join(stateset.Names(), ", ")+"; deepening: none or 1 to 128 bits")
	fl.StringVar((*string)(&f.Config.Reduce), "reduce", "", "leave out states by `KIND`: none, drop, full or auto (default auto)")
	fl.BoolVar(&f.Config.Symmetry, "symmetry", false, "visit one of the states that differ by permuting nodes of a role")
	fl.StringVar((*string)(&f.Config.Crashes), "crash-model", "", "crash nodes by `MODEL`: explicit, implicit or auto (default explicit)")
	fl.BoolVar(&f.Config.Shortest, "shortest", false, "look for a shorter run to the safety violation")
	fl.BoolVar(&f.Config.Alone, "alone", false, "disable the random walks from the initial state")
	fl.IntVar(&f.Memory, "memory", 0, "stop when states take about `N` MB (default: half of the free memory)")
	fl.IntVar(&f.Config.Workers, "workers", 0, "run `N` workers in parallel (default: all cores)")
	fl.StringVar(&f.From, "from", "", "start from a recording or a path, `FILE`")
	fl.IntVar(&f.Step, "step", 0, "start from the state after step `N` of --from (default: the last)")
	fl.StringVar(&f.SavePrefixes, "save-prefixes", "", "only write paths to live states into the folder `DIR`")
	fl.DurationVar(&f.Config.Time, "time", defaultTime, "stop after `TIME` of CPU time per worker, or never if 0")
	fl.IntVar(&f.Config.MaxPaths, "max-paths", 0, "stop after `N` paths (default: no limit)")
	fl.DurationVar(&f.Config.HandlerLimit, "handler-limit", 500*time.Millisecond, "suspect divergence if a handler runs longer than `TIME`")
	fl.StringVar(&f.Durable, "durable", "", "checkpoint the search in `DIR`, so that --resume can continue it")
	fl.BoolVar(&f.Resume, "resume", false, "continue the search in the folder of --durable, or begin it")
	fl.IntVar(&f.Cluster.Replicas, "replicas", 0, "store the states of --cluster on 1 or 3 `SERVERS` (default 3 if possible)")
	ClusterFlags(fl, &f.Cluster, "cluster", "search on the cluster of the server at `URL`")
	fl.StringVar(&f.Out, "out", "", "folder `DIR` for a violation (default: a new one in "+outfolder.Root+")")
	fl.BoolVar(&f.KeepGoing, "keep-going", false, "continue after a violation, and report each distinct one")
	fl.StringVar(&f.Proof, "proof", string(critical.Walks), "require proof of dead runs by `KIND`: walks or exact")
	fl.BoolVar(&f.NoShrink, "no-shrink", false, "report the violating run as it was found")
	fl.BoolVar(&f.WriteTest, "write-test", false, "write a regression test beside the test of a package")
	lengthFlags(fl, &a.Style.Short, &verbose)
	fl.BoolVar(&f.JSON, "json", false, "print the report as one JSON object")
	collectedFlags(fl, &f.Collected)
	fl.BoolVar(&all, "help-all", false, "show all flags")
	usual := []string{"bug", "nodes", "set", "strategy", "crashes", "loss", "seed", "workers", "time", "keep-going", "verbose", "json",
		"help", "help-all"}
	help := cmd.HelpFunc()
	cmd.SetHelpFunc(func(c *cobra.Command, args []string) {
		fl.VisitAll(func(f *pflag.Flag) { f.Hidden = !all && !slices.Contains(usual, f.Name) })
		if all {
			c.Long, c.Example = searchUsage+"\n\n"+searchDetails(), c.Example+"\n"+searchExamples
		}
		help(c, args)
		fl.VisitAll(func(f *pflag.Flag) { f.Hidden = false })
	})
	return cmd
}

const searchUsage = `Searches until it finds a violation, reaches a limit, or is interrupted. SYSTEM is a bundled
system, or the folder or import path of a package with a test that calls mctest.Check.
./mysvc:TestLease names one of several tests. Without a name, or with a pattern such as
./..., all are searched.

A violation is minimized and written to a new folder in macemc-out: error.path (the run),
live.path (the nearest run that recovered), original.path (the run before it was minimized),
report.html, report.md and report.json.`

// searchDetails returns the text that --help-all adds to help.
func searchDetails() string {
	return `Options passed to mctest.CheckWith are ignored here; pass flags instead. --bug uses the
settings documented for the bug, see "macemc systems SYSTEM". Other flags override them.
Strategies without faults: ` + strings.Join(strategy.Without(strategy.Faults), ", ") + `.
All others inject the faults within the limits.

Code that exits, overflows the stack, exhausts the memory or does not return is a violation
like others. bfs and dfs then search a second time to find the run.

A line "known REASON" in a path of testdata/regress accepts its finding. The search continues,
and its status is that of new findings, or 3 if nothing else could be looked at.

--durable works with all strategies but ` + strings.Join(strategy.Without(strategy.Durable), ", ") + `.
Resume with the same flags, see "macemc durable". --durable and --cluster have no time limit
unless --time is given.
With the work after a finding, a search takes at most 1.5 times --time plus 5s. Time in which
it waits for processors does not count, so a search takes longer on a busy machine.

--cluster works with --strategy bfs, see "macemc cluster" and "macemc worker".

--from continues what live nodes recorded (a folder, see "macemc live") or a path file.
System, nodes, parameters and bugs are those of the recording. Fault limits apply from there on.

--reduce drop removes messages that can no longer change anything. full also leaves out orders
of independent events. auto tries full, and drop if that takes half of the time. The report
names what could not be reduced.

--crash-model implicit explores no crashes, and proves afterwards that they cannot matter.
auto crashes only the nodes for which that proof fails.

For the exit status, see "macemc help".`
}

const searchExamples = `  macemc search randtree --bug RT4 --json > report.json
  macemc search randtree --time 5m --junit macemc.xml
  macemc search randtree --bug RT13 --bug RT4 --keep-going --time 2m
  macemc search paxos --set proposers=3 --strategy bfs --visited 64 --durable px3 --resume
  macemc search paxos --set proposers=3 --strategy bfs --cluster nats://127.0.0.1:4222
  macemc search --from macemc-out/live-randtree-1/recording --step 40 --time 30s`

// subjectFlags adds the flags that select the system to execute. use is what the command does with a test.
func subjectFlags(fl *pflag.FlagSet, f *task.Subject, test *string, use string) {
	fl.StringVar(test, "test", "", use+" test `NAME` of a package")
	fl.StringArrayVar(&f.Bugs, "bug", nil, "enable the known bug `ID`; repeatable")
	fl.IntVar(&f.Nodes, "nodes", 0, "run `N` nodes (default: as the system defines)")
	fl.StringArrayVar(&f.Set, "set", nil, "set system parameter `KEY=VALUE`; repeatable")
}

// environmentFlags adds the flags for possible events.
func environmentFlags(fl *pflag.FlagSet, f *task.Subject) {
	for fault := range sim.FaultCount {
		fl.IntVar(&f.Limits[fault], fault.String(), 0, fault.Doc())
	}
	fl.StringVar(&f.Timing, "timing", "", "use `MODE`: ByDeadline, AnyOrder, Prompt, SometimesBounded:1s, ...")
	fl.StringVar(&f.Interleave, "interleave", "", "order goroutines by `MODE`: rotate, fifo, random or pct:N")
	fl.StringVar(&f.CrashCut, "crash-cut", "", "crash inside steps by `MODE`: prefix of the effects, none (never inside), or subset")
}

// rerunArgs returns the arguments that repeat the search, with its seed.
func rerunArgs(cmd *cobra.Command, args []string) string {
	words := []string{cmd.Name()}
	for _, arg := range args {
		words = append(words, task.ShellWord(arg))
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		_, collected := render.CollectedFormat(f.Name)
		if !f.Changed && f.Name != "seed" || f.Name == "json" || collected || f.Name == "out" || f.Name == "write-test" || f.Name == "verbose" {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			if f.Value.Type() == "bool" && v == "true" {
				words = append(words, "--"+f.Name)
			} else if f.Value.Type() == "bool" {
				words = append(words, "--"+f.Name+"="+v)
			} else {
				words = append(words, "--"+f.Name, task.ShellWord(v))
			}
		}
	})
	return strings.Join(words, " ")
}

// lengthFlags adds the flags for shorter and longer reports.
func lengthFlags(fl *pflag.FlagSet, brief, verbose *bool) {
	fl.BoolVar(brief, "brief", false, "print at most 40 lines of a finding")
	fl.BoolVarP(verbose, "verbose", "v", false, "print the full report, with timers that change only clocks")
}
