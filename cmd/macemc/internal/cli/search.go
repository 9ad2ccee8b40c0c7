package cli

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/macemc/macemc/internal/search/option"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

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
	addOptions(fl, search.Options, &f.Config)
	environmentFlags(fl, &f.Subject)
	addOptions(fl, task.SearchOptions, &f)
	ClusterFlags(fl, &f.Cluster, "", "")
	lengthFlags(fl, &a.Style.Short, &verbose)
	fl.BoolVar(&f.JSON, "json", false, "print the report as one JSON object")
	collectedFlags(fl, &f.Collected)
	fl.BoolVar(&all, "help-all", false, "show all flags")
	usual := slices.Concat(option.Flags(search.Options, option.Usual), option.Flags(task.SearchOptions, option.Usual),
		[]string{"bug", "nodes", "set", "crashes", "loss", "verbose", "json", "help", "help-all"})
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

// addOptions adds the flags of the options of t.
func addOptions[T any](fl *pflag.FlagSet, rows []option.Row[T], t *T) {
	for i := range rows {
		r := &rows[i]
		if r.Flag == "" {
			continue
		}
		switch at := r.At(t).(type) {
		case *string:
			text, _ := r.Default.(string)
			fl.StringVar(at, r.Flag, text, r.Help)
		case *bool:
			fl.BoolVar(at, r.Flag, false, r.Help)
		case *int:
			fl.IntVar(at, r.Flag, 0, r.Help)
		case *uint64:
			n, _ := r.Default.(int)
			fl.Uint64Var(at, r.Flag, uint64(n), r.Help)
		case *time.Duration:
			d, _ := r.Default.(time.Duration)
			fl.DurationVar(at, r.Flag, d, r.Help)
		case pflag.Value:
			fl.Var(at, r.Flag, r.Help)
		}
	}
}

// rerunArgs returns the arguments that repeat the search, with its seed.
func rerunArgs(cmd *cobra.Command, args []string) string {
	words := []string{cmd.Name()}
	for _, arg := range args {
		words = append(words, task.ShellWord(arg))
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		_, format := f.Value.(collected)
		if !f.Changed && f.Name != "seed" || f.Name == "json" || format || f.Name == "out" || f.Name == "write-test" || f.Name == "verbose" {
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
