// Package clustercmd has the commands of a cluster, for programs with the commands of macemc.
package clustercmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/cmd/macemc-cluster/internal/cluster"
	"github.com/macemc/macemc/cmd/macemc/program"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/textfmt"
)

// process is the process that executes the commands.
type process struct{ *task.Process }

// Commands returns the commands of a cluster, and enables searches by its workers in the process.
func Commands(of *task.Process) []*cobra.Command {
	p := &process{of}
	p.Cluster = p.byWorkers
	return []*cobra.Command{p.clusterCommand(), p.workerCommand()}
}

func security(c task.Cluster) cluster.Security {
	return cluster.Security{CA: c.CA, Cert: c.Cert, Key: c.Key, TokenFile: c.TokenFile}
}

// byWorkers prepares a search by the workers of a server.
func (p *process) byWorkers(c task.Cluster, job task.ClusterJob) (table.Explorer, error) {
	s := &cluster.Search{
		URL: c.URL, Security: security(c),
		Manifest: cluster.Manifest{Build: job.Build, Title: job.Title, Job: job.Job, Visited: job.Visited, Depth: job.Depth,
			Replicas: c.Replicas},
		Tell: func(text string) { fmt.Fprintln(p.Stderr, "macemc:", text) },
	}
	return s.Explore, nil
}

func (p *process) workerCommand() *cobra.Command {
	var c task.Cluster
	var memory int
	cmd := &cobra.Command{
		Use:   "worker --join URL",
		Short: "Run a worker of a cluster",
		Long: `Visits states for "macemc search --cluster URL" on one core, until Ctrl-C. Between searches it
waits for the next one. Server, workers and searches must be the same build; others are refused.
A worker may join a running search, and may be killed: the others then read its states from the
log at the server. Checked code runs in a second process, which is restarted if the code ends
it. A state at which that happens twice ends the search.`,
		Example: `  macemc worker --join nats://127.0.0.1:4222
  macemc worker --join nats://127.0.0.1:4222 --memory 4000`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if c.URL == "" {
				return errors.New("missing --join URL: give the URL that macemc cluster up prints")
			}
			if memory < 0 || memory > 1<<30 {
				return fmt.Errorf("--memory is %d, must be 0 to %d", memory, 1<<30)
			}
			w := cluster.Worker{
				URL: c.URL, Security: security(c), Build: task.ClusterBuild(), Memory: memory << 20, Job: p.JobSystem,
				Log: slog.New(slog.NewTextHandler(p.Stderr, nil)),
			}
			end, supervised, err := w.Supervised()
			switch {
			case err != nil:
				return err
			case supervised:
				err := interrupted(cmd.Context(), w.Work(cmd.Context()))
				end(exitcode.OfError(cmd.Context(), err))
				return err
			case p.Respawn == nil:
				return interrupted(cmd.Context(), w.Work(cmd.Context()))
			}
			err = interrupted(cmd.Context(), w.Supervise(cmd.Context(), p.Respawn))
			if errors.Is(err, cluster.ErrEnded) {
				return task.Exit(exitcode.Usage)
			}
			return err
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&c.URL, "join", "", "the server's `URL`")
	program.ClusterFlags(fl, &c)
	fl.IntVar(&memory, "memory", 0, "end the search when states here take about `N` MB (default: no limit)")
	return cmd
}

// exactly requires one argument for each of the names.
func exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != len(names) {
			return fmt.Errorf("%s takes %s, got %q; see %s --help", cmd.CommandPath(), strings.Join(names, " and "), args, cmd.CommandPath())
		}
		return nil
	}
}

// interrupted makes Ctrl-C a normal end of a command.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (p *process) clusterCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cluster",
		Short: "Run and control the server of a cluster",
		Long: `Several processes, on one or more machines, can visit the states of one system together: a
server that stores the results, any number of workers, and a search that starts it and reports.
If a worker is killed the others continue, and all counts stay exact.

A server listens on a loopback address unless certificates and a token are given. An external
NATS server with JetStream also works: give its URL to workers and searches.`,
		Example: `  macemc cluster up
  macemc worker --join nats://127.0.0.1:4222
  macemc search paxos --strategy bfs --cluster nats://127.0.0.1:4222
  macemc cluster status nats://127.0.0.1:4222`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("%s: unknown command %q; the commands are up, status, drain and abort", cmd.CommandPath(), args[0])
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(p.clusterUp(), p.clusterStatus(), p.clusterDrain(), p.clusterAbort())
	return cmd
}

func (p *process) clusterUp() *cobra.Command {
	var c task.Cluster
	var server cluster.Server
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Run the server of a cluster until Ctrl-C",
		Long: `Runs the server that connects workers and searches. It stores the states of a search in
DIR, and a server that is restarted with the same DIR continues. Without --dir it uses a
temporary folder, which is removed at the end.

Three servers replicate everything, so that one of them may be lost. Each gets the address
that it listens on for the others (--peer-listen) and the addresses of all (--peers).
Workers and searches get the URLs of all three, separated by commas.`,
		Example: `  macemc cluster up
  macemc cluster up --listen 127.0.0.1:5222 --dir cluster
  macemc cluster up --listen 10.0.0.1:4222 --tls-ca ca.pem --tls-cert server.pem \
    --tls-key server.key --token-file token`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if server.Dir == "" {
				temp, err := os.MkdirTemp("", "macemc-cluster-")
				if err != nil {
					return err
				}
				defer os.RemoveAll(temp)
				server.Dir = temp
			}
			server.Security = security(c)
			url, stop, err := server.Start()
			if err != nil {
				return err
			}
			defer stop()
			fmt.Fprintf(p.Stdout, "%s\n", url)
			fmt.Fprintf(p.Stderr, "macemc: workers join by: macemc worker --join %s\n", url)
			<-cmd.Context().Done()
			return nil
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&server.Listen, "listen", "127.0.0.1:4222", "listen on `ADDRESS` and port, 0 for any")
	fl.StringVar(&server.Dir, "dir", "", "store the search in the folder `DIR` (default: a temporary one)")
	fl.StringVar(&server.PeerListen, "peer-listen", "", "listen for the other servers on `ADDRESS` and port")
	fl.StringSliceVar(&server.Peers, "peers", nil, "`ADDRESSES` of --peer-listen of all servers, separated by commas")
	program.ClusterFlags(fl, &c)
	return cmd
}

func (p *process) clusterStatus() *cobra.Command {
	var c task.Cluster
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "status URL",
		Short:   "Show the progress of a cluster search",
		Example: `  macemc cluster status nats://127.0.0.1:4222 --json`,
		Args:    exactly("URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := cluster.StatusOf(cmd.Context(), args[0], security(c))
			if err != nil {
				return err
			}
			if asJSON {
				return task.WriteJSON(p.Stdout, s)
			}
			if s.Run == "" {
				fmt.Fprintln(p.Stdout, "there is no search")
				return nil
			}
			w := tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
			fmt.Fprintf(w, "run\t%s: %s\n", s.Run, s.System)
			fmt.Fprintf(w, "states\t%s; %s not yet expanded\n", textfmt.Number(s.States), textfmt.Number(s.Waiting))
			fmt.Fprintf(w, "transitions\t%s\n", textfmt.Number(s.Transitions))
			fmt.Fprintf(w, "depth\t%d\n", s.Depth)
			fmt.Fprintf(w, "superstep\t%d, epoch %d\n", s.Superstep, s.Epoch)
			for _, m := range s.Workers {
				leads := ""
				if m.Leads {
					leads = "; it leads"
				}
				fmt.Fprintf(w, "worker %d\t%s: %s states in %d parts%s\n", m.Worker, m.Process, textfmt.Number(m.States), m.Parts, leads)
			}
			for _, m := range s.Servers {
				how := "is up to date"
				switch {
				case m.Offline:
					how = "is absent"
				case !m.Current:
					how = "is catching up"
				}
				if m.Leads {
					how += "; it leads"
				}
				fmt.Fprintf(w, "server %s\t%s\n", m.Name, how)
			}
			return w.Flush()
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.BoolVar(&asJSON, "json", false, "print one JSON object")
	program.ClusterFlags(fl, &c)
	return cmd
}

func (p *process) clusterDrain() *cobra.Command {
	var c task.Cluster
	cmd := &cobra.Command{
		Use:   "drain URL WORKER",
		Short: "Move the states of a worker to the others, and end it",
		Long: `Moves the states of a worker to the others, and ends it. The command returns when that is done.
"macemc cluster status" lists the workers with their numbers. A worker that is ended by Ctrl-C
or SIGTERM does the same.`,
		Example: `  macemc cluster drain nats://127.0.0.1:4222 3`,
		Args:    exactly("URL", "WORKER"),
		RunE: func(cmd *cobra.Command, args []string) error {
			worker, err := strconv.Atoi(args[1])
			if err != nil || worker < 1 {
				return fmt.Errorf("%q is not a worker: give its number as in macemc cluster status", args[1])
			}
			id, parts, err := cluster.Drain(cmd.Context(), args[0], security(c), worker)
			if err != nil {
				return err
			}
			if id == "" {
				fmt.Fprintln(p.Stdout, "there is no search")
				return nil
			}
			fmt.Fprintf(p.Stdout, "worker %d has given away %s\n", worker, textfmt.Plural(parts, "part"))
			return nil
		},
	}
	cmd.Flags().SortFlags = false
	program.ClusterFlags(cmd.Flags(), &c)
	return cmd
}

func (p *process) clusterAbort() *cobra.Command {
	var c task.Cluster
	cmd := &cobra.Command{
		Use:   "abort URL",
		Short: "End the search of a cluster, and remove its data",
		Long: `Ends the search at a server, even if no process waits for it, and removes its data and that of
earlier searches. The workers wait for the next one.`,
		Example: `  macemc cluster abort nats://127.0.0.1:4222`,
		Args:    exactly("URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, err := cluster.Abort(cmd.Context(), args[0], security(c))
			if err != nil {
				return err
			}
			if len(ids) == 0 {
				fmt.Fprintln(p.Stdout, "there is no search")
			}
			for _, id := range ids {
				fmt.Fprintf(p.Stdout, "run %s is removed\n", id)
			}
			return nil
		},
	}
	cmd.Flags().SortFlags = false
	program.ClusterFlags(cmd.Flags(), &c)
	return cmd
}
