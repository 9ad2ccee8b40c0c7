// Package netfacts contains facts of package net on Linux with IPv4 and IPv6. They hold with the system's network and in an explored test.
package netfacts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// failed reports an error other than that of a system call.
func failed(t *testing.T, err error, op, call string, want error) {
	t.Helper()
	var o *net.OpError
	var s *os.SyscallError
	if !errors.As(err, &o) || o.Op != op || !errors.As(err, &s) || s.Syscall != call || !errors.Is(err, want) || strings.Contains(err.Error(), "macemc") {
		t.Errorf("%v, want %s: %s: %v", err, op, call, want)
	}
}

func listen(t *testing.T, network, address string) net.Listener {
	t.Helper()
	l, err := net.Listen(network, address)
	ok(t, err)
	t.Cleanup(func() { l.Close() })
	return l
}

func packets(t *testing.T, network, address string) *net.UDPConn {
	t.Helper()
	c, err := net.ListenPacket(network, address)
	ok(t, err)
	t.Cleanup(func() { c.Close() })
	return c.(*net.UDPConn)
}

func dial(t *testing.T, network, address string) net.Conn {
	t.Helper()
	c, err := net.Dial(network, address)
	ok(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

// pair returns both ends of a connection.
func pair(t *testing.T, network, address string) (c, s net.Conn) {
	t.Helper()
	l := listen(t, network, address)
	c = dial(t, network, l.Addr().String())
	s, err := l.Accept()
	ok(t, err)
	t.Cleanup(func() { s.Close() })
	return c, s
}

func port(a net.Addr) int { return int(netip.MustParseAddrPort(a.String()).Port()) }

func TestListenOnAll(t *testing.T) {
	for _, c := range []struct{ network, address, want string }{
		{"tcp", ":0", "[::]:"}, {"tcp", "0.0.0.0:0", "[::]:"}, {"tcp", "[::]:0", "[::]:"}, {"tcp4", ":0", "0.0.0.0:"}, {"tcp6", ":0", "[::]:"},
		{"tcp", "localhost:0", "127.0.0.1:"}, {"tcp", "[::1]:0", "[::1]:"}, {"tcp", "127.0.0.2:0", "127.0.0.2:"},
	} {
		l := listen(t, c.network, c.address)
		if s := l.Addr().String(); !strings.HasPrefix(s, c.want) || strings.HasSuffix(s, ":0") {
			t.Errorf("%s %s: %s", c.network, c.address, s)
		}
		p := packets(t, strings.Replace(c.network, "tcp", "udp", 1), c.address)
		if s := p.LocalAddr().String(); !strings.HasPrefix(s, c.want) || strings.HasSuffix(s, ":0") {
			t.Errorf("datagrams, %s: %s", c.address, s)
		}
	}
}

func TestDialAll(t *testing.T) {
	l := listen(t, "tcp", ":0")
	p := port(l.Addr())
	for host, want := range map[string]string{"": "127.0.0.1", "127.0.0.1": "127.0.0.1", "127.0.0.3": "127.0.0.3", "localhost": "127.0.0.1",
		"::1": "[::1]", "::": "[::1]", "0.0.0.0": "127.0.0.1"} {
		c := dial(t, "tcp", net.JoinHostPort(host, fmt.Sprint(p)))
		s, err := l.Accept()
		ok(t, err)
		equal(t, "remote of "+host, c.RemoteAddr().String(), fmt.Sprintf("%s:%d", want, p))
		equal(t, "local of the other end of "+host, s.LocalAddr().String(), c.RemoteAddr().String())
		equal(t, "remote of the other end of "+host, s.RemoteAddr().String(), c.LocalAddr().String())
		s.Close()
	}
	_, err := net.Dial("tcp6", "127.0.0.1:1")
	if e := new(net.AddrError); !errors.As(err, &e) {
		t.Error(err)
	}
}

func TestFamilies(t *testing.T) {
	four, six := listen(t, "tcp4", ":0"), listen(t, "tcp6", ":0")
	for _, c := range []struct {
		address string
		open    bool
	}{
		{fmt.Sprintf("127.0.0.1:%d", port(four.Addr())), true}, {fmt.Sprintf("[::1]:%d", port(four.Addr())), false},
		{fmt.Sprintf("127.0.0.1:%d", port(six.Addr())), false}, {fmt.Sprintf("[::1]:%d", port(six.Addr())), true},
	} {
		d, err := net.Dial("tcp", c.address)
		if c.open {
			ok(t, err)
			d.Close()
		} else {
			failed(t, err, "dial", "connect", syscall.ECONNREFUSED)
		}
	}
	same := listen(t, "tcp6", fmt.Sprintf("[::]:%d", port(four.Addr())))
	equal(t, "port", port(same.Addr()), port(four.Addr()))
}

func TestInUse(t *testing.T) {
	l := listen(t, "tcp", "127.0.0.1:0")
	p := port(l.Addr())
	for network, addresses := range map[string][]string{"tcp": {"127.0.0.1", "", "0.0.0.0"}, "tcp4": {""}} {
		for _, a := range addresses {
			_, err := net.Listen(network, fmt.Sprintf("%s:%d", a, p))
			failed(t, err, "listen", "bind", syscall.EADDRINUSE)
		}
	}
	listen(t, "tcp", fmt.Sprintf("127.0.0.2:%d", p))
	listen(t, "tcp", fmt.Sprintf("[::1]:%d", p))
	u := packets(t, "udp", fmt.Sprintf("127.0.0.1:%d", p))
	_, err := net.ListenPacket("udp", u.LocalAddr().String())
	failed(t, err, "listen", "bind", syscall.EADDRINUSE)
	_, err = (&net.Dialer{LocalAddr: u.LocalAddr()}).Dial("udp", "127.0.0.1:1")
	failed(t, err, "dial", "bind", syscall.EADDRINUSE)
	u.Close()
	packets(t, "udp", fmt.Sprintf("127.0.0.1:%d", p))
	c := dial(t, "tcp", l.Addr().String())
	l.Close()
	l = listen(t, "tcp", l.Addr().String())
	listen(t, "tcp", c.LocalAddr().String())
	_, err = net.Listen("tcp", "192.0.2.1:0")
	failed(t, err, "listen", "bind", syscall.EADDRNOTAVAIL)
	_, err = net.ListenPacket("udp", "192.0.2.1:0")
	failed(t, err, "listen", "bind", syscall.EADDRNOTAVAIL)
}

func TestLocalAddress(t *testing.T) {
	l := listen(t, "tcp", ":0")
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 5)}}
	c, err := d.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port(l.Addr())))
	ok(t, err)
	defer c.Close()
	equal(t, "address", c.LocalAddr().(*net.TCPAddr).IP.String(), "127.0.0.5")
	s, err := l.Accept()
	ok(t, err)
	defer s.Close()
	equal(t, "address", s.RemoteAddr().String(), c.LocalAddr().String())
	a := s.RemoteAddr().(*net.TCPAddr).AddrPort()
	equal(t, "in IPv6", a.Addr().Is4In6(), true)
	equal(t, "not in IPv6", c.LocalAddr().(*net.TCPAddr).AddrPort().Addr().Is4(), true)
}

func TestRefused(t *testing.T) {
	l := listen(t, "tcp", "127.0.0.1:0")
	u := packets(t, "udp", "127.0.0.1:0")
	l.Close()
	_, err := net.Dial("tcp", l.Addr().String())
	failed(t, err, "dial", "connect", syscall.ECONNREFUSED)
	equal(t, "text", err.Error(), "dial tcp "+l.Addr().String()+": connect: connection refused")
	_, err = net.Dial("tcp", u.LocalAddr().String()) // the port of datagrams
	failed(t, err, "dial", "connect", syscall.ECONNREFUSED)
	_, err = net.DialTimeout("tcp", "localhost:1", time.Second)
	failed(t, err, "dial", "connect", syscall.ECONNREFUSED)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = new(net.Dialer).DialContext(ctx, "tcp", l.Addr().String())
	equal(t, "canceled", err.Error(), "dial tcp "+l.Addr().String()+": operation was canceled")
}

func TestDatagramRefused(t *testing.T) {
	u := packets(t, "udp", "127.0.0.1:0")
	c := dial(t, "udp", u.LocalAddr().String())
	_, err := c.Write([]byte("a"))
	ok(t, err)
	u.Close()
	for _, op := range []string{"read", "write"} {
		if _, err = c.Write([]byte("b")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
		if op == "read" {
			_, err = c.Read(make([]byte, 10))
		} else {
			_, err = c.Write([]byte("c"))
		}
		failed(t, err, op, op, syscall.ECONNREFUSED)
	}
	reading := make(chan error)
	go func() {
		_, err := c.Read(make([]byte, 10))
		reading <- err
	}()
	time.Sleep(10 * time.Millisecond)
	_, err = c.Write([]byte("d"))
	ok(t, err)
	failed(t, <-reading, "read", "read", syscall.ECONNREFUSED)
	errs := make(chan error)
	for range 2 {
		go func() {
			_, err := c.Write([]byte("d"))
			errs <- err
		}()
	}
	equal(t, "one of two writes", (<-errs == nil) != (<-errs == nil), true)
	free := packets(t, "udp", "127.0.0.1:0")
	_, err = free.WriteTo([]byte("e"), u.LocalAddr())
	ok(t, err)
	free.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
	_, _, err = free.ReadFrom(make([]byte, 10))
	equal(t, "deadline", errors.Is(err, os.ErrDeadlineExceeded), true)
}

func TestConnectedDatagrams(t *testing.T) {
	u, other := packets(t, "udp", "127.0.0.1:0"), packets(t, "udp", "127.0.0.1:0")
	c := dial(t, "udp", u.LocalAddr().String())
	_, err := other.WriteTo([]byte("other"), c.LocalAddr())
	ok(t, err)
	_, err = u.WriteTo([]byte("peer"), c.LocalAddr())
	ok(t, err)
	b := make([]byte, 10)
	n, err := c.Read(b)
	ok(t, err)
	equal(t, "read", string(b[:n]), "peer")
	_, err = c.(*net.UDPConn).WriteTo([]byte("x"), u.LocalAddr())
	equal(t, "WriteTo", errors.Is(err, net.ErrWriteToConnected), true)
	u.WriteTo([]byte("again"), c.LocalAddr())
	_, from, err := c.(*net.UDPConn).ReadFrom(b)
	ok(t, err)
	equal(t, "from", from.String(), u.LocalAddr().String())
	_, err = u.Write([]byte("x"))
	failed(t, err, "write", "write", syscall.EDESTADDRREQ)
}

func TestDatagramsOnAll(t *testing.T) {
	u := packets(t, "udp", ":0")
	b := make([]byte, 10)
	for _, host := range []string{"127.0.0.1", "[::1]"} {
		c := dial(t, "udp", fmt.Sprintf("%s:%d", host, port(u.LocalAddr())))
		_, err := c.Write([]byte("x"))
		ok(t, err)
		_, from, err := u.ReadFrom(b)
		ok(t, err)
		equal(t, "from", from.String(), c.LocalAddr().String())
		_, err = u.WriteTo([]byte("y"), from)
		ok(t, err)
		n, err := c.Read(b)
		ok(t, err)
		equal(t, "answer", string(b[:n]), "y")
	}
	six := packets(t, "udp", "[::1]:0")
	_, err := u.WriteTo([]byte("x"), six.LocalAddr())
	ok(t, err)
	_, from, err := six.ReadFromUDPAddrPort(b)
	ok(t, err)
	equal(t, "own address", from.String(), fmt.Sprintf("[::1]:%d", port(u.LocalAddr())))
	_, err = packets(t, "udp4", ":0").WriteTo([]byte("x"), six.LocalAddr())
	if e := new(net.AddrError); !errors.As(err, &e) {
		t.Error(err)
	}
}

func TestDatagramSizes(t *testing.T) {
	u := packets(t, "udp", "127.0.0.1:0")
	c := dial(t, "udp", u.LocalAddr().String()).(*net.UDPConn)
	_, err := c.Write(make([]byte, 65508))
	failed(t, err, "write", "write", syscall.EMSGSIZE)
	_, err = u.WriteTo(make([]byte, 65508), c.LocalAddr())
	failed(t, err, "write", "sendto", syscall.EMSGSIZE)
	for _, size := range []int{65507, 0, 3} {
		n, err := c.Write(make([]byte, size))
		ok(t, err)
		equal(t, "written", n, size)
		n, _, err = u.ReadFrom(make([]byte, 70000))
		ok(t, err)
		equal(t, "read", n, size)
	}
	c.Write([]byte("hello"))
	c.Write([]byte("world"))
	n, oobn, flags, from, err := u.ReadMsgUDP(make([]byte, 2), make([]byte, 100))
	ok(t, err)
	equal(t, "read", n, 2)
	equal(t, "ancillary", oobn, 0)
	equal(t, "flags", flags, syscall.MSG_TRUNC)
	equal(t, "from", from.String(), c.LocalAddr().String())
	b := make([]byte, 10)
	n, _, flags, at, err := u.ReadMsgUDPAddrPort(b, nil)
	ok(t, err)
	equal(t, "read", string(b[:n]), "world")
	equal(t, "flags", flags, 0)
	n, oobn, err = u.WriteMsgUDPAddrPort([]byte("answer"), nil, at)
	ok(t, err)
	equal(t, "written", n, 6)
	n, err = c.Read(b)
	ok(t, err)
	equal(t, "read", string(b[:n]), "answer")
}

func TestManyDatagrams(t *testing.T) {
	u := packets(t, "udp", "127.0.0.1:0")
	c := dial(t, "udp", u.LocalAddr().String())
	for range 200 {
		_, err := c.Write([]byte("x"))
		ok(t, err)
	}
	for range 200 {
		_, _, err := u.ReadFrom(make([]byte, 1))
		ok(t, err)
	}
}

func TestUnixNames(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s")
	l := listen(t, "unix", path)
	info, err := os.Stat(path)
	ok(t, err)
	equal(t, "type", info.Mode().Type(), os.ModeSocket)
	_, err = net.Listen("unix", path)
	failed(t, err, "listen", "bind", syscall.EADDRINUSE)
	_, err = net.Dial("unix", filepath.Join(dir, "none"))
	failed(t, err, "dial", "connect", syscall.ENOENT)
	_, err = net.Listen("unix", filepath.Join(dir, "none", "s"))
	failed(t, err, "listen", "bind", syscall.ENOENT)
	_, err = net.Dial("unixgram", path)
	failed(t, err, "dial", "connect", syscall.EPROTOTYPE)
	ok(t, os.Symlink(path, path+"2"))
	c := dial(t, "unix", path+"2")
	equal(t, "local", c.LocalAddr().String(), "@")
	equal(t, "remote", c.RemoteAddr().String(), path)
	ok(t, l.Close())
	_, err = os.Stat(path)
	equal(t, "removed", os.IsNotExist(err), true)
	l = listen(t, "unix", path)
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	l.Close()
	_, err = net.Dial("unix", path)
	failed(t, err, "dial", "connect", syscall.ECONNREFUSED)
	ok(t, os.Remove(path))
	a := listen(t, "unix", "@netfacts")
	equal(t, "abstract", a.Addr().String(), "@netfacts")
	dial(t, "unix", "@netfacts")
	_, err = net.Dial("unix", "@netfacts2")
	failed(t, err, "dial", "connect", syscall.ECONNREFUSED)
}

func TestUnixDatagrams(t *testing.T) {
	dir := t.TempDir()
	s, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(dir, "s"), Net: "unixgram"})
	ok(t, err)
	defer s.Close()
	c := dial(t, "unixgram", filepath.Join(dir, "s")).(*net.UnixConn)
	c.Write([]byte("hello"))
	b := make([]byte, 10)
	n, from, err := s.ReadFromUnix(b)
	ok(t, err)
	equal(t, "read", string(b[:n]), "hello")
	equal(t, "no name", from == nil, true)
	named, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(dir, "c"), Net: "unixgram"})
	ok(t, err)
	defer named.Close()
	_, err = named.WriteTo([]byte("hi"), s.LocalAddr())
	ok(t, err)
	n, oobn, _, from, err := s.ReadMsgUnix(b, b[5:])
	ok(t, err)
	equal(t, "read", n, 2)
	equal(t, "ancillary", oobn, 0)
	equal(t, "from", from.String(), filepath.Join(dir, "c"))
	_, err = s.WriteToUnix([]byte("x"), &net.UnixAddr{Name: filepath.Join(dir, "none"), Net: "unixgram"})
	failed(t, err, "write", "sendto", syscall.ENOENT)
	s.Close()
	_, err = c.Write([]byte("x"))
	failed(t, err, "write", "write", syscall.ECONNREFUSED)
}

func TestCopies(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	text := strings.Repeat("0123456789", 1000)
	ok(t, os.WriteFile(name, []byte(text), 0o600))
	for _, network := range []string{"tcp", "unix"} {
		address := "127.0.0.1:0"
		if network == "unix" {
			address = filepath.Join(t.TempDir(), "s")
		}
		c, s := pair(t, network, address)
		f, err := os.Open(name)
		ok(t, err)
		n, err := io.Copy(c, f)
		ok(t, err)
		equal(t, "sent", int(n), len(text))
		f.Close()
		c.(interface{ CloseWrite() error }).CloseWrite()
		out, err := os.Create(name + network)
		ok(t, err)
		n, err = io.Copy(out, s)
		ok(t, err)
		equal(t, "received", int(n), len(text))
		out.Close()
		got, err := os.ReadFile(name + network)
		ok(t, err)
		equal(t, "text", string(got), text)
	}
	c, s := pair(t, "tcp", "127.0.0.1:0")
	d, r := pair(t, "tcp", "127.0.0.1:0")
	io.WriteString(c, text)
	c.Close()
	n, err := io.Copy(d, s)
	ok(t, err)
	equal(t, "copied", int(n), len(text))
	d.Close()
	got, err := io.ReadAll(r)
	ok(t, err)
	equal(t, "text", string(got), text)
}
