package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/task"
)

func (a *app) observeCommand() *cobra.Command {
	var o task.Observe
	var test string
	cmd := &cobra.Command{
		Use:   "observe {FILE | SYSTEM LOG...}",
		Short: "Judge a recorded run by monitors, in every causal order",
		Long: `Has the monitors of a system judge what happened, in every order that agrees with its
causes: what a node does one after the other, and messages from one to another. What
nodes announced without knowing of each other may have happened either way, whatever
clocks say. For each monitor it says whether it is violated in every such order, in some,
or in none, and shows an order that violates it.

FILE is a path file or a folder of what live nodes have recorded. The nodes are executed
again, and the monitors told of what they announce.

LOG is what services have logged, as lines of JSON: what slog.JSONHandler writes behind
observe.NewHandler, or traces in the JSON of OpenTelemetry (OTLP). Looked at are the keys
  node    the number of the node that logs
  event   {"type":"lock.Granted","value":{...}}: what monitors are told of
  id      a name of the record that no other has, as that of a message that is sent
  after   the id of a record, or a list of them, that this one comes after
Of a span it is the attribute node of its resource, event.type and event.value of
the span and its events; it comes after its parent and the spans that it links to. SYSTEM
may be a package: its monitors are those of the system that a test of it checks.

Monitors that are hot in the end are not reported: a run that goes on may settle what is
owed.

Exit status: 1 when a monitor is violated in some order, 3 when there are more orders
than were looked at, when a log has gaps, or when nothing in it is for one of the
monitors; the others are in "macemc help".`,
		Example: `  macemc observe macemc-out/live-etcdraft-1/recording
  macemc observe error.path --json
  macemc live etcdraft --time 3s --log log && macemc observe etcdraft log/*.jsonl
  macemc observe ./lock:TestLock production.jsonl --monitor "one holder"`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Given = given(cmd)
			if len(args) > 1 {
				o.System, o.Logs = args[0], args[1:]
				return a.onSystem(cmd.Context(), o.System, test, &o)
			}
			for _, name := range []string{"bug", "set", "nodes", "test"} {
				if o.Given.Has(name) {
					return fmt.Errorf("--%s is for logs, as in macemc observe SYSTEM LOG; the file says itself which system it is of", name)
				}
			}
			o.File = args[0]
			return a.onFile(cmd.Context(), o.File, &o)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&test, "test", "", "of a package, the system of the test `NAME`")
	fl.StringArrayVar(&o.Bugs, "bug", nil, "with a known bug `ID`; may be repeated")
	fl.IntVar(&o.Nodes, "nodes", 0, "number of nodes `N`")
	fl.StringArrayVar(&o.Set, "set", nil, "set a parameter of the system, as `KEY=VALUE`; may be repeated")
	fl.StringVar(&o.Monitor, "monitor", "", "judge by the monitor `NAME` only")
	fl.IntVar(&o.MaxStates, "max-states", 1_000_000, "look at most at `N` states of a monitor")
	fl.BoolVar(&o.JSON, "json", false, "print one JSON object")
	return cmd
}
