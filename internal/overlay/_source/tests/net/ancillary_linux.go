// Ancillary data of datagrams.

package net

import (
	"syscall"
	"unsafe"
)

const (
	macemcReusePort  = 0xf // syscall lacks it on amd64
	macemcProtoUDP   = 17
	macemcUDPSegment = 103
	macemcTTL        = 64
	macemcLoopbackIf = 1
	macemcUnixFlags  = syscall.MSG_CMSG_CLOEXEC
)

// macemcAncillary returns what a socket receives with a datagram because of its options.
func (ffd *fakeNetFD) macemcAncillary(d macemcDatagram) (all []byte) {
	if ffd.real == nil || ffd.fd.family == syscall.AF_UNIX {
		return nil
	}
	has := func(level, name int) bool { return ffd.macemcOption(level, name) != 0 }
	var own, own6 [16]byte
	if d.own.IsValid() {
		own6 = d.own.As16()
		copy(own[:], own6[12:])
	}
	number := func(n int) []byte { return (*[4]byte)(unsafe.Pointer(new(int32(n))))[:] }
	if ffd.fd.family == syscall.AF_INET6 {
		if has(syscall.IPPROTO_IPV6, syscall.IPV6_RECVPKTINFO) {
			all = macemcAddMessage(all, syscall.IPPROTO_IPV6, syscall.IPV6_PKTINFO, append(own6[:], number(macemcLoopbackIf)...))
		}
		if !d.own.Is4() {
			if has(syscall.IPPROTO_IPV6, syscall.IPV6_RECVHOPLIMIT) {
				all = macemcAddMessage(all, syscall.IPPROTO_IPV6, syscall.IPV6_HOPLIMIT, number(macemcTTL))
			}
			if has(syscall.IPPROTO_IPV6, syscall.IPV6_RECVTCLASS) {
				all = macemcAddMessage(all, syscall.IPPROTO_IPV6, syscall.IPV6_TCLASS, number(d.tos))
			}
			return all
		}
	}
	if has(syscall.IPPROTO_IP, syscall.IP_PKTINFO) {
		info := append(number(macemcLoopbackIf), own[:4]...)
		all = macemcAddMessage(all, syscall.IPPROTO_IP, syscall.IP_PKTINFO, append(info, own[:4]...))
	}
	if has(syscall.IPPROTO_IP, syscall.IP_RECVTTL) {
		all = macemcAddMessage(all, syscall.IPPROTO_IP, syscall.IP_TTL, number(macemcTTL))
	}
	if has(syscall.IPPROTO_IP, syscall.IP_RECVTOS) {
		all = macemcAddMessage(all, syscall.IPPROTO_IP, syscall.IP_TOS, []byte{byte(d.tos)})
	}
	return all
}

// macemcAddMessage appends a control message.
func macemcAddMessage(all []byte, level, typ int, data []byte) []byte {
	at := len(all)
	all = append(all, make([]byte, syscall.CmsgSpace(len(data)))...)
	h := (*syscall.Cmsghdr)(unsafe.Pointer(&all[at]))
	h.Level, h.Type = int32(level), int32(typ)
	h.SetLen(syscall.CmsgLen(len(data)))
	copy(all[at+syscall.CmsgLen(0):], data)
	return all
}

// macemcDefaults returns what a socket sends with each datagram because of its options.
func (ffd *fakeNetFD) macemcDefaults() (h macemcHeader) {
	if ffd.real != nil && ffd.fd.family != syscall.AF_UNIX {
		h.tos = ffd.macemcOption(syscall.IPPROTO_IP, syscall.IP_TOS)
		h.segment = ffd.macemcOption(macemcProtoUDP, macemcUDPSegment)
		if ffd.fd.family == syscall.AF_INET6 {
			h.class = ffd.macemcOption(syscall.IPPROTO_IPV6, syscall.IPV6_TCLASS)
		}
	}
	return h
}

// macemcParse returns what a socket sends with a datagram.
func (ffd *fakeNetFD) macemcParse(oob []byte) (h macemcHeader, err error) {
	h = ffd.macemcDefaults()
	if len(oob) == 0 {
		return h, nil
	}
	messages, err := syscall.ParseSocketControlMessage(oob)
	if err != nil {
		return h, syscall.EINVAL
	}
	for _, m := range messages {
		switch level, typ, data := m.Header.Level, m.Header.Type, m.Data; {
		case level == macemcProtoUDP && typ == macemcUDPSegment && len(data) >= 2:
			h.segment = int(*(*uint16)(unsafe.Pointer(&data[0])))
		case level == syscall.IPPROTO_IP && typ == syscall.IP_PKTINFO && len(data) >= 12:
			h.own = macemcEndpoint(&UDPAddr{IP: data[4:8]}).Addr()
		case level == syscall.IPPROTO_IPV6 && typ == syscall.IPV6_PKTINFO && len(data) >= 20:
			h.own = macemcEndpoint(&UDPAddr{IP: data[:16]}).Addr()
		case (level == syscall.IPPROTO_IP && typ == syscall.IP_TOS || level == syscall.IPPROTO_IPV6 && typ == syscall.IPV6_TCLASS) && len(data) > 0:
			tos := int(data[0])
			if len(data) >= 4 {
				tos = int(*(*int32)(unsafe.Pointer(&data[0])))
			}
			if level == syscall.IPPROTO_IP {
				h.tos = tos
			} else {
				h.class = tos
			}
		case level == syscall.IPPROTO_IP && typ == syscall.IP_TTL || level == syscall.IPPROTO_IPV6 && typ == syscall.IPV6_HOPLIMIT:
		default:
			macemcUnsimulated("sends ancillary data over a socket")
		}
	}
	return h, nil
}
