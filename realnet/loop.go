package realnet

import (
	"context"
	"encoding/binary"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/runner"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/recording"
	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
)

// batch is the maximum number of events of each source (internal steps, timers, received messages) between two commits.
// Writing the recording once for many events makes it cheap.
const batch = 64

// mostHeld is the maximum number of datagrams that a frozen node keeps. Streams are bounded by the send buffers of
// the peers.
const mostHeld = 1 << 14

func (n *Node) loop(ctx context.Context) error {
	alarm := time.NewTimer(time.Hour)
	defer alarm.Stop()
	n.step(handlerEvent{kind: eventkind.Boot})
	for {
		if err := n.commit(); err != nil {
			return err
		}
		switch {
		case n.broken != nil:
			return n.broken
		case n.full != nil:
			return n.full
		case ctx.Err() != nil:
			return nil
		}
		if len(n.local) == 0 && len(n.inbox) == 0 && !n.ready() {
			wait := time.Hour
			if at, ok := n.timers.next(); ok && !n.frozen {
				wait = time.Until(at)
			}
			if wait > 0 {
				alarm.Reset(wait)
				select {
				case <-ctx.Done():
				case <-alarm.C:
				case it := <-n.inbox:
					n.handle(&it)
				}
			}
		}
		n.handleBatch()
	}
}

// ready reports whether the service can take an internal step.
func (n *Node) ready() bool {
	if n.broken != nil || n.frozen {
		return false
	}
	ready, found := n.run.Ready(n.cfg.Node)
	if n.broken = found; found != nil {
		n.log.Error("finding", "kind", found.Kind, "message", found.Message, "stack", found.Stack)
	}
	return ready
}

func (n *Node) handleBatch() {
	for range batch {
		if !n.ready() {
			break
		}
		n.step(handlerEvent{kind: eventkind.Internal})
	}
	n.takeSets()
	local := n.local
	n.local = nil
	for i := range local {
		n.handle(&local[i])
	}
	now := time.Now()
	for range batch {
		if n.broken != nil || n.frozen {
			break // a timer that is taken and not handled would be lost
		}
		t, ok := n.timers.due(now)
		if !ok {
			break
		}
		if ev, ok := n.run.TimerEvent(n.cfg.Node, t); ok {
			n.step(handlerEvent{kind: eventkind.FireTimer, event: ev, timer: t})
			n.takeSets()
		}
	}
	for range batch {
		select {
		case it := <-n.inbox:
			n.handle(&it)
		default:
			return
		}
	}
}

func (n *Node) handle(it *item) {
	switch {
	case n.broken != nil:
		return
	case n.frozen && it.kind != callItem:
		if it.kind != datagramItem || it.stream || len(n.held) < mostHeld {
			n.held = append(n.held, *it)
		}
		return
	}
	defer n.takeSets()
	switch it.kind {
	case frameItem:
		n.frame(it)
	case lostItem:
		n.lost(it)
	case acceptedItem:
		n.accepted(it)
	case dialledItem:
		n.dialled(it)
	case datagramItem:
		if !it.stream && n.waits(it) {
			return
		}
		if it.stream { // to the node itself
			l := n.links[it.peer]
			l.take(1)
		}
		n.step(handlerEvent{kind: eventkind.Deliver, peer: it.peer, msg: it.msg, data: it.data, stream: it.stream,
			incarnation: it.incarnation, number: it.number})
		if it.stream {
			n.checkReady(n.links[it.peer])
		}
	case callItem:
		it.done <- it.call()
	}
}

// handlerEvent is an event for the service.
type handlerEvent struct {
	kind  eventkind.Kind
	event netmodel.Event // of actions and timers
	peer  sim.NodeID
	err   error
	timer any
	name  string
	call  func(sim.Env, sim.Service) // a call instead of an event

	msg                 any
	data                []byte
	stream              bool
	incarnation, number uint64

	set    []item // of TakeQuorum, by sender
	quorum int32
}

// step runs a handler, records it, and executes its local effects. Everything that leaves the node waits for
// commit.
func (n *Node) step(g handlerEvent) {
	if n.broken != nil || n.frozen {
		return
	}
	id := n.cfg.Node
	ev := g.event
	if g.kind != eventkind.DoAction && g.kind != eventkind.FireTimer || g.call != nil {
		ev = netmodel.Event{Kind: g.kind, Node: id, Peer: g.peer}
	}
	n.events++
	n.counters.events.Add(1)
	e := &n.event
	*e = recording.Event{Number: n.events, Kind: g.kind, Peer: g.peer, Name: g.name, Call: g.call != nil,
		From: recording.Ref{Incarnation: g.incarnation, Number: g.number}, Data: g.data, Stream: g.stream,
		Answers: e.Answers[:0], Effects: e.Effects[:0]}
	switch g.kind {
	case eventkind.Boot:
		e.Found = n.disk.found()
		e.Found.Counts = n.counts
	case eventkind.FireTimer:
		if n.rec != nil {
			e.Name = n.run.TimerText(g.timer)
		}
	case eventkind.Deliver:
		n.counters.received.Add(1)
	case eventkind.TakeQuorum:
		n.counters.received.Add(uint64(len(g.set)))
		e.Peer, e.Name, e.Set = -1, n.cfg.System.QuorumNames()[g.quorum], received(g.set)
	}
	if g.call != nil {
		e.Kind = eventkind.DoAction
	}
	n.debug = n.log.Enabled(n.ctx, slog.LevelDebug)
	if n.debug {
		n.log.Debug("event", "number", n.events, "is", g.String(), "after", g.after())
	}
	n.watchdog.begin(&g)
	done := n.run.Run(ev, declared.Handed{Delivery: netmodel.Delivery{From: g.peer, Msg: netmodel.Message{Body: g.msg}, Err: g.err},
		Set: g.assembled()}, n, g.call)
	if ran := n.watchdog.end(); ran > 0 {
		n.log.Warn("the handler has returned", "handles", g.String(), "ran", ran)
	}
	if g.err != nil {
		e.Err = g.err.Error()
	}
	if f := done.Finding; f != nil {
		n.log.Error("finding", "kind", f.Kind, "property", f.Property, "message", f.Message, "stack", f.Stack)
	}
	e.Rooms = done.Observed
	if done.Broken() {
		n.broken, e.Failed = done.Finding, true
	} else {
		n.effects(&done, e)
	}
	if g.kind == eventkind.DoAction && g.call == nil {
		n.counts[ev.Slot]++
	}
	ticks := n.run.Ticks(id)
	if ticks != n.disk.ticks || g.kind == eventkind.DoAction && g.call == nil {
		n.disk.meta(ticks, n.counts)
	}
	n.times.retain(func() []macetime.Time { return n.run.Held(id) })
	if n.rec == nil {
		return
	}
	e.Ticks, e.Writes, e.Time = ticks, n.disk.writes, time.Now().UnixNano()
	n.rec.Event(e)
	if n.events-n.stateAt >= n.cfg.StateEvery && n.broken == nil {
		n.stateAt = n.events
		n.rec.State(recording.State{Number: n.events, Hash: n.run.Hash(id)})
	}
}

// effects executes the handler's effects.
func (n *Node) effects(done *runner.Done, e *recording.Event) {
	digest := xxhash.New()
	var now time.Time // of all timers that it sets
	for _, w := range done.Writes {
		n.disk.write(w)
	}
	for i := range done.Effects {
		f := &done.Effects[i]
		if n.rec != nil && f.Kind != stepinfo.LogEffect {
			e.Effects = append(e.Effects, recording.Effect{Kind: f.Kind, Peer: f.Peer})
		}
		switch f.Kind {
		case stepinfo.SendEffect, stepinfo.StreamEffect:
			n.number++
			data, err := n.cfg.Codec.Append(n.encoded, f.Msg.Body)
			n.encoded = reuse(data)
			if err == nil && len(data) > n.cfg.MaxMessage {
				err = fmt.Errorf("it takes %d bytes, the limit is %d", len(data), n.cfg.MaxMessage)
			}
			if err != nil {
				n.broken = &sim.Finding{Kind: sim.Panic, Node: n.cfg.Node,
					Message: fmt.Sprintf("a %T to node %d cannot be sent: %v", f.Msg.Body, f.Peer, err)}
				return
			}
			if n.rec != nil {
				_, _ = digest.Write(data)
			}
			n.counters.sent.Add(1)
			if n.debug {
				n.log.Debug("send", "to", int(f.Peer), "id", messageID(n.cfg.Node, n.incarnation, n.number))
			}
			n.send(f, data)
		case stepinfo.RefusedEffect:
			n.links[f.Peer].wanted = true
		case stepinfo.CloseEffect:
			n.closeStream(n.links[f.Peer])
		case stepinfo.SetTimerEffect:
			if now.IsZero() {
				now = time.Now()
			}
			n.timers.set(f.Value, now.Add(time.Duration(f.After)/time.Duration(n.cfg.Speed)))
		case stepinfo.StopTimerEffect:
			n.timers.stop(f.Value)
		case stepinfo.SyncEffect:
			n.disk.sync = true
		case stepinfo.AnnounceEffect:
			n.log.Debug("announce", "event", f.Value)
		}
	}
	if n.rec != nil {
		e.Digest = digest.Sum64()
	}
}

// send queues a message. Data is not kept.
func (n *Node) send(f *stepinfo.Effect, data []byte) {
	l := n.links[f.Peer]
	stream := f.Kind == stepinfo.StreamEffect
	switch {
	case f.Peer == n.cfg.Node:
		msg, err := n.cfg.Codec.Decode(data)
		if err != nil {
			n.log.Error("a message to the node itself was lost", "why", err)
			return
		}
		if stream {
			n.enqueue(l, nil)
		}
		n.local = append(n.local, item{kind: datagramItem, peer: f.Peer, msg: msg, data: slices.Clone(data), stream: stream,
			incarnation: n.incarnation, number: n.number})
	case stream, n.run.Ordered():
		var number [binary.MaxVarintLen64]byte
		frame := appendFrame(n.scratch, messageFrame, appendNumbers(number[:0], n.number), data)
		n.scratch = reuse(frame)
		n.enqueue(l, slices.Clone(frame)) // Clone, unlike growing, clears nothing
	case len(data) > MaxDatagram:
		n.counters.oversized.Add(1)
		n.log.Warn("a datagram is too large and is lost", "to", int(f.Peer), "bytes", len(data), "limit", MaxDatagram)
	default:
		n.grams = append(n.grams, outgoing{f.Peer, appendDatagram(nil, n.system, n.cfg.Node, n.incarnation, n.number, data)})
	}
}

// commit executes the external effects of the events since the last commit: first the recording, so that everything
// that others see has a recorded cause, then the disk, then messages.
func (n *Node) commit() error {
	if n.rec != nil {
		if err := n.rec.Flush(); err != nil {
			n.log.Error("the node continues without recording", "why", err)
		}
	}
	if err := n.disk.commit(); err != nil {
		return err
	}
	if n.broken != nil {
		return nil
	}
	for i := range n.grams {
		g := &n.grams[i]
		addr := n.addrs[g.to]
		if _, err := n.udp.WriteToUDPAddrPort(g.data, addr); err != nil && n.ctx.Err() == nil {
			n.log.Debug("a datagram is lost", "to", int(g.to), "why", err)
		}
		g.data = nil
	}
	n.grams = n.grams[:0]
	for _, c := range n.closing {
		c.write(appendFrame(nil, closeFrame))
		c.end()
	}
	n.closing = n.closing[:0]
	for _, l := range n.dirty {
		n.transmit(l)
	}
	n.dirty = n.dirty[:0]
	return nil
}

// Choose answers the questions of handlers, by real randomness and real times.
func (n *Node) Choose(p choose.Point) int {
	pick := 0
	switch {
	case p.Kind.Class() == choose.Compare:
		if n.times.yes {
			pick = 1
		}
	default:
		pick = n.random.Choose(p)
	}
	if n.rec != nil {
		n.event.Answers = append(n.event.Answers, recording.Answer{Kind: p.Kind.Class(), Arity: p.Arity, Pick: pick})
	}
	return pick
}

// Room implements [runner.Answers].
func (n *Node) Room(_, peer sim.NodeID) int { return n.room(peer) }
