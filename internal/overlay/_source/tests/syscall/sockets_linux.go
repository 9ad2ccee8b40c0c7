//go:build linux && !386 && !s390x

// System calls on the descriptors of simulated sockets.

package syscall

import (
	"internal/goarch"
	"unsafe"
)

// macemcSendmmsg is the number of a system call that this package has on some systems only; 0 means unknown.
const macemcSendmmsg = 307*goarch.IsAmd64 + 269*(goarch.IsArm64+goarch.IsRiscv64+goarch.IsLoong64) + 374*goarch.IsArm

// macemcSocketCall executes a system call on a simulated socket. p2 to p6 are the arguments that are pointers, and a3, a4 and a6 those that
// are numbers.
type macemcSocketCall func(trap uintptr, p2, p3, p5, p6 unsafe.Pointer, a3, a4, a6 uintptr) (uintptr, Errno)

// macemcSockets contains the simulated sockets, by descriptor.
var macemcSockets []macemcSocketCall

//go:norace
func macemcOwnDescriptor(s int, call macemcSocketCall) {
	for len(macemcSockets) <= s {
		macemcSockets = append(macemcSockets, nil)
	}
	macemcSockets[s] = call
}

// macemcOpening is positive while package net uses sockets of the system.
var macemcOpening int

//go:norace
func macemcOpens(n int) { macemcOpening += n }

// macemcIsSocket reports whether a call is one on a simulated socket that the system cannot execute, or opens a socket. It must not grow
// the stack, to which arguments may point.
//
//go:nosplit
//go:norace
func macemcIsSocket(trap, s, a2, a3 uintptr) bool {
	if trap == SYS_SOCKET && (s == AF_INET || s == AF_INET6) {
		return macemcOpening == 0 && (macemcTested() || macemcInNode())
	}
	switch {
	case len(macemcSockets) == 0 || macemcOpening > 0:
		return false
	case trap == SYS_EPOLL_CTL || trap == SYS_SPLICE:
		return macemcOwned(s) || macemcOwned(a3)
	case trap == SYS_PPOLL || trap == macemcPoll:
		return macemcPolls(s, a2)
	case !macemcOwned(s):
		return false
	}
	switch trap {
	case SYS_READ, SYS_WRITE, SYS_READV, SYS_WRITEV, SYS_RECVFROM, SYS_SENDTO, SYS_RECVMSG, SYS_SENDMSG, SYS_RECVMMSG, macemcSendmmsg,
		SYS_GETSOCKNAME, SYS_GETPEERNAME, SYS_SHUTDOWN, SYS_ACCEPT4, SYS_ACCEPT, SYS_CONNECT, SYS_BIND, SYS_LISTEN, SYS_DUP, SYS_DUP3,
		SYS_SENDFILE, SYS_CLOSE:
		return true
	case SYS_FCNTL:
		return a2 == F_DUPFD || a2 == F_DUPFD_CLOEXEC
	case SYS_SETSOCKOPT:
		return macemcUnsimulatedOption(a2, a3)
	}
	return false
}

//go:nosplit
//go:norace
func macemcOwned(s uintptr) bool { return s < uintptr(len(macemcSockets)) && macemcSockets[s] != nil }

// macemcPolls reports whether one of n elements of the argument of poll is a simulated socket.
//
//go:nosplit
//go:norace
//go:nocheckptr
func macemcPolls(list, n uintptr) bool {
	for i := range min(n, 1<<10) {
		at := list + 8*i
		if macemcOwned(uintptr(**(**int32)(unsafe.Pointer(&at)))) {
			return true
		}
	}
	return false
}

// macemcUnsimulatedOption reports whether an option changes what a socket receives.
//
//go:nosplit
func macemcUnsimulatedOption(level, name uintptr) bool {
	switch level {
	case SOL_SOCKET:
		return name == SO_PASSCRED || name == SO_TIMESTAMP || name == macemcTimestampNS || name == SO_TIMESTAMPING || name == SO_ATTACH_FILTER
	case IPPROTO_IP:
		return name == IP_ADD_MEMBERSHIP || name == IP_ADD_SOURCE_MEMBERSHIP || name == macemcJoinGroup
	case IPPROTO_IPV6:
		return name == IPV6_JOIN_GROUP || name == macemcJoinGroup
	}
	return false
}

const (
	macemcTimestampNS = 35
	macemcJoinGroup   = 42
)

// pointer returns an argument that is an address.
//
//go:nocheckptr
//go:norace
func (p *macemcArguments) pointer(number int) unsafe.Pointer {
	a := p.a[number-1]
	if p.onStack>>(number-1)&1 == 1 {
		_, hi := macemcStackBounds()
		a = hi - a
	}
	return *(*unsafe.Pointer)(unsafe.Pointer(&a))
}

const macemcUnsimulated = "it uses the descriptor of a socket in a way that is not simulated"

// macemcCallSocket executes a system call on a simulated socket.
func macemcCallSocket(trap uintptr, p macemcArguments) (r1, r2 uintptr, err Errno) {
	switch trap {
	case SYS_SOCKET:
		if macemcInNode() {
			macemcProcess.Refuse("it opens a socket by a system call")
		}
		macemcRefuse("it opens a socket by a system call")
	case SYS_EPOLL_CTL, SYS_SPLICE, SYS_PPOLL, macemcPoll:
		macemcRefuse(macemcUnsimulated)
		return ^uintptr(0), 0, ENOSYS // of a node
	}
	var p2, p3, p5, p6 unsafe.Pointer
	switch trap {
	case SYS_GETSOCKNAME, SYS_GETPEERNAME:
		p2, p3 = p.pointer(2), p.pointer(3)
	case SYS_RECVFROM:
		p2, p5, p6 = p.pointer(2), p.pointer(5), p.pointer(6)
	case SYS_SENDTO:
		p2, p5 = p.pointer(2), p.pointer(5)
	case SYS_READ, SYS_WRITE, SYS_READV, SYS_WRITEV, SYS_RECVMSG, SYS_SENDMSG, SYS_RECVMMSG, macemcSendmmsg:
		p2 = p.pointer(2)
	}
	r1, err = macemcSockets[p.a[0]](trap, p2, p3, p5, p6, p.a[2], p.a[3], p.a[5])
	return r1, 0, err
}
