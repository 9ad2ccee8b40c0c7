package netfacts

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// These tests pass, and are not explored.

// A closed listener is none of the sockets of the process.
func TestSockets(t *testing.T) {
	sockets := func() (n int) {
		entries, err := os.ReadDir("/proc/self/fd")
		ok(t, err)
		for _, e := range entries {
			if name, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.HasPrefix(name, "socket:") {
				n++
			}
		}
		return n
	}
	l := listen(t, "tcp", "127.0.0.1:0")
	before := sockets()
	l.Close()
	equal(t, "sockets", sockets(), before-1)
}

func TestFile(t *testing.T) {
	l := listen(t, "tcp", "127.0.0.1:0")
	f, err := l.(*net.TCPListener).File()
	ok(t, err)
	defer f.Close()
	same, err := net.FileListener(f)
	ok(t, err)
	defer same.Close()
	equal(t, "address", same.Addr().String(), l.Addr().String())
	dial(t, "tcp", l.Addr().String())
	s, err := same.Accept()
	ok(t, err)
	s.Close()
}

func TestMulticast(t *testing.T) {
	c, err := net.ListenMulticastUDP("udp4", nil, &net.UDPAddr{IP: net.IPv4(224, 0, 0, 251), Port: 15353})
	ok(t, err)
	c.Close()
}

func TestJoin(t *testing.T) {
	control(t, packets(t, "udp4", ":0"), func(fd int) error {
		return syscall.SetsockoptIPMreq(fd, syscall.IPPROTO_IP, syscall.IP_ADD_MEMBERSHIP,
			&syscall.IPMreq{Multiaddr: [4]byte{224, 0, 0, 251}, Interface: [4]byte{127, 0, 0, 1}})
	})
}

func TestSystemSocket(t *testing.T) {
	s, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	ok(t, err)
	syscall.Close(s)
}

func TestRights(t *testing.T) {
	c, s := pair(t, "unix", filepath.Join(t.TempDir(), "s"))
	_, _, err := c.(*net.UnixConn).WriteMsgUnix([]byte("x"), syscall.UnixRights(0), nil)
	ok(t, err)
	oob := make([]byte, 100)
	_, oobn, _, _, err := s.(*net.UnixConn).ReadMsgUnix(make([]byte, 1), oob)
	ok(t, err)
	list, err := syscall.ParseSocketControlMessage(oob[:oobn])
	ok(t, err)
	fds, err := syscall.ParseUnixRights(&list[0])
	ok(t, err)
	syscall.Close(fds[0])
}

func TestDuplicate(t *testing.T) {
	c, s := pair(t, "tcp", "127.0.0.1:0")
	control(t, c.(syscall.Conn), func(fd int) error {
		other, err := syscall.Dup(fd)
		if err != nil {
			return err
		}
		defer syscall.Close(other)
		_, err = syscall.Write(other, []byte("x"))
		return err
	})
	_, err := io.ReadFull(s, make([]byte, 1))
	ok(t, err)
}

func TestPoll(t *testing.T) {
	poll, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	ok(t, err)
	defer syscall.Close(poll)
	c, s := pair(t, "tcp", "127.0.0.1:0")
	io.WriteString(c, "x")
	control(t, s.(syscall.Conn), func(fd int) error {
		e := syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(fd)}
		if err := syscall.EpollCtl(poll, syscall.EPOLL_CTL_ADD, fd, &e); err != nil {
			return err
		}
		n, err := syscall.EpollWait(poll, []syscall.EpollEvent{e}, 10_000)
		equal(t, "events", n, 1)
		return err
	})
}

func TestAnotherMachine(t *testing.T) {
	c, err := net.Dial("udp", "192.0.2.1:9")
	if err == nil {
		c.Close()
	}
}

// The lookup that was in progress when the run ended does not delay that of the next one.
func TestLookup(t *testing.T) {
	r := net.DefaultResolver
	preferGo, dial := r.PreferGo, r.Dial
	defer func() { r.PreferGo, r.Dial = preferGo, dial }()
	r.PreferGo = true
	r.Dial = func(context.Context, string, string) (net.Conn, error) {
		if c, err := net.Dial("udp", "192.0.2.1:9"); err == nil {
			c.Close()
		}
		return nil, errors.New("no name server")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	_, err := r.LookupIPAddr(ctx, "netfacts.invalid")
	if e := new(net.DNSError); !errors.As(err, &e) || ctx.Err() != nil {
		t.Error(err)
	}
}
