// Streams: what one Read returns, and the order of concurrent operations on one socket.

package net

import (
	testrun "internal/runtime"
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// The record of a run has the operations on queues of packets in place of those on their channels.

func macemcUsesQueue(d int32)
func macemcConnected(op testrun.Op, obj uintptr, due int64, ok bool)
func macemcWillClose(c unsafe.Pointer, after int64)
func macemcNow() int64

// Operations on a queue.
const (
	macemcOpSend    = testrun.Send
	macemcOpReceive = testrun.Receive
	macemcOpClose   = testrun.Close
)

// macemcUsed records an operation on a queue. A failed send operation, and one that a deadline ended, has no effect.
func (pq *packetQueue) macemcUsed(op testrun.Op, due int64, err error) {
	ok := err == nil || op == macemcOpReceive && err != os.ErrDeadlineExceeded
	macemcConnected(op, uintptr(unsafe.Pointer(pq)), due, ok)
}

// macemcExpires records that a timer will close a channel after a duration.
func macemcExpires(c chan struct{}, after time.Duration) {
	macemcWillClose(*(*unsafe.Pointer)(unsafe.Pointer(&c)), int64(after))
}

// macemcArm sets when the timer of a deadline fires. A negative duration means never.
//
//go:norace
func (dt *deadlineTimer) macemcArm(after time.Duration) {
	if dt.macemcAt = 0; after >= 0 {
		dt.macemcAt = macemcNow() + int64(after)
	}
}

//go:norace
func (dt *deadlineTimer) macemcDue() int64 { return dt.macemcAt }

// macemcLock is held by one Read or one Write of a socket, like the locks of a file descriptor. Goroutines get it in the order of their
// arrival. Its fields are not scheduling points. The step that acquires it begins with the load of the deadline, so that two of these steps
// depend on each other.
type macemcLock struct {
	held        bool
	first, last *macemcTurn
}

// macemcTurn is the place of a goroutine that waits for a lock. One of its channels will be closed.
type macemcTurn struct {
	granted, ended chan struct{}
	next           *macemcTurn
}

// lock acquires the lock, and returns the deadline for its holder. It fails if the socket is closed meanwhile. A deadline ends the
// operation of the holder, and then those of the goroutines that wait.
func (l *macemcLock) lock(deadline *atomic.Pointer[deadlineTimer]) (*deadlineTimer, error) {
	dt := deadline.Load()
	turn := l.enter()
	if turn == nil {
		return dt, nil
	}
	select {
	case <-turn.granted:
		return deadline.Load(), nil
	case <-turn.ended:
		return nil, ErrClosed
	}
}

// enter acquires the lock if it is free. Otherwise, it returns the caller's turn.
//
//go:norace
func (l *macemcLock) enter() *macemcTurn {
	if !l.held {
		l.held = true
		return nil
	}
	turn := &macemcTurn{granted: make(chan struct{}), ended: make(chan struct{})}
	if l.first == nil {
		l.first = turn
	} else {
		l.last.next = turn
	}
	l.last = turn
	return turn
}

// leave removes the first turn; nil means that none is left. Unless the caller keeps the lock, that turn has it.
//
//go:norace
func (l *macemcLock) leave(keep bool) *macemcTurn {
	turn := l.first
	if turn != nil {
		l.first = turn.next
	} else if !keep {
		l.held = false
	}
	return turn
}

func (l *macemcLock) unlock() {
	if turn := l.leave(false); turn != nil {
		close(turn.granted)
	}
}

// close ends all waits for the lock.
func (l *macemcLock) close() {
	for turn := l.leave(true); turn != nil; turn = l.leave(true) {
		close(turn.ended)
	}
}

// macemcMore reads the packets of a stream that follow the first one, as far as they fit.
func (q *packetQueueState) macemcMore(b []byte) (n int) {
	for p := q.head; p != nil && n < len(b); p = q.head {
		m := copy(b[n:], p.buf[p.bufOffset:])
		n += m
		if p.bufOffset += m; p.bufOffset < len(p.buf) {
			break
		}
		q.head = p.next
		q.nBytes -= len(p.buf)
		p.clear()
		packetPool.Put(p)
	}
	return n
}

// macemcWrite writes to the queue of the peer as a whole.
func (ffd *fakeNetFD) macemcWrite(peer *packetQueue, p []byte) (n int, err error) {
	dt, err := ffd.writes.lock(&ffd.writeDeadline)
	if err != nil {
		return 0, err
	}
	n, err = peer.write(dt, p, ffd.fd.laddr.(sockaddr))
	err = ffd.macemcWriteError(err)
	ffd.writes.unlock()
	return n, err
}

// macemcWriteBuffers writes all buffers to a stream as one Write. Any other socket sends them as one packet.
func macemcWriteBuffers(fd *netFD, v *Buffers) (n int64, err error) {
	ffd := fd.fakeNetFD
	if ffd.peer != nil && fd.sotype == syscall.SOCK_STREAM {
		return ffd.macemcWriteStream(v)
	}
	var all []byte
	for _, b := range *v {
		all = append(all, b...)
	}
	m, err := fd.Write(all)
	v.consume(int64(m))
	return int64(m), err
}

func (ffd *fakeNetFD) macemcWriteStream(v *Buffers) (n int64, err error) {
	if err := ffd.macemcOpen(); err != nil || len(*v) == 0 {
		return 0, err
	}
	dt, err := ffd.writes.lock(&ffd.writeDeadline)
	if err != nil {
		return 0, err
	}
	defer ffd.writes.unlock()
	for {
		m, err := ffd.peer.queue.write(dt, (*v)[0], ffd.fd.laddr.(sockaddr))
		n += int64(m)
		if v.consume(int64(m)); err != nil || len(*v) == 0 {
			return n, ffd.macemcWriteError(err)
		}
		if err := ffd.macemcOpen(); err != nil {
			return n, err
		}
		dt = ffd.writeDeadline.Load()
	}
}

// macemcOpen returns an error if the socket is closed.
func (ffd *fakeNetFD) macemcOpen() error {
	if atomic.LoadUint32(&ffd.closed) != 0 {
		return ErrClosed
	}
	return nil
}

// macemcTryRead reads without waiting. With peek, the data remains.
func (ffd *fakeNetFD) macemcTryRead(b []byte, peek bool) (n int, err error) {
	if ffd.node != nil {
		return ffd.node.tryRead(b, peek)
	}
	if err := ffd.macemcOpen(); err != nil {
		return 0, err
	}
	if ffd.queue == nil {
		return 0, os.NewSyscallError("read", syscall.ENOTCONN)
	}
	q := ffd.queue.get()
	switch p := q.head; {
	case q.readClosed:
		err = ErrClosed
	case p == nil && q.noLinger:
		q.noLinger = false
		err = os.NewSyscallError("read", syscall.ECONNRESET)
	case p == nil && (q.writeClosed || q.readShut):
		err = io.EOF
	case p == nil:
		err = os.NewSyscallError("read", syscall.EAGAIN)
	case peek:
		for ; p != nil && n < len(b) && (n == 0 || ffd.fd.sotype == syscall.SOCK_STREAM); p = p.next {
			n += copy(b[n:], p.buf[p.bufOffset:])
		}
	case ffd.fd.sotype == syscall.SOCK_STREAM:
		n = q.macemcMore(b)
	default:
		d, _ := q.macemcTake("read", b, false)
		n = d.n
	}
	ffd.queue.put(q)
	return n, err
}

// macemcTryWrite writes what there is room for.
func (ffd *fakeNetFD) macemcTryWrite(b []byte) (n int, err error) {
	if ffd.node != nil {
		return ffd.node.tryWrite(b)
	}
	if err := ffd.macemcOpen(); err != nil {
		return 0, err
	}
	if ffd.peer == nil {
		return 0, os.NewSyscallError("write", syscall.EPIPE)
	}
	for n < len(b) || n == 0 {
		m, err := ffd.peer.queue.send(ffd.writeDeadline.Load(), b[n:min(len(b), n+maxPacketSize)], ffd.fd.laddr.(sockaddr), false)
		n += m
		if e, ok := err.(*os.SyscallError); ok && e.Err == syscall.ENOBUFS {
			err = os.NewSyscallError("write", syscall.EAGAIN)
		}
		if err != nil && n == 0 {
			return 0, ffd.macemcWriteError(err)
		}
		if err != nil || len(b) == 0 {
			break
		}
	}
	return n, nil
}

// macemcShutdown is the system call.
func (ffd *fakeNetFD) macemcShutdown(how int) (err error) {
	if how != syscall.SHUT_WR {
		err = ffd.closeRead()
	}
	if how != syscall.SHUT_RD && err == nil {
		err = ffd.closeWrite()
	}
	return err
}
