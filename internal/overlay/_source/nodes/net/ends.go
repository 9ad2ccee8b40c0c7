// The ends of connections and datagram sockets of nodes.

package net

import (
	"os"
	"syscall"
	"time"
)

// macemcEnd is a socket of a node. Exactly one of its first three fields is set.
type macemcEnd struct {
	stream   Conn
	listener Listener
	packets  macemcPackets
	peeked   []macemcPeeked
}

// macemcPackets is a socket for datagrams.
type macemcPackets interface {
	macemcDeadlines
	Receive(p []byte) (n, size int, from *UDPAddr, own IP, tos int, err error)
	Send(p []byte, to Addr, tos int) (int, error)
}

// macemcPeeked is data that the program has seen, but not read.
type macemcPeeked struct {
	data []byte
	macemcDatagram
}

func (e *macemcEnd) read(p []byte) (n int, err error) {
	d, err := e.next(p)
	return d.n, err
}

// next reads from a stream, or a datagram.
func (e *macemcEnd) next(p []byte) (d macemcDatagram, err error) {
	switch {
	case len(e.peeked) > 0:
		first := &e.peeked[0]
		d = first.macemcDatagram
		d.n = copy(p, first.data)
		if first.data = first.data[d.n:]; len(first.data) == 0 || e.packets != nil {
			e.peeked = e.peeked[1:]
		}
	case e.stream != nil:
		d.n, err = e.stream.Read(p)
		d.size = d.n
	case e.packets != nil:
		var from *UDPAddr
		var own IP
		if d.n, d.size, from, own, d.tos, err = e.packets.Receive(p); err == nil {
			d.from, d.own = from, macemcEndpoint(&UDPAddr{IP: own}).Addr()
		}
	default:
		err = os.NewSyscallError("read", syscall.ENOTCONN)
	}
	return d, macemcBare(err)
}

// send writes to a stream, or sends a datagram.
func (e *macemcEnd) send(p []byte, to Addr, tos int) (n int, err error) {
	switch {
	case e.stream != nil:
		n, err = e.stream.Write(p)
	case e.packets != nil && to != nil:
		n, err = e.packets.Send(p, to, tos)
	case e.packets != nil:
		err = os.NewSyscallError("write", syscall.EDESTADDRREQ)
	default:
		err = os.NewSyscallError("write", syscall.ENOTCONN)
	}
	return n, macemcBare(err)
}

// macemcReadiness contains methods of streams and sockets for datagrams.
type macemcReadiness interface {
	Ready(write bool) bool // whether a read, or the write of a byte, would return at once
	Await(write bool) error
	TryWrite(p []byte) (int, error)
}

func (e *macemcEnd) readiness() macemcReadiness { return e.any().(macemcReadiness) }

// tryRead reads without waiting. With peek, the data remains.
func (e *macemcEnd) tryRead(p []byte, peek bool) (int, error) {
	d, err := e.tryNext(p, peek)
	return d.n, err
}

func (e *macemcEnd) tryNext(p []byte, peek bool) (d macemcDatagram, err error) {
	if len(e.peeked) == 0 && !e.readiness().Ready(false) {
		return d, os.NewSyscallError("read", syscall.EAGAIN)
	}
	if !peek {
		return e.next(p)
	}
	if len(e.peeked) == 0 {
		data := make([]byte, 1<<16)
		if d, err = e.next(data); err != nil {
			return d, err
		}
		e.peeked = []macemcPeeked{{data[:d.n], d}}
	}
	d = e.peeked[0].macemcDatagram
	d.n = copy(p, e.peeked[0].data)
	return d, nil
}

// receive receives the next datagram.
func (e *macemcEnd) receive(p []byte, wait, peek bool) (d macemcDatagram, err error) {
	if e.packets == nil {
		return d, os.NewSyscallError("recvfrom", syscall.EINVAL)
	}
	if wait && !peek {
		return e.next(p)
	}
	return e.tryNext(p, peek)
}

// tryWrite writes what there is room for.
func (e *macemcEnd) tryWrite(p []byte) (int, error) {
	if e.stream == nil {
		return 0, os.NewSyscallError("write", syscall.ENOTCONN)
	}
	n, err := e.readiness().TryWrite(p)
	return n, macemcBare(err)
}

// raw calls a function until it returns true. Before each further call, it waits until there is something to read, or room.
func (e *macemcEnd) raw(call func() bool, write bool) error {
	for !call() {
		if err := e.readiness().Await(write); err != nil {
			return macemcBare(err)
		}
	}
	return nil
}

func (e *macemcEnd) accept(ln *netFD) (*netFD, error) {
	if e.listener == nil {
		return nil, os.NewSyscallError("accept", syscall.EINVAL)
	}
	c, err := e.listener.Accept()
	if err != nil {
		return nil, macemcBare(err)
	}
	fd := macemcNodeFD(ln.family, ln.sotype, ln.net)
	fd.macemcStream(c)
	return fd, nil
}

// macemcDeadlines contains the methods that all three kinds of sockets have.
type macemcDeadlines interface {
	SetDeadline(time.Time) error
	SetReadDeadline(time.Time) error
	SetWriteDeadline(time.Time) error
	Close() error
}

func (e *macemcEnd) any() macemcDeadlines {
	switch {
	case e.stream != nil:
		return e.stream
	case e.packets != nil:
		return e.packets
	}
	return e.listener.(macemcDeadlines)
}

func (e *macemcEnd) close(ffd *fakeNetFD) error {
	ffd.macemcCloseReal()
	return macemcBare(e.any().Close())
}

func (e *macemcEnd) closeRead() error {
	if c, ok := e.stream.(interface{ CloseRead() error }); ok {
		return macemcBare(c.CloseRead())
	}
	return os.NewSyscallError("shutdown", syscall.ENOTCONN)
}

func (e *macemcEnd) closeWrite() error {
	if c, ok := e.stream.(interface{ CloseWrite() error }); ok {
		return macemcBare(c.CloseWrite())
	}
	return os.NewSyscallError("shutdown", syscall.ENOTCONN)
}
