package realnet

import (
	"context"
	"fmt"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/runner"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// Do runs f in the event loop, like a handler: Env is valid during the call, and effects happen after it. The error
// is ctx's, or reports that the node has stopped. A recording notes the call, but cannot repeat it; use [Node.Act]
// for an action of the system.
func (n *Node) Do(ctx context.Context, f func(sim.Env, sim.Service)) error {
	return n.enter(ctx, func() error {
		n.step(handlerEvent{call: f, name: "Do"})
		return nil
	})
}

// Act executes an action of the system. It returns false if the action is not enabled now.
func (n *Node) Act(ctx context.Context, action string) (ok bool, err error) {
	did := false
	err = n.enter(ctx, func() error {
		if n.frozen {
			return nil
		}
		var ev netmodel.Event
		if ev, did = n.run.ActionEvent(n.cfg.Node, action); did {
			n.step(handlerEvent{kind: eventkind.DoAction, event: ev, name: action})
		}
		return nil
	})
	if err != nil {
		return false, err // the event loop may still execute it
	}
	return did, nil
}

// Freeze makes the node handle no more events until [Node.Thaw], while its connections stay open. When it returns,
// all handled events are recorded. Freeze all nodes of a system before stopping it; otherwise the last ones observe
// the end of the others.
func (n *Node) Freeze(ctx context.Context) error {
	return n.enter(ctx, func() error { n.frozen = true; return nil })
}

// Thaw resumes a frozen node. It handles the events that arrived meanwhile, in order, but of datagrams only the
// first [mostHeld]. Timers that were due fire late.
func (n *Node) Thaw(ctx context.Context) error {
	return n.enter(ctx, func() error {
		held := n.held
		n.frozen, n.held = false, nil
		for i := range held {
			if it := &held[i]; it.kind == dialledItem && it.err != nil {
				it.err = errBusy // the peer was frozen, too: try again
			}
			n.handle(&held[i])
		}
		return nil
	})
}

// Look calls f in the event loop. F must not change the runner or keep it.
func (n *Node) Look(ctx context.Context, f func(*runner.Runner)) error {
	return n.enter(ctx, func() error { f(n.run); return nil })
}

func (n *Node) enter(ctx context.Context, f func() error) error {
	it := item{kind: callItem, call: f, done: make(chan error, 1)}
	stopped := fmt.Errorf("live: node %d has stopped", n.cfg.Node)
	select {
	case n.inbox <- it:
	case <-ctx.Done():
		return ctx.Err()
	case <-n.ctx.Done():
		return stopped
	}
	select {
	case err := <-it.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-n.ctx.Done():
		return stopped
	}
}
