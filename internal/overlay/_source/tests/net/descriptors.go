// Descriptors of simulated sockets: a socket of the system that is not connected has the options, and simulated data passes through system
// calls on it.

package net

import (
	"internal/poll"
	"internal/race"
	"net/netip"
	"os"
	"syscall"
	"time"
	"unsafe"
)

// macemcOptions is the part of a simulated socket that depends on its options.
type macemcOptions struct {
	next                 *netFD         // in the list of macemcBound
	at                   netip.Addr     // own address
	from                 netip.AddrPort // peer of a connected socket
	to                   macemcName     // peer of a connected Unix socket for datagrams
	bound                bool           // in macemcBound
	reuseAddr, reusePort bool
	v6only               bool
	refused              bool            // a datagram to the peer had no receiver
	real                 *netFD          // the system's socket; nil means that it was not needed
	delayed              []macemcDelayed // options for the system's socket
}

// macemcDelayed is an option that the system's socket will get.
type macemcDelayed struct {
	set   macemcSetter
	value int64
}

// macemcSetter is an option that methods of connections set.
type macemcSetter uint8

const (
	macemcReadBuffer macemcSetter = iota
	macemcWriteBuffer
	macemcLinger
	macemcKeepAlive
	macemcKeepAliveIdle
	macemcKeepAliveInterval
	macemcKeepAliveCount
	macemcNoDelay
)

func (s macemcSetter) apply(real *netFD, value int64) error {
	switch s {
	case macemcReadBuffer:
		return setReadBuffer(real, int(value))
	case macemcWriteBuffer:
		return setWriteBuffer(real, int(value))
	case macemcLinger:
		return setLinger(real, int(value))
	case macemcKeepAlive:
		return setKeepAlive(real, value != 0)
	case macemcKeepAliveIdle:
		return setKeepAliveIdle(real, time.Duration(value))
	case macemcKeepAliveInterval:
		return setKeepAliveInterval(real, time.Duration(value))
	case macemcKeepAliveCount:
		return setKeepAliveCount(real, int(value))
	}
	return setNoDelay(real, value != 0)
}

// macemcReals are the simulated sockets that have a system's socket.
var macemcReals []*fakeNetFD

// macemcMostReals is the maximum number of system's sockets of nodes. The first one is closed then. Its options are lost.
const macemcMostReals = 256

// macemcReal returns the system's socket.
//
//go:norace
func (ffd *fakeNetFD) macemcReal() (*netFD, error) {
	race.Acquire(unsafe.Pointer(&ffd.real))
	if ffd.real != nil {
		return ffd.real, nil
	}
	fd := ffd.fd
	s, err := macemcOpenReal(fd, ffd.peer != nil)
	if err != nil {
		return nil, err
	}
	setDefaultSockopts(s, fd.family, fd.sotype, ffd.v6only)
	if ffd.reuseAddr {
		setDefaultListenerSockopts(s)
	}
	real := &netFD{pfd: poll.FD{Sysfd: s}, family: fd.family, sotype: fd.sotype, net: fd.net}
	for _, d := range ffd.delayed {
		d.set.apply(real, d.value)
	}
	ffd.real, ffd.delayed = real, nil
	macemcOwnDescriptor(s, ffd.macemcCall)
	if macemcReals = append(macemcReals, ffd); len(macemcReals) > macemcMostReals && macemcInNode() {
		macemcReals[0].macemcCloseReal()
	}
	race.ReleaseMerge(unsafe.Pointer(&ffd.real))
	return real, nil
}

// macemcOpenReal opens a socket of the system. A connected Unix socket is one of a pair, so that it has a peer with credentials.
func macemcOpenReal(fd *netFD, connected bool) (int, error) {
	if fd.family != syscall.AF_UNIX || !connected {
		return sysSocket(fd.family, fd.sotype, 0)
	}
	pair, err := syscall.Socketpair(fd.family, fd.sotype, 0)
	if err != nil {
		return -1, os.NewSyscallError("socket", err)
	}
	syscall.Close(pair[1])
	syscall.CloseOnExec(pair[0])
	return pair[0], syscall.SetNonblock(pair[0], true)
}

//go:norace
func (ffd *fakeNetFD) macemcCloseReal() {
	if ffd.real == nil {
		return
	}
	for i, other := range macemcReals {
		if other == ffd {
			macemcReals = append(macemcReals[:i:i], macemcReals[i+1:]...)
			break
		}
	}
	s := ffd.real.pfd.Sysfd
	ffd.real = nil
	macemcOwnDescriptor(s, nil)
	syscall.Close(s)
}

// macemcSet sets an option of the system's socket, as soon as there is one, and of the simulated one.
//
//go:norace
func (ffd *fakeNetFD) macemcSet(set macemcSetter, value int64) error {
	if err := ffd.macemcOpen(); err != nil {
		return err
	}
	if stream := ffd.node == nil && ffd.peer != nil; stream && set == macemcReadBuffer && value > 0 {
		ffd.queue.setReadBuffer(int(value))
	} else if stream && set == macemcLinger {
		ffd.peer.queue.setLinger(value != 0)
	}
	if ffd.real != nil {
		race.Acquire(unsafe.Pointer(&ffd.real))
		return set.apply(ffd.real, value)
	}
	if ffd.delayed == nil {
		ffd.delayed = make([]macemcDelayed, 0, 5) // a connection begins with so many
	}
	ffd.delayed = append(ffd.delayed, macemcDelayed{set, value})
	return nil
}

// macemcReadOptions reads the options that matter for the simulation.
func (ffd *fakeNetFD) macemcReadOptions() {
	family := ffd.fd.family
	if ffd.real == nil || family == syscall.AF_UNIX {
		return
	}
	ffd.reuseAddr = ffd.macemcOption(syscall.SOL_SOCKET, syscall.SO_REUSEADDR) != 0
	ffd.reusePort = ffd.macemcOption(syscall.SOL_SOCKET, macemcReusePort) != 0
	ffd.v6only = family == syscall.AF_INET6 && ffd.macemcOption(syscall.IPPROTO_IPV6, syscall.IPV6_V6ONLY) != 0
}

// macemcOption returns an option of the system's socket; 0 if there is no such socket.
func (ffd *fakeNetFD) macemcOption(level, name int) int {
	if ffd.real == nil {
		return 0
	}
	v, err := syscall.GetsockoptInt(ffd.real.pfd.Sysfd, level, name)
	if err != nil {
		return 0
	}
	return v
}

// macemcUnsimulated makes the run of a test unexplored. A node gets an error.
func macemcUnsimulated(what string) {
	if macemcInNode() {
		macemcNetwork.Refuse("it " + what)
	}
	macemcRefuse("it " + what)
}

func macemcDuplicated(fd *netFD) error {
	macemcUnsimulated("takes the file of a socket")
	return os.NewSyscallError("dup", syscall.ENOTSUP)
}

// macemcUnbind is the first part of Close. It waits for the functions of RawConn, as package poll does.
func (ffd *fakeNetFD) macemcUnbind() {
	ffd.reads.close()
	ffd.writes.close()
	if unused := ffd.macemcUnused(); unused != nil {
		<-unused
	}
	if ffd.bound {
		macemcUseTable()
		macemcRemove(ffd.fd)
	}
	ffd.macemcCloseReal()
}

// macemcUnused returns a channel that the last function of RawConn closes; nil means that there is none.
//
//go:norace
func (ffd *fakeNetFD) macemcUnused() chan struct{} {
	if ffd.refs > 0 {
		ffd.unused = make(chan struct{})
	}
	return ffd.unused
}

// macemcUse calls a function of RawConn with the descriptor, unless the socket is closed.
func (ffd *fakeNetFD) macemcUse(f func(uintptr)) error {
	if err := ffd.macemcIncref(); err != nil {
		return err
	}
	defer func() {
		if unused := ffd.macemcDecref(); unused != nil {
			close(unused)
		}
	}()
	real, err := ffd.macemcReal()
	if err == nil {
		f(uintptr(real.pfd.Sysfd))
	}
	return err
}

//go:norace
func (ffd *fakeNetFD) macemcIncref() error {
	err := ffd.macemcOpen()
	if err == nil {
		ffd.refs++
	}
	return err
}

// macemcDecref returns the channel to close, if any.
//
//go:norace
func (ffd *fakeNetFD) macemcDecref() chan struct{} {
	if ffd.refs--; ffd.refs > 0 {
		return nil
	}
	return ffd.unused
}

// macemcControl is RawConn.Control.
func macemcControl(fd *netFD, f func(uintptr)) error {
	if err := fd.macemcUse(f); err != nil {
		return &OpError{Op: "raw-control", Net: fd.net, Source: nil, Addr: fd.laddr, Err: err}
	}
	return nil
}

// macemcRaw is RawConn.Read, or Write.
func macemcRaw(fd *netFD, f func(uintptr) bool, write bool) error {
	err := fd.macemcRawCall(f, write)
	if err == nil {
		return nil
	}
	op := "raw-read"
	if write {
		op = "raw-write"
	}
	return &OpError{Op: op, Net: fd.net, Source: fd.laddr, Addr: fd.raddr, Err: err}
}

// macemcRawCall calls a function with the descriptor until it returns true. Before each further call, it waits until there is something to
// read, or room.
func (ffd *fakeNetFD) macemcRawCall(f func(uintptr) bool, write bool) (err error) {
	if !macemcCalls {
		macemcUnsimulated("reads or writes the descriptor of a socket")
	}
	call := func() (done bool) {
		err = ffd.macemcUse(func(s uintptr) { done = f(s) })
		return done || err != nil
	}
	if ffd.node != nil {
		if err := ffd.node.raw(call, write); err != nil {
			return err
		}
		return err
	}
	if err := ffd.macemcOpen(); err != nil {
		return err
	}
	lock, deadline := &ffd.reads, &ffd.readDeadline
	if write {
		lock, deadline = &ffd.writes, &ffd.writeDeadline
	}
	dt, err := lock.lock(deadline)
	if err != nil {
		return err
	}
	defer lock.unlock()
	select {
	case <-dt.expired:
		return os.ErrDeadlineExceeded
	default:
	}
	for !call() {
		if err := ffd.macemcAwait(deadline.Load(), write); err != nil {
			return err
		}
	}
	return err
}

// macemcAwait waits until a socket has something to read, or room for what is written.
func (ffd *fakeNetFD) macemcAwait(dt *deadlineTimer, write bool) error {
	if err := ffd.macemcOpen(); err != nil {
		return err
	}
	pq := ffd.queue
	var q packetQueueState
	if write {
		if ffd.peer == nil { // datagrams never wait for room
			return nil
		}
		pq = ffd.peer.queue
		select {
		case <-dt.expired:
			return os.ErrDeadlineExceeded
		case q = <-pq.ready:
		case q = <-pq.empty:
		}
	} else {
		select {
		case <-dt.expired:
			return os.ErrDeadlineExceeded
		case q = <-pq.ready:
		case q = <-pq.full:
		}
	}
	pq.put(q)
	return ffd.macemcOpen()
}
