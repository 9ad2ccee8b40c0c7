package facts

import (
	"context"
	"errors"
	"net"
	"os"
	"syscall"
	"time"
)

// sent opens a socket for datagrams, sends a text to it from another, and returns both.
func sent(text string) (from *net.UDPConn, at *net.UDPConn) {
	at = must(net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}))
	from = must(net.DialUDP("udp", nil, at.LocalAddr().(*net.UDPAddr)))
	must(from.Write([]byte(text)))
	return from, at
}

var ofPackets = map[string]fact{
	"packets: any port": func() any { c := must(net.ListenPacket("udp", ":0")); defer c.Close(); return anyPort(c.LocalAddr()) },
	"packets: IPv4":     func() any { c := must(net.ListenPacket("udp4", ":0")); defer c.Close(); return anyPort(c.LocalAddr()) },
	"packets: dialled": func() any {
		c := must(net.Dial("udp", "127.0.0.1:9"))
		defer c.Close()
		return []any{anyPort(c.LocalAddr()), c.RemoteAddr()}
	},
	"packets: in use": func() any {
		c := must(net.ListenPacket("udp", "127.0.0.1:0"))
		defer c.Close()
		_, err := net.ListenPacket("udp", c.LocalAddr().String())
		return errors.Is(err, syscall.EADDRINUSE)
	},
	"packets: port of TCP": func() any {
		l := must(net.Listen("tcp", "127.0.0.1:0"))
		defer l.Close()
		c := must(net.ListenPacket("udp", l.Addr().String()))
		return c.Close()
	},
	"packets: read": func() any {
		from, at := sent("text")
		defer closeBoth(from, at)
		buf := make([]byte, 9)
		n, sender, err := at.ReadFrom(buf)
		return []any{string(buf[:n]), sender.String() == from.LocalAddr().String(), err}
	},
	"packets: truncated": func() any {
		from, at := sent("text")
		defer closeBoth(from, at)
		n, oob, flags, _, err := at.ReadMsgUDP(make([]byte, 2), nil)
		return []any{n, oob, flags, err}
	},
	"packets: answer": func() any {
		from, at := sent("request")
		defer closeBoth(from, at)
		_, sender, _ := at.ReadFromUDPAddrPort(make([]byte, 9))
		must(at.WriteToUDPAddrPort([]byte("response"), sender))
		buf := make([]byte, 9)
		n := must(from.Read(buf))
		return string(buf[:n])
	},
	"packets: message": func() any {
		from, at := sent("text")
		defer closeBoth(from, at)
		must(at.SyscallConn()).Control(func(fd uintptr) { must(0, syscall.SetsockoptInt(int(fd), syscall.IPPROTO_IP, syscall.IP_PKTINFO, 1)) })
		must(from.Write([]byte("more")))
		oob := make([]byte, 128)
		at.ReadMsgUDP(make([]byte, 9), oob)
		n, k, flags, sender, err := at.ReadMsgUDP(make([]byte, 9), oob)
		all := must(syscall.ParseSocketControlMessage(oob[:k]))
		return []any{n, len(all), all[0].Header.Type, all[0].Data[4:12], flags, sender.IP, err}
	},
	"packets: type of service": func() any {
		from, at := sent("text")
		defer closeBoth(from, at)
		must(at.SyscallConn()).Control(func(fd uintptr) { must(0, syscall.SetsockoptInt(int(fd), syscall.IPPROTO_IP, syscall.IP_RECVTOS, 1)) })
		must(from.SyscallConn()).Control(func(fd uintptr) { must(0, syscall.SetsockoptInt(int(fd), syscall.IPPROTO_IP, syscall.IP_TOS, 2)) })
		from.WriteMsgUDP([]byte("more"), nil, nil)
		oob := make([]byte, 128)
		buf, k := make([]byte, 9), 0
		for string(buf[:4]) != "more" { // datagrams may overtake others
			_, k, _, _, _ = at.ReadMsgUDP(buf, oob)
		}
		all := must(syscall.ParseSocketControlMessage(oob[:k]))
		return []any{len(all), all[0].Header.Type, all[0].Data}
	},
	"packets: deadline": func() any {
		c := must(net.ListenPacket("udp", "127.0.0.1:0"))
		defer c.Close()
		c.SetDeadline(time.Now().Add(time.Millisecond))
		_, _, err := c.ReadFrom(make([]byte, 1))
		return errors.Is(err, os.ErrDeadlineExceeded)
	},
	"packets: closed": func() any {
		c := must(net.ListenPacket("udp", "127.0.0.1:0"))
		c.Close()
		_, _, err := c.ReadFrom(make([]byte, 1))
		return []any{errors.Is(err, net.ErrClosed), errors.Is(c.Close(), net.ErrClosed)}
	},
	"packets: too long": func() any {
		c := must(net.Dial("udp", "127.0.0.1:9"))
		defer c.Close()
		_, err := c.Write(make([]byte, 70000))
		return errors.Is(err, syscall.EMSGSIZE)
	},
	"packets: no address": func() any {
		c := must(net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}))
		defer c.Close()
		_, err := c.Write([]byte("x"))
		return errors.Is(err, syscall.EDESTADDRREQ)
	},
	"packets: empty": func() any {
		from, at := sent("")
		defer closeBoth(from, at)
		n, _, err := at.ReadFrom(make([]byte, 1))
		return []any{n, err}
	},
	"packets: control": func() any {
		called := ""
		c := must((&net.ListenConfig{Control: func(network, _ string, c syscall.RawConn) error { called = network; return nil }}).ListenPacket(
			context.Background(), "udp", "127.0.0.1:0"))
		return []any{called, c.Close()}
	},
	"packets: options": func() any {
		c := must(net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}))
		defer c.Close()
		return []any{c.SetReadBuffer(1 << 16), c.SetWriteBuffer(1 << 16)}
	},
	"packets: loopback from any": func() any {
		at := must(net.ListenUDP("udp", nil))
		from := must(net.ListenUDP("udp", nil))
		defer closeBoth(from, at)
		must(from.WriteTo([]byte("x"), &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: at.LocalAddr().(*net.UDPAddr).Port}))
		_, sender, err := at.ReadFromUDP(make([]byte, 1))
		return []any{sender.IP, sender.Port == from.LocalAddr().(*net.UDPAddr).Port, err}
	},
}
