// Datagrams of UDP and Unix sockets.

package net

import (
	"net/netip"
	"os"
	"sync/atomic"
	"syscall"
)

// macemcHeader holds the ancillary data of a datagram.
type macemcHeader struct {
	tos     int        // type of service, or traffic class
	class   int        // of the sender: traffic class of a datagram of IPv6
	segment int        // of the sender: size of the datagrams that data is divided into; 0 means one
	own     netip.Addr // address of the receiver; of the sender: its own address, if it has several
}

// macemcDatagram is a received datagram.
type macemcDatagram struct {
	macemcHeader
	from    sockaddr // nil means that the sender has no name
	n, size int      // bytes that fit into the buffer, and all
}

const (
	macemcMostPayload = 65507
	macemcMostQueued  = 8 << 20 // bytes that wait for the receiver; more datagrams are lost
)

// macemcReceive receives the next datagram. Without wait, it fails with EAGAIN if there is none. With peek, the datagram remains.
func (ffd *fakeNetFD) macemcReceive(op string, b []byte, wait, peek bool) (d macemcDatagram, err error) {
	if ffd.node != nil {
		return ffd.node.receive(b, wait, peek)
	}
	pq := ffd.queue
	if pq == nil {
		return d, os.NewSyscallError(op, syscall.EINVAL)
	}
	if err := ffd.macemcOpen(); err != nil {
		return d, err
	}
	var q packetQueueState
	if wait {
		dt, closed := ffd.reads.lock(&ffd.readDeadline)
		if closed != nil {
			return d, closed
		}
		defer ffd.reads.unlock()
		macemcUsesQueue(1)
		due := dt.macemcDue()
		defer func() {
			pq.macemcUsed(macemcOpReceive, due, err)
			macemcUsesQueue(-1)
		}()
		select {
		case <-dt.expired:
			return d, os.ErrDeadlineExceeded
		case q = <-pq.ready:
		case q = <-pq.full:
		}
		select {
		case <-dt.expired:
			pq.put(q)
			return d, os.ErrDeadlineExceeded
		default:
		}
	} else {
		q = pq.get()
	}
	d, err = q.macemcTake(op, b, peek)
	pq.put(q)
	return d, err
}

// macemcTake removes the first datagram of a queue.
func (q *packetQueueState) macemcTake(op string, b []byte, peek bool) (d macemcDatagram, err error) {
	p := q.head
	switch {
	case q.readClosed:
		return d, ErrClosed
	case q.refused:
		q.refused = false
		return d, os.NewSyscallError(op, syscall.ECONNREFUSED)
	case p == nil:
		return d, os.NewSyscallError(op, syscall.EAGAIN)
	}
	d = macemcDatagram{macemcHeader: p.macemcHeader, from: p.from, n: copy(b, p.buf), size: len(p.buf)}
	if !peek {
		q.head = p.next
		q.nBytes -= len(p.buf)
		p.clear()
		packetPool.Put(p)
	}
	return d, nil
}

// macemcSend sends data as one datagram, or as several, to an address; nil means that of the peer.
func (ffd *fakeNetFD) macemcSend(op string, b []byte, to sockaddr, h macemcHeader) (n int, err error) {
	if err := ffd.macemcOpen(); err != nil {
		return 0, err
	}
	if ffd.node == nil {
		dt, err := ffd.writes.lock(&ffd.writeDeadline)
		if err != nil {
			return 0, err
		}
		defer ffd.writes.unlock()
		select {
		case <-dt.expired:
			return 0, os.ErrDeadlineExceeded
		default:
		}
	}
	return ffd.macemcSendAll(op, b, to, h)
}

// macemcSendAll is the part of macemcSend that a system call executes.
func (ffd *fakeNetFD) macemcSendAll(op string, b []byte, to sockaddr, h macemcHeader) (n int, err error) {
	if to == nil {
		if to, _ = ffd.fd.raddr.(sockaddr); to == nil && ffd.fd.family == syscall.AF_UNIX {
			return 0, os.NewSyscallError(op, syscall.ENOTCONN)
		} else if to == nil {
			return 0, os.NewSyscallError(op, syscall.EDESTADDRREQ)
		}
	}
	for {
		part := b[n:]
		if h.segment > 0 {
			part = part[:min(h.segment, len(part))]
		}
		m, err := ffd.macemcSendOne(op, part, to, h)
		if n += m; err != nil || n >= len(b) {
			return n, err
		}
	}
}

func (ffd *fakeNetFD) macemcSendOne(op string, b []byte, to sockaddr, h macemcHeader) (int, error) {
	if ffd.node != nil {
		if ip, _, _ := macemcParts(to); ip.IsMulticast() {
			macemcNetwork.Refuse("it uses multicast")
		}
		return ffd.node.send(b, to, h.tos)
	}
	kind := macemcKindOf(to)
	if kind == 0 {
		return ffd.macemcSendUnix(op, b, to)
	}
	if len(b) > macemcMostPayload {
		return 0, os.NewSyscallError(op, syscall.EMSGSIZE)
	}
	to = macemcLoopbackFor(ffd.fd.family, to)
	ip, _, _ := macemcParts(to)
	own, port, zone := macemcParts(ffd.fd.laddr.(sockaddr))
	if h.own.IsValid() && !h.own.IsUnspecified() {
		own = h.own.AsSlice()
	} else if own.IsUnspecified() {
		own = macemcSource(ip)
	}
	from := macemcAddr(kind, (&UDPAddr{IP: own}).family(), own, port, zone)
	at := macemcEndpoint(to)
	if h.own = at.Addr(); h.own.Is6() {
		h.tos = h.class
	}
	peer := macemcReceiver(kind, at, macemcEndpoint(from))
	if ffd.macemcRefusedBefore() {
		return 0, os.NewSyscallError(op, syscall.ECONNREFUSED)
	}
	if peer != nil && peer.queue.macemcDeliver(b, from, h) {
		return len(b), nil
	}
	macemcUndelivered(ffd.fd, to)
	if ffd.fd.isConnected {
		ffd.macemcSetRefused(true)
		q := ffd.queue.get()
		q.refused = true
		ffd.queue.put(q)
	}
	return len(b), nil
}

// macemcRefusedBefore reports whether an earlier datagram to the peer had no receiver, and no call has returned that error.
func (ffd *fakeNetFD) macemcRefusedBefore() (refused bool) {
	if !ffd.macemcMayBeRefused() {
		return false
	}
	ffd.macemcSetRefused(false)
	q := ffd.queue.get()
	refused, q.refused = q.refused, false
	ffd.queue.put(q)
	return refused
}

// macemcMayBeRefused reports whether a datagram has had no receiver. The queue has the answer, and is a scheduling point.
//
//go:norace
func (ffd *fakeNetFD) macemcMayBeRefused() bool { return ffd.refused }

//go:norace
func (ffd *fakeNetFD) macemcSetRefused(to bool) { ffd.refused = to }

// macemcDeliver adds a datagram to the queue of its receiver, unless the queue is too long. It fails if the receiver is closed.
func (pq *packetQueue) macemcDeliver(b []byte, from sockaddr, h macemcHeader) bool {
	q := pq.get()
	open := !q.readClosed
	if open && q.nBytes+len(b) <= macemcMostQueued {
		p := packetPool.Get().(*packet)
		p.buf, p.bufOffset, p.from, p.macemcHeader = append(p.buf[:0], b...), 0, from, h
		if q.head == nil {
			q.head = p
		} else {
			q.tail.next = p
		}
		q.tail = p
		q.nBytes += len(b)
	}
	pq.put(q)
	pq.macemcUsed(macemcOpSend, 0, nil)
	return open
}

// macemcSendUnix sends a datagram to a Unix socket.
func (ffd *fakeNetFD) macemcSendUnix(op string, b []byte, to sockaddr) (int, error) {
	name, err := ffd.to, error(nil)
	if name.kind == 0 {
		name, err = macemcUnixName(to, ffd.fd.sotype)
	}
	if err != nil {
		return 0, os.NewSyscallError(op, err)
	}
	peer := macemcNamedSocket(name)
	if peer == nil {
		macemcUndelivered(ffd.fd, to)
		return 0, os.NewSyscallError(op, syscall.ECONNREFUSED)
	}
	if peer.sotype != ffd.fd.sotype {
		return 0, os.NewSyscallError(op, syscall.EPROTOTYPE)
	}
	var from sockaddr
	if ffd.bound {
		from = ffd.fd.laddr.(sockaddr)
	}
	dt := ffd.writeDeadline.Load()
	var q packetQueueState
	select {
	case <-dt.expired:
		return 0, os.ErrDeadlineExceeded
	case q = <-peer.queue.empty:
	case q = <-peer.queue.ready:
	}
	peer.queue.put(q)
	if !peer.queue.macemcDeliver(b, from, macemcHeader{}) {
		return 0, os.NewSyscallError(op, syscall.ECONNREFUSED)
	}
	return len(b), nil
}

func (fd *netFD) macemcDatagrams() bool { return fd.sotype == syscall.SOCK_DGRAM }

// macemcReadFrom is netFD.readFrom.
func macemcReadFrom(fd *netFD, p []byte) (n int, sa syscall.Sockaddr, err error) {
	if !fd.macemcDatagrams() {
		n, err = fd.fakeNetFD.Read(p)
		return n, nil, err
	}
	d, err := fd.macemcReceive("recvfrom", p, true, false)
	if err == nil && d.from != nil {
		sa, err = d.from.sockaddr(fd.family)
	}
	return d.n, sa, err
}

// macemcReadMsg is netFD.readMsg.
func macemcReadMsg(fd *netFD, p, oob []byte) (n, oobn, flags int, sa syscall.Sockaddr, err error) {
	if fd.family == syscall.AF_UNIX {
		flags = macemcUnixFlags
	}
	if !fd.macemcDatagrams() {
		n, err = fd.fakeNetFD.Read(p)
		return n, 0, flags, nil, err
	}
	d, err := fd.macemcReceive("recvmsg", p, true, false)
	if err != nil {
		return 0, 0, 0, nil, err
	}
	if d.size > d.n {
		flags |= syscall.MSG_TRUNC
	}
	if d.from != nil {
		sa, err = d.from.sockaddr(fd.family)
	}
	all := fd.macemcAncillary(d)
	if oobn = copy(oob, all); oobn < len(all) {
		flags |= syscall.MSG_CTRUNC
	}
	return d.n, oobn, flags, sa, err
}

// macemcReadFromInet is netFD.readFromInet4, or readFromInet6.
func macemcReadFromInet[T any](fd *netFD, p []byte, from *T) (n int, err error) {
	n, sa, err := macemcReadFrom(fd, p)
	if sa, ok := any(sa).(*T); ok && err == nil {
		*from = *sa
	}
	return n, err
}

// macemcReadMsgInet is netFD.readMsgInet4, or readMsgInet6.
func macemcReadMsgInet[T any](fd *netFD, p, oob []byte, from *T) (n, oobn, flags int, err error) {
	n, oobn, flags, sa, err := macemcReadMsg(fd, p, oob)
	if sa, ok := any(sa).(*T); ok && err == nil {
		*from = *sa
	}
	return n, oobn, flags, err
}

// macemcWriteTo is netFD.writeTo.
func macemcWriteTo(fd *netFD, p []byte, sa syscall.Sockaddr) (int, error) {
	if !fd.macemcDatagrams() {
		return fd.fakeNetFD.Write(p)
	}
	return fd.macemcSendTo("sendto", p, sa, fd.macemcDefaults())
}

// macemcCopy returns a copy of an address. The caller's one does not escape, so that tests count its allocations as in plain Go.
func macemcCopy[T any, P interface {
	*T
	syscall.Sockaddr
}](sa P) syscall.Sockaddr {
	if sa == nil {
		return nil
	}
	to := *sa
	return P(&to)
}

// macemcWriteMsg is netFD.writeMsg.
func macemcWriteMsg(fd *netFD, p, oob []byte, sa syscall.Sockaddr) (n, oobn int, err error) {
	h, err := fd.macemcParse(oob)
	if err != nil {
		return 0, 0, os.NewSyscallError("sendmsg", err)
	}
	if !fd.macemcDatagrams() {
		n, err = fd.fakeNetFD.Write(p)
	} else {
		n, err = fd.macemcSendTo("sendmsg", p, sa, h)
	}
	if err == nil {
		oobn = len(oob)
	}
	return n, oobn, err
}

func (fd *netFD) macemcSendTo(op string, p []byte, sa syscall.Sockaddr, h macemcHeader) (int, error) {
	if atomic.LoadUint32(&fd.closed) != 0 {
		return 0, ErrClosed
	}
	var to sockaddr
	if sa != nil {
		to, _ = fd.addrFunc()(sa).(sockaddr)
	}
	return fd.macemcSend(op, p, to, h)
}
