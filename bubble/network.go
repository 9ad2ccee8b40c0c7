package bubble

import (
	"context"
	"net"
)

// system replaces system calls in package net for goroutines of a node. A nil address means any.
type system interface {
	Dial(ctx context.Context, local, remote *net.TCPAddr) (net.Conn, error)
	Listen(local *net.TCPAddr) (net.Listener, error)
	Packet(local, remote *net.UDPAddr) (net.PacketConn, error)
	Lookup(name string) net.IP // nil means that the host does not exist
	Name(ip net.IP) string     // an empty string means that no node has the address
	IP() net.IP                // of the node
	Value(key string) *any     // storage of the node under a key; a boot clears it
	Refuse(what string)        // does not return, see [Host.unsimulated]
}

// sockets implements system on the host of the calling goroutine.
type sockets struct{}

func current() *Host { return stepping.now.host }

func (sockets) Dial(ctx context.Context, local, remote *net.TCPAddr) (net.Conn, error) {
	h, port := current(), 0
	if local != nil {
		if _, _, err := h.bind(local.IP); err != nil {
			return nil, err
		}
		port = local.Port
	}
	c, err := h.dial(ctx, port, remote)
	if err != nil {
		return nil, err
	}
	return c, nil
}

func (sockets) Listen(local *net.TCPAddr) (net.Listener, error) {
	if local == nil {
		local = &net.TCPAddr{}
	}
	h := current()
	ip, any, err := h.bind(local.IP)
	if err != nil {
		return nil, err
	}
	l, err := h.listen(ip, any, local.Port)
	if err != nil {
		return nil, err
	}
	return l, nil
}

func (sockets) Packet(local, remote *net.UDPAddr) (net.PacketConn, error) {
	if local == nil {
		local = &net.UDPAddr{}
	}
	h := current()
	ip, any, err := h.bind(local.IP)
	if err != nil {
		return nil, err
	}
	if remote != nil {
		if _, err := h.owner(remote.IP); err != nil {
			return nil, err
		}
	}
	p, err := h.packet(ip, any, local.Port)
	if err != nil {
		return nil, err
	}
	if p.peer = remote; remote != nil && remote.IP.IsLoopback() {
		p.addr.IP = loopback
	}
	return p, nil
}

func (sockets) Refuse(what string) { current().unsimulated(what) }

func (sockets) Lookup(name string) net.IP { return current().lookup(name) }

func (sockets) Name(ip net.IP) string {
	h := current()
	node, err := h.owner(ip)
	switch {
	case err != nil:
		return ""
	case ip.IsLoopback():
		return "localhost"
	}
	return h.name(node)
}

func (sockets) IP() net.IP { return IP(current().self) }

func (sockets) Value(key string) *any {
	h := current()
	if h.values == nil {
		h.values = map[string]*any{}
	}
	if h.values[key] == nil {
		h.values[key] = new(any)
	}
	return h.values[key]
}
