package bubble

import (
	"context"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/macemc/macemc/bubble/internal/waitqueue"
	"github.com/macemc/macemc/sim"
)

// acceptLimit is the maximum number of connections that wait to be accepted. Further ones are refused.
const acceptLimit = 128

var (
	errRefused = os.NewSyscallError("connect", syscall.ECONNREFUSED)
	errReset   = os.NewSyscallError("read", syscall.ECONNRESET)
)

type listener struct {
	h    *Host
	addr *net.TCPAddr
	any  bool // bound to all addresses of the node
	in   waitqueue.Queue[*conn]
}

// Listen opens a listener. network is tcp or tcp4. Port 0 in address selects a free port.
func (h *Host) Listen(network, address string) (net.Listener, error) {
	fail := func(err error) (net.Listener, error) {
		return nil, &net.OpError{Op: "listen", Net: network, Err: err}
	}
	if network != "tcp" && network != "tcp4" {
		return fail(net.UnknownNetworkError(network))
	}
	ip, any, port, err := h.own(address)
	if err != nil {
		return fail(err)
	}
	l, err := h.listen(ip, any, port)
	if err != nil {
		return fail(err)
	}
	return l, nil
}

// listen opens a listener on an address of the node. Port 0 selects a free port.
func (h *Host) listen(ip net.IP, any bool, port int) (*listener, error) {
	switch {
	case port == 0:
		port = h.freePort()
	case h.listeners[port] != nil:
		return nil, os.NewSyscallError("bind", syscall.EADDRINUSE)
	}
	l := &listener{h: h, addr: &net.TCPAddr{IP: ip, Port: port}, any: any}
	h.listeners[port] = l
	return l, nil
}

func (l *listener) Accept() (net.Conn, error) {
	c, err := l.in.Get()
	if err != nil {
		return nil, &net.OpError{Op: "accept", Net: "tcp", Addr: l.addr, Err: err}
	}
	return c, nil
}

func (l *listener) Close() error {
	if l.in.Err != nil {
		return net.ErrClosed
	}
	for _, c := range l.in.Items { // these are never accepted
		c.send(Message{Kind: Reset})
		c.breaks(net.ErrClosed)
	}
	l.in.Close()
	delete(l.h.listeners, l.addr.Port)
	return nil
}

func (l *listener) Addr() net.Addr                     { return l.addr }
func (l *listener) SetDeadline(t time.Time) error      { l.in.SetDeadline(t); return nil }
func (l *listener) SetReadDeadline(t time.Time) error  { l.in.SetDeadline(t); return nil }
func (l *listener) SetWriteDeadline(t time.Time) error { return nil }

// Dial connects to a port of a node. It has the signature of http.Transport.DialContext and similar fields and options. It blocks until the
// other node answers, the connection is refused, or ctx is done.
func (h *Host) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	fail := func(err error) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}
	if !strings.HasPrefix(network, "tcp") {
		return fail(net.UnknownNetworkError(network))
	}
	ip, port, err := h.resolve(address)
	if err != nil {
		return fail(err)
	}
	remote := &net.TCPAddr{IP: ip, Port: port}
	c, err := h.dial(ctx, 0, remote)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Addr: remote, Err: err}
	}
	return c, nil
}

// dial connects to an address from a port; 0 selects a free one.
func (h *Host) dial(ctx context.Context, port int, remote *net.TCPAddr) (*conn, error) {
	peer, err := h.owner(remote.IP)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if port == 0 {
		port = h.freePort()
	}
	h.lastConn++
	c := &conn{h: h, id: ConnID{int(h.self), h.boot, h.lastConn}, peer: peer, local: &net.TCPAddr{IP: IP(h.self), Port: port}, remote: remote}
	if remote.IP.IsLoopback() {
		c.local.IP = loopback
	}
	d := &dial{c: c, answer: make(chan error, 1)}
	h.dials = append(h.dials, d)
	c.send(Message{Kind: Dial, From: port, To: remote.Port, Loop: remote.IP.IsLoopback()})
	select {
	case err = <-d.answer:
	case <-ctx.Done():
		err = ctx.Err()
		c.send(Message{Kind: Reset})
		h.answer(c.id, err)
	}
	if err != nil {
		h.forget(c)
		return nil, err
	}
	return c, nil
}

// dial is a connection that is not yet established.
type dial struct {
	c      *conn
	answer chan error
}

// got handles a message of a connection.
func (h *Host) got(from sim.NodeID, m Message) {
	switch m.Kind {
	case Dial:
		l := h.listeners[m.To]
		if l == nil || len(l.in.Items) >= acceptLimit || !l.any && l.addr.IP.IsLoopback() != m.Loop {
			h.frame(from, Message{Kind: Refuse, Conn: m.Conn, Back: true})
			return
		}
		c := &conn{h: h, id: m.Conn, dialled: true, peer: from, local: l.addr, remote: &net.TCPAddr{IP: IP(from), Port: m.From}}
		if m.Loop {
			c.local, c.remote.IP = &net.TCPAddr{IP: loopback, Port: l.addr.Port}, loopback
		}
		h.conns = append(h.conns, c)
		c.send(Message{Kind: Accept})
		l.in.Put(c)
		return
	case Accept:
		h.answer(m.Conn, nil)
		return
	case Refuse:
		h.answer(m.Conn, errRefused)
		return
	}
	c := h.find(m.Conn, !m.Back)
	switch {
	case c == nil && (m.Kind == Data || m.Kind == Finish && slices.Contains(h.halfOpen, connEnd{m.Conn, !m.Back})): // closed at this end
		h.frame(from, Message{Kind: Reset, Conn: m.Conn, Back: !m.Back})
	case c == nil:
	case m.Kind == Data:
		if c.in.Err != nil {
			c.consume(len(m.Data)) // nobody reads it
		}
		c.in.Put(m.Data)
	case m.Kind == Window:
		c.unread -= m.To
		c.out.Wake()
	case m.Kind == Finish:
		c.in.Finish(io.EOF)
	case m.Kind == Reset:
		c.breaks(errReset)
	}
}

// answer completes a pending dial, if there is one with that ID.
func (h *Host) answer(id ConnID, err error) {
	i := slices.IndexFunc(h.dials, func(d *dial) bool { return d.c.id == id })
	if i < 0 {
		return
	}
	d := h.dials[i]
	h.dials = slices.Delete(h.dials, i, i+1)
	if err == nil {
		h.conns = append(h.conns, d.c)
	}
	d.answer <- err
}

// peerError breaks all connections with a node.
func (h *Host) peerError(peer sim.NodeID, refused bool) {
	err := errReset
	if refused {
		err = errRefused
	}
	for _, c := range slices.Clone(h.conns) {
		if c.peer == peer {
			c.breaks(err)
		}
	}
	for _, d := range slices.Clone(h.dials) {
		if d.c.peer == peer {
			h.answer(d.c.id, err)
		}
	}
}
