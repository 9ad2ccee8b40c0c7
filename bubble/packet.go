package bubble

import (
	"fmt"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/macemc/macemc/bubble/internal/waitqueue"
	"github.com/macemc/macemc/sim"
)

// received is a datagram in the receive buffer.
type received struct {
	from *net.UDPAddr
	own  net.IP // address to which it was sent
	tos  int
	data string
}

// packetLimit is the capacity of the receive buffer in datagrams. Further ones are dropped, as in a kernel.
const packetLimit = 1000

// maxDatagram is the size of the largest datagram.
const maxDatagram = 65507

// packetConn is a socket for datagrams.
type packetConn struct {
	h    *Host
	addr *net.UDPAddr
	any  bool         // bound to all addresses of the node
	peer *net.UDPAddr // nil means that datagrams from any address are accepted
	in   waitqueue.Queue[received]
}

// ListenPacket opens a socket for datagrams. network is udp or udp4. Port 0 in address selects a free port.
func (h *Host) ListenPacket(network, address string) (net.PacketConn, error) {
	fail := func(err error) (net.PacketConn, error) {
		return nil, &net.OpError{Op: "listen", Net: network, Err: err}
	}
	if network != "udp" && network != "udp4" {
		return fail(net.UnknownNetworkError(network))
	}
	ip, any, port, err := h.own(address)
	if err != nil {
		return fail(err)
	}
	p, err := h.packet(ip, any, port)
	if err != nil {
		return fail(err)
	}
	return p, nil
}

// packet opens a socket for datagrams on an address of the node. Port 0 selects a free port.
func (h *Host) packet(ip net.IP, any bool, port int) (*packetConn, error) {
	switch {
	case port == 0:
		port = h.freePort()
	case h.packets[port] != nil:
		return nil, os.NewSyscallError("bind", syscall.EADDRINUSE)
	}
	p := &packetConn{h: h, addr: &net.UDPAddr{IP: ip, Port: port}, any: any}
	h.packets[port] = p
	return p, nil
}

func (p *packetConn) ReadFrom(b []byte) (int, net.Addr, error) {
	n, _, from, _, _, err := p.Receive(b)
	if err != nil {
		return 0, nil, err
	}
	return n, from, nil
}

// Receive is ReadFrom that also returns the size of the datagram, the address that it was sent to, and its type of service. Package net
// calls it.
func (p *packetConn) Receive(b []byte) (n, size int, from *net.UDPAddr, own net.IP, tos int, err error) {
	d, err := p.in.Get()
	if err != nil {
		return 0, 0, nil, nil, 0, &net.OpError{Op: "read", Net: "udp", Source: p.addr, Err: err}
	}
	return copy(b, d.data), len(d.data), d.from, d.own, d.tos, nil
}

func (p *packetConn) WriteTo(b []byte, to net.Addr) (int, error) { return p.Send(b, to, 0) }

// Send is WriteTo with a type of service. Package net calls it.
func (p *packetConn) Send(b []byte, to net.Addr, tos int) (int, error) {
	yield()
	fail := func(err error) (int, error) {
		return 0, &net.OpError{Op: "write", Net: "udp", Source: p.addr, Addr: to, Err: err}
	}
	ip, port, err := p.h.resolve(to.String())
	var node sim.NodeID
	if err == nil {
		node, err = p.h.owner(ip)
	}
	switch {
	case p.in.Err != nil:
		return fail(p.in.Err)
	case err != nil:
		return fail(err)
	case len(b) > maxDatagram:
		return fail(os.NewSyscallError("sendto", syscall.EMSGSIZE))
	}
	p.h.effect(effect{kind: sendEffect, peer: node, msg: Message{Kind: Datagram, From: p.addr.Port, To: port, Data: string(b),
		TOS: tos, Loop: ip.IsLoopback()}})
	return len(b), nil
}

// Ready reports whether a ReadFrom or WriteTo would return at once. Package net calls it.
func (p *packetConn) Ready(write bool) bool { return write || p.in.Ready() }

// Await waits until there is a datagram, or the deadline passes.
func (p *packetConn) Await(write bool) error {
	if write {
		return nil
	}
	return p.in.Await()
}

// TryWrite fails: a datagram has an address.
func (p *packetConn) TryWrite([]byte) (int, error) {
	return 0, os.NewSyscallError("write", syscall.EDESTADDRREQ)
}

func (p *packetConn) Close() error {
	if p.in.Err != nil {
		return net.ErrClosed
	}
	p.in.Close()
	delete(p.h.packets, p.addr.Port)
	return nil
}

func (p *packetConn) LocalAddr() net.Addr                { return p.addr }
func (p *packetConn) SetDeadline(t time.Time) error      { p.in.SetDeadline(t); return nil }
func (p *packetConn) SetReadDeadline(t time.Time) error  { p.in.SetDeadline(t); return nil }
func (p *packetConn) SetWriteDeadline(t time.Time) error { return nil }

func (h *Host) gotDatagram(from sim.NodeID, m Message) {
	p := h.packets[m.To]
	if p == nil || len(p.in.Items) >= packetLimit || !p.any && p.addr.IP.IsLoopback() != m.Loop {
		return
	}
	sender, own := &net.UDPAddr{IP: IP(from), Port: m.From}, IP(h.self)
	if m.Loop {
		sender.IP, own = loopback, loopback
	}
	if p.peer == nil || p.peer.Port == sender.Port && p.peer.IP.Equal(sender.IP) {
		p.in.Put(received{sender, own, m.TOS, m.Data})
	}
}

// freePort returns an unused port.
func (h *Host) freePort() int {
	for {
		h.lastPort++
		port := 32768 + h.lastPort%28000
		if h.packets[port] == nil && h.listeners[port] == nil {
			return port
		}
		if h.lastPort > 1<<20 {
			panic(fmt.Sprintf("node %d: no port is free", h.self))
		}
	}
}
