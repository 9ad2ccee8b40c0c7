//go:build macemc_overlay

package bubble_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// networked are pairs of programs that use package net unchanged: one for node 0, one for the others. An error that a program returns is a
// bug.
var networked = map[string][2]func() error{
	"tcp": {serve("tcp", ":80"), func() error {
		for _, address := range []string{"n0:80", "10.0.0.1:80", "db.:80", "db:http"} {
			if err := sendBack(retry(func() (net.Conn, error) { return net.DialTimeout("tcp", address, time.Minute) })); err != nil {
				return fmt.Errorf("%s: %w", address, err)
			}
		}
		return nil
	}},
	"addresses": {func() error {
		l, err := net.Listen("tcp", "0.0.0.0:80")
		if err != nil {
			return err
		}
		for {
			c, err := l.Accept()
			if err != nil {
				return err
			}
			if l.Addr().String() != "[::]:80" || c.LocalAddr().String() != "10.0.0.1:80" || !strings.HasPrefix(c.RemoteAddr().String(), "10.0.0.") {
				return fmt.Errorf("%v: %v %v", l.Addr(), c.LocalAddr(), c.RemoteAddr())
			}
			c.Write([]byte(c.RemoteAddr().String()))
			c.Close()
		}
	}, func() error {
		c := retry(func() (net.Conn, error) {
			return (&net.Dialer{LocalAddr: &net.TCPAddr{Port: 4000}}).Dial("tcp4", "db:80")
		})
		if text, err := io.ReadAll(c); err != nil || c.LocalAddr().String() != string(text) || !strings.HasSuffix(string(text), ":4000") {
			return fmt.Errorf("%v, and %q: %v", c.LocalAddr(), text, err)
		}
		return nil
	}},
	"loopback": {serve("tcp", "localhost:80"), func() error {
		if c, err := net.Dial("tcp", "n0:80"); !errors.Is(err, syscall.ECONNREFUSED) {
			return fmt.Errorf("%v, %v", c, err)
		}
		go serve("tcp", "127.0.0.1:80")()
		if err := sendBack(retry(func() (net.Conn, error) { return net.Dial("tcp", ":80") })); err != nil {
			return err
		}
		go serve("tcp", "[::1]:81")()
		return sendBack(retry(func() (net.Conn, error) { return net.Dial("tcp", "[::1]:81") }))
	}},
	"udp": {func() error {
		p, err := net.ListenPacket("udp", ":53")
		if err != nil {
			return err
		}
		for {
			b := make([]byte, 100)
			n, from, err := p.ReadFrom(b)
			if err != nil {
				return err
			}
			if _, err := p.WriteTo(b[:n], from); err != nil {
				return err
			}
		}
	}, func() error {
		c, err := net.Dial("udp", "n0:53")
		if err != nil {
			return err
		}
		if err := asked(c, func(b []byte) (int, error) { return c.Write(b) }, func(b []byte) (int, error) { return c.Read(b) }); err != nil {
			return err
		}
		u, err := net.ListenUDP("udp", nil)
		if err != nil {
			return err
		}
		to := net.UDPAddrFromAddrPort(c.RemoteAddr().(*net.UDPAddr).AddrPort())
		return asked(u, func(b []byte) (int, error) { return u.WriteToUDPAddrPort(b, to.AddrPort()) }, func(b []byte) (int, error) {
			n, from, err := u.ReadFromUDP(b)
			if err == nil && from.String() != "10.0.0.1:53" {
				err = errors.New(from.String())
			}
			return n, err
		})
	}},
	"messages": {func() error {
		p, err := net.ListenUDP("udp", &net.UDPAddr{Port: 53})
		if err != nil {
			return err
		}
		b := make([]byte, 100)
		for {
			n, _, _, from, err := p.ReadMsgUDP(b, make([]byte, 100))
			if err != nil {
				return err
			}
			if _, _, err := p.WriteMsgUDP(b[:n], nil, from); err != nil {
				return err
			}
		}
	}, func() error {
		c, err := net.ListenUDP("udp", nil)
		if err != nil {
			return err
		}
		raw, err := c.SyscallConn()
		if err != nil {
			return err
		}
		to := &syscall.SockaddrInet4{Port: 53, Addr: [4]byte{10, 0, 0, 1}}
		return asked(c, func(b []byte) (int, error) {
			err := raw.Write(func(fd uintptr) bool { return syscall.Sendto(int(fd), b, 0, to) != syscall.EAGAIN })
			return len(b), err
		}, func(b []byte) (n int, err error) {
			failed := raw.Read(func(fd uintptr) bool {
				n, _, err = syscall.Recvfrom(int(fd), b, 0)
				return err != syscall.EAGAIN
			})
			return n, errors.Join(failed, err)
		})
	}},
	"descriptors": {serve("tcp", ":80"), descriptors},
	"names":       {names, names},
	"errors": {serve("tcp", ":80"), func() error {
		for address, want := range map[string]error{"n0:81": syscall.ECONNREFUSED, "10.0.7.1:80": syscall.EHOSTUNREACH} {
			if c, err := net.Dial("tcp", address); !errors.Is(err, want) {
				return fmt.Errorf("%s: %v, %v", address, c, err)
			}
		}
		c := retry(func() (net.Conn, error) { return net.Dial("tcp", "n0:80") })
		c.SetReadDeadline(time.Now().Add(time.Second))
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			return err
		}
		if err := c.Close(); err != nil {
			return err
		}
		_, err := c.Read(make([]byte, 1))
		if !errors.Is(err, net.ErrClosed) || strings.Count(err.Error(), "read tcp") != 1 {
			return err
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := (&net.Dialer{}).DialContext(ctx, "tcp", "n0:80"); !errors.Is(err, context.Canceled) {
			return err
		}
		if _, err := net.Listen("tcp", "n0:82"); !errors.Is(err, syscall.EADDRNOTAVAIL) {
			return err
		}
		return nil
	}},
	"http": {func() error {
		http.HandleFunc("POST /echo", func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) })
		return http.ListenAndServe(":80", nil)
	}, func() error {
		http.HandleFunc("POST /echo", func(w http.ResponseWriter, r *http.Request) { panic("another node") })
		for range 2 {
			answer := retry(func() (*http.Response, error) {
				return http.Post("http://db/echo", "text/plain", strings.NewReader("hello"))
			})
			text, err := io.ReadAll(answer.Body)
			answer.Body.Close()
			if err != nil || string(text) != "hello" {
				return fmt.Errorf("%q, %v", text, err)
			}
		}
		return nil
	}},
	"https": {func() error {
		l, err := tls.Listen("tcp", ":443", &tls.Config{Certificates: []tls.Certificate{certificate}})
		if err != nil {
			return err
		}
		return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) }))
	}, func() error {
		roots := x509.NewCertPool()
		roots.AddCert(certificate.Leaf)
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}}
		answer := retry(func() (*http.Response, error) { return client.Get("https://n0/") })
		if text, err := io.ReadAll(answer.Body); err != nil || string(text) != "HTTP/1.1" {
			return fmt.Errorf("%q, %v", text, err)
		}
		return nil
	}},
}

// certificate returns the certificate of node 0.
var certificate = func() tls.Certificate {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"n0"}, NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<32, 0),
		IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
	if err != nil {
		panic(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		panic(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: private, Leaf: leaf}
}()

// serve returns a program that echoes what it reads.
func serve(network, address string) func() error {
	return func() error {
		l, err := net.Listen(network, address)
		if err != nil {
			return err
		}
		for {
			c, err := l.Accept()
			if err != nil {
				return err
			}
			go func() {
				io.Copy(c, c)
				c.Close()
			}()
		}
	}
}

// sendBack sends data to the other end of a connection and compares the echo.
func sendBack(c net.Conn) error {
	defer c.Close()
	if _, err := c.Write([]byte("hello")); err != nil {
		return err
	}
	if err := c.(*net.TCPConn).CloseWrite(); err != nil {
		return err
	}
	text, err := io.ReadAll(c)
	if err == nil && string(text) != "hello" {
		err = fmt.Errorf("%q came back", text)
	}
	return err
}

// descriptors sets options, and reads and writes by system calls.
func descriptors() error {
	var option int
	d := net.Dialer{Control: func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) { syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_OOBINLINE, 1) })
	}}
	c := retry(func() (net.Conn, error) { return d.Dial("tcp", "n0:80") })
	defer c.Close()
	raw, err := c.(*net.TCPConn).SyscallConn()
	if err != nil {
		return err
	}
	if err := raw.Control(func(fd uintptr) {
		option, err = syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_OOBINLINE)
	}); err != nil {
		return err
	}
	var b [10]byte
	var n int
	read := func(flags int) func(uintptr) bool {
		return func(fd uintptr) bool {
			n, _, err = syscall.Recvfrom(int(fd), b[:], flags)
			return flags != 0 || err != syscall.EAGAIN
		}
	}
	if e := raw.Read(read(syscall.MSG_DONTWAIT)); e != nil || err != syscall.EAGAIN || option == 0 {
		return fmt.Errorf("idle: %v, %v, option %d", e, err, option)
	}
	if e := raw.Write(func(fd uintptr) bool { n, err = syscall.Write(int(fd), []byte("hello")); return err != syscall.EAGAIN }); e != nil || err != nil {
		return errors.Join(e, err)
	}
	for text := ""; text != "hello"; text += string(b[:n]) {
		if e := raw.Read(read(0)); e != nil || err != nil || n == 0 {
			return fmt.Errorf("read %q: %v, %v", text, e, err)
		}
	}
	c.SetReadDeadline(time.Now().Add(time.Second))
	if err := raw.Read(read(0)); !errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("deadline: %v", err)
	}
	return nil
}

// asked sends a datagram repeatedly until its echo arrives.
func asked(c interface{ SetReadDeadline(time.Time) error }, write, read func([]byte) (int, error)) error {
	for {
		if _, err := write([]byte("hello")); err != nil {
			return err
		}
		c.SetReadDeadline(time.Now().Add(time.Second))
		b := make([]byte, 100)
		n, err := read(b)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
		case err != nil:
			return err
		case string(b[:n]) != "hello":
			return fmt.Errorf("%q came back", b[:n])
		default:
			return nil
		}
	}
}

// retry calls f until it succeeds.
func retry[T any](f func() (T, error)) T {
	for {
		if v, err := f(); err == nil {
			return v
		}
		time.Sleep(time.Second)
	}
}

func names() error {
	for _, c := range []struct{ name, want string }{{"n0", "10.0.0.1"}, {"n2", "10.0.0.3"}, {"db", "10.0.0.1"}, {"localhost", "127.0.0.1"}, {"10.0.0.2", "10.0.0.2"}} {
		if got, err := net.LookupHost(c.name); err != nil || !slices.Equal(got, []string{c.want}) {
			return fmt.Errorf("%s: %v, %v", c.name, got, err)
		}
		if got, err := new(net.Resolver).LookupNetIP(context.Background(), "ip4", c.name); err != nil || len(got) != 1 || got[0].Unmap().String() != c.want {
			return fmt.Errorf("%s: %v, %v", c.name, got, err)
		}
	}
	for addr, want := range map[string]string{"10.0.0.1": "db.", "10.0.0.2": "n1."} {
		if got, err := net.LookupAddr(addr); err != nil || !slices.Equal(got, []string{want}) {
			return fmt.Errorf("%s: %v, %v", addr, got, err)
		}
	}
	var missing *net.DNSError
	for _, name := range []string{"n3", "example.org", ""} {
		if got, err := net.LookupHost(name); !errors.As(err, &missing) || !missing.IsNotFound {
			return fmt.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if got, err := net.LookupTXT("n0"); !errors.As(err, &missing) || !missing.IsNotFound {
		return fmt.Errorf("TXT: %v, %v", got, err)
	}
	addrs, err := net.InterfaceAddrs()
	if err != nil || len(addrs) != 2 || addrs[0].String() != "127.0.0.1/8" || !strings.HasPrefix(addrs[1].String(), "10.0.0.") {
		return fmt.Errorf("interfaces: %v, %v", addrs, err)
	}
	return nil
}

// Package net, and packages built on it, work in a node on the network of the system.
func TestNetwork(t *testing.T) {
	for name, programs := range networked {
		for _, how := range []sim.Interleave{sim.FIFO, sim.Random, 2} {
			t.Run(name+" "+how.String(), func(t *testing.T) {
				r, err := searched(t, search.Config{Workers: 1, Time: time.Minute, MaxPaths: 10, WalkSteps: 300, System: sim.System{
					Name: "network", Nodes: 3, State: bubble.Rules, Network: netsim.Both{}, Interleave: how,
					New: func(id sim.NodeID) sim.Service {
						return bubble.Service(func(ctx context.Context, h *bubble.Host) error {
							var done string
							h.Observe(func() any { return done })
							done = fmt.Sprint(programs[min(id, 1)]())
							<-ctx.Done()
							return nil
						}, bubble.Hosts{"db": 0})
					},
					Properties: []sim.Property{
						{Name: "no errors", Always: func(v *sim.View) bool {
							for _, done := range bubble.Seen[string](v) {
								if done != "" && done != "<nil>" {
									return false
								}
							}
							return true
						}},
						{Name: "done", Eventually: func(v *sim.View) bool {
							for id, done := range bubble.Seen[string](v) {
								if id > 0 && done != "<nil>" {
									return false
								}
							}
							return true
						}},
					},
				}})
				if err != nil || r.Finding != nil || r.Stats.Paths == 0 {
					t.Errorf("%v, %s after %d paths", err, r.Verdict, r.Stats.Paths)
					if f := r.Finding; f != nil {
						t.Errorf("%v %s: %s at node %d after %d steps", f.Kind, f.Property, f.Message, f.Node, f.Steps)
					}
				}
			})
		}
	}
}
