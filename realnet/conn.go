package realnet

import (
	"bufio"
	"net"
	"sync"
	"time"

	"github.com/macemc/macemc/sim"
)

// conn is an established connection. One goroutine reads it and one writes it.
type conn struct {
	net  net.Conn
	peer sim.NodeID
	in   *bufio.Reader

	mu     sync.Mutex
	more   sync.Cond
	out    []byte
	ending bool // close after the last write
	closed bool

	// Owned by the event loop.
	incarnation  uint64 // of the peer
	delivered    uint64 // messages delivered to the service
	acknowledged uint64 // how many of these were acknowledged
}

func newConn(c net.Conn, in *bufio.Reader, peer sim.NodeID, incarnation uint64) *conn {
	x := &conn{net: c, peer: peer, in: in, incarnation: incarnation}
	x.more.L = &x.mu
	return x
}

// reuse returns an empty buffer with the memory of b, or nil if b is too large to keep.
func reuse(b []byte) []byte {
	if cap(b) > 8<<20 {
		return nil
	}
	return b[:0]
}

// write queues bytes for the peer. They belong to unacknowledged messages, so the limit of the link's queue bounds
// them.
func (c *conn) write(frames ...[]byte) {
	c.mu.Lock()
	for _, b := range frames {
		c.out = append(c.out, b...)
	}
	c.mu.Unlock()
	c.more.Signal()
}

// end closes the connection after all queued bytes were written, or after a second, since the peer may have stopped
// reading.
func (c *conn) end() {
	_ = c.net.SetWriteDeadline(time.Now().Add(time.Second)) // of a write in progress, too
	c.mu.Lock()
	c.ending = true
	c.mu.Unlock()
	c.more.Signal()
}

func (c *conn) close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.more.Signal()
	c.net.Close()
}

func (c *conn) writer() {
	var spare []byte
	for {
		c.mu.Lock()
		for len(c.out) == 0 && !c.ending && !c.closed {
			c.more.Wait()
		}
		if c.closed || len(c.out) == 0 {
			c.mu.Unlock()
			c.net.Close()
			return
		}
		b := c.out
		c.out = spare
		c.mu.Unlock()
		if _, err := c.net.Write(b); err != nil {
			c.net.Close() // the reader notices
			return
		}
		spare = reuse(b)
	}
}

// reader passes frames to the event loop until the connection ends.
func (c *conn) reader(n *Node) {
	var buf []byte
	lost := func(why error) {
		c.net.Close()
		n.post(item{kind: lostItem, conn: c, err: why})
	}
	for {
		kind, content, next, err := readFrame(c.in, buf, n.cfg.MaxMessage+16)
		buf = next
		if err != nil {
			lost(err)
			return
		}
		it := item{kind: frameItem, frame: kind, conn: c}
		switch kind {
		case messageFrame:
			rest, err := takeNumbers(content, &it.number)
			if err == nil {
				it.msg, err = n.cfg.Codec.Decode(rest)
			}
			if err != nil {
				lost(err)
				return
			}
			if n.rec != nil {
				it.data = append([]byte(nil), rest...)
			}
		case ackFrame:
			if _, err := takeNumbers(content, &it.number); err != nil {
				lost(err)
				return
			}
		case closeFrame:
		default:
			lost(errFrame)
			return
		}
		if !n.post(it) {
			c.net.Close()
			return
		}
	}
}
