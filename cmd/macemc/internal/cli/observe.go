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
		Short: "Check monitors on a recorded run, in every causal order",
		Long: `Checks the monitors of a system on a recorded run, in every order that agrees with causality:
the order of events on each node, and of each message from its sender to its receiver.
Announcements of different nodes without such an order may have happened either way, whatever
the clocks show. For each monitor it reports whether it is violated in every order, in some,
or in none, and shows an order that violates it.

FILE is a path file or a folder of recordings of live nodes. The nodes are executed again,
and the monitors observe their announcements.

LOG is a log of JSON lines that slog.JSONHandler wrote after observe.NewHandler, or traces in
the JSON of OpenTelemetry (OTLP). These keys are read:
  node    the number of the node that logs
  event   {"type":"lock.Granted","value":{...}}: the event for the monitors
  id      a unique name of the record, such as that of a message that is sent
  after   the id, or a list of ids, of records that happened before
In a span they are the attribute node of its resource, and the attributes event.type and
event.value of the span and its events. A span comes after its parent and the spans that it
links to. SYSTEM may be a package: its monitors are those of the system that its test checks.

Monitors that end in a hot state are not reported, because a longer run may fulfil their
obligations.

Exit status: 1 if a monitor is violated in some order, 3 if there are more orders than were
examined, if events are missing in a log or could not be executed, or if a log has no event
for some monitor; for others see "macemc help".`,
		Example: `  macemc observe macemc-out/live-etcdraft-1/recording
  macemc observe error.path --json
  macemc live etcdraft --time 3s --log log && macemc observe etcdraft log/*.jsonl
  macemc observe ./lock:TestLock production.jsonl --monitor "one holder"`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return nil
			}
			return exactlyOne("FILE or a SYSTEM and LOGS")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Given = given(cmd)
			if len(args) > 1 {
				o.System, o.Logs = args[0], args[1:]
				return a.onSystem(cmd.Context(), o.System, test, &o)
			}
			for _, name := range []string{"bug", "set", "nodes", "test"} {
				if o.Given.Has(name) {
					return fmt.Errorf("--%s applies to logs only, as in macemc observe SYSTEM LOG; this file names its system", name)
				}
			}
			o.File = args[0]
			return a.onFile(cmd.Context(), o.File, &o)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	subjectFlags(fl, &o.Subject, &test, "use the system of")
	fl.StringVar(&o.Monitor, "monitor", "", "check only monitor `NAME`")
	fl.IntVar(&o.MaxStates, "max-states", 1_000_000, "examine at most `N` states of a monitor")
	fl.BoolVar(&o.JSON, "json", false, "print one JSON object")
	return cmd
}
