// Sockets of nodes, which the simulated network connects.

package net

import (
	"context"
	"errors"
	"syscall"
)

func macemcInNode() bool

// macemcNetwork is the network of the calling goroutine's node. Package bubble provides it.
var macemcNetwork interface {
	Dial(ctx context.Context, local, remote *TCPAddr) (Conn, error) // a nil address means any
	Listen(local *TCPAddr) (Listener, error)
	Packet(local, remote *UDPAddr) (PacketConn, error)
	Lookup(name string) IP // nil means that the host does not exist
	Name(ip IP) string     // an empty string means that no node has the address
	IP() IP                // of the node
	Value(key string) *any // storage of the node under a key; a boot clears it
	Refuse(what string)    // does not return: the system cannot be checked
}

func macemc_network(n interface {
	Dial(ctx context.Context, local, remote *TCPAddr) (Conn, error)
	Listen(local *TCPAddr) (Listener, error)
	Packet(local, remote *UDPAddr) (PacketConn, error)
	Lookup(name string) IP
	Name(ip IP) string
	IP() IP
	Value(key string) *any
	Refuse(what string)
}) {
	macemcNetwork = n
}

// macemcValue returns a place where other packages store a value for the node.
func macemcValue(key string) *any { return macemcNetwork.Value(key) }

// macemcNodeSocket replaces socket for a node.
func macemcNodeSocket(ctx context.Context, network string, sotype int, laddr, raddr sockaddr,
	control func(context.Context, string, string, syscall.RawConn) error) (*netFD, error) {
	if network[:2] == "un" {
		return macemcNewSocket(ctx, network, syscall.AF_UNIX, sotype, false, laddr, raddr, control)
	}
	fd := macemcNodeFD(macemcFamilyFor(network, laddr, raddr), sotype, network)
	fd.reuseAddr = raddr == nil && sotype == syscall.SOCK_STREAM
	if err := fd.macemcControlled(ctx, laddr, raddr, control); err != nil {
		fd.macemcCloseReal()
		return nil, err
	}
	var err error
	switch network {
	case "tcp", "tcp4", "tcp6":
		err = fd.macemcOpenStream(ctx, network, laddr, raddr)
	case "udp", "udp4", "udp6":
		err = fd.macemcOpenPackets(network, laddr, raddr)
	default:
		macemcNetwork.Refuse("it uses a socket of network " + network)
	}
	if err != nil {
		fd.macemcCloseReal()
		if network[len(network)-1] == '6' && errors.Is(err, syscall.EADDRINUSE) {
			macemcNetwork.Refuse("it listens at one port with IPv4 and IPv6")
		}
		return nil, mapErr(macemcBare(err))
	}
	return fd, nil
}

// macemcOpenStream dials or listens.
func (fd *netFD) macemcOpenStream(ctx context.Context, network string, laddr, raddr sockaddr) error {
	local, _ := laddr.(*TCPAddr)
	if remote, _ := raddr.(*TCPAddr); remote != nil {
		c, err := macemcNetwork.Dial(ctx, local, macemcRemote(remote))
		if err == nil {
			fd.macemcStream(c)
		}
		return err
	}
	l, err := macemcNetwork.Listen(local)
	if err != nil {
		return err
	}
	fd.node.listener, fd.laddr = l, l.Addr()
	if ip := macemcShown(network, laddr); ip != nil {
		fd.laddr = &TCPAddr{IP: ip, Port: l.Addr().(*TCPAddr).Port}
	}
	return nil
}

// macemcOpenPackets opens a socket for datagrams.
func (fd *netFD) macemcOpenPackets(network string, laddr, raddr sockaddr) error {
	local, _ := laddr.(*UDPAddr)
	remote, _ := raddr.(*UDPAddr)
	if remote != nil && (len(remote.IP) == 0 || remote.IP.IsUnspecified()) {
		remote = &UDPAddr{IP: IPv4(127, 0, 0, 1), Port: remote.Port}
	}
	if local != nil && local.IP.IsMulticast() {
		macemcNetwork.Refuse("it uses multicast")
	}
	p, err := macemcNetwork.Packet(local, remote)
	if err != nil {
		return err
	}
	fd.node.packets, fd.laddr = p.(macemcPackets), p.LocalAddr()
	if remote != nil {
		fd.raddr, fd.isConnected = remote, true
	} else if ip := macemcShown(network, laddr); ip != nil {
		fd.laddr = &UDPAddr{IP: ip, Port: p.LocalAddr().(*UDPAddr).Port}
	}
	return nil
}

// macemcShown returns the own address that a socket bound to laddr shows; nil means the one that it has. An unspecified address is that of
// IPv6, unless the network has IPv4 only.
func macemcShown(network string, laddr sockaddr) IP {
	switch ip, _, _ := macemcParts(laddr); {
	case len(ip) > 0 && ip.IsLoopback():
		return ip
	case len(ip) > 0 && !ip.IsUnspecified():
		return nil
	case network[len(network)-1] == '4':
		return IPv4zero
	}
	return IPv6unspecified
}

// macemcFamilyFor returns the family of a socket. That of a socket for all addresses is IPv6, unless the network has IPv4 only.
func macemcFamilyFor(network string, laddr, raddr sockaddr) int {
	ip, _, _ := macemcParts(laddr)
	to, _, _ := macemcParts(raddr)
	if len(to) > 0 {
		ip = to
	}
	if network[len(network)-1] == '4' || network[0] != 't' && network[0] != 'u' || ip.To4() != nil || to == nil && raddr != nil {
		return syscall.AF_INET
	}
	return syscall.AF_INET6
}

func macemcNodeFD(family, sotype int, network string) *netFD {
	fd := macemcNewFD(family, sotype, network)
	fd.fakeNetFD = &fakeNetFD{fd: fd}
	fd.node = &macemcEnd{}
	return fd
}

// macemcRemote replaces the unspecified address by the loopback address.
func macemcRemote(a *TCPAddr) *TCPAddr {
	if len(a.IP) > 0 && !a.IP.IsUnspecified() {
		return a
	}
	return &TCPAddr{IP: IPv4(127, 0, 0, 1), Port: a.Port}
}

func (fd *netFD) macemcStream(c Conn) {
	fd.node.stream, fd.laddr, fd.raddr, fd.isConnected = c, c.LocalAddr(), c.RemoteAddr(), true
}

// macemcBare removes the OpError, which the caller adds again.
func macemcBare(err error) error {
	if e, ok := err.(*OpError); ok {
		return e.Err
	}
	return err
}
