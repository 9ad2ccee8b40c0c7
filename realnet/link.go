package realnet

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/macemc/macemc/sim"
)

// link is all that a node knows of its streams to and from one peer, which share one connection, as
// in the model of package netsim. It is the event loop's.
//
// Either end may dial. When both do at the same time, the connection that the lower of the two has
// dialled counts.
type link struct {
	peer sim.NodeID
	conn *conn // nil: none
	// open: a message has been delivered on the connection, in either direction, as far as this end
	// knows. Only then a broken connection is an error; what was sent before is refused.
	open bool
	// queue holds the messages that the peer has not acknowledged as delivered, as frames. The first
	// sent of them are with the connection.
	queue  [][]byte
	bytes  int64 // of queue
	sent   int
	acked  uint64 // messages of the connection that are not in queue any more
	wanted bool   // a message was refused: a ready call-back is due
	dirty  bool   // in Node.dirty

	dialing   bool
	attempt   uint64 // counts what was dialled
	peerSince uint64 // incarnation of the peer that was heard of last
	abandoned uint64 // attempts of that incarnation which are void
}

// room is how many messages the send buffer takes; negative: there are more than it holds.
func (n *Node) room(peer sim.NodeID) int { return n.run.Capacity() - len(n.links[peer].queue) }

// enqueue queues a frame. What is too much for the memory is queued, too, so that the recording says so.
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
	if len(left) > k { // of a long queue little is to be moved: what is appended makes room elsewhere, for what is left
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

// transmit hands to the connection what is new, or dials.
func (n *Node) transmit(l *link) {
	l.dirty = false
	if l.peer == n.cfg.Node {
		return
	}
	switch {
	case l.conn != nil:
		if c := l.conn; c.delivered > c.told {
			var number [binary.MaxVarintLen64]byte
			frame := appendFrame(n.scratch, ackFrame, appendNumbers(number[:0], c.delivered))
			c.told = c.delivered
			c.write(frame)
			n.scratch = again(frame)
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
		it.conn, it.abandoned, it.err = n.greet(ctx, addr, h)
		if errors.Is(it.err, errBusy) {
			select { // the peer's own attempt is on its way
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

func (n *Node) greet(ctx context.Context, addr string, h hello) (c *conn, abandoned uint64, err error) {
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
		n.heard(l, it.conn.incarnation, it.abandoned)
		n.connected(l, it.conn)
	case errors.Is(it.err, errBusy):
		l.dialing = false
		n.mark(l) // again, if there still is something to send
	default:
		l.dialing = false
		n.log.Debug("cannot connect", "peer", int(l.peer), "why", it.err)
		n.lose(l, sim.ErrRefused)
	}
}

// heard notes which incarnation of the peer there is.
func (n *Node) heard(l *link, incarnation, abandoned uint64) {
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

// accepted decides about a connection that a peer has dialled.
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
	n.heard(l, h.incarnation, h.attempt)
	if l.conn != nil { // the peer would not dial if it had not lost it
		n.disconnect(l, errors.New("the peer connects anew"))
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

// disconnect gives a connection up that has failed.
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

// lose drops what is queued and tells the service, if it has had any part in the connection.
func (n *Node) lose(l *link, err error) {
	tell := l.open || len(l.queue) > 0
	l.open, l.queue, l.bytes, l.sent, l.acked = false, nil, 0, 0, 0
	if tell {
		n.step(given{kind: sim.DeliverError, peer: l.peer, err: err})
	}
	n.checkReady(l)
}

func (n *Node) checkReady(l *link) {
	if l.wanted && n.room(l.peer) > 0 && n.broken == nil {
		l.wanted = false
		n.step(given{kind: sim.DeliverReady, peer: l.peer})
	}
}

// closeStream is the service's own Close.
func (n *Node) closeStream(l *link) {
	l.queue, l.bytes, l.sent, l.acked, l.open = nil, 0, 0, 0, false
	l.attempt++ // one that is under way comes to nothing
	l.dialing = false
	if l.conn != nil {
		n.closing = append(n.closing, l.conn)
		l.conn = nil
	}
}

// frame handles what came on a connection.
func (n *Node) frame(it *item) {
	l := n.links[it.conn.peer]
	if l.conn != it.conn {
		return // it was given up
	}
	switch it.frame {
	case messageFrame:
		l.open = true
		it.conn.delivered++
		n.mark(l)
		n.step(given{kind: sim.Deliver, peer: l.peer, msg: it.msg, data: it.data, stream: !n.run.Ordered(),
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
		l.sent, l.acked = 0, 0 // an attempt outlives that
		n.mark(l)
	}
}
