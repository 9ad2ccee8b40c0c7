package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/macemc/macemc/check"
	"github.com/macemc/macemc/live"
	"github.com/macemc/macemc/live/recording"
	"github.com/macemc/macemc/observe"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/sim/kernel"
)

// liveNode runs one node in this process.
func (a *app) liveNode(ctx context.Context, f *liveFlags, s *check.Subject) error {
	level := slog.LevelWarn
	if f.verbose {
		level = slog.LevelDebug
	}
	handlers := []slog.Handler{slog.NewTextHandler(a.Stderr, &slog.HandlerOptions{Level: level})}
	if f.log != "" {
		file, err := openLog(f.log, f.node)
		if err != nil {
			return err
		}
		defer file.Close()
		handlers = append(handlers, observe.NewHandler(slog.NewJSONHandler(file, &slog.HandlerOptions{Level: slog.LevelDebug})))
	}
	cfg := live.Config{
		System: &s.System, Node: sim.NodeID(f.node), Peers: strings.Split(f.peers, ","), Public: f.public,
		Messages: s.Entry.Messages, Dir: f.dir, Params: s.Config.Params, Bugs: s.Config.Bugs, Await: f.await,
		Log: slog.New(slog.NewMultiHandler(handlers...)),
	}
	if f.record != "" {
		cfg.Record = &recording.Options{Dir: f.record}
	}
	n, err := live.New(cfg)
	if err != nil {
		return err
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
		go a.obey(ctx, n, stop)
		go func() {
			if n.Look(ctx, func(*kernel.Runner) {}) == nil { // after the boot was recorded
				fmt.Fprintln(a.Stdout, "up")
			}
		}()
		go a.confess(ctx, n)
	} else {
		fmt.Fprintf(a.Stderr, "n%d of %s listens on %v\n", f.node, s.System.Name, n.Addr())
		go a.tell(ctx, n, cfg.Node)
	}
	if !f.idle {
		go act(ctx, n, cfg.Node, f.slow)
	}
	err = n.Run(ctx)
	if finding, ok := errors.AsType[*sim.Finding](err); ok {
		fmt.Fprintf(a.Stderr, "n%d: %v\n%s", f.node, finding, finding.Stack)
		return Exit(check.StatusViolation)
	}
	if err == nil && outside.Err() != nil && !f.control { // who controls it knows of the signal
		return Exit(check.Status(search.Interrupted, context.Cause(outside)))
	}
	return err
}

// openLog opens a node's log, to which one that is started again adds.
func openLog(dir string, node int) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return os.OpenFile(filepath.Join(dir, fmt.Sprintf("n%d.jsonl", node)), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
}

// obey does what the parent process says, until it is gone.
func (a *app) obey(ctx context.Context, n *live.Node, stop func()) {
	defer stop()
	in := bufio.NewScanner(a.Stdin)
	for in.Scan() {
		if action, ok := strings.CutPrefix(in.Text(), "do "); ok {
			did, err := n.Act(ctx, action)
			fmt.Fprintln(a.Stdout, map[bool]string{true: "done", false: "not done"}[did && err == nil])
			continue
		}
		switch in.Text() {
		case "freeze":
			if n.Freeze(ctx) == nil {
				fmt.Fprintln(a.Stdout, "frozen")
			}
		case "thaw":
			_ = n.Thaw(ctx)
		case "stop":
			return
		}
	}
}

// confess tells the parent process of a handler that does not return.
func (a *app) confess(ctx context.Context, n *live.Node) {
	last := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(200 * time.Millisecond):
		}
		if event, _ := n.Stuck(); event != last {
			fmt.Fprintln(a.Stdout, "stuck "+event)
			last = event
		}
	}
}

// act does the actions that the node can do, one now and then.
func act(ctx context.Context, n *live.Node, id sim.NodeID, pause time.Duration) {
	for {
		wait := time.Duration(rand.ExpFloat64() * float64(pause))
		select {
		case <-ctx.Done():
			return
		case <-time.After(min(wait, 10*pause)):
		}
		var names []string
		if n.Look(ctx, func(r *kernel.Runner) { names = r.Actions(id) }) != nil {
			return
		}
		if len(names) > 0 {
			if _, err := n.Act(ctx, names[rand.IntN(len(names))]); err != nil {
				return
			}
		}
	}
}

// tell prints the node's state when it has changed, at most once a second.
func (a *app) tell(ctx context.Context, n *live.Node, id sim.NodeID) {
	last := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
		text := ""
		if n.Look(ctx, func(r *kernel.Runner) { text = stateLine(int(id), r.NodeFields(id)) }) != nil {
			return
		}
		if text != last {
			fmt.Fprintln(a.Stdout, text)
			last = text
		}
	}
}

// stateLine shows a node's state in one line.
func stateLine(id int, fields []sim.Field) string {
	var parts []string
	for _, f := range fields {
		switch {
		case f.Path == "(node)":
			parts = append(parts, f.Value)
		case strings.HasPrefix(f.Path, "(timer "):
			parts = append(parts, f.Path)
		case strings.HasPrefix(f.Path, "(disk "):
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
