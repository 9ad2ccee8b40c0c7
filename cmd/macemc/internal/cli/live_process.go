package cli

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
)

// process is one node.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	up     chan struct{} // closed: it has booted, which is recorded
	frozen chan struct{} // one for each time
	acted  chan string
	stuck  atomic.Pointer[string] // event whose handler does not return; nil or "": none
	told   string                 // of these, last
	done   chan struct{}
	err    error // of its end, once done is closed
}

// ended tells of a process that has ended.
type ended struct {
	node int
	p    *process
}

// end says what the process ended with, which it was not to do.
func (p *process) end() string {
	if p.err == nil {
		return "exit status 0" // checked code has called os.Exit
	}
	return p.err.Error()
}

// stuckIn is the event whose handler does not return, "" when there is none.
func (p *process) stuckIn() string {
	if s := p.stuck.Load(); s != nil {
		return *s
	}
	return ""
}

// isUp reports whether the process runs and has booted.
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

func (x *fleet) start(node int) error {
	cmd := x.a.Respawn()
	args := []string{cmd.Args[0], "live", x.subject.System.Name, "--control", "--node", strconv.Itoa(node),
		"--peers", strings.Join(x.peers, ","), "--nodes", strconv.Itoa(len(x.peers)),
		"--dir", filepath.Join(x.dir, fmt.Sprintf("n%d", node)), "--record", x.recordings(),
		"--await", x.flags.await.String(), "--pause", x.flags.slow.String()}
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
	cmd.Args, cmd.Stderr = args, x.a.Stderr
	ownGroup(cmd)
	p := &process{cmd: cmd, up: make(chan struct{}), frozen: make(chan struct{}, 1), acted: make(chan string, 1), done: make(chan struct{})}
	var err error
	if p.stdin, err = cmd.StdinPipe(); err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	x.nodes[node] = p
	go func() {
		for in := bufio.NewScanner(stdout); in.Scan(); {
			if event, ok := strings.CutPrefix(in.Text(), "stuck "); ok {
				p.stuck.Store(&event)
				continue
			}
			switch in.Text() {
			case "up":
				if !p.isUp() {
					close(p.up)
				}
			case "frozen":
				select {
				case p.frozen <- struct{}{}:
				default: // nobody has waited for the last one
				}
			case "done", "not done":
				select {
				case p.acted <- in.Text():
				default:
				}
			}
		}
		p.err = cmd.Wait()
		close(p.done)
		x.ended <- ended{node, p}
	}()
	return nil
}

// settle waits until all nodes that run have booted, for at most that long: what happens before that is that
// nodes are started, not that one is started again after a crash.
func (x *fleet) settle(ctx context.Context, limit time.Duration) {
	for late := time.Now().Add(limit); ctx.Err() == nil && time.Now().Before(late); time.Sleep(10 * time.Millisecond) {
		if !slices.ContainsFunc(x.nodes, (*process).boots) {
			return
		}
	}
}

// boots reports whether the process runs and may come to have booted.
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

// order tells all nodes that run to do something.
func (x *fleet) order(what string) {
	for _, p := range x.nodes {
		if p != nil {
			_, _ = io.WriteString(p.stdin, what+"\n")
		}
	}
}

// freeze makes all nodes that are up stand still, and returns which do not, "" when all do.
func (x *fleet) freeze() (silent string) {
	asked := make([]*process, len(x.nodes))
	for node, p := range x.nodes {
		if p.isUp() {
			asked[node] = p
			select {
			case <-p.frozen: // of an answer that came too late
			default:
			}
			_, _ = io.WriteString(p.stdin, "freeze\n")
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
			patience = time.Second // it had its time already
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

// stop ends all nodes, as far as can be at the same moment. One that has ended before, or does not end, has crashed.
func (x *fleet) stop() {
	x.settle(context.Background(), 2*time.Second)
	if silent := x.freeze(); silent != "" {
		x.crashed = append(x.crashed, silent+" does not answer: a handler does not return")
	}
	x.order("stop")
	late := time.NewTimer(10 * time.Second)
	defer late.Stop()
	for node, p := range x.nodes {
		if p == nil {
			continue
		}
		if p.stuckIn() != "" {
			_ = p.cmd.Process.Kill()
			<-p.done
			continue
		}
		select {
		case <-p.done:
			if p.err != nil {
				x.crashed = append(x.crashed, fmt.Sprintf("n%d: %s", node, p.end()))
			}
		case <-late.C:
			x.crashed = append(x.crashed, fmt.Sprintf("n%d does not end", node))
			late.Reset(0)
		}
	}
}

func (x *fleet) killAll() {
	for _, p := range x.nodes {
		if p != nil {
			_ = p.cmd.Process.Kill()
			<-p.done
		}
	}
}
