package realnet

import (
	"fmt"
	"sync"
	"time"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/sim"
)

// watchdog measures how long the current event has been handled. A handler that does not return cannot be stopped,
// only reported.
type watchdog struct {
	mu       sync.Mutex
	given    handlerEvent // the current event, or the last one; its message belongs to the handler
	since    time.Time    // start of the handler; zero if none runs
	reported bool         // the running handler was reported
}

func (d *watchdog) begin(g *handlerEvent) {
	d.mu.Lock()
	d.given, d.since, d.reported = *g, time.Now(), false
	d.mu.Unlock()
}

// end returns the running time of the handler if it was reported, else 0.
func (d *watchdog) end() (overdue time.Duration) {
	d.mu.Lock()
	if d.reported {
		overdue = time.Since(d.since)
	}
	d.since, d.reported = time.Time{}, false
	d.mu.Unlock()
	return overdue
}

// overdue returns the event that a handler has processed for longer than limit, and for how long. If report is true it marks
// the handler as reported, and returns nothing for one that was reported before.
func (d *watchdog) overdue(limit time.Duration, report bool) (event string, ran time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.since.IsZero() || report && d.reported {
		return "", 0
	}
	if ran = time.Since(d.since); ran < limit {
		return "", 0
	}
	d.reported = d.reported || report
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
				n.log.Error("a handler does not return and blocks the node", "handles", event, "ran", ran)
			}
		}
	}
}

// Stuck returns the event that a handler has processed for longer than Config.HandlerLimit, and its running time; "" if
// there is none. The recording does not have that event, since effects are known only when the handler returns.
func (n *Node) Stuck() (event string, ran time.Duration) {
	return n.watchdog.overdue(n.cfg.HandlerLimit, false)
}

// String describes the kind of event without the content of messages, which belongs to the handler.
func (g handlerEvent) String() string {
	switch {
	case g.call != nil:
		return "call from outside"
	case g.kind == eventkind.Deliver:
		return fmt.Sprintf("receives %T from n%d", g.msg, g.peer)
	case g.kind == eventkind.TakeQuorum:
		return fmt.Sprintf("receives a set of %d messages", len(g.set))
	case g.kind == eventkind.DeliverError:
		return fmt.Sprintf("error with n%d: %v", g.peer, g.err)
	case g.kind == eventkind.DeliverReady:
		return fmt.Sprintf("room to send to n%d", g.peer)
	case g.kind == eventkind.FireTimer:
		return fmt.Sprintf("timer %T%+v", g.timer, g.timer)
	case g.kind == eventkind.DoAction:
		return "action " + g.name
	}
	return g.kind.String()
}

// after returns the log ids of the messages that it delivers.
func (g *handlerEvent) after() (ids []string) {
	switch g.kind {
	case eventkind.Deliver:
		ids = append(ids, messageID(g.peer, g.incarnation, g.number))
	case eventkind.TakeQuorum:
		for i := range g.set {
			ids = append(ids, messageID(g.set[i].peer, g.set[i].incarnation, g.set[i].number))
		}
	}
	return ids
}

// messageID identifies a message in logs.
func messageID(from sim.NodeID, incarnation, number uint64) string {
	return fmt.Sprintf("%d.%x.%d", from, incarnation, number)
}
