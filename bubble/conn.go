package bubble

import (
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/macemc/macemc/bubble/internal/waitqueue"
	"github.com/macemc/macemc/sim"
)

// conn is a connection.
type conn struct {
	h             *Host
	id            ConnID
	dialled       bool // the peer dialled
	peer          sim.NodeID
	local, remote *net.TCPAddr
	in            waitqueue.Queue[string] // received and not read
	out           waitqueue.List          // goroutines that wait to write
	unread        int                     // bytes written that the peer has not reported as read; at most connWindow
	unreported    int                     // bytes read since the last report to the peer
	finished      bool                    // the write side is closed
	broken        error                   // error of later writes; nil means none
	closed        bool                    // by the program
}

func (c *conn) fail(op string, err error) error {
	return &net.OpError{Op: op, Net: "tcp", Source: c.local, Addr: c.remote, Err: err}
}

func (c *conn) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	d, err := c.in.Get()
	if err == io.EOF {
		return 0, err
	}
	if err != nil {
		return 0, c.fail("read", err)
	}
	n := copy(b, d)
	if n < len(d) {
		c.in.Unget(d[n:])
	}
	c.consume(n)
	return n, nil
}

// connWindow is the number of bytes that a connection holds for its reader.
const connWindow = 128 << 10

// consume reports to the peer that n bytes were read, once they add up to half of the window.
func (c *conn) consume(n int) {
	if c.unreported += n; c.unreported >= connWindow/2 && !c.closed {
		c.send(Message{Kind: Window, To: c.unreported})
		c.unreported = 0
	}
}

// send sends a message to the other end.
func (c *conn) send(m Message) {
	m.Conn, m.Back = c.id, c.dialled
	c.h.frame(c.peer, m)
}

// Write blocks while the network has no room for data to that node, or the peer does not read.
func (c *conn) Write(b []byte) (n int, err error) {
	yield()
	for {
		switch {
		case c.closed:
			return n, c.fail("write", net.ErrClosed)
		case c.broken != nil:
			return n, c.fail("write", c.broken)
		case c.finished:
			return n, c.fail("write", os.NewSyscallError("write", syscall.EPIPE))
		case c.out.Over():
			return n, c.fail("write", os.ErrDeadlineExceeded)
		case c.h.room(c.peer):
			if k := min(len(b)-n, connWindow-c.unread); k > 0 {
				c.send(Message{Kind: Data, Data: string(b[n : n+k])})
				c.unread += k
				n += k
			}
			if n == len(b) {
				return n, nil
			}
		}
		c.out.Wait()
	}
}

// Ready reports whether a Read, or a Write of one byte, would return at once. Package net calls it.
func (c *conn) Ready(write bool) bool {
	if !write {
		return c.in.Ready()
	}
	return c.closed || c.broken != nil || c.finished || c.out.Over() || c.h.room(c.peer) && c.unread < connWindow
}

// Await waits until the connection is ready, or its deadline passes.
func (c *conn) Await(write bool) error {
	if !write {
		return c.in.Await()
	}
	for !c.Ready(true) {
		c.out.Wait()
	}
	switch {
	case c.closed:
		return net.ErrClosed
	case c.out.Over():
		return os.ErrDeadlineExceeded
	}
	return nil
}

// TryWrite writes what there is room for.
func (c *conn) TryWrite(b []byte) (int, error) {
	if !c.Ready(true) {
		return 0, os.NewSyscallError("write", syscall.EAGAIN)
	}
	return c.Write(b[:min(len(b), max(connWindow-c.unread, 0))])
}

// CloseWrite sends the end of the stream after the data that was written.
func (c *conn) CloseWrite() error {
	if c.closed {
		return c.fail("close", net.ErrClosed)
	}
	if !c.finished && c.broken == nil {
		c.finished = true
		c.send(Message{Kind: Finish})
	}
	return nil
}

// CloseRead makes reads return io.EOF. Data that the peer sends is dropped.
func (c *conn) CloseRead() error {
	if c.closed {
		return c.fail("close", net.ErrClosed)
	}
	for _, d := range c.in.Items {
		c.consume(len(d))
	}
	c.in.Abort(io.EOF)
	return nil
}

func (c *conn) Close() error {
	if c.closed {
		return c.fail("close", net.ErrClosed)
	}
	c.CloseWrite()
	c.closed = true
	c.in.Close()
	c.out.Wake()
	c.h.forget(c)
	return nil
}

// breaks closes a connection with an error.
func (c *conn) breaks(err error) {
	c.broken = err
	c.in.Abort(err)
	c.out.Wake()
	c.h.forget(c)
}

func (c *conn) LocalAddr() net.Addr                { return c.local }
func (c *conn) RemoteAddr() net.Addr               { return c.remote }
func (c *conn) SetReadDeadline(t time.Time) error  { c.in.SetDeadline(t); return nil }
func (c *conn) SetWriteDeadline(t time.Time) error { c.out.SetDeadline(t); return nil }

func (c *conn) SetDeadline(t time.Time) error {
	c.in.SetDeadline(t)
	c.out.SetDeadline(t)
	return nil
}
