package facts

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
)

// anyPort replaces the port of an address.
func anyPort(a net.Addr) string {
	host, _, err := net.SplitHostPort(a.String())
	if err != nil {
		return a.String()
	}
	return a.Network() + " " + host
}

// pair returns the two ends of a connection to an address.
func pair(network, address string) (client, server net.Conn) {
	l := must(net.Listen(network, address))
	defer l.Close()
	accepted := make(chan net.Conn)
	go func() { accepted <- must(l.Accept()) }()
	client = must(net.Dial(network, l.Addr().String()))
	return client, <-accepted
}

func closeBoth(a, b net.Conn) {
	a.Close()
	b.Close()
}

var ofSockets = map[string]fact{
	"listen: any port": func() any { l := must(net.Listen("tcp", ":0")); defer l.Close(); return anyPort(l.Addr()) },
	"listen: IPv4":     func() any { l := must(net.Listen("tcp4", ":0")); defer l.Close(); return anyPort(l.Addr()) },
	"listen: zero":     func() any { l := must(net.Listen("tcp", "0.0.0.0:0")); defer l.Close(); return anyPort(l.Addr()) },
	"listen: loopback": func() any { l := must(net.Listen("tcp", "127.0.0.1:0")); defer l.Close(); return anyPort(l.Addr()) },
	"listen: name":     func() any { l := must(net.Listen("tcp", "localhost:0")); defer l.Close(); return anyPort(l.Addr()) },
	"listen: in use": func() any {
		l := must(net.Listen("tcp", "127.0.0.1:0"))
		defer l.Close()
		_, err := net.Listen("tcp", l.Addr().String())
		return errors.Is(err, syscall.EADDRINUSE)
	},
	"listen: not own":     func() any { _, err := net.Listen("tcp", "192.0.2.1:80"); return err },
	"listen: no port":     func() any { _, err := net.Listen("tcp", "127.0.0.1"); return err },
	"listen: bad port":    func() any { _, err := net.Listen("tcp", "127.0.0.1:99999"); return err },
	"listen: bad network": func() any { _, err := net.Listen("xyz", "127.0.0.1:0"); return err },
	"listen: closed": func() any {
		l := must(net.Listen("tcp", "127.0.0.1:0"))
		l.Close()
		_, err := l.Accept()
		return []any{errors.Is(err, net.ErrClosed), errors.Is(l.Close(), net.ErrClosed)}
	},
	"listen: again": func() any {
		l := must(net.Listen("tcp", "127.0.0.1:0"))
		l.Close()
		l = must(net.Listen("tcp", l.Addr().String()))
		return l.Close()
	},
	"accept: deadline": func() any {
		l := must(net.Listen("tcp", "127.0.0.1:0"))
		defer l.Close()
		l.(*net.TCPListener).SetDeadline(time.Now().Add(time.Millisecond))
		_, err := l.Accept()
		return []any{errors.Is(err, os.ErrDeadlineExceeded), err.(net.Error).Timeout()}
	},
	"dial: refused": func() any {
		_, err := net.Dial("tcp", "127.0.0.1:9")
		return []any{err, errors.Is(err, syscall.ECONNREFUSED)}
	},
	"dial: cancelled": func() any {
		ctx, stop := context.WithCancel(context.Background())
		stop()
		_, err := new(net.Dialer).DialContext(ctx, "tcp", "127.0.0.1:9")
		return err
	},
	"dial: no host": func() any {
		_, err := net.Dial("tcp", "no.such.host.invalid:80")
		var e *net.DNSError
		return []any{errors.As(err, &e), e != nil && e.IsNotFound}
	},
	"dial: any address": func() any {
		l := must(net.Listen("tcp", ":0"))
		defer l.Close()
		c := must(net.Dial("tcp", l.Addr().String()))
		defer c.Close()
		return c.RemoteAddr().String() != ""
	},
	"dial: own name": func() any {
		l := must(net.Listen("tcp", ":0"))
		defer l.Close()
		_, port, _ := net.SplitHostPort(l.Addr().String())
		c := must(net.Dial("tcp", must(os.Hostname())+":"+port))
		return c.Close()
	},
	"dial: from a port": func() any {
		l := must(net.Listen("tcp", "127.0.0.1:0"))
		defer l.Close()
		c := must((&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}}).Dial("tcp", l.Addr().String()))
		defer c.Close()
		return anyPort(c.LocalAddr())
	},
	"control": func() any {
		var seen []string
		note := func(network, address string, c syscall.RawConn) error {
			host, _, _ := net.SplitHostPort(address)
			seen = append(seen, network, host)
			return c.Control(func(fd uintptr) { must(0, syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)) })
		}
		l := must((&net.ListenConfig{Control: note}).Listen(context.Background(), "tcp", "127.0.0.1:0"))
		defer l.Close()
		c := must((&net.Dialer{Control: note}).Dial("tcp", l.Addr().String()))
		defer c.Close()
		return seen
	},
	"control: fails": func() any {
		_, err := (&net.ListenConfig{Control: func(_, _ string, _ syscall.RawConn) error { return errors.New("no") }}).Listen(
			context.Background(), "tcp", "127.0.0.1:0")
		return err != nil && strings.HasSuffix(err.Error(), "no")
	},
	"options": func() any {
		a, b := pair("tcp", "127.0.0.1:0")
		defer closeBoth(a, b)
		c := a.(*net.TCPConn)
		return []any{c.SetNoDelay(false), c.SetKeepAlive(true), c.SetLinger(3), c.SetReadBuffer(1 << 16), c.SetWriteBuffer(1 << 16)}
	},
	"option: read": func() any {
		a, b := pair("tcp", "127.0.0.1:0")
		defer closeBoth(a, b)
		a.(*net.TCPConn).SetNoDelay(true)
		on := 0
		must(a.(*net.TCPConn).SyscallConn()).Control(func(fd uintptr) { on = must(syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_NODELAY)) })
		return on
	},
	"echo": func() any {
		a, b := pair("tcp", "127.0.0.1:0")
		defer closeBoth(a, b)
		go io.Copy(b, b)
		io.WriteString(a, "text\n")
		return must(bufio.NewReader(a).ReadString('\n'))
	},
	"addresses": func() any {
		a, b := pair("tcp", "127.0.0.1:0")
		defer closeBoth(a, b)
		return []any{anyPort(a.LocalAddr()), anyPort(a.RemoteAddr()), a.LocalAddr().String() == b.RemoteAddr().String(),
			a.RemoteAddr().String() == b.LocalAddr().String()}
	},
	"addresses: any": func() any {
		a, b := pair("tcp", ":0")
		defer closeBoth(a, b)
		return []any{a.LocalAddr().String() == b.RemoteAddr().String(), a.RemoteAddr().String() == b.LocalAddr().String(),
			a.RemoteAddr().(*net.TCPAddr).IP.IsLoopback()}
	},
	"read: end": func() any {
		a, b := pair("tcp", "127.0.0.1:0")
		defer closeBoth(a, b)
		b.Close()
		n, err := a.Read(make([]byte, 1))
		return []any{n, err}
	},
	"read: deadline": func() any {
		a, b := pair("tcp", "127.0.0.1:0")
		defer closeBoth(a, b)
		a.SetReadDeadline(time.Now().Add(time.Millisecond))
		_, err := a.Read(make([]byte, 1))
		return []any{errors.Is(err, os.ErrDeadlineExceeded), err.(net.Error).Timeout()}
	},
	"read: past": func() any {
		a, b := pair("tcp", "127.0.0.1:0")
		defer closeBoth(a, b)
		a.SetDeadline(time.Unix(1, 0))
		_, err := a.Read(make([]byte, 1))
		return errors.Is(err, os.ErrDeadlineExceeded)
	},
	"read: closed": func() any {
		a, b := pair("tcp", "127.0.0.1:0")
		defer closeBoth(a, b)
		a.Close()
		_, err := a.Read(make([]byte, 1))
		return errors.Is(err, net.ErrClosed)
	},
	"write: closed connection": func() any {
		a, b := pair("tcp", "127.0.0.1:0")
		defer closeBoth(a, b)
		a.Close()
		_, err := a.Write([]byte("x"))
		return errors.Is(err, net.ErrClosed)
	},
	"close twice: connection": func() any {
		a, b := pair("tcp", "127.0.0.1:0")
		defer closeBoth(a, b)
		a.Close()
		return errors.Is(a.Close(), net.ErrClosed)
	},
	"half closed": func() any {
		a, b := pair("tcp", "127.0.0.1:0")
		defer closeBoth(a, b)
		io.WriteString(a, "request")
		a.(*net.TCPConn).CloseWrite()
		request := string(must(io.ReadAll(b)))
		io.WriteString(b, "response")
		b.Close()
		return []any{request, string(must(io.ReadAll(a)))}
	},
	"write: no reader": func() any {
		a, b := pair("tcp", "127.0.0.1:0")
		defer closeBoth(a, b)
		b.Close()
		for range 100 {
			if _, err := a.Write([]byte("x")); err != nil {
				return errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET)
			}
			time.Sleep(10 * time.Millisecond)
		}
		return "no error"
	},
	"much data": func() any {
		a, b := pair("tcp", "127.0.0.1:0")
		defer closeBoth(a, b)
		go func() { a.Write(make([]byte, 1<<20)); a.Close() }()
		return must(io.Copy(io.Discard, b))
	},
	"no reader: deadline": func() any {
		a, b := pair("tcp", "127.0.0.1:0")
		defer closeBoth(a, b)
		a.SetWriteDeadline(time.Now().Add(20 * time.Millisecond))
		_, err := a.Write(make([]byte, 64<<20))
		return errors.Is(err, os.ErrDeadlineExceeded)
	},
	"zero bytes": func() any {
		a, b := pair("tcp", "127.0.0.1:0")
		defer closeBoth(a, b)
		n, err := a.Read(nil)
		m, wrote := a.Write(nil)
		return []any{n, err, m, wrote}
	},
	"buffers": func() any {
		a, b := pair("tcp", "127.0.0.1:0")
		defer b.Close()
		v := net.Buffers{[]byte("a"), []byte("b")}
		n := must(v.WriteTo(a))
		a.Close()
		return []any{n, string(must(io.ReadAll(b)))}
	},
	"lookup: localhost": func() any { return slices.Contains(must(net.LookupHost("localhost")), "127.0.0.1") },
	"lookup: address":   func() any { return must(net.LookupHost("192.0.2.7")) },
	"lookup: none":      func() any { _, err := net.LookupHost("no.such.host.invalid"); return err.(*net.DNSError).IsNotFound },
	"lookup: own name":  func() any { return len(must(net.LookupHost(must(os.Hostname())))) > 0 },
	"lookup: port":      func() any { return must(net.LookupPort("tcp", "https")) },
	"lookup: empty":     func() any { _, err := net.LookupHost(""); return err },
	"interfaces":        func() any { return len(must(net.Interfaces())) > 1 },
	"interface: loopback": func() any {
		i := must(net.InterfaceByName("lo"))
		return []any{i.Index, i.MTU, i.Flags&net.FlagLoopback != 0, i.Flags&net.FlagUp != 0}
	},
	"interface: none": func() any { _, err := net.InterfaceByName("none0"); return err },
	"interface: addresses": func() any {
		return strings.Contains(must(must(net.InterfaceByName("lo")).Addrs())[0].String(), "127.0.0.1/8")
	},
	"interface: own": func() any {
		for _, a := range must(net.InterfaceAddrs()) {
			if n, ok := a.(*net.IPNet); ok && n.IP.IsGlobalUnicast() && n.IP.To4() != nil {
				l := must(net.Listen("tcp", net.JoinHostPort(n.IP.String(), "0")))
				_, port, _ := net.SplitHostPort(l.Addr().String())
				_, err := net.Dial("tcp", "127.0.0.1:"+port)
				return []any{l.Close(), errors.Is(err, syscall.ECONNREFUSED)}
			}
		}
		return "no address"
	},
	"unix: missing":  func() any { _, err := net.Dial("unix", home("socket")); return err },
	"unix: abstract": func() any { _, err := net.Dial("unix", "@macemc-facts"); return errors.Is(err, syscall.ECONNREFUSED) },
	"pipe": func() any {
		a, b := net.Pipe()
		go a.Write([]byte("x"))
		buf := make([]byte, 1)
		n, err := b.Read(buf)
		return []any{n, err, string(buf)}
	},
	"address: parsed": func() any {
		return []any{must(net.ResolveTCPAddr("tcp", "127.0.0.1:https")), must(net.ResolveUDPAddr("udp", ":53"))}
	},
	"multipath": func() any {
		a, b := pair("tcp", "127.0.0.1:0")
		defer closeBoth(a, b)
		return must(a.(*net.TCPConn).MultipathTCP())
	},
}
