package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/wire"
)

// scheduledAction is an action on a node at a time.
type scheduledAction struct {
	at   time.Duration
	kill bool // kill the node, else start it
	node int
}

// schedule returns the requested actions, ordered by time.
func (f *options) schedule(nodes int) ([]scheduledAction, error) {
	var all []scheduledAction
	for _, list := range []struct {
		flag  string
		given []string
	}{{"kill", f.kills}, {"start", f.starts}} {
		for _, text := range list.given {
			node, at, ok := strings.Cut(text, "@")
			n, err := strconv.Atoi(node)
			d, e := time.ParseDuration(at)
			if !ok || err != nil || e != nil || d < 0 || n < 0 || n >= nodes {
				return nil, fmt.Errorf("--%s %q is not of the form N@TIME, as 3@5s, with a node from 0 to %d", list.flag, text, nodes-1)
			}
			all = append(all, scheduledAction{d, list.flag == "kill", n})
		}
	}
	slices.SortStableFunc(all, func(a, b scheduledAction) int { return int(a.at - b.at) })
	return all, nil
}

func runAll(a *task.Process, ctx context.Context, f *options, s *check.Subject) error {
	if a.Respawn == nil {
		return errors.New("this program cannot start processes of its own kind")
	}
	actions, err := f.schedule(s.System.Nodes)
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
			continue // it runs in the process of an earlier node
		}
		if err := x.start(node); err != nil {
			return err
		}
	}
	x.begun = time.Now()
	x.say("%d nodes of %s run on %s to %s; recordings in %s", s.System.Nodes, s.System.Name, x.peers[0],
		x.peers[len(x.peers)-1], x.recordings())
	x.settle(ctx, f.await+time.Second)
	x.watch(ctx, actions)
	x.stop()
	return x.conclude(ctx)
}

// do kills or starts the process of a node.
func (x *fleet) do(d scheduledAction) {
	switch p := x.nodes[d.node]; {
	case d.kill && p == nil:
		x.say("n%d is not up", d.node)
	case d.kill:
		select {
		case <-p.done: // ended by itself; watch is about to handle it
			return
		default:
		}
		_ = p.cmd.Process.Kill()
		<-p.done
		x.recordEnd(p.host)
		x.liveSince = 0 // whether the system is still live is unknown
		x.say("%s", p.say("is killed", "are killed"))
	case p != nil:
		x.say("n%d is up", d.node)
	default:
		if err := x.start(d.node); err != nil {
			x.say("n%d cannot be started: %v", d.node, err)
			return
		}
		x.liveSince = 0
		x.say("%s", x.nodes[d.node].say("is started", "are started"))
	}
}

// watch lets the nodes run until a reason to stop occurs.
func (x *fleet) watch(ctx context.Context, actions []scheduledAction) {
	commands := x.commands()
	var limit <-chan time.Time
	end := time.Now().Add(1 << 62) // never
	if x.flags.time > 0 {
		limit, end = time.After(x.flags.time), time.Now().Add(x.flags.time)
	}
	look := time.NewTimer(100 * time.Millisecond)
	for {
		var next <-chan time.Time
		if len(actions) > 0 {
			next = time.After(max(0, time.Until(x.begun.Add(actions[0].at))))
		}
		select {
		case <-ctx.Done():
			x.say("stopped")
			return
		case <-limit:
			x.say("the time is up")
			return
		case <-next:
			x.do(actions[0])
			actions = actions[1:]
		case h := <-x.ended:
			if slices.Contains(x.hosts(), h) {
				x.failed(h)
				x.recordEnd(h)
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
			x.printStuck()
			soon, cancel := context.WithDeadline(ctx, x.due(actions, end)) // checking a long run takes long
			live := x.judge(soon, false)
			cancel()
			if live && x.flags.until == "live" && len(actions) == 0 && x.endsLive(ctx) {
				return
			}
			look.Reset(max(200*time.Millisecond, 4*time.Since(began)))
		}
	}
}

// due returns the time of the next scheduled action, or the end if that is earlier.
func (x *fleet) due(actions []scheduledAction, end time.Time) time.Time {
	if len(actions) > 0 && x.begun.Add(actions[0].at).Before(end) {
		return x.begun.Add(actions[0].at)
	}
	return end
}
