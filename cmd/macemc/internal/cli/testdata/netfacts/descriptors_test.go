package netfacts

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

const (
	reusePort  = 15
	udpSegment = 103
	udp        = 17
)

// control calls f with the descriptor of a socket.
func control(t *testing.T, c syscall.Conn, f func(fd int) error) {
	t.Helper()
	raw, err := c.SyscallConn()
	ok(t, err)
	var failed error
	ok(t, raw.Control(func(fd uintptr) { failed = f(int(fd)) }))
	ok(t, failed)
}

// option returns an option of a socket.
func option(t *testing.T, c any, level, name int) (v int) {
	t.Helper()
	control(t, c.(syscall.Conn), func(fd int) (err error) {
		v, err = syscall.GetsockoptInt(fd, level, name)
		return err
	})
	return v
}

func TestOptions(t *testing.T) {
	l := listen(t, "tcp", "127.0.0.1:0")
	equal(t, "SO_REUSEADDR", option(t, l, syscall.SOL_SOCKET, syscall.SO_REUSEADDR), 1)
	c := dial(t, "tcp", l.Addr().String()).(*net.TCPConn)
	tcp := func(name int) int { return option(t, c, syscall.IPPROTO_TCP, name) }
	equal(t, "TCP_NODELAY", tcp(syscall.TCP_NODELAY), 1)
	equal(t, "SO_KEEPALIVE", option(t, c, syscall.SOL_SOCKET, syscall.SO_KEEPALIVE), 1)
	equal(t, "TCP_KEEPIDLE", tcp(syscall.TCP_KEEPIDLE), 15)
	equal(t, "TCP_KEEPINTVL", tcp(syscall.TCP_KEEPINTVL), 15)
	equal(t, "TCP_KEEPCNT", tcp(syscall.TCP_KEEPCNT), 9)
	equal(t, "SO_TYPE", option(t, c, syscall.SOL_SOCKET, syscall.SO_TYPE), syscall.SOCK_STREAM)
	equal(t, "SO_ERROR", option(t, c, syscall.SOL_SOCKET, syscall.SO_ERROR), 0)
	ok(t, c.SetNoDelay(false))
	ok(t, c.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: 40 * time.Second, Interval: 5 * time.Second, Count: 3}))
	equal(t, "TCP_NODELAY", tcp(syscall.TCP_NODELAY), 0)
	equal(t, "TCP_KEEPIDLE", tcp(syscall.TCP_KEEPIDLE), 40)
	equal(t, "TCP_KEEPINTVL", tcp(syscall.TCP_KEEPINTVL), 5)
	ok(t, c.SetReadBuffer(10_000))
	equal(t, "SO_RCVBUF", option(t, c, syscall.SOL_SOCKET, syscall.SO_RCVBUF), 20_000)
	ok(t, c.SetWriteBuffer(12_000))
	equal(t, "SO_SNDBUF", option(t, c, syscall.SOL_SOCKET, syscall.SO_SNDBUF), 24_000)
	const userTimeout = 18
	control(t, c, func(fd int) error { return syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, userTimeout, 7000) })
	equal(t, "TCP_USER_TIMEOUT", tcp(userTimeout), 7000)
	s, err := l.Accept()
	ok(t, err)
	defer s.Close()
	equal(t, "TCP_NODELAY of the other end", option(t, s, syscall.IPPROTO_TCP, syscall.TCP_NODELAY), 1)
	equal(t, "IPV6_V6ONLY", option(t, listen(t, "tcp", ":0"), syscall.IPPROTO_IPV6, syscall.IPV6_V6ONLY), 0)
	equal(t, "IPV6_V6ONLY", option(t, listen(t, "tcp6", ":0"), syscall.IPPROTO_IPV6, syscall.IPV6_V6ONLY), 1)
	equal(t, "SO_BROADCAST", option(t, packets(t, "udp", ":0"), syscall.SOL_SOCKET, syscall.SO_BROADCAST), 1)
	raw, err := c.SyscallConn()
	ok(t, err)
	c.Close()
	err = raw.Control(func(uintptr) { t.Error("called") })
	equal(t, "closed", errors.Is(err, net.ErrClosed), true)
	err = raw.Read(func(uintptr) bool { t.Error("called"); return true })
	equal(t, "closed", errors.Is(err, net.ErrClosed), true)
}

func TestControl(t *testing.T) {
	var got []string
	note := func(network, address string, c syscall.RawConn) error {
		got = append(got, network+" "+address)
		var failed error
		err := c.Control(func(fd uintptr) { failed = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, reusePort, 1) })
		return errors.Join(err, failed)
	}
	lc := net.ListenConfig{Control: note}
	var last net.Listener
	for _, address := range []string{"127.0.0.1:0", "127.0.0.1:0", ":0"} {
		if last != nil && address != ":0" {
			address = last.Addr().String()
		}
		l, err := lc.Listen(context.Background(), "tcp", address)
		ok(t, err)
		defer l.Close()
		last = l
	}
	d := net.Dialer{Control: note}
	c, err := d.Dial("tcp", last.Addr().String())
	ok(t, err)
	defer c.Close()
	d.ControlContext = func(_ context.Context, network, address string, c syscall.RawConn) error {
		return note(network, address, c)
	}
	c, err = d.Dial("udp4", "127.0.0.1:7")
	ok(t, err)
	defer c.Close()
	equal(t, "calls", len(got), 5)
	equal(t, "listener", got[0], "tcp4 127.0.0.1:0")
	equal(t, "second listener", got[1][:14], "tcp4 127.0.0.1")
	equal(t, "listener on all", got[2], "tcp6 :0")
	equal(t, "dialer", got[3], "tcp6 "+last.Addr().String())
	equal(t, "datagrams", got[4], "udp4 127.0.0.1:7")
	equal(t, "option", option(t, last, syscall.SOL_SOCKET, reusePort), 1)
	failing := errors.New("control")
	lc.Control = func(string, string, syscall.RawConn) error { return failing }
	_, err = lc.Listen(context.Background(), "tcp", ":0")
	equal(t, "error", errors.Is(err, failing), true)
	var p1, p2 net.PacketConn
	lc.Control = note
	p1, err = lc.ListenPacket(context.Background(), "udp", "127.0.0.1:0")
	ok(t, err)
	defer p1.Close()
	p2, err = lc.ListenPacket(context.Background(), "udp", p1.LocalAddr().String())
	ok(t, err)
	defer p2.Close()
}

func raw(t *testing.T, c any) syscall.RawConn {
	t.Helper()
	r, err := c.(syscall.Conn).SyscallConn()
	ok(t, err)
	return r
}

func TestRawRead(t *testing.T) {
	for _, network := range []string{"tcp", "unix"} {
		address := "127.0.0.1:0"
		if network == "unix" {
			address = filepath.Join(t.TempDir(), "s")
		}
		c, s := pair(t, network, address)
		r := raw(t, s)
		var n int
		var err error
		var b [10]byte
		ok(t, r.Read(func(fd uintptr) bool { // as drivers of databases check an idle connection
			n, err = syscall.Read(int(fd), b[:])
			return true
		}))
		equal(t, "idle", err == syscall.EAGAIN, true)
		go func() {
			time.Sleep(10 * time.Millisecond)
			io.WriteString(c, "hello")
		}()
		calls := 0
		ok(t, r.Read(func(fd uintptr) bool {
			calls++
			n, err = syscall.Read(int(fd), b[:])
			return err != syscall.EAGAIN
		}))
		ok(t, err)
		equal(t, "read", string(b[:n]), "hello")
		equal(t, "calls", calls, 2)
		io.WriteString(c, "peek")
		time.Sleep(10 * time.Millisecond)
		ok(t, r.Read(func(fd uintptr) bool {
			n, _, err = syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
			return true
		}))
		equal(t, "peeked", string(b[:n]), "peek")
		n, _ = s.Read(b[:2])
		equal(t, "read", string(b[:n]), "pe")
		n, _ = s.Read(b[:])
		equal(t, "read", string(b[:n]), "ek")
		s.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
		err = r.Read(func(fd uintptr) bool { return false })
		equal(t, "deadline", errors.Is(err, os.ErrDeadlineExceeded), true)
		s.SetReadDeadline(time.Time{})
		c.Close()
		time.Sleep(10 * time.Millisecond)
		ok(t, r.Read(func(fd uintptr) bool {
			n, err = syscall.Read(int(fd), b[:])
			return true
		}))
		equal(t, "end", n, 0)
		ok(t, err)
	}
}

func TestRawReadEnds(t *testing.T) {
	_, s := pair(t, "tcp", "127.0.0.1:0")
	r := raw(t, s)
	done := make(chan error)
	go func() { done <- r.Read(func(uintptr) bool { return false }) }()
	time.Sleep(10 * time.Millisecond)
	s.Close()
	equal(t, "closed", errors.Is(<-done, net.ErrClosed), true)
}

func TestRawWrite(t *testing.T) {
	c, s := pair(t, "tcp", "127.0.0.1:0")
	sent := 0
	big := make([]byte, 1<<20)
	for {
		var n int
		var err error
		ok(t, raw(t, c).Write(func(fd uintptr) bool {
			n, err = syscall.Write(int(fd), big)
			return true
		}))
		if err == syscall.EAGAIN {
			break
		}
		ok(t, err)
		sent += n
	}
	go io.CopyN(io.Discard, s, int64(sent))
	var err error
	ok(t, raw(t, c).Write(func(fd uintptr) bool {
		_, err = syscall.Write(int(fd), []byte("more"))
		return err != syscall.EAGAIN
	}))
	ok(t, err)
	s.Close()
	time.Sleep(10 * time.Millisecond)
}

func TestRawDatagrams(t *testing.T) {
	u, c := packets(t, "udp", "127.0.0.1:0"), packets(t, "udp", "127.0.0.1:0")
	var from syscall.Sockaddr
	b := make([]byte, 10)
	to := u.LocalAddr().(*net.UDPAddr)
	var err error
	ok(t, raw(t, c).Write(func(fd uintptr) bool {
		err = syscall.Sendto(int(fd), []byte("raw"), 0, &syscall.SockaddrInet4{Port: to.Port, Addr: [4]byte(to.IP.To4())})
		return true
	}))
	ok(t, err)
	var n int
	ok(t, raw(t, u).Read(func(fd uintptr) bool {
		n, from, err = syscall.Recvfrom(int(fd), b, 0)
		return err != syscall.EAGAIN
	}))
	ok(t, err)
	equal(t, "read", string(b[:n]), "raw")
	equal(t, "port", from.(*syscall.SockaddrInet4).Port, port(c.LocalAddr()))
	control(t, u, func(fd int) error {
		a, err := syscall.Getsockname(fd)
		if err == nil {
			equal(t, "own port", a.(*syscall.SockaddrInet4).Port, to.Port)
		}
		if _, err := syscall.Getpeername(fd); err != syscall.ENOTCONN {
			t.Error(err)
		}
		return err
	})
	var flags int
	oob := make([]byte, 100)
	c.WriteTo([]byte("message"), to)
	ok(t, raw(t, u).Read(func(fd uintptr) bool {
		n, _, flags, from, err = syscall.Recvmsg(int(fd), b[:3], oob, 0)
		return err != syscall.EAGAIN
	}))
	ok(t, err)
	equal(t, "message", string(b[:n]), "mes")
	equal(t, "flags", flags, syscall.MSG_TRUNC)
}

// messages returns the ancillary data that a datagram brings, by level and type.
func messages(t *testing.T, oob []byte) map[[2]int32][]byte {
	t.Helper()
	list, err := syscall.ParseSocketControlMessage(oob)
	ok(t, err)
	all := map[[2]int32][]byte{}
	for _, m := range list {
		all[[2]int32{m.Header.Level, m.Header.Type}] = m.Data
	}
	return all
}

func message(level, typ int32, data ...byte) []byte {
	b := make([]byte, syscall.CmsgSpace(len(data)))
	h := (*syscall.Cmsghdr)(unsafe.Pointer(&b[0]))
	h.Level, h.Type = level, typ
	h.SetLen(syscall.CmsgLen(len(data)))
	copy(b[syscall.CmsgLen(0):], data)
	return b
}

func TestAncillary(t *testing.T) {
	u, c := packets(t, "udp", ":0"), packets(t, "udp4", "127.0.0.1:0")
	control(t, u, func(fd int) error {
		return errors.Join(syscall.SetsockoptInt(fd, syscall.IPPROTO_IP, syscall.IP_RECVTOS, 1),
			syscall.SetsockoptInt(fd, syscall.IPPROTO_IP, syscall.IP_PKTINFO, 1),
			syscall.SetsockoptInt(fd, syscall.IPPROTO_IPV6, syscall.IPV6_RECVTCLASS, 1),
			syscall.SetsockoptInt(fd, syscall.IPPROTO_IPV6, syscall.IPV6_RECVPKTINFO, 1))
	})
	b, oob := make([]byte, 100), make([]byte, 200)
	to := &net.UDPAddr{IP: net.IPv4(127, 0, 0, 7), Port: port(u.LocalAddr())}
	n, oobn, err := c.WriteMsgUDP([]byte("ecn"), message(syscall.IPPROTO_IP, syscall.IP_TOS, 1, 0, 0, 0), to)
	ok(t, err)
	equal(t, "written", n, 3)
	n, oobn, flags, from, err := u.ReadMsgUDP(b, oob)
	ok(t, err)
	equal(t, "flags", flags, 0)
	equal(t, "from", from.String(), c.LocalAddr().String())
	all := messages(t, oob[:oobn])
	equal(t, "messages", len(all), 3)
	equal(t, "TOS", string(all[[2]int32{syscall.IPPROTO_IP, syscall.IP_TOS}]), "\x01")
	info := all[[2]int32{syscall.IPPROTO_IP, syscall.IP_PKTINFO}]
	equal(t, "packet info", string(info[4:]), "\x7f\x00\x00\x07\x7f\x00\x00\x07")
	info = all[[2]int32{syscall.IPPROTO_IPV6, syscall.IPV6_PKTINFO}]
	equal(t, "packet info of IPv6", net.IP(info[:16]).String(), "127.0.0.7")
	_, _, flags, _, err = func() (int, int, int, *net.UDPAddr, error) {
		c.WriteToUDP([]byte("x"), to)
		return u.ReadMsgUDP(b, oob[:10])
	}()
	ok(t, err)
	equal(t, "flags", flags&syscall.MSG_CTRUNC, syscall.MSG_CTRUNC)
	for _, s := range []struct {
		network, to string
		level, name int
	}{{"udp4", "127.0.0.1", syscall.IPPROTO_IP, syscall.IP_TOS}, {"udp6", "::1", syscall.IPPROTO_IPV6, syscall.IPV6_TCLASS}} {
		to := &net.UDPAddr{IP: net.ParseIP(s.to), Port: port(u.LocalAddr())}
		d, err := net.DialUDP(s.network, nil, to)
		ok(t, err)
		defer d.Close()
		control(t, d, func(fd int) error { return syscall.SetsockoptInt(fd, s.level, s.name, 2) })
		_, err = d.Write([]byte("option"))
		ok(t, err)
		_, oobn, _, _, err := u.ReadMsgUDP(b, oob)
		ok(t, err)
		equal(t, "option "+s.network, messages(t, oob[:oobn])[[2]int32{int32(s.level), int32(s.name)}][0], byte(2))
	}
	// The answer comes from the address to which the request was sent.
	answer := message(syscall.IPPROTO_IP, syscall.IP_PKTINFO, 0, 0, 0, 0, 127, 0, 0, 7, 0, 0, 0, 0)
	_, _, err = u.WriteMsgUDP([]byte("answer"), answer, from)
	ok(t, err)
	_, from, err = c.ReadFromUDP(b)
	ok(t, err)
	equal(t, "from", from.String(), to.String())
}

func TestSegments(t *testing.T) {
	u, c := packets(t, "udp", "127.0.0.1:0"), packets(t, "udp", "127.0.0.1:0")
	n, _, err := c.WriteMsgUDP([]byte("abcdefgh"), message(udp, udpSegment, 3, 0), u.LocalAddr().(*net.UDPAddr))
	ok(t, err)
	equal(t, "written", n, 8)
	b := make([]byte, 100)
	for _, want := range []string{"abc", "def", "gh"} {
		n, _, err := u.ReadFrom(b)
		ok(t, err)
		equal(t, "segment", string(b[:n]), want)
	}
}

func TestCredentials(t *testing.T) {
	_, s := pair(t, "unix", filepath.Join(t.TempDir(), "s"))
	control(t, s.(syscall.Conn), func(fd int) error {
		u, err := syscall.GetsockoptUcred(fd, syscall.SOL_SOCKET, syscall.SO_PEERCRED)
		if err == nil {
			equal(t, "pid", int(u.Pid), os.Getpid())
			equal(t, "uid", int(u.Uid), os.Getuid())
		}
		return err
	})
}

// A function of RawConn during which a socket is closed uses its descriptor, and waits in vain.
func TestCloseDuringRead(t *testing.T) {
	_, s := pair(t, "tcp", "127.0.0.1:0")
	for _, c := range []net.Conn{s, packets(t, "udp4", "127.0.0.1:0")} {
		r, done := raw(t, c.(syscall.Conn)), make(chan bool)
		go func() {
			defer close(done)
			var got error
			err := r.Read(func(fd uintptr) bool {
				_, _, got = syscall.Recvfrom(int(fd), make([]byte, 8), 0)
				return got != syscall.EAGAIN
			})
			if !errors.Is(err, net.ErrClosed) {
				t.Errorf("read: %v, %v", err, got)
			}
		}()
		ok(t, c.Close())
		other := packets(t, "udp4", "127.0.0.1:0")
		ok(t, raw(t, other).Control(func(uintptr) {})) // it could get the number of the descriptor
		<-done
	}
}

// Close waits for the functions of RawConn that use the descriptor.
func TestCloseWaits(t *testing.T) {
	for _, use := range []func(syscall.RawConn, func()) error{
		func(c syscall.RawConn, f func()) error { return c.Control(func(uintptr) { f() }) },
		func(c syscall.RawConn, f func()) error { return c.Read(func(uintptr) bool { f(); return true }) },
		func(c syscall.RawConn, f func()) error { return c.Write(func(uintptr) bool { f(); return true }) },
	} {
		c := packets(t, "udp4", "127.0.0.1:0")
		r, begun, ended := raw(t, c), make(chan bool), false
		go use(r, func() {
			close(begun)
			time.Sleep(time.Millisecond)
			ended = true
		})
		<-begun
		ok(t, c.Close())
		equal(t, "ended", ended, true)
	}
}

// deep calls f with little room on the stack, which grows meanwhile.
func deep(n int, f func()) {
	var b [64]byte
	if n > 0 {
		deep(n-1, f)
	} else {
		f()
	}
	_ = b
}

func TestBuffersOnStack(t *testing.T) {
	c, s := pair(t, "tcp", "127.0.0.1:0")
	r := raw(t, s)
	for depth := range 60 {
		io.WriteString(c, "text")
		done := make(chan bool)
		go func() {
			defer close(done)
			deep(depth, func() {
				ok(t, r.Read(func(fd uintptr) bool {
					var b [8]byte
					n, err := syscall.Read(int(fd), b[:])
					if err == syscall.EAGAIN {
						return false
					}
					if err != nil || string(b[:n]) != "text" {
						t.Error(depth, n, err, b)
					}
					return true
				}))
			})
		}()
		<-done
	}
}
