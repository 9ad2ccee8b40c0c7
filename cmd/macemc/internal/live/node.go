package live

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/kernel/runner"
	"github.com/macemc/macemc/internal/recording"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/observe"
	"github.com/macemc/macemc/realnet"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// runNode runs one node in this process, with the nodes that share its process.
func runNode(a *task.Process, ctx context.Context, f *options, s *check.Subject) error {
	ids := s.System.Process(sim.NodeID(f.node))
	var nodes []hosted
	defer func() {
		for i := range nodes {
			nodes[i].closeLog()
		}
	}()
	for _, id := range ids {
		n, err := newNode(a, f, s, id, len(ids) > 1)
		if err != nil {
			for i := range nodes {
				_ = nodes[i].Close()
			}
			return err
		}
		nodes = append(nodes, n)
	}
	outside := ctx
	if f.time > 0 && !f.control {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, f.time)
		defer cancel()
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if f.control {
		go executeOrders(a, ctx, nodes, stop)
	}
	ends := make(chan error, len(nodes))
	for _, n := range nodes {
		if f.control {
			go func() {
				if n.Look(ctx, func(*runner.Runner) {}) == nil { // waits until the boot is recorded
					fmt.Fprintf(a.Stdout, "%d up\n", n.id)
				}
			}()
			go reportStuck(a, ctx, n)
		} else {
			fmt.Fprintf(a.Stderr, "n%d of %s listens on %v\n", n.id, s.System.Name, n.Addr())
			go printState(a, ctx, n.Node, n.id)
		}
		if !f.idle {
			go act(ctx, n.Node, n.id, f.slow)
		}
		go func() {
			err := n.Run(ctx)
			if finding, ok := errors.AsType[*sim.Finding](err); ok {
				fmt.Fprintf(textfmt.Printer(a.Stderr), "n%d: %v\n%s", n.id, finding, finding.Stack)
				err = task.Exit(exitcode.Violation)
			}
			if full, ok := errors.AsType[*realnet.QueueError](err); ok {
				fmt.Fprintf(a.Stderr, "n%d: %v\n", n.id, full)
				if f.control {
					fmt.Fprintf(a.Stdout, "%d full %v\n", n.id, full)
				}
				err = task.Exit(exitcode.Inconclusive)
			}
			ends <- err
		}()
	}
	if err := together(ends, len(nodes), stop, matesEnd); err != nil {
		return err
	}
	if outside.Err() != nil && !f.control { // the controlling process knows about the signal
		return task.Exit(exitcode.Of(search.Interrupted, context.Cause(outside)))
	}
	return nil
}

// matesEnd is the time limit for nodes to stop when another one in their process has failed.
const matesEnd = 5 * time.Second

// together waits for the ends of the n nodes of a process. If one fails, it stops the others and waits up to patience until they have
// recorded the events that they have handled. It returns the first error.
func together(ends <-chan error, n int, stop func(), patience time.Duration) (failed error) {
	var timeout <-chan time.Time
	for range n {
		select {
		case err := <-ends:
			if err != nil && failed == nil {
				failed, timeout = err, time.After(patience)
				stop()
			}
		case <-timeout:
			return failed
		}
	}
	return failed
}

// hosted is a node that runs in this process.
type hosted struct {
	*realnet.Node
	id       sim.NodeID
	closeLog func()
}

// newNode prepares a node, which may share this process and the folder for disks with others.
func newNode(a *task.Process, f *options, s *check.Subject, id sim.NodeID, shared bool) (n hosted, err error) {
	n = hosted{id: id, closeLog: func() {}}
	level := slog.LevelWarn
	if f.verbose {
		level = slog.LevelDebug
	}
	handlers := []slog.Handler{slog.NewTextHandler(a.Stderr, &slog.HandlerOptions{Level: level})}
	if f.log != "" {
		file, err := openLog(f.log, int(id))
		if err != nil {
			return n, err
		}
		n.closeLog = func() { _ = file.Close() }
		handlers = append(handlers, observe.NewHandler(slog.NewJSONHandler(file, &slog.HandlerOptions{Level: slog.LevelDebug})))
	}
	cfg := realnet.Config{
		System: &s.System, Node: id, Peers: strings.Split(f.peers, ","), Public: f.public,
		Messages: s.Entry.Messages, MaxQueue: int64(f.queue) << 20, Dir: f.dir, Params: s.Config.Params, Bugs: s.Config.Bugs, Await: f.await,
		Log: slog.New(slog.NewMultiHandler(handlers...)),
	}
	if shared && f.dir != "" {
		cfg.Dir = filepath.Join(f.dir, fmt.Sprintf("n%d", id))
	}
	if f.record != "" {
		cfg.Record = &recording.Options{Dir: f.record}
	}
	if n.Node, err = realnet.New(cfg); err != nil {
		n.closeLog()
	}
	return n, err
}

// openLog opens a node's log for appending, because a node may be started again.
func openLog(dir string, node int) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return os.OpenFile(filepath.Join(dir, fmt.Sprintf("n%d.jsonl", node)), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
}

// executeOrders executes the orders of the parent process, until that ends. An order is the number of a node and an action.
func executeOrders(a *task.Process, ctx context.Context, nodes []hosted, stop func()) {
	defer stop()
	for in := bufio.NewScanner(a.Stdin); in.Scan(); {
		number, what, _ := strings.Cut(in.Text(), " ")
		i := slices.IndexFunc(nodes, func(n hosted) bool { return fmt.Sprint(n.id) == number })
		if i < 0 {
			continue
		}
		n := nodes[i]
		if action, ok := strings.CutPrefix(what, "do "); ok {
			did, err := n.Act(ctx, action)
			fmt.Fprintln(a.Stdout, number, map[bool]string{true: "done", false: "not done"}[did && err == nil])
			continue
		}
		switch what {
		case "freeze":
			if n.Freeze(ctx) == nil {
				fmt.Fprintln(a.Stdout, number, "frozen")
			}
		case "thaw":
			_ = n.Thaw(ctx)
		case "stop":
			return
		}
	}
}

// reportStuck reports handlers that do not return to the parent process.
func reportStuck(a *task.Process, ctx context.Context, n hosted) {
	last := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(200 * time.Millisecond):
		}
		if event, _ := n.Stuck(); event != last {
			fmt.Fprintf(a.Stdout, "%d stuck %s\n", n.id, event)
			last = event
		}
	}
}

// act executes enabled actions of the node at random times.
func act(ctx context.Context, n *realnet.Node, id sim.NodeID, pause time.Duration) {
	for {
		wait := time.Duration(rand.ExpFloat64() * float64(pause))
		select {
		case <-ctx.Done():
			return
		case <-time.After(min(wait, 10*pause)):
		}
		var names []string
		if n.Look(ctx, func(r *runner.Runner) { names = r.Actions(id) }) != nil {
			return
		}
		if len(names) > 0 {
			if _, err := n.Act(ctx, names[rand.IntN(len(names))]); err != nil {
				return
			}
		}
	}
}

// printState prints the node's state when it has changed, at most once per second.
func printState(a *task.Process, ctx context.Context, n *realnet.Node, id sim.NodeID) {
	last := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
		text := ""
		if n.Look(ctx, func(r *runner.Runner) { text = stateLine(int(id), r.NodeFields(id)) }) != nil {
			return
		}
		if text != last {
			fmt.Fprintln(a.Stdout, text)
			last = text
		}
	}
}

// stateLine formats a node's state as one line.
func stateLine(id int, fields []diff.Field) string {
	var parts []string
	for _, f := range fields {
		switch f.Part.Kind {
		case replay.Status:
			parts = append(parts, f.Value)
		case replay.Timer:
			parts = append(parts, f.Path)
		case replay.Disk:
		default:
			parts = append(parts, f.Path+"="+f.Value)
		}
	}
	line := []rune(fmt.Sprintf("n%d %s", id, strings.Join(parts, " ")))
	const most = 400
	if len(line) > most {
		line = append(line[:most-3], []rune("...")...)
	}
	return string(line)
}
