package realnet

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"
)

func (n *Node) acceptor() {
	defer context.AfterFunc(n.ctx, func() { n.tcp.Close() })()
	for {
		c, err := n.tcp.AcceptTCP()
		if err != nil {
			if n.ctx.Err() != nil {
				return
			}
			n.log.Warn("cannot accept a connection", "why", err)
			time.Sleep(10 * time.Millisecond)
			continue
		}
		n.wait.Go(func() { n.acceptHandshake(c) })
	}
}

// acceptHandshake handles the hello of a dialler.
func (n *Node) acceptHandshake(c *net.TCPConn) {
	stop := context.AfterFunc(n.ctx, func() { c.Close() })
	_ = c.SetReadDeadline(time.Now().Add(n.cfg.DialTimeout))
	in := bufio.NewReaderSize(c, 64<<10)
	var h hello
	kind, content, _, err := readFrame(in, nil, 64)
	if err == nil && kind == helloFrame {
		err = h.parse(content)
	}
	switch {
	case err != nil || kind != helloFrame:
		err = errors.Join(err, errFrame)
	case h.system != n.system || h.codec != n.cfg.Codec.ID():
		err = errors.New("it runs another system, or another version of it")
	case h.to != n.cfg.Node || h.from < 0 || int(h.from) >= len(n.addrs) || h.from == n.cfg.Node:
		err = fmt.Errorf("it is node %d and looks for node %d", h.from, h.to)
	}
	_ = c.SetReadDeadline(time.Time{})
	if err == nil && stop() && n.post(item{kind: acceptedItem, conn: newConn(c, in, h.from, h.incarnation), hello: h}) {
		return
	}
	c.Close()
	if err != nil && n.ctx.Err() == nil {
		n.log.Debug("a connection is refused", "from", c.RemoteAddr(), "why", err)
	}
}

// receiver reads datagrams. Invalid ones are counted and dropped.
func (n *Node) receiver() {
	defer context.AfterFunc(n.ctx, func() { n.udp.Close() })()
	buf := make([]byte, 1<<16)
	for {
		size, addr, err := n.udp.ReadFromUDPAddrPort(buf)
		if err != nil {
			if n.ctx.Err() != nil {
				return
			}
			continue // about an earlier datagram that could not be delivered
		}
		it, ok := n.datagram(buf[:size], addr)
		if !ok {
			n.counters.garbage.Add(1)
			continue
		}
		if !n.post(it) {
			return
		}
	}
}

func (n *Node) datagram(b []byte, addr netip.AddrPort) (it item, ok bool) {
	system, from, incarnation, number, data, ok := parseDatagram(b)
	if !ok || system != n.system || int(from) >= len(n.addrs) || netip.AddrPortFrom(addr.Addr().Unmap(), addr.Port()) != n.addrs[from] {
		return it, false
	}
	msg, err := n.cfg.Codec.Decode(data)
	if err != nil {
		return it, false
	}
	it = item{kind: datagramItem, peer: from, incarnation: incarnation, number: number, msg: msg}
	if n.rec != nil {
		it.data = append([]byte(nil), data...)
	}
	return it, true
}
