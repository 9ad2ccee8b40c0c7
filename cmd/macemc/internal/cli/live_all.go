package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/macemc/macemc/check"
	"github.com/macemc/macemc/live/recording"
	"github.com/macemc/macemc/live/wire"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/sim/kernel"
)

// fleet is all nodes of a system as processes of this machine.
type fleet struct {
	a         *app
	flags     *liveFlags
	subject   *check.Subject
	codec     *wire.Types
	dir       string
	peers     []string
	nodes     []*process // nil: killed
	ended     chan *host
	begun     time.Time
	stopped   time.Time // when they were to end
	marks     []mark
	crashed   []string      // what processes ended with that were not to end
	said      string        // of the properties, last
	liveSince time.Duration // after which it was live when looked at last; 0: it was not
	report    liveReport
}

func (a *app) liveAll(ctx context.Context, f *liveFlags, s *check.Subject) error {
	if a.Respawn == nil {
		return errors.New("this program cannot start processes of its own kind")
	}
	deeds, err := f.schedule(s.System.Nodes)
	if err != nil {
		return err
	}
	x := &fleet{a: a, flags: f, subject: s, nodes: make([]*process, s.System.Nodes), ended: make(chan *host, 16)}
	if x.codec, err = wire.NewTypes(s.Entry.Messages...); err != nil {
		return err
	}
	if err := x.folder(); err != nil {
		return err
	}
	if x.peers, err = freeAddresses(s.System.Nodes); err != nil {
		return err
	}
	defer x.killAll()
	for node := range x.nodes {
		if x.nodes[node] != nil {
			continue // it runs in the process of one before it
		}
		if err := x.start(node); err != nil {
			return err
		}
	}
	x.begun = time.Now()
	x.say("%d nodes of %s run on %s to %s; recordings in %s", s.System.Nodes, s.System.Name, x.peers[0],
		x.peers[len(x.peers)-1], x.recordings())
	x.settle(ctx, f.await+time.Second)
	x.watch(ctx, deeds)
	x.stopped = time.Now()
	x.stop()
	if f.bucket > 0 {
		if err := x.rates(); err != nil {
			return err
		}
	}
	return x.conclude(ctx)
}

func (x *fleet) recordings() string { return filepath.Join(x.dir, "recording") }

// folder finds a folder that nothing is in.
func (x *fleet) folder() error {
	if x.dir = x.flags.dir; x.dir != "" {
		if recording.IsDir(x.recordings()) {
			return fmt.Errorf("--dir %s already holds recordings; nothing is overwritten", x.dir)
		}
		return os.MkdirAll(x.dir, 0o755)
	}
	if err := errors.Join(os.MkdirAll(check.Root, 0o755), check.Ignore(check.Root)); err != nil {
		return err
	}
	for n := 1; ; n++ {
		x.dir = filepath.Join(check.Root, fmt.Sprintf("live-%s-%d", x.subject.System.Name, n))
		err := os.Mkdir(x.dir, 0o755)
		if !errors.Is(err, os.ErrExist) {
			return err
		}
	}
}

// freeAddresses finds ports of 127.0.0.1 that nobody listens on.
func freeAddresses(n int) ([]string, error) {
	var addrs []string
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close()
		addrs = append(addrs, l.Addr().String())
	}
	return addrs, nil
}

func (x *fleet) say(format string, args ...any) {
	at := time.Duration(0)
	if !x.begun.IsZero() {
		at = time.Since(x.begun)
	}
	fmt.Fprintf(x.out(), "%5.1fs  %s\n", at.Seconds(), fmt.Sprintf(format, args...))
}

// out is where people read what is going on.
func (x *fleet) out() io.Writer {
	if x.flags.json {
		return x.a.Stderr
	}
	return x.a.Stdout
}

// mark says what was done, which pictures show, too.
func (x *fleet) mark(format string, args ...any) {
	x.marks = append(x.marks, mark{time.Since(x.begun), fmt.Sprintf(format, args...)})
	x.say(format, args...)
}

// do kills or starts the process of a node.
func (x *fleet) do(d deed) {
	switch p := x.nodes[d.node]; {
	case d.kill && p == nil:
		x.say("n%d is not up", d.node)
	case d.kill:
		select {
		case <-p.done: // by itself, as watch is about to hear
			return
		default:
		}
		_ = p.cmd.Process.Kill()
		<-p.done
		x.gone(p.host)
		x.mark("%s", p.say("is killed", "are killed"))
	case p != nil:
		x.say("n%d is up", d.node)
	default:
		if err := x.start(d.node); err != nil {
			x.say("n%d cannot be started: %v", d.node, err)
			return
		}
		x.mark("%s", x.nodes[d.node].say("is started", "are started"))
	}
}

// watch lets the nodes run until there is a reason to end.
func (x *fleet) watch(ctx context.Context, deeds []deed) {
	commands := x.commands()
	var limit <-chan time.Time
	end := time.Now().Add(1 << 62) // never
	if x.flags.time > 0 {
		limit, end = time.After(x.flags.time), time.Now().Add(x.flags.time)
	}
	look := time.NewTimer(100 * time.Millisecond)
	for {
		var next <-chan time.Time
		if len(deeds) > 0 {
			next = time.After(max(0, time.Until(x.begun.Add(deeds[0].at))))
		}
		select {
		case <-ctx.Done():
			x.say("stopped")
			return
		case <-limit:
			x.say("the time is up")
			return
		case <-next:
			x.do(deeds[0])
			deeds = deeds[1:]
		case h := <-x.ended:
			if slices.Contains(x.hosts(), h) {
				x.gone(h)
				x.crashed = append(x.crashed, fmt.Sprintf("%s: %s", h.names(), h.end()))
				x.say("%s: %s", h.say("has ended", "have ended"), h.end())
				return
			}
		case line, ok := <-commands:
			if !ok {
				commands = nil
			} else if x.command(ctx, line) {
				return
			}
		case <-look.C:
			began := time.Now()
			x.tellStuck()
			soon, cancel := context.WithDeadline(ctx, x.due(deeds, end)) // a look at a long run takes long
			live := x.look(soon, false)
			cancel()
			if live && x.flags.until == "live" && len(deeds) == 0 && x.endsLive(ctx) {
				return
			}
			look.Reset(max(200*time.Millisecond, 4*time.Since(began)))
		}
	}
}

// due is when the next deed is, or the end if that is earlier.
func (x *fleet) due(deeds []deed, end time.Time) time.Time {
	if len(deeds) > 0 && x.begun.Add(deeds[0].at).Before(end) {
		return x.begun.Add(deeds[0].at)
	}
	return end
}

// commands are the lines of standard input.
func (x *fleet) commands() <-chan string {
	lines := make(chan string)
	if x.a.Stdin == nil {
		return nil
	}
	go func() {
		defer close(lines)
		for in := bufio.NewScanner(x.a.Stdin); in.Scan(); {
			lines <- in.Text()
		}
	}()
	return lines
}

// command does what a person has typed; true: to end.
func (x *fleet) command(ctx context.Context, line string) bool {
	words := strings.Fields(line)
	if len(words) == 0 {
		return false
	}
	switch words[0] {
	case "quit":
		return true
	case "state":
		x.look(ctx, true)
		return false
	case "kill", "start", "do":
		if len(words) == 3 || words[0] != "do" && len(words) == 2 {
			if n, err := strconv.Atoi(words[1]); err == nil && n >= 0 && n < len(x.nodes) {
				if words[0] == "do" {
					x.act(n, words[2])
				} else {
					x.do(deed{0, words[0] == "kill", n})
				}
				return false
			}
		}
	}
	x.say("%q is no command; known are kill N, start N, do N ACTION (N from 0 to %d), state, quit", line, len(x.nodes)-1)
	return false
}

// tellStuck says which handlers do not return, when that has changed.
func (x *fleet) tellStuck() {
	for node, p := range x.nodes {
		if p == nil || p.stuckIn() == p.told {
			continue
		}
		if was := p.told; p.stuckIn() == "" {
			x.say("n%d: the handler has returned: %s", node, was)
		} else {
			x.say("n%d: a handler does not return: %s", node, p.stuckIn())
		}
		p.told = p.stuckIn()
	}
}

// act has a node do an action, and waits until it has.
func (x *fleet) act(node int, action string) {
	p := x.nodes[node]
	if p == nil {
		x.say("n%d is not up", node)
		return
	}
	if !slices.Contains(x.subject.System.ActionNames(), action) {
		x.say("there is no action %q; there are %s", action, strings.Join(x.subject.System.ActionNames(), ", "))
		return
	}
	select {
	case <-p.acted: // an answer that came too late
	default:
	}
	p.tell("do " + action)
	select {
	case did := <-p.acted:
		x.say("n%d %s %s", node, map[bool]string{true: "does", false: "cannot do"}[did == "done"], action)
	case <-p.done:
	case <-time.After(10 * time.Second):
		x.say("n%d does not answer", node)
	}
}

// down lists the nodes that are not up.
func (x *fleet) down() string {
	var list []string
	for node, p := range x.nodes {
		if !p.isUp() {
			list = append(list, fmt.Sprintf("n%d", node))
		}
	}
	return strings.Join(list, ", ")
}

// endsLive reports whether the system is live when all nodes stand still, which then is how it ends. Else they
// go on.
func (x *fleet) endsLive(ctx context.Context) bool {
	if x.freeze() == "" && x.look(ctx, false) {
		return true
	}
	x.order("thaw")
	return false
}

// failing are the properties that do not hold. The error is that one panicked.
func failing(w kernel.World) (names []string, err error) {
	defer kernel.CatchState(&err)
	sys := w.System()
	for i := range sys.Properties {
		if p := &sys.Properties[i]; p.Sometimes == nil && !w.Holds(p) {
			names = append(names, p.Name)
		}
	}
	return names, nil
}

// reached is the state that the recordings lead to so far; nil: not all have begun.
func (x *fleet) reached() (*recording.Reached, error) {
	set, err := recording.ReadDir(x.recordings())
	if err != nil {
		return nil, nil
	}
	set.Tear()
	sys, err := x.subject.System.WithLimits(sim.Limits{})
	if err != nil {
		return nil, err
	}
	return recording.Reach(sys, set, x.codec)
}

// look shows which properties hold, when that has changed or all is asked for, and reports whether the
// system is live with all nodes up.
func (x *fleet) look(ctx context.Context, all bool) bool {
	down := x.down()
	var state *recording.Reached
	var err error
	if !patient(ctx, 0, func() { state, err = x.reached() }) {
		return false
	}
	if err == nil && state == nil {
		return false // not all have begun
	}
	if err != nil {
		if said := err.Error(); said != x.said || all {
			x.say("%s", said)
			x.said = said
		}
		return false
	}
	w := state.World
	sound := state.Finding == nil && state.Disagreement == nil && w.Check() == nil
	failing, err := failing(w)
	live := sound && err == nil && len(failing) == 0
	if !live || down != "" {
		x.liveSince = 0
	} else if x.liveSince == 0 {
		x.liveSince = time.Since(x.begun)
	}
	said := ""
	switch {
	case err != nil:
		said = err.Error() // a property panicked
	case state.Disagreement != nil:
		said = "the checker does not agree with what was recorded: " + state.Disagreement.Error()
	case live && down != "":
		said = "all properties hold of what is recorded, but not up: " + down
	case live:
		said = "live: all properties hold"
	default:
		said = "does not hold: " + strings.Join(failing, "; ")
	}
	if said != x.said || all {
		x.say("%s", said)
		x.said = said
	}
	if all {
		for node := range x.nodes {
			if !x.nodes[node].isUp() {
				fmt.Fprintf(x.out(), "        n%d is not up\n", node)
				continue
			}
			fmt.Fprintf(x.out(), "        %s\n", stateLine(node, w.NodeFields(sim.NodeID(node))))
		}
	}
	return live && down == ""
}
