//go:build linux && !386 && !s390x

// System calls on the descriptors of simulated sockets.

package net

import (
	"internal/goarch"
	"io"
	"os"
	"syscall"
	"unsafe"
)

// macemcOwnDescriptor makes package syscall pass the calls on a descriptor to a function; nil means the system. p2 to p6 are the arguments
// that are pointers, and a3, a4 and a6 those that are numbers.
//
//go:linkname macemcOwnDescriptor syscall.macemcOwnDescriptor
func macemcOwnDescriptor(s int, call func(trap uintptr, p2, p3, p5, p6 unsafe.Pointer, a3, a4, a6 uintptr) (uintptr, syscall.Errno))

const macemcCalls = true

//go:linkname macemcOpens syscall.macemcOpens
func macemcOpens(n int)

// macemcSendmmsg is the number of a system call that package syscall lacks; 0 means unknown.
const macemcSendmmsg = 307*goarch.IsAmd64 + 269*(goarch.IsArm64+goarch.IsRiscv64+goarch.IsLoong64) + 374*goarch.IsArm

// macemcMmsg is an element of the argument of recvmmsg and sendmmsg.
type macemcMmsg struct {
	header syscall.Msghdr
	n      uint32
}

// macemcCall executes a system call. None of these waits: the descriptors are not blocking.
func (ffd *fakeNetFD) macemcCall(trap uintptr, p2, p3, p5, p6 unsafe.Pointer, a3, a4, a6 uintptr) (uintptr, syscall.Errno) {
	one := func(n int, err error) (uintptr, syscall.Errno) { return ffd.macemcResult(n, err) }
	switch trap {
	case syscall.SYS_READ:
		d, err := ffd.macemcTryReceive("read", unsafe.Slice((*byte)(p2), a3), false)
		return one(d.n, err)
	case syscall.SYS_WRITE:
		return one(ffd.macemcWriteCall(unsafe.Slice((*byte)(p2), a3), nil, 0, nil))
	case syscall.SYS_READV, syscall.SYS_WRITEV:
		h := syscall.Msghdr{Iov: (*syscall.Iovec)(p2)}
		macemcStore(&h.Iovlen, a3)
		if trap == syscall.SYS_READV {
			return one(ffd.macemcReceiveMessage(&h, 0))
		}
		return one(ffd.macemcSendMessage(&h))
	case syscall.SYS_RECVFROM:
		return one(ffd.macemcReceiveFrom(unsafe.Slice((*byte)(p2), a3), int(a4), p5, (*uint32)(p6)))
	case syscall.SYS_SENDTO:
		return one(ffd.macemcWriteCall(unsafe.Slice((*byte)(p2), a3), p5, int(a6), nil))
	case syscall.SYS_RECVMSG:
		return one(ffd.macemcReceiveMessage((*syscall.Msghdr)(p2), int(a3)))
	case syscall.SYS_SENDMSG:
		return one(ffd.macemcSendMessage((*syscall.Msghdr)(p2)))
	case syscall.SYS_RECVMMSG, macemcSendmmsg:
		return one(ffd.macemcMany(unsafe.Slice((*macemcMmsg)(p2), a3), trap == syscall.SYS_RECVMMSG, int(a4)))
	case syscall.SYS_GETSOCKNAME:
		macemcPutAddress(ffd.fd.laddr, ffd.fd.family, p2, (*uint32)(p3))
		return one(0, nil)
	case syscall.SYS_GETPEERNAME:
		if ffd.fd.raddr == nil {
			return one(0, syscall.ENOTCONN)
		}
		macemcPutAddress(ffd.fd.raddr, ffd.fd.family, p2, (*uint32)(p3))
		return one(0, nil)
	case syscall.SYS_SHUTDOWN:
		return one(0, ffd.macemcShutdown(int(a3)))
	case syscall.SYS_SETSOCKOPT:
		macemcUnsimulated("sets an option of a socket that is not simulated")
		return one(0, syscall.ENOPROTOOPT)
	}
	macemcUnsimulated("uses the descriptor of a socket in a way that is not simulated")
	return one(0, syscall.ENOSYS)
}

// macemcStore stores a number. The types of the fields of messages depend on the system.
func macemcStore[T ~uint32 | ~uint64](to *T, n uintptr) { *to = T(n) }

// macemcResult returns what a system call returns. A function of RawConn during which the socket is closed is to wait, which fails then.
//
//go:norace
func (ffd *fakeNetFD) macemcResult(n int, err error) (uintptr, syscall.Errno) {
	if e, ok := err.(*os.SyscallError); ok {
		err = e.Err
	}
	switch e, ok := err.(syscall.Errno); {
	case err == nil || err == io.EOF:
		return uintptr(n), 0
	case ok:
		return ^uintptr(0), e
	case ffd.refs > 0:
		return ^uintptr(0), syscall.EAGAIN
	}
	return ^uintptr(0), syscall.EBADF // it is closed
}

// macemcTryReceive receives the next datagram, or reads from a stream, without waiting. With peek, the data remains.
func (ffd *fakeNetFD) macemcTryReceive(op string, b []byte, peek bool) (d macemcDatagram, err error) {
	if ffd.fd.sotype == syscall.SOCK_DGRAM {
		return ffd.macemcReceive(op, b, false, peek)
	}
	d.n, err = ffd.macemcTryRead(b, peek)
	d.size = d.n
	return d, err
}

func (ffd *fakeNetFD) macemcReceiveFrom(b []byte, flags int, at unsafe.Pointer, size *uint32) (int, error) {
	d, err := ffd.macemcTryReceive("recvfrom", b, flags&syscall.MSG_PEEK != 0)
	if err == nil && at != nil {
		macemcPutAddress(d.from, ffd.fd.family, at, size)
	}
	return macemcLength(d, flags), err
}

// macemcLength returns what a system call returns for a received datagram.
func macemcLength(d macemcDatagram, flags int) int {
	if flags&syscall.MSG_TRUNC != 0 {
		return d.size
	}
	return d.n
}

// macemcBuffers calls do with the buffers of a message. These may be on the stack of the caller, so no object on the heap references them.
func macemcBuffers(h *syscall.Msghdr, do func(b []byte)) {
	for i := range int(h.Iovlen) {
		if v := unsafe.Slice(h.Iov, int(h.Iovlen))[i]; v.Len > 0 {
			do(unsafe.Slice(v.Base, int(v.Len)))
		}
	}
}

func (ffd *fakeNetFD) macemcReceiveMessage(h *syscall.Msghdr, flags int) (n int, err error) {
	size := 0
	macemcBuffers(h, func(b []byte) { size += len(b) })
	data := make([]byte, size)
	d, err := ffd.macemcTryReceive("recvmsg", data, flags&syscall.MSG_PEEK != 0)
	if err != nil {
		return 0, err
	}
	rest := data[:d.n]
	macemcBuffers(h, func(b []byte) { rest = rest[copy(b, rest):] })
	if h.Flags = int32(flags & syscall.MSG_CMSG_CLOEXEC); d.size > d.n {
		h.Flags |= syscall.MSG_TRUNC
	}
	if h.Name != nil {
		macemcPutAddress(d.from, ffd.fd.family, unsafe.Pointer(h.Name), &h.Namelen)
	}
	var all []byte
	if ffd.fd.sotype == syscall.SOCK_DGRAM {
		all = ffd.macemcAncillary(d)
	}
	room := int(h.Controllen)
	if h.Control == nil {
		room = 0
	}
	if room < len(all) {
		h.Flags |= syscall.MSG_CTRUNC
		all = all[:room]
	}
	if len(all) > 0 {
		copy(unsafe.Slice(h.Control, len(all)), all)
	}
	h.SetControllen(len(all))
	return macemcLength(d, flags), nil
}

func (ffd *fakeNetFD) macemcSendMessage(h *syscall.Msghdr) (int, error) {
	var data, oob []byte
	macemcBuffers(h, func(b []byte) { data = append(data, b...) })
	if h.Control != nil {
		oob = append(oob, unsafe.Slice(h.Control, int(h.Controllen))...)
	}
	return ffd.macemcWriteCall(data, unsafe.Pointer(h.Name), int(h.Namelen), oob)
}

// macemcMany receives or sends several messages. It fails if none is received or sent.
func (ffd *fakeNetFD) macemcMany(list []macemcMmsg, receive bool, flags int) (n int, err error) {
	for i := range list {
		m := &list[i]
		var size int
		if receive {
			size, err = ffd.macemcReceiveMessage(&m.header, flags)
		} else {
			size, err = ffd.macemcSendMessage(&m.header)
		}
		if err != nil {
			break
		}
		m.n = uint32(size)
		n++
	}
	if n > 0 {
		err = nil
	}
	return n, err
}

func (ffd *fakeNetFD) macemcWriteCall(b []byte, at unsafe.Pointer, size int, oob []byte) (int, error) {
	if ffd.fd.sotype != syscall.SOCK_DGRAM {
		return ffd.macemcTryWrite(b)
	}
	h, err := ffd.macemcParse(oob)
	if err != nil {
		return 0, err
	}
	var to sockaddr
	if at != nil && size > 0 {
		if to = macemcGetAddress(at, size); to == nil {
			return 0, syscall.EINVAL
		}
	}
	return ffd.macemcSendAll("sendmsg", b, to, h)
}

// macemcPutAddress writes an address as the system does. size is the size of the memory, and then that of the address.
func macemcPutAddress(a Addr, family int, at unsafe.Pointer, size *uint32) {
	var raw []byte
	switch a := a.(type) {
	case *UnixAddr:
		raw = make([]byte, 2)
		*(*uint16)(unsafe.Pointer(&raw[0])) = syscall.AF_UNIX
		switch {
		case a.Name == "" || a.Name == "@":
		case a.Name[0] == '@':
			raw = append(append(raw, 0), a.Name[1:]...)
		default:
			raw = append(append(raw, a.Name...), 0)
		}
	case sockaddr:
		ip, port, _ := macemcParts(a)
		if family == syscall.AF_INET {
			r := syscall.RawSockaddrInet4{Family: syscall.AF_INET}
			copy(r.Addr[:], ip.To4())
			raw = append(raw, unsafe.Slice((*byte)(unsafe.Pointer(&r)), unsafe.Sizeof(r))...)
		} else {
			r := syscall.RawSockaddrInet6{Family: syscall.AF_INET6}
			copy(r.Addr[:], ip.To16())
			raw = append(raw, unsafe.Slice((*byte)(unsafe.Pointer(&r)), unsafe.Sizeof(r))...)
		}
		raw[2], raw[3] = byte(port>>8), byte(port)
	}
	if at != nil && size != nil {
		copy(unsafe.Slice((*byte)(at), int(*size)), raw)
		*size = uint32(len(raw))
	}
}

// macemcGetAddress reads an address that a program passes to the system.
func macemcGetAddress(at unsafe.Pointer, size int) sockaddr {
	raw := append([]byte(nil), unsafe.Slice((*byte)(at), size)...)
	switch family := *(*uint16)(unsafe.Pointer(&raw[0])); {
	case family == syscall.AF_INET && size >= syscall.SizeofSockaddrInet4:
		return &UDPAddr{IP: raw[4:8], Port: int(raw[2])<<8 | int(raw[3])}
	case family == syscall.AF_INET6 && size >= syscall.SizeofSockaddrInet6:
		return &UDPAddr{IP: raw[8:24], Port: int(raw[2])<<8 | int(raw[3])}
	case family == syscall.AF_UNIX && size > 3:
		name := raw[2:]
		if name[0] == 0 {
			name[0] = '@'
		} else if name[len(name)-1] == 0 {
			name = name[:len(name)-1]
		}
		return &UnixAddr{Name: string(name), Net: "unixgram"}
	}
	return nil
}
