package realnet

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/sim"
)

// link is the state of a node's streams to and from one peer, which share one connection, as in the model of
// package netsim. The event loop owns it.
//
// Either end may dial. If both dial at the same time, the connection of the node with the lower number wins.
type link struct {
	peer sim.NodeID
	conn *conn // nil if there is none
	// open reports that a message was delivered on the connection, in either direction, to the knowledge of this end.
	// Only then is a break an error; before, messages are refused.
	open bool
	// queue holds the frames of unacknowledged messages. The first sent of them were passed to the connection.
	queue  [][]byte
	bytes  int64 // of queue
	sent   int
	acked  uint64 // messages of the connection that have left the queue
	wanted bool   // a message was refused: a ready callback is due
	dirty  bool   // in Node.dirty

	dialing   bool
	attempt   uint64 // counts the attempts to dial
	peerSince uint64 // last known incarnation of the peer
	abandoned uint64 // attempts of that incarnation up to this one are void
}

// room returns the room in the send buffer. It is negative if more messages are queued than fit.
func (n *Node) room(peer sim.NodeID) int { return n.run.Capacity() - len(n.links[peer].queue) }

// enqueue queues a frame. A frame beyond MaxQueue is queued, too, so that the recording has it.
func (n *Node) enqueue(l *link, frame []byte) {
	l.queue = append(l.queue, frame)
	if l.bytes += int64(len(frame)); l.bytes > n.cfg.MaxQueue && n.full == nil {
		n.full = &QueueError{n.cfg.Node, l.peer, len(l.queue), l.bytes, n.cfg.MaxQueue}
	}
	n.mark(l)
}

// take drops the first messages of the queue.
func (l *link) take(k int) {
	for i := range l.queue[:k] {
		l.bytes -= int64(len(l.queue[i]))
		l.queue[i] = nil
	}
	left := l.queue[k:]
	if len(left) > k { // for a long queue copying is expensive; a later append moves what is left
		l.queue = left
		return
	}
	l.queue = l.queue[:copy(l.queue, left)]
	clear(left)
}

func (n *Node) mark(l *link) {
	if !l.dirty {
		l.dirty = true
		n.dirty = append(n.dirty, l)
	}
}

// transmit passes new messages to the connection, or dials.
func (n *Node) transmit(l *link) {
	l.dirty = false
	if l.peer == n.cfg.Node {
		return
	}
	switch {
	case l.conn != nil:
		if c := l.conn; c.delivered > c.acknowledged {
			var number [binary.MaxVarintLen64]byte
			frame := appendFrame(n.scratch, ackFrame, appendNumbers(number[:0], c.delivered))
			c.acknowledged = c.delivered
			c.write(frame)
			n.scratch = reuse(frame)
		}
		if l.sent < len(l.queue) {
			l.conn.write(l.queue[l.sent:]...)
			l.sent = len(l.queue)
		}
	case len(l.queue) > 0 && !l.dialing:
		n.dial(l)
	}
}

// dial begins an attempt to connect.
func (n *Node) dial(l *link) {
	l.dialing = true
	l.attempt++
	h := hello{n.system, n.cfg.Codec.ID(), n.cfg.Node, l.peer, n.incarnation, l.attempt}
	addr := n.addrs[l.peer].String()
	n.wait.Go(func() {
		it := item{kind: dialledItem, peer: l.peer, number: h.attempt}
		ctx, cancel := context.WithTimeout(n.ctx, n.cfg.DialTimeout)
		defer cancel()
		it.conn, it.abandoned, it.err = n.dialHandshake(ctx, addr, h)
		if errors.Is(it.err, errBusy) {
			select { // the peer is dialling
			case <-ctx.Done():
			case <-time.After(n.cfg.DialTimeout / 4):
			}
		}
		if !n.post(it) && it.conn != nil {
			it.conn.close()
		}
	})
}

var errBusy = errors.New("the peer dials itself")

func (n *Node) dialHandshake(ctx context.Context, addr string, h hello) (c *conn, abandoned uint64, err error) {
	var d net.Dialer
	nc, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, 0, err
	}
	defer func() {
		if err != nil {
			nc.Close()
		}
	}()
	stop := context.AfterFunc(ctx, func() { nc.Close() })
	defer stop()
	if _, err := nc.Write(h.append(nil)); err != nil {
		return nil, 0, err
	}
	in := bufio.NewReaderSize(nc, 64<<10)
	kind, content, _, err := readFrame(in, nil, 64)
	if err != nil {
		return nil, 0, err
	}
	switch kind {
	case welcomeFrame:
		var w welcome
		if _, err := takeNumbers(content, &w.incarnation, &w.abandoned); err != nil {
			return nil, 0, err
		}
		return newConn(nc, in, h.to, w.incarnation), w.abandoned, nil
	case busyFrame:
		return nil, 0, errBusy
	}
	return nil, 0, errFrame
}

// dialled handles the end of an attempt.
func (n *Node) dialled(it *item) {
	l := n.links[it.peer]
	stale := !l.dialing || it.number != l.attempt
	switch {
	case it.conn != nil && (stale || l.conn != nil || it.conn.incarnation < l.peerSince):
		it.conn.close()
		if !stale {
			l.dialing = false
			n.mark(l)
		}
	case stale:
	case it.err == nil:
		n.noteIncarnation(l, it.conn.incarnation, it.abandoned)
		n.connected(l, it.conn)
	case errors.Is(it.err, errBusy):
		l.dialing = false
		n.mark(l) // again, if there is still something to send
	default:
		l.dialing = false
		n.log.Debug("cannot connect", "peer", int(l.peer), "why", it.err)
		n.lose(l, sim.ErrRefused)
	}
}

// noteIncarnation records the incarnation of the peer.
func (n *Node) noteIncarnation(l *link, incarnation, abandoned uint64) {
	if incarnation > l.peerSince {
		l.peerSince, l.abandoned = incarnation, 0
	}
	l.abandoned = max(l.abandoned, abandoned)
}

// connected makes c the connection of the link.
func (n *Node) connected(l *link, c *conn) {
	l.dialing, l.conn, l.open = false, c, false
	l.sent, l.acked = 0, 0
	n.wait.Go(c.writer)
	n.wait.Go(func() { c.reader(n) })
	n.mark(l)
}

// accepted accepts or rejects a connection that a peer has dialled.
func (n *Node) accepted(it *item) {
	h, l := it.hello, n.links[it.hello.from]
	if h.incarnation < l.peerSince || h.incarnation == l.peerSince && h.attempt <= l.abandoned {
		it.conn.close()
		return
	}
	if l.dialing && n.cfg.Node < l.peer {
		it.conn.write(appendFrame(nil, busyFrame))
		it.conn.end()
		n.wait.Go(it.conn.writer)
		return
	}
	n.noteIncarnation(l, h.incarnation, h.attempt)
	if l.conn != nil { // the peer dials only if it has lost the connection
		n.disconnect(l, errors.New("the peer connects again"))
		if n.broken != nil {
			it.conn.close()
			return
		}
	}
	it.conn.write(appendFrame(nil, welcomeFrame, appendNumbers(nil, n.incarnation, l.attempt)))
	n.connected(l, it.conn)
}

// lost handles the end of a connection.
func (n *Node) lost(it *item) {
	l := n.links[it.conn.peer]
	if l.conn == it.conn {
		n.disconnect(l, it.err)
	}
}

// disconnect gives up a failed connection.
func (n *Node) disconnect(l *link, why error) {
	n.log.Debug("connection lost", "peer", int(l.peer), "why", why)
	l.conn.close()
	l.conn = nil
	if l.open {
		n.lose(l, sim.ErrReset)
	} else {
		n.lose(l, sim.ErrRefused)
	}
}

// lose drops the queue, and notifies the service if it has used the connection.
func (n *Node) lose(l *link, err error) {
	notify := l.open || len(l.queue) > 0
	l.open, l.queue, l.bytes, l.sent, l.acked = false, nil, 0, 0, 0
	if notify {
		n.step(handlerEvent{kind: eventkind.DeliverError, peer: l.peer, err: err})
	}
	n.checkReady(l)
}

func (n *Node) checkReady(l *link) {
	if l.wanted && n.room(l.peer) > 0 && n.broken == nil {
		l.wanted = false
		n.step(handlerEvent{kind: eventkind.DeliverReady, peer: l.peer})
	}
}

// closeStream closes the stream on behalf of the service.
func (n *Node) closeStream(l *link) {
	l.queue, l.bytes, l.sent, l.acked, l.open = nil, 0, 0, 0, false
	l.attempt++ // voids an attempt in progress
	l.dialing = false
	if l.conn != nil {
		n.closing = append(n.closing, l.conn)
		l.conn = nil
	}
}

// frame handles a frame from a connection.
func (n *Node) frame(it *item) {
	l := n.links[it.conn.peer]
	if l.conn != it.conn {
		return // the connection was given up
	}
	switch it.frame {
	case messageFrame:
		l.open = true
		it.conn.delivered++
		n.mark(l)
		n.step(handlerEvent{kind: eventkind.Deliver, peer: l.peer, msg: it.msg, data: it.data, stream: !n.run.Ordered(),
			incarnation: it.conn.incarnation, number: it.number})
	case ackFrame:
		k := it.number - l.acked
		if it.number < l.acked || k > uint64(l.sent) {
			n.disconnect(l, fmt.Errorf("the peer acknowledges %d messages of %d", it.number, l.acked+uint64(l.sent)))
			return
		}
		if k > 0 {
			l.open = true
			l.take(int(k))
			l.sent -= int(k)
			l.acked = it.number
			n.checkReady(l)
		}
	case closeFrame:
		l.conn.close()
		l.conn = nil
		if l.open {
			n.lose(l, sim.ErrReset)
			return
		}
		l.sent, l.acked = 0, 0 // an attempt survives that
		n.mark(l)
	}
}
