package live

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/systems/spec"
)

// options are the flags of the command.
type options struct {
	bugs    []string
	set     []string
	nodes   int
	node    int
	peers   string
	dir     string
	record  string
	log     string
	public  bool
	idle    bool
	await   time.Duration
	kills   []string
	starts  []string
	until   string
	time    time.Duration
	verbose bool
	json    bool
	control bool
	slow    time.Duration
	queue   int
}

// Command returns the command live. entry returns the bundled system with a name.
func Command(a *task.Process, entry func(string) (spec.Entry, error)) *cobra.Command {
	var f options
	cmd := &cobra.Command{
		Use:   "live SYSTEM",
		Short: "Run a system on a real network",
		Long: `Runs the services of a bundled system, unchanged, on sockets, real clocks and disks.

Without --node all nodes start as processes on 127.0.0.1, and the command shows which
properties do not hold. Without --time the run ends when all nodes are up and all
properties hold. Commands on standard input: "kill N", "start N", "do N ACTION", "state",
"quit". --kill and --start do the same at given times.

With --node and --peers this process is one node, or all nodes that share its process. A
node listens on its own address for streams and datagrams. Nothing is authenticated, so an
address other than a loopback address needs --public.

Nodes record what they receive. The recordings are merged into one run, which the checker
executes and compares step by step. The folder can be given to macemc replay, critical and
search --from. Monitors observe that execution, and macemc observe judges all orders.

Nodes execute actions of the system from time to time, in place of an application.

Exit status:

    0  all properties hold in the end; with --node, the time is over
    1  an Always property does not hold, a monitor is violated, or a node panicked, ended
       or does not answer
    3  a liveness property does not hold in the end, a node is down that should be up, more
       messages were queued than --max-queue allows, or the checker disagrees with the recordings
  130  interrupted by SIGINT (Ctrl-C), with no violation until then
  143  interrupted by SIGTERM or SIGHUP, with no violation until then`,
		Example: `  macemc live randtree --nodes 8 --until live
  macemc live randtree --nodes 8 --kill 3@2s --start 3@4s --until live --time 30s
  macemc live pastry --node 0 --peers 127.0.0.1:4000,127.0.0.1:4001 --dir n0`,
		RunE: func(cmd *cobra.Command, args []string) error {
			subject, err := newSubject(&f, entry, args[0])
			if err != nil {
				return err
			}
			if len(subject.Entry.Messages) == 0 {
				return fmt.Errorf("system %q cannot run live: it does not say which messages it sends", args[0])
			}
			if err := f.validate(cmd.Flags().Changed, &subject); err != nil {
				return err
			}
			if !cmd.Flags().Changed("time") && !cmd.Flags().Changed("until") {
				f.until = "live"
			}
			if cmd.Flags().Changed("node") {
				if !cmd.Flags().Changed("time") {
					f.time = 0
				}
				return runNode(a, cmd.Context(), &f, &subject)
			}
			return runAll(a, cmd.Context(), &f, &subject)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringArrayVar(&f.bugs, "bug", nil, "enable the known bug `ID`; repeatable")
	fl.StringArrayVar(&f.set, "set", nil, "set system parameter `KEY=VALUE`; repeatable")
	fl.IntVar(&f.nodes, "nodes", 0, "run `N` nodes (default: as the system defines)")
	fl.IntVar(&f.node, "node", 0, "run node `I` in this process")
	fl.StringVar(&f.peers, "peers", "", "with --node, addresses of all nodes in order, as `IP:PORT,...`")
	fl.StringVar(&f.dir, "dir", "", "`DIR` for disks and recordings (default: a new one, or none with --node)")
	fl.StringVar(&f.record, "record", "", "with --node, folder `DIR` for the recording (default: none)")
	fl.StringVar(&f.log, "log", "", "folder `DIR` for logs that macemc observe reads (default: none)")
	fl.BoolVar(&f.public, "public", false, "with --node, listen on an address that others can reach")
	fl.BoolVar(&f.idle, "idle", false, "execute no actions")
	fl.DurationVar(&f.await, "await", 10*time.Second, "wait up to `TIME` for all peers before the first boot")
	fl.StringArrayVar(&f.kills, "kill", nil, "kill a node at a time, as `N@TIME`; repeatable")
	fl.StringArrayVar(&f.starts, "start", nil, "start a node again at a time, as `N@TIME`; repeatable")
	fl.StringVar(&f.until, "until", "", "end as soon as the system is `live`, which is the default without --time")
	fl.DurationVar(&f.time, "time", time.Minute, "end after `TIME`, or never if 0, as by default with --node")
	fl.IntVar(&f.queue, "max-queue", 256, "let at most `N` MB of messages wait for one peer")
	fl.BoolVar(&f.verbose, "verbose", false, "log what nodes do")
	fl.BoolVar(&f.json, "json", false, "print one JSON object on standard output, at the end")
	fl.BoolVar(&f.control, "control", false, "take commands from a parent process")
	fl.DurationVar(&f.slow, "pause", 200*time.Millisecond, "execute an action about every `TIME` per node")
	_ = fl.MarkHidden("control")
	return cmd
}

func newSubject(f *options, entry func(string) (spec.Entry, error), name string) (check.Subject, error) {
	e, err := entry(name)
	if err != nil {
		return check.Subject{}, err
	}
	params, err := task.ParseParams(f.set)
	if err != nil {
		return check.Subject{}, err
	}
	return check.NewSubject(e, check.Wanted{Config: spec.Config{Nodes: f.nodes, Params: params, Bugs: f.bugs}})
}

func (f *options) validate(changed func(string) bool, s *check.Subject) error {
	switch {
	case changed("nodes") && f.nodes < 1:
		return fmt.Errorf("--nodes is %d, must be at least 1", f.nodes)
	case f.until != "" && f.until != "live":
		return fmt.Errorf("--until %q: only live is known", f.until)
	case f.time < 0 || f.await < 0 || f.slow <= 0:
		return errors.New("--time, --await and --pause must not be negative, --pause not 0")
	case f.queue < 1 || f.queue > 1<<20:
		return fmt.Errorf("--max-queue is %d, must be 1 to %d", f.queue, 1<<20)
	case changed("node") && !changed("peers"):
		return errors.New("--node needs --peers, the addresses of all nodes")
	case changed("peers") && !changed("node"):
		return errors.New("--peers goes with --node; without them all nodes are started on 127.0.0.1")
	}
	if changed("node") {
		for _, name := range []string{"kill", "start", "until", "json"} {
			if changed(name) {
				return fmt.Errorf("--%s is for all nodes together, without --node", name)
			}
		}
	}
	_, err := f.schedule(s.System.Nodes)
	return err
}
