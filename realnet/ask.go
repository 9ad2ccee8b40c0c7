package realnet

import (
	"context"
	"fmt"

	"github.com/macemc/macemc/internal/kernel/runner"
	"github.com/macemc/macemc/sim"
)

// Do runs f in the event loop, like a handler: Env is valid during the call, and effects happen after
// it. The error is ctx's, or says that the node has stopped. A recording notes that there was such a
// call, but cannot repeat it; use [Node.Act] for what the system knows as an action.
func (n *Node) Do(ctx context.Context, f func(sim.Env, sim.Service)) error {
	return n.enter(ctx, func() error {
		n.step(given{call: f, name: "Do"})
		return nil
	})
}

// Act does an action of the system. ok is false when the node cannot do it now.
func (n *Node) Act(ctx context.Context, action string) (ok bool, err error) {
	did := false
	err = n.enter(ctx, func() error {
		if n.frozen {
			return nil
		}
		var ev sim.Event
		if ev, did = n.run.ActionEvent(n.cfg.Node, action); did {
			n.step(given{kind: sim.DoAction, event: ev, name: action})
		}
		return nil
	})
	if err != nil {
		return false, err // the event loop may come to it still
	}
	return did, nil
}

// Freeze makes the node handle no more events until [Node.Thaw], while its connections stay; when it
// returns, all that was handled is recorded. A system that is to end together is frozen first: else
// those that end last hear of the end of the others.
func (n *Node) Freeze(ctx context.Context) error {
	return n.enter(ctx, func() error { n.frozen = true; return nil })
}

// Thaw makes a frozen node go on. It handles what came meanwhile, in order; of datagrams, the first
// ones. Timers that were due fire late.
func (n *Node) Thaw(ctx context.Context) error {
	return n.enter(ctx, func() error {
		held := n.held
		n.frozen, n.held = false, nil
		for i := range held {
			if it := &held[i]; it.kind == dialledItem && it.err != nil {
				it.err = errBusy // the peer was frozen, too: once more
			}
			n.handle(&held[i])
		}
		return nil
	})
}

// Look calls f in the event loop. It must not change anything, nor keep the runner.
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
