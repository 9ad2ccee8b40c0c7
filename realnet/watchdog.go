package realnet

import (
	"fmt"
	"sync"
	"time"

	"github.com/macemc/macemc/sim"
)

// watchdog knows which event is being handled, and for how long. A handler that does not return cannot be
// ended, but it can be told of.
type watchdog struct {
	mu    sync.Mutex
	given given     // the event, or, when none runs, the last one; its message must not be looked into
	since time.Time // the handler began; zero: none runs
	told  bool      // of the one that runs
}

func (d *watchdog) begin(g *given) {
	d.mu.Lock()
	d.given, d.since, d.told = *g, time.Now(), false
	d.mu.Unlock()
}

// end returns for how long the handler ran if that was told of, else 0.
func (d *watchdog) end() (overdue time.Duration) {
	d.mu.Lock()
	if d.told {
		overdue = time.Since(d.since)
	}
	d.since, d.told = time.Time{}, false
	d.mu.Unlock()
	return overdue
}

// overdue returns the event whose handler has run for longer than limit, and for how long. tell: it is told
// of, unless it was before, when there is nothing to return.
func (d *watchdog) overdue(limit time.Duration, tell bool) (event string, ran time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.since.IsZero() || tell && d.told {
		return "", 0
	}
	if ran = time.Since(d.since); ran < limit {
		return "", 0
	}
	d.told = d.told || tell
	return d.given.String(), ran
}

// watch logs handlers that do not return.
func (n *Node) watch() {
	ticks := time.NewTicker(max(n.cfg.HandlerLimit/4, time.Millisecond))
	defer ticks.Stop()
	for {
		select {
		case <-n.ctx.Done():
			return
		case <-ticks.C:
			if event, ran := n.watchdog.overdue(n.cfg.HandlerLimit, true); event != "" {
				n.log.Error("a handler does not return; the node handles nothing else meanwhile", "handles", event, "ran", ran)
			}
		}
	}
}

// Stuck returns the event whose handler has not returned within Config.HandlerLimit, and for how long it
// has run; "" when there is none. The recording does not hold that event: what a handler does is known
// when it returns.
func (n *Node) Stuck() (event string, ran time.Duration) {
	return n.watchdog.overdue(n.cfg.HandlerLimit, false)
}

// String says what kind of event it is, without the content of messages, which belongs to the handler.
func (g given) String() string {
	switch {
	case g.call != nil:
		return "call from outside"
	case g.kind == sim.Deliver:
		return fmt.Sprintf("receives %T from n%d", g.msg, g.peer)
	case g.kind == sim.TakeQuorum:
		return fmt.Sprintf("receives a set of %d messages", len(g.set))
	case g.kind == sim.DeliverError:
		return fmt.Sprintf("error with n%d: %v", g.peer, g.err)
	case g.kind == sim.DeliverReady:
		return fmt.Sprintf("room to send to n%d", g.peer)
	case g.kind == sim.FireTimer:
		return fmt.Sprintf("timer %T%+v", g.timer, g.timer)
	case g.kind == sim.DoAction:
		return "action " + g.name
	}
	return g.kind.String()
}

// after are the ids under which what it takes was logged when it was sent.
func (g *given) after() (ids []string) {
	switch g.kind {
	case sim.Deliver:
		ids = append(ids, messageID(g.peer, g.incarnation, g.number))
	case sim.TakeQuorum:
		for i := range g.set {
			ids = append(ids, messageID(g.set[i].peer, g.set[i].incarnation, g.set[i].number))
		}
	}
	return ids
}

// messageID names a message in logs.
func messageID(from sim.NodeID, incarnation, number uint64) string {
	return fmt.Sprintf("%d.%x.%d", from, incarnation, number)
}
