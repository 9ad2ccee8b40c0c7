package cli

import (
	"os/exec"
	"testing"
)

// Names of Unix sockets may be abstract or relative, and a file that does not exist is not found.
func TestTest_UnixSockets(t *testing.T) {
	testFile(t, `package x

import (
	"errors"
	"io/fs"
	"net"
	"path/filepath"
	"testing"
)

func TestUnix(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"@macemc-test", "relative.sock"} {
		l, err := net.Listen("unix", name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := net.Dial("unix", name)
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		l.Close()
	}
	for _, network := range []string{"unix", "unixgram"} {
		if _, err := net.Dial(network, filepath.Join(t.TempDir(), "none.sock")); !errors.Is(err, fs.ErrNotExist) {
			t.Error(network, err)
		}
	}
}
`)
	testReports(t, []string{"schedules of 1 test"}, 0, "-schedules=20", ".")
}

// Operations on closed sockets, and on those whose peer is closed, have the same results as with the system's network.
func TestTest_NetworkClosed(t *testing.T) {
	testFile(t, `package x

import (
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

type conn interface {
	net.Conn
	CloseRead() error
	CloseWrite() error
}

func listen(t *testing.T, network string) net.Listener {
	addr := "127.0.0.1:0"
	if network == "unix" {
		addr = filepath.Join(t.TempDir(), "s")
	}
	l, err := net.Listen(network, addr)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func pair(t *testing.T, network string) (c, s conn) {
	l := listen(t, network)
	defer l.Close()
	d, err := net.Dial(network, l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	a, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	return d.(conn), a.(conn)
}

// fails reports a result other than an OpError of op that wraps want.
func fails(t *testing.T, op string, err, want error) {
	t.Helper()
	e, ok := err.(*net.OpError)
	if !ok || e.Op != op || !errors.Is(err, want) || !strings.HasSuffix(err.Error(), want.Error()) {
		t.Errorf("%s: %v, want %v", op, err, want)
		return
	}
	_, errno := want.(syscall.Errno)
	if s, ok := e.Err.(*os.SyscallError); ok != errno || ok && s.Syscall != op {
		t.Errorf("%s: %#v", op, e.Err)
	}
}

func writes(t *testing.T, c net.Conn, want error) {
	t.Helper()
	n, err := c.Write([]byte("x"))
	if want != nil {
		fails(t, "write", err, want)
	} else if n != 1 || err != nil {
		t.Errorf("write: %d, %v", n, err)
	}
}

func reads(t *testing.T, c net.Conn, want error) {
	t.Helper()
	n, err := c.Read(make([]byte, 1))
	switch want {
	case nil:
		if n != 1 || err != nil {
			t.Errorf("read: %d, %v", n, err)
		}
	case io.EOF:
		if err != io.EOF {
			t.Errorf("read: %v, want EOF", err)
		}
	default:
		fails(t, "read", err, want)
	}
}

// pause lets the system's network deliver.
func pause() { time.Sleep(5 * time.Millisecond) }

func TestPeerClosed(t *testing.T) {
	c, s := pair(t, "tcp")
	s.Close()
	pause()
	writes(t, c, nil)
	pause()
	writes(t, c, syscall.EPIPE)
	writes(t, c, syscall.EPIPE)
	reads(t, c, io.EOF)
	if n, err := c.Read(nil); n != 0 || err != nil {
		t.Errorf("read nothing: %d, %v", n, err)
	}
	c.Close()
	c, s = pair(t, "unix")
	s.Close()
	writes(t, c, syscall.EPIPE)
	reads(t, c, io.EOF)
	c.Close()
}

func TestPeerClosedWithUnreadData(t *testing.T) {
	for network, written := range map[string]error{"tcp": syscall.ECONNRESET, "unix": syscall.EPIPE} {
		for _, first := range []string{"read", "write"} {
			c, s := pair(t, network)
			writes(t, c, nil)
			writes(t, s, nil)
			pause()
			s.Close()
			pause()
			if first == "read" {
				reads(t, c, nil)
				reads(t, c, syscall.ECONNRESET)
				reads(t, c, io.EOF)
				writes(t, c, syscall.EPIPE)
			} else {
				writes(t, c, written)
				writes(t, c, syscall.EPIPE)
				reads(t, c, nil)
				if network == "unix" {
					reads(t, c, syscall.ECONNRESET)
				}
				reads(t, c, io.EOF)
			}
			c.Close()
		}
		c, s := pair(t, network)
		writes(t, c, nil)
		pause()
		s.CloseWrite()
		pause()
		s.Close()
		pause()
		writes(t, c, syscall.EPIPE)
		if network == "unix" {
			reads(t, c, syscall.ECONNRESET)
		}
		reads(t, c, io.EOF)
		c.Close()
	}
}

func TestNeverAccepted(t *testing.T) {
	for _, network := range []string{"tcp", "unix"} {
		l := listen(t, network)
		c, err := net.Dial(network, l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
		pause()
		reads(t, c, syscall.ECONNRESET)
		c.Close()
	}
}

func TestBlockedWriter(t *testing.T) {
	c, s := pair(t, "tcp")
	go func() {
		pause()
		s.Close()
	}()
	n, err := c.Write(make([]byte, 64<<20))
	if n == 64<<20 || !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) {
		t.Errorf("write: %d, %v", n, err)
	}
	c.Close()
}

func TestShut(t *testing.T) {
	for _, network := range []string{"tcp", "unix"} {
		c, s := pair(t, network)
		c.CloseWrite()
		writes(t, c, syscall.EPIPE)
		reads(t, s, io.EOF)
		c.Close()
		s.Close()
		c, s = pair(t, network)
		writes(t, s, nil)
		pause()
		c.CloseRead()
		reads(t, c, nil)
		reads(t, c, io.EOF)
		if network == "unix" {
			writes(t, s, syscall.EPIPE)
		} else {
			writes(t, s, nil)
			pause()
			reads(t, c, nil)
		}
		c.Close()
		s.Close()
		c, s = pair(t, network)
		go func() {
			pause()
			c.CloseRead()
		}()
		reads(t, c, io.EOF)
		c.Close()
		s.Close()
	}
}

func TestClosed(t *testing.T) {
	for _, network := range []string{"tcp", "unix"} {
		c, s := pair(t, network)
		c.SetDeadline(time.Now().Add(time.Millisecond))
		pause()
		c.Close()
		fails(t, "close", c.Close(), net.ErrClosed)
		reads(t, c, net.ErrClosed)
		writes(t, c, net.ErrClosed)
		_, err := c.Read(nil)
		fails(t, "read", err, net.ErrClosed)
		fails(t, "close", c.CloseRead(), net.ErrClosed)
		fails(t, "close", c.CloseWrite(), net.ErrClosed)
		fails(t, "set", c.SetDeadline(time.Now()), net.ErrClosed)
		fails(t, "set", c.SetReadDeadline(time.Time{}), net.ErrClosed)
		fails(t, "set", c.SetWriteDeadline(time.Now()), net.ErrClosed)
		s.Close()
		l := listen(t, network)
		l.(interface{ SetDeadline(time.Time) error }).SetDeadline(time.Now().Add(time.Millisecond))
		pause()
		l.Close()
		_, err = l.Accept()
		fails(t, "accept", err, net.ErrClosed)
		fails(t, "close", l.Close(), net.ErrClosed)
		if err := l.(interface{ SetDeadline(time.Time) error }).SetDeadline(time.Now()); err != net.ErrClosed {
			t.Errorf("set: %v, want %v", err, net.ErrClosed)
		}
	}
	p, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.SetDeadline(time.Now().Add(time.Millisecond))
	pause()
	p.Close()
	_, _, err = p.ReadFrom(make([]byte, 1))
	fails(t, "read", err, net.ErrClosed)
	_, err = p.WriteTo([]byte("x"), p.LocalAddr())
	fails(t, "write", err, net.ErrClosed)
	fails(t, "close", p.Close(), net.ErrClosed)
}

func TestExpired(t *testing.T) {
	c, s := pair(t, "tcp")
	s.Close()
	pause()
	c.SetReadDeadline(time.Now().Add(-time.Second))
	for range 3 {
		reads(t, c, os.ErrDeadlineExceeded)
	}
	c.SetReadDeadline(time.Time{})
	reads(t, c, io.EOF)
	c.Close()
}

func TestNothingWritten(t *testing.T) {
	c, s := pair(t, "tcp")
	if n, err := c.Write(nil); n != 0 || err != nil {
		t.Errorf("write nothing: %d, %v", n, err)
	}
	writes(t, c, nil)
	reads(t, s, nil)
	c.Close()
	s.Close()
}
`)
	if out, err := exec.CommandContext(t.Context(), "go", "test", ".").CombinedOutput(); err != nil {
		t.Errorf("with the system's network: %v\n%s", err, out)
	}
	testReports(t, []string{"schedules of 8 tests"}, 0, "-schedules=30", ".")
}
