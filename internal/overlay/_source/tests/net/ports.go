// The addresses of sockets in a run: which are in use, and which socket receives what is sent to one.

package net

import (
	"internal/race"
	testrun "internal/runtime"
	"net/netip"
	"os"
	"syscall"
	"unsafe"
)

func macemcPoint(op testrun.Op, obj uintptr)

// macemcFirstPort precedes the first port of a socket that requests port 0.
const macemcFirstPort = 49151

// macemcKind is a space of names.
type macemcKind uint8

const (
	macemcTCP macemcKind = 1 + iota
	macemcUDP
	macemcUnixFile
	macemcUnixAbstract // macemcUnixAbstract+sotype
)

// macemcName is a name for which sockets contend: a port, or the name of a Unix socket.
type macemcName struct {
	kind     macemcKind
	port     int
	abstract string
	dev, ino uint64 // file of a Unix socket
}

// macemcBound contains the sockets that have a name, in lists by the hash of the name. The functions with the comment norace access it,
// each after one scheduling point.
var macemcBound [256]*netFD

// macemcLastPort is the last port that was given to a socket that requested port 0, and macemcMaxPort the highest one.
var macemcLastPort, macemcMaxPort = macemcFirstPort, macemcFirstPort

// slot returns the place of the list that has a name.
//
//go:norace
func (n *macemcName) slot() **netFD {
	all := &macemcBound
	if macemcInNode() {
		all = macemcNodeBound()
	}
	return &all[(uint64(n.port)^n.ino^uint64(len(n.abstract)))%uint64(len(all))]
}

// equals is ==, for which the compiler generates a function that reports its reads to the race detector.
//
//go:norace
func (n *macemcName) equals(other *macemcName) bool {
	return n.kind == other.kind && n.port == other.port && n.abstract == other.abstract && n.dev == other.dev && n.ino == other.ino
}

func macemcUseTable() { macemcPoint(testrun.Map, uintptr(unsafe.Pointer(&macemcBound))) }

// macemcParts returns the parts of an address of TCP or UDP. The zero values stand for nil.
func macemcParts(a sockaddr) (ip IP, port int, zone string) {
	switch a := a.(type) {
	case *TCPAddr:
		if a != nil {
			return a.IP, a.Port, a.Zone
		}
	case *UDPAddr:
		if a != nil {
			return a.IP, a.Port, a.Zone
		}
	}
	return nil, 0, ""
}

// macemcAddr returns an address as the system returns it for a socket of that family.
func macemcAddr(kind macemcKind, family int, ip IP, port int, zone string) sockaddr {
	if family == syscall.AF_INET {
		ip = ip.To4()
	} else {
		ip = ip.To16()
	}
	if kind == macemcTCP {
		return &TCPAddr{IP: ip, Port: port, Zone: zone}
	}
	return &UDPAddr{IP: ip, Port: port, Zone: zone}
}

func macemcKindOf(a sockaddr) macemcKind {
	switch a.(type) {
	case *TCPAddr:
		return macemcTCP
	case *UDPAddr:
		return macemcUDP
	}
	return 0
}

func macemcEndpoint(a sockaddr) netip.AddrPort {
	ip, port, _ := macemcParts(a)
	at, _ := netip.AddrFromSlice(ip)
	return netip.AddrPortFrom(at.Unmap(), uint16(port))
}

// macemcLoopbackFor replaces the unspecified address by the loopback address, as the system does for the destination.
func macemcLoopbackFor(family int, a sockaddr) sockaddr {
	ip, port, zone := macemcParts(a)
	if kind := macemcKindOf(a); kind == 0 || len(ip) > 0 && !ip.IsUnspecified() {
		return a
	} else if family == syscall.AF_INET || ip.To4() != nil {
		return macemcAddr(kind, family, IPv4(127, 0, 0, 1), port, zone)
	} else {
		return macemcAddr(kind, family, IPv6loopback, port, zone)
	}
}

// macemcSource returns the address from which the system sends to another one.
func macemcSource(to IP) IP {
	if to.To4() != nil && to.IsLoopback() {
		return IPv4(127, 0, 0, 1)
	}
	return to
}

// macemcBindIP gives a socket of TCP or UDP its address. raddr is the peer of a socket that connects.
func macemcBindIP(fd *netFD, kind macemcKind, laddr, raddr sockaddr) error {
	ip, port, zone := macemcParts(laddr)
	if ip != nil {
		if _, err := laddr.sockaddr(fd.family); err != nil {
			return err
		}
	}
	switch {
	case len(ip) > 0 && !ip.IsUnspecified():
		if !ip.IsLoopback() {
			if err := macemcHasAddress(fd.family, ip, zone); err != nil {
				return os.NewSyscallError("bind", err)
			}
		}
	case raddr != nil:
		to, _, _ := macemcParts(raddr)
		ip = macemcSource(to)
	case fd.family == syscall.AF_INET:
		ip = IPv4zero
	default:
		ip = IPv6zero
	}
	if raddr != nil {
		fd.from = macemcEndpoint(raddr)
	}
	macemcUseTable()
	chosen := port == 0
	if chosen {
		port = macemcNextPort(kind)
	}
	fd.laddr = macemcAddr(kind, fd.family, ip, port, zone)
	fd.macemcName = macemcName{kind: kind, port: port}
	fd.at = macemcEndpoint(fd.laddr.(sockaddr)).Addr()
	if chosen && raddr != nil && kind == macemcTCP { // no other socket can contend for the port of such a connection
		return nil
	}
	if !macemcPublish(fd) {
		return os.NewSyscallError("bind", syscall.EADDRINUSE)
	}
	return nil
}

// macemcHasAddress returns the error of the system if it does not have an address.
func macemcHasAddress(family int, ip IP, zone string) error {
	a, err := (&UDPAddr{IP: ip, Zone: zone}).sockaddr(family)
	if err != nil {
		return err
	}
	s, err := sysSocket(family, syscall.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(s)
	return syscall.Bind(s, a)
}

// macemcNextPort returns a port that no socket in the table has.
//
//go:norace
func macemcNextPort(kind macemcKind) int {
	for range 1 << 16 {
		if macemcLastPort++; macemcLastPort >= 1<<16 {
			macemcLastPort = macemcFirstPort + 1
		}
		macemcMaxPort = max(macemcMaxPort, macemcLastPort)
		if macemcWithName(macemcName{kind: kind, port: macemcLastPort}) == nil {
			break
		}
	}
	return macemcLastPort
}

// macemcOwnPort reports whether the run has given a port to one of its sockets.
//
//go:norace
func macemcOwnPort(a sockaddr) bool {
	_, port, _ := macemcParts(a)
	return port > macemcFirstPort && port <= macemcMaxPort
}

// macemcPublish adds a socket to the table, unless another one has its name. All that the caller did before comes before its use by others.
func macemcPublish(fd *netFD) bool {
	race.ReleaseMerge(unsafe.Pointer(fd.fakeNetFD))
	return macemcInsert(fd)
}

// macemcInsert adds a socket to the table, unless another one has its name.
//
//go:norace
func macemcInsert(fd *netFD) bool {
	first := fd.slot()
	for other := *first; other != nil; other = other.next {
		if other.equals(&fd.macemcName) && macemcConflict(fd, other) {
			return false
		}
	}
	fd.next, *first = *first, fd
	fd.bound = true
	return true
}

// macemcConflict reports whether a new socket cannot have its address because of another one with that name.
//
//go:norace
func macemcConflict(fd, other *netFD) bool {
	switch k := fd.kind; {
	case k != macemcTCP && k != macemcUDP:
		return true
	case fd.reusePort && other.reusePort:
		return false
	case fd.reuseAddr && other.reuseAddr && (k == macemcUDP || other.incoming == nil):
		return false
	}
	return macemcCovers(fd, other.at) || macemcCovers(other, fd.at)
}

// macemcCovers reports whether the address of a socket is that one, or includes it.
//
//go:norace
func macemcCovers(fd *netFD, at netip.Addr) bool {
	return fd.at == at || fd.at.IsUnspecified() && (fd.at.Is4() == at.Is4() || fd.at.Is6() && !fd.v6only)
}

//go:norace
func macemcRemove(fd *netFD) {
	if !fd.bound {
		return
	}
	fd.bound = false
	for at := fd.slot(); *at != nil; at = &(*at).next {
		if *at == fd {
			*at = fd.next
			return
		}
	}
}

// macemcReceiver returns the socket that receives what is sent to an address of TCP or UDP.
func macemcReceiver(kind macemcKind, to, from netip.AddrPort) *netFD {
	macemcUseTable()
	return macemcFound(macemcBest(macemcName{kind: kind, port: int(to.Port())}, to.Addr().Unmap().WithZone(""), from))
}

// macemcFound orders the creation of a socket before its use by the caller.
//
//go:norace
func macemcFound(fd *netFD) *netFD {
	if fd != nil {
		race.Acquire(unsafe.Pointer(fd.fakeNetFD))
	}
	return fd
}

// macemcBest returns the socket whose address fits best. Of several, it is the last one, or one that depends on the sender if they share
// the port.
//
//go:norace
func macemcBest(name macemcName, to netip.Addr, from netip.AddrPort) (best *netFD) {
	top, n := 0, 0
	for fd := *name.slot(); fd != nil; fd = fd.next {
		if !fd.equals(&name) || name.kind == macemcTCP && fd.incoming == nil || !macemcCovers(fd, to) {
			continue
		}
		score := 1
		if fd.at == to {
			score += 2
		}
		if fd.at.Is4() == to.Is4() {
			score++
		}
		if name.kind == macemcUDP && fd.from.IsValid() {
			if fd.from != from {
				continue
			}
			score += 4
		}
		switch {
		case score > top:
			best, top, n = fd, score, 1
		case score == top && fd.reusePort:
			if n++; int(from.Port())%n == 0 {
				best = fd
			}
		}
	}
	return best
}

// macemcNamedSocket returns the Unix socket with a name.
func macemcNamedSocket(name macemcName) *netFD {
	macemcUseTable()
	return macemcFound(macemcWithName(name))
}

//go:norace
func macemcWithName(name macemcName) *netFD {
	for fd := *name.slot(); fd != nil; fd = fd.next {
		if fd.equals(&name) {
			return fd
		}
	}
	return nil
}
