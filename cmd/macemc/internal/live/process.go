package live

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/macemc/macemc/internal/child"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/sim"
)

// host is a process that runs one or more nodes.
type host struct {
	cmd   *exec.Cmd
	stdin io.WriteCloser
	nodes []int
	done  chan struct{}
	err   error // error at its end; valid once done is closed
}

// process is a node and the process that runs it.
type process struct {
	*host
	node    int
	up      chan struct{} // closed when its boot is recorded
	frozen  chan struct{} // receives one value per freeze
	acted   chan string
	stuck   atomic.Pointer[string] // event whose handler does not return; nil or "" means none
	printed string                 // last printed value of stuck
	full    string                 // why it gave up, valid once done is closed; "" means that it did not
}

// end describes the unexpected end of the process.
func (h *host) end() string {
	if h.err == nil {
		return "exit status 0" // checked code has called os.Exit
	}
	return h.err.Error()
}

// names lists the nodes of the process: "n1", "n1, n2".
func (h *host) names() string { return replay.ListNodes(h.nodes) }

// say forms a sentence about the nodes of the process: "n1 is killed", "n1, n2 are killed".
func (h *host) say(one, several string) string {
	if len(h.nodes) > 1 {
		one = several
	}
	return h.names() + " " + one
}

// sendOrder sends an order for a node to the process.
func (p *process) sendOrder(what string) { _, _ = fmt.Fprintf(p.stdin, "%d %s\n", p.node, what) }

// stuckIn returns the event whose handler does not return, or "" if there is none.
func (p *process) stuckIn() string {
	if s := p.stuck.Load(); s != nil {
		return *s
	}
	return ""
}

// isUp reports whether the process is running and has booted.
func (p *process) isUp() bool {
	if p == nil {
		return false
	}
	select {
	case <-p.up:
		return true
	default:
		return false
	}
}

// processOf returns the nodes that share the process of a node, including that node.
func (x *fleet) processOf(node int) (all []int) {
	for _, id := range x.subject.System.Process(sim.NodeID(node)) {
		all = append(all, int(id))
	}
	return all
}

// start starts the process of a node, with all nodes in it.
func (x *fleet) start(node int) error {
	h := &host{cmd: x.a.Respawn(), nodes: x.processOf(node), done: make(chan struct{})}
	dir := x.dir
	if len(h.nodes) == 1 {
		dir = filepath.Join(dir, fmt.Sprintf("n%d", node)) // otherwise each node uses its own subfolder
	}
	args := []string{h.cmd.Args[0], "live", x.subject.System.Name, "--control", "--node", strconv.Itoa(node),
		"--peers", strings.Join(x.peers, ","), "--nodes", strconv.Itoa(len(x.peers)),
		"--dir", dir, "--record", x.recordings(),
		"--await", x.flags.await.String(), "--pause", x.flags.slow.String(), "--max-queue", strconv.Itoa(x.flags.queue)}
	for _, id := range x.flags.bugs {
		args = append(args, "--bug", id)
	}
	for _, set := range x.flags.set {
		args = append(args, "--set", set)
	}
	if x.flags.idle {
		args = append(args, "--idle")
	}
	if x.flags.log != "" {
		args = append(args, "--log", x.flags.log)
	}
	if x.flags.verbose {
		args = append(args, "--verbose")
	}
	h.cmd.Args, h.cmd.Stderr = args, x.a.Stderr
	child.OwnGroup(h.cmd)
	var err error
	if h.stdin, err = h.cmd.StdinPipe(); err != nil {
		return err
	}
	stdout, err := h.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := h.cmd.Start(); err != nil {
		return err
	}
	own := map[string]*process{}
	for _, node := range h.nodes {
		p := &process{host: h, node: node, up: make(chan struct{}), frozen: make(chan struct{}, 1), acted: make(chan string, 1)}
		x.nodes[node], own[strconv.Itoa(node)] = p, p
	}
	go func() {
		for in := bufio.NewScanner(stdout); in.Scan(); {
			node, what, _ := strings.Cut(in.Text(), " ")
			if p := own[node]; p != nil {
				p.receive(what)
			}
		}
		h.err = h.cmd.Wait()
		close(h.done)
		x.ended <- h
	}()
	return nil
}

// receive records a message of the process about the node.
func (p *process) receive(what string) {
	if event, ok := strings.CutPrefix(what, "stuck "); ok {
		p.stuck.Store(&event)
		return
	}
	if full, ok := strings.CutPrefix(what, "full "); ok {
		p.full = full
		return
	}
	switch what {
	case "up":
		if !p.isUp() {
			close(p.up)
		}
	case "frozen":
		select {
		case p.frozen <- struct{}{}:
		default: // an earlier value is still unread
		}
	case "done", "not done":
		select {
		case p.acted <- what:
		default:
		}
	}
}

// settle waits until all running nodes have booted, up to a limit. Earlier kills and starts would not count as restarts after a crash.
func (x *fleet) settle(ctx context.Context, limit time.Duration) {
	for deadline := time.Now().Add(limit); ctx.Err() == nil && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if !slices.ContainsFunc(x.nodes, (*process).boots) {
			return
		}
	}
}

// boots reports whether the process is running and may still boot.
func (p *process) boots() bool {
	if p == nil || p.isUp() || p.stuckIn() != "" {
		return false
	}
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// order sends an order to all running nodes.
func (x *fleet) order(what string) {
	for _, p := range x.nodes {
		if p != nil {
			p.sendOrder(what)
		}
	}
}

// freeze freezes all nodes that are up, and returns those that do not answer, or "".
func (x *fleet) freeze() (silent string) {
	asked := make([]*process, len(x.nodes))
	for node, p := range x.nodes {
		if p.isUp() {
			asked[node] = p
			select {
			case <-p.frozen: // a late answer to an earlier request
			default:
			}
			p.sendOrder("freeze")
		}
	}
	limit := time.Now().Add(10 * time.Second)
	var list []string
	for node, p := range asked {
		if p == nil {
			continue
		}
		patience := max(time.Until(limit), time.Second)
		if p.stuckIn() != "" {
			patience = time.Second // it has already had enough time
		}
		select {
		case <-p.frozen:
		case <-p.done:
		case <-time.After(patience):
			name := fmt.Sprintf("n%d", node)
			if event := p.stuckIn(); event != "" {
				name += " (" + event + ")"
			}
			list = append(list, name)
		}
	}
	return strings.Join(list, ", ")
}

// stop stops all nodes, as simultaneously as possible. A node that ended before or does not stop has crashed.
func (x *fleet) stop() {
	x.settle(context.Background(), 2*time.Second)
	if silent := x.freeze(); silent != "" {
		x.crashed = append(x.crashed, silent+" does not answer: a handler does not return")
	}
	x.order("stop")
	timeout := time.NewTimer(10 * time.Second)
	defer timeout.Stop()
	for _, h := range x.hosts() {
		if slices.ContainsFunc(h.nodes, func(node int) bool { return x.nodes[node].stuckIn() != "" }) {
			_ = h.cmd.Process.Kill()
			<-h.done
			continue
		}
		select {
		case <-h.done:
			if h.err != nil {
				x.failed(h)
			}
		case <-timeout.C:
			x.crashed = append(x.crashed, h.names()+" does not end")
			timeout.Reset(0)
		}
	}
}

func (x *fleet) killAll() {
	for _, h := range x.hosts() {
		_ = h.cmd.Process.Kill()
		<-h.done
	}
}

// hosts returns the running processes.
func (x *fleet) hosts() (all []*host) {
	for node, p := range x.nodes {
		if p != nil && p.nodes[0] == node {
			all = append(all, p.host)
		}
	}
	return all
}

// failed records the end of a process that ended unexpectedly.
func (x *fleet) failed(h *host) {
	for _, node := range h.nodes {
		if full := x.nodes[node].full; full != "" { // reported before the process ended
			x.gaveUp = append(x.gaveUp, full)
			return
		}
	}
	x.crashed = append(x.crashed, fmt.Sprintf("%s: %s", h.names(), h.end()))
}

// recordEnd records that a process has ended.
func (x *fleet) recordEnd(h *host) {
	for _, node := range h.nodes {
		x.nodes[node] = nil
	}
}
