// Sockets of explored tests, on the in-memory network.

package net

import (
	"context"
	"internal/poll"
	"internal/singleflight"
	"internal/stringslite"
	"internal/synctest"
	"net/netip"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
)

func macemcTested() bool

func init() {
	synctest.OnMacemcReset(func() {
		clear(macemcBound[:])
		macemcLastPort, macemcMaxPort = macemcFirstPort, macemcFirstPort
		for len(macemcReals) > 0 {
			macemcReals[0].macemcCloseReal()
		}
		for _, name := range macemcFiles {
			syscall.Unlink(name)
		}
		macemcFiles = nil
		DefaultResolver.lookupGroup = singleflight.Group{} // a goroutine that was halted may be in it
	})
}

// macemcNoName reports whether a test asks for a name that does not exist (RFC 6761): one below invalid, or other records than addresses
// below localhost. A resolver with a Dial function of its own sends the question.
func macemcNoName(r *Resolver, name string, other bool) bool {
	name = stringslite.TrimSuffix(name, ".")
	return macemcTested() && (r == nil || r.Dial == nil) &&
		(stringsHasSuffixFold(name, ".invalid") || other && stringsHasSuffixFold(name, ".localhost"))
}

// macemcFiles are the files of Unix sockets of a run. Closing a listener removes its file.
var macemcFiles []string

func macemcRefuse(reason string)
func macemcRefuseStarted(reason string)

const macemcOutsideSocket = "it reaches a socket outside of the run"

// macemcSocket is the part of a simulated socket that the network for js/wasm does not have.
type macemcSocket struct {
	macemcName
	macemcOptions
	closed        uint32
	refs          int           // number of functions of RawConn that use the descriptor
	unused        chan struct{} // Close waits for it
	unread        bool
	reads, writes macemcLock
}

// macemcNewSocket replaces socket for an explored test.
func macemcNewSocket(ctx context.Context, net string, family, sotype int, ipv6only bool, laddr, raddr sockaddr,
	control func(context.Context, string, string, syscall.RawConn) error) (*netFD, error) {
	switch sotype {
	case syscall.SOCK_STREAM, syscall.SOCK_SEQPACKET, syscall.SOCK_DGRAM:
	default:
		macemcRefuse("it uses raw sockets")
	}
	fd := macemcNewFD(family, sotype, net)
	fd.macemcSimulate()
	fd.v6only = ipv6only
	fd.reuseAddr = raddr == nil && sotype != syscall.SOCK_DGRAM && family != syscall.AF_UNIX
	err := fd.macemcControlled(ctx, laddr, raddr, control)
	fd.macemcReadOptions()
	switch {
	case err != nil:
	case raddr == nil:
		err = macemcListen(fd, laddr)
	default:
		err = macemcConnect(ctx, fd, laddr, raddr)
	}
	if err != nil {
		fd.Close()
		return nil, err
	}
	return fd, nil
}

// macemcControlled calls the control function of a dialer or listener, if there is one.
func (fd *netFD) macemcControlled(ctx context.Context, laddr, raddr sockaddr,
	control func(context.Context, string, string, syscall.RawConn) error) error {
	if control == nil {
		return nil
	}
	at := raddr
	if at == nil {
		at = laddr
	}
	return control(ctx, fd.ctrlNetwork(), at.String(), newRawConn(fd))
}

// macemcSimulate makes a socket one of the in-memory network. It stays open until Close, although a finalizer would close it.
func (fd *netFD) macemcSimulate() {
	fd.fakeNetFD = newFakeNetFD(fd)
	runtime.SetFinalizer(fd, (*netFD).Close)
}

func macemcClose(fd *netFD) error {
	runtime.SetFinalizer(fd, nil)
	return fd.fakeNetFD.Close()
}

// macemcNewFD returns a socket without a descriptor. The zero value would be standard input.
func macemcNewFD(family, sotype int, net string) *netFD {
	return &netFD{pfd: poll.FD{Sysfd: -1}, family: family, sotype: sotype, net: net}
}

// macemcBuffer returns the number of bytes that a socket holds for its reader: less than Linux does.
func macemcBuffer(fd *netFD) int {
	switch {
	case fd.sotype == syscall.SOCK_DGRAM:
		return defaultBuffer
	case fd.family == syscall.AF_UNIX:
		return 160 << 10
	}
	return 2 << 20
}

func macemcListen(fd *netFD, laddr sockaddr) error {
	if ip, _, _ := macemcParts(laddr); ip.IsMulticast() {
		macemcRefuse("it uses multicast")
	}
	if fd.sotype == syscall.SOCK_DGRAM {
		fd.queue = newPacketQueue(defaultBuffer)
	} else {
		fd.incoming = make(chan []*netFD, 1)
		fd.incomingFull = make(chan []*netFD, 1)
		fd.incomingEmpty = make(chan bool, 1)
		fd.incomingEmpty <- true
	}
	if kind := macemcKindOf(laddr); kind != 0 {
		return macemcBindIP(fd, kind, laddr, nil)
	}
	return macemcBindUnix(fd, laddr, true)
}

func macemcConnect(ctx context.Context, fd *netFD, laddr, raddr sockaddr) error {
	fd.queue = newPacketQueue(macemcBuffer(fd))
	if kind := macemcKindOf(raddr); kind != 0 {
		ip, port, zone := macemcParts(macemcLoopbackFor(fd.family, raddr))
		raddr = macemcAddr(kind, fd.family, ip, port, zone)
		if _, err := raddr.sockaddr(fd.family); err != nil {
			return err
		}
		fd.raddr = raddr
		switch {
		case ip.IsMulticast():
			macemcRefuse("it uses multicast")
		case !ip.IsLoopback() && macemcHasAddress(fd.family, ip, zone) != nil:
			macemcRefuse("it reaches another machine")
		}
		if err := macemcBindIP(fd, kind, laddr, raddr); err != nil {
			return err
		}
		if kind == macemcUDP {
			fd.isConnected = true
			return nil
		}
		from := macemcEndpoint(fd.laddr.(sockaddr))
		return macemcConnectTo(ctx, fd, macemcReceiver(kind, macemcEndpoint(raddr), from))
	}
	fd.raddr = raddr
	if err := macemcBindUnix(fd, laddr, false); err != nil {
		return err
	}
	name, err := macemcUnixName(raddr, fd.sotype)
	if err != nil {
		return os.NewSyscallError("connect", err)
	}
	to := macemcNamedSocket(name)
	if to != nil && to.sotype != fd.sotype {
		return os.NewSyscallError("connect", syscall.EPROTOTYPE)
	}
	if to != nil {
		fd.raddr = to.laddr
	}
	if to != nil && fd.sotype == syscall.SOCK_DGRAM {
		fd.isConnected, fd.to = true, name
		return nil
	}
	return macemcConnectTo(ctx, fd, to)
}

// macemcConnectTo connects a socket to a listener; nil means that the run has none with that address.
func macemcConnectTo(ctx context.Context, fd, ln *netFD) error {
	raddr := fd.raddr.(sockaddr)
	if ln == nil && macemcTested() && !macemcOwnPort(raddr) && macemcServed(fd.family, fd.sotype, raddr) {
		macemcRefuseStarted(macemcOutsideSocket)
	}
	if ln == nil || ln.incoming == nil {
		return os.NewSyscallError("connect", syscall.ECONNREFUSED)
	}
	peer := macemcNewFD(ln.family, ln.sotype, ln.net)
	peer.laddr, peer.raddr, peer.isConnected = ln.laddr, fd.laddr, true
	if kind := macemcKindOf(raddr); kind != 0 && ln.family == fd.family {
		peer.laddr = raddr
	} else if kind != 0 {
		ip, port, zone := macemcParts(raddr)
		peer.laddr = macemcAddr(kind, ln.family, ip, port, zone)
		ip, port, zone = macemcParts(fd.laddr.(sockaddr))
		peer.raddr = macemcAddr(kind, ln.family, ip, port, zone)
	}
	peer.macemcSimulate()
	peer.queue = newPacketQueue(macemcBuffer(peer))
	var incoming []*netFD
	var open bool
	select {
	case <-ctx.Done():
		return mapErr(ctx.Err())
	case open = <-ln.incomingEmpty:
	case incoming, open = <-ln.incoming:
	}
	if !open {
		return os.NewSyscallError("connect", syscall.ECONNREFUSED)
	}
	fd.isConnected, fd.peer, peer.peer = true, peer, fd
	if incoming = append(incoming, peer); len(incoming) >= listenerBacklog() {
		ln.incomingFull <- incoming
	} else {
		ln.incoming <- incoming
	}
	return nil
}

// macemcServed reports whether a process of this machine accepts connections or datagrams at an address. It sends no datagram.
func macemcServed(family, sotype int, to sockaddr) bool {
	a, err := to.sockaddr(family)
	if err != nil || a == nil {
		return false
	}
	s, err := sysSocket(family, sotype, 0)
	if err != nil {
		return false
	}
	defer syscall.Close(s)
	syscall.SetNonblock(s, false)
	if _, ok := to.(*UDPAddr); ok {
		// The option lets several of these sockets have the address, if other test binaries look for its receiver, too.
		return syscall.SetsockoptInt(s, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1) == nil && syscall.Bind(s, a) == syscall.EADDRINUSE
	}
	// A local process answers at once. The limit of the wait ends the call if its queue is full.
	wait := syscall.Timeval{Usec: 100_000}
	if syscall.SetsockoptTimeval(s, syscall.SOL_SOCKET, syscall.SO_SNDTIMEO, &wait) != nil {
		return false
	}
	return syscall.Connect(s, a) == nil
}

func macemcUnscheduled(d int32, once uintptr)

// macemcUndelivered is called for a datagram to an address that no socket of the run has. The receiver may be another process, unless the
// run has given the port to a socket that is closed. None of that is a scheduling point.
func macemcUndelivered(fd *netFD, to sockaddr) {
	if !macemcTested() {
		return
	}
	ip, _, zone := macemcParts(to)
	switch {
	case ip.IsMulticast():
		macemcRefuse("it uses multicast")
	case ip != nil && !ip.IsLoopback() && macemcHasAddress(fd.family, ip, zone) != nil:
		macemcRefuse("it reaches another machine")
	}
	macemcUnscheduled(1<<16, 0)
	served := !macemcOwnPort(to) && macemcServed(fd.family, fd.sotype, to)
	if macemcUnscheduled(-1<<16, 0); served {
		macemcRefuseStarted(macemcOutsideSocket)
	}
}

func macemcCallerOutside() bool
func macemcRefuseOutside(reason string)

// macemcReached is called when a goroutine outside the test of a run connects to an address on the system's network, or sends a datagram
// there. If a socket of the run has the address, the test is not explored.
func macemcReached(sotype int, to Addr) {
	a, ok := to.(sockaddr)
	if !ok {
		return
	}
	if kind := macemcKindOf(a); kind != 0 {
		at := macemcEndpoint(macemcLoopbackFor(a.family(), a))
		if macemcBest(macemcName{kind: kind, port: int(at.Port())}, at.Addr(), netip.AddrPort{}) == nil {
			return
		}
	} else if name, err := macemcUnixName(a, sotype); err != nil || macemcWithName(name) == nil {
		return
	}
	macemcRefuseOutside("a goroutine that a package has started reaches a socket of the test")
}

// macemcCloseRead is the part of Close for the socket's own queue.
func (ffd *fakeNetFD) macemcCloseRead() error {
	q := ffd.queue.get()
	q.readClosed, q.reset = true, q.nBytes > 0
	ffd.unread = q.reset
	ffd.queue.put(q)
	ffd.queue.macemcUsed(macemcOpClose, 0, nil)
	return nil
}

// macemcCloseWrite is the part of Close for the queue of the peer. It resets the peer if data was not read, or if the linger time is 0. The
// peer can still read the data that it has received, as on Linux. The error is returned once.
func (ffd *fakeNetFD) macemcCloseWrite() error {
	q := ffd.peer.queue.get()
	if _, unix := ffd.fd.laddr.(*UnixAddr); ffd.unread && (unix || !q.writeClosed) {
		q.noLinger = true
	}
	reset := q.noLinger
	q.writeClosed = true
	ffd.peer.queue.put(q)
	ffd.peer.queue.macemcUsed(macemcOpClose, 0, nil)
	if reset && !ffd.unread {
		q = ffd.queue.get()
		q.reset = true
		ffd.queue.put(q)
	}
	return nil
}

func (pq *packetQueue) macemcShutRead() error {
	q := pq.get()
	q.readShut = true
	pq.put(q)
	pq.macemcUsed(macemcOpClose, 0, nil)
	return nil
}

// macemcDiscard reports whether a packet is sent, but not received. A TCP socket sends one packet to a closed peer, which answers with a
// reset.
func (q *packetQueueState) macemcDiscard(b []byte, from sockaddr) (bool, error) {
	unix, _ := from.(*UnixAddr)
	_, tcp := from.(*TCPAddr)
	switch {
	case unix != nil && unix.Net != "unixgram" && (q.readClosed || q.readShut):
		return false, os.NewSyscallError("write", syscall.EPIPE)
	case tcp && q.readClosed && q.reset:
		return false, os.NewSyscallError("write", syscall.ECONNRESET)
	case q.readClosed:
		q.reset = len(b) > 0
		return true, nil
	}
	return len(b) == 0 && (tcp || unix != nil && unix.Net == "unix"), nil
}

// macemcWriteError returns the error of Write for an error of the peer's queue. A reset that has been reported, or that follows the end of
// the peer's data, results in EPIPE.
func (ffd *fakeNetFD) macemcWriteError(err error) error {
	e, ok := err.(*os.SyscallError)
	if !ok {
		return err
	}
	if atomic.LoadUint32(&ffd.closed) != 0 {
		return ErrClosed
	}
	if e.Err == syscall.ECONNRESET {
		q := ffd.queue.get()
		if q.writeClosed && !q.noLinger {
			e.Err = syscall.EPIPE
		}
		q.noLinger = false
		ffd.queue.put(q)
	}
	return err
}
