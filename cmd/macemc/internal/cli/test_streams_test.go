package cli

import (
	"os/exec"
	"strings"
	"testing"
)

// Streams keep no boundaries of writes, and operations of one direction exclude each other, as with the system's network.
func TestTest_NetworkStreams(t *testing.T) {
	testFile(t, `package x

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

func pair(t *testing.T, network string) (c, s net.Conn) {
	addr := "127.0.0.1:0"
	if network != "tcp" {
		addr = filepath.Join(t.TempDir(), "s")
	}
	l, err := net.Listen(network, addr)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if c, err = net.Dial(network, l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if s, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		s.Close()
	})
	return c, s
}

// pause lets the system's network deliver.
func pause() { time.Sleep(20 * time.Millisecond) }

func reads(t *testing.T, c net.Conn, size int, want string) {
	t.Helper()
	b := make([]byte, size)
	if n, err := c.Read(b); string(b[:n]) != want || err != nil {
		t.Errorf("read %q, %v, want %q", b[:n], err, want)
	}
}

func TestBoundaries(t *testing.T) {
	for _, network := range []string{"tcp", "unix"} {
		c, s := pair(t, network)
		for _, text := range []string{"hello", ", ", "world"} {
			io.WriteString(s, text)
		}
		pause()
		reads(t, c, 2, "he")
		reads(t, c, 6, "llo, w")
		io.WriteString(s, "!")
		s.Close()
		pause()
		reads(t, c, 100, "orld!")
		if _, err := c.Read(make([]byte, 1)); err != io.EOF {
			t.Error(err)
		}
	}
}

func TestPackets(t *testing.T) {
	c, s := pair(t, "unixpacket")
	p, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	d, err := net.Dial("udp", p.LocalAddr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for range 2 {
		for _, text := range []string{"hello", "world"} {
			io.WriteString(s, text)
			if _, err := p.WriteTo([]byte(text), d.LocalAddr()); err != nil {
				t.Error(err)
			}
		}
	}
	for _, c := range []net.Conn{c, d} {
		reads(t, c, 100, "hello")
		reads(t, c, 100, "world")
		reads(t, c, 2, "he")
		reads(t, c, 100, "world")
	}
	buffers := net.Buffers{[]byte("he"), []byte("llo")}
	if n, err := buffers.WriteTo(s); n != 5 || err != nil {
		t.Error(n, err)
	}
	reads(t, c, 100, "hello")
}

// whole fails if what is read has a letter in two places.
func whole(t *testing.T, c net.Conn, size int) {
	t.Helper()
	b := make([]byte, size)
	if _, err := io.ReadFull(c, b); err != nil {
		t.Error(err)
	}
	var letters []byte
	for i := range b {
		if i == 0 || b[i] != b[i-1] {
			letters = append(letters, b[i])
		}
	}
	for _, l := range letters {
		if bytes.Count(letters, []byte{l}) > 1 {
			t.Errorf("read %s", letters)
			break
		}
	}
}

func TestWholeWrites(t *testing.T) {
	for _, network := range []string{"tcp", "unix"} {
		c, s := pair(t, network)
		var wg sync.WaitGroup
		for _, letter := range []string{"a", "b", "c"} {
			wg.Go(func() { c.Write(bytes.Repeat([]byte(letter), 100_000)) })
		}
		whole(t, s, 300_000)
		wg.Wait()
		wg.Go(func() {
			buffers := net.Buffers{nil, []byte("d"), nil, []byte("d"), nil}
			if n, err := buffers.WriteTo(c); n != 2 || err != nil || len(buffers) != 0 {
				t.Error(n, err, buffers)
			}
		})
		wg.Go(func() { io.WriteString(c, "e") })
		wg.Go(func() { io.WriteString(c, "f") })
		whole(t, s, 4)
		wg.Wait()
	}
}

func TestEnds(t *testing.T) {
	big := make([]byte, 64<<20)
	operations := map[string]func(c net.Conn) error{
		"read": func(c net.Conn) error { _, err := c.Read(make([]byte, 1)); return err },
		"write": func(c net.Conn) error { _, err := c.Write(big); return err },
		"buffers": func(c net.Conn) error { buffers := net.Buffers{big, big}; _, err := buffers.WriteTo(c); return err },
	}
	for name, operation := range operations {
		for end, want := range map[string]error{"close": net.ErrClosed, "deadline": os.ErrDeadlineExceeded, "expired": os.ErrDeadlineExceeded} {
			c, _ := pair(t, "tcp")
			if end == "deadline" {
				c.SetDeadline(time.Now().Add(10 * time.Millisecond))
			}
			errs := make(chan error)
			for range 3 {
				go func() { errs <- operation(c) }()
			}
			switch end {
			case "close":
				c.Close()
			case "expired":
				c.SetDeadline(time.Unix(1, 0))
			}
			for range 3 {
				if err := <-errs; !errors.Is(err, want) {
					t.Errorf("%s, %s: %v", name, end, err)
				}
			}
		}
	}
}

// A Read gets the lock after another one.
func TestReaders(t *testing.T) {
	c, s := pair(t, "tcp")
	read := make(chan byte)
	for range 3 {
		go func() {
			b := make([]byte, 1)
			c.Read(b)
			read <- b[0]
		}()
	}
	io.WriteString(s, "abc")
	if sum := int(<-read) + int(<-read) + int(<-read); sum != 'a'+'b'+'c' {
		t.Error(sum)
	}
}

func TestOptions(t *testing.T) {
	c, _ := pair(t, "tcp")
	tcp := c.(*net.TCPConn)
	options := func(want error) {
		t.Helper()
		for i, err := range []error{
			tcp.SetNoDelay(true), tcp.SetKeepAlive(true), tcp.SetKeepAlivePeriod(time.Second), tcp.SetLinger(1), tcp.SetLinger(-1),
			tcp.SetReadBuffer(1000), tcp.SetWriteBuffer(1000), tcp.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true}),
		} {
			if !errors.Is(err, want) {
				t.Errorf("option %d: %v, want %v", i, err, want)
			}
		}
	}
	options(nil)
	tcp.Close()
	options(net.ErrClosed)
}

func TestUnnamed(t *testing.T) {
	for _, network := range []string{"unix", "unixpacket"} {
		c, s := pair(t, network)
		if c.LocalAddr().String() != "@" || s.RemoteAddr().String() != "@" || s.RemoteAddr().Network() != network {
			t.Error(c.LocalAddr(), s.RemoteAddr())
		}
	}
}
`)
	if out, err := exec.CommandContext(t.Context(), "go", "test", ".").CombinedOutput(); err != nil {
		t.Errorf("with the system's network: %v\n%s", err, out)
	}
	testReports(t, []string{"schedules of 7 tests"}, 0, "-schedules=30", ".")
}

// A Read may return the data of two writes, and a goroutine that waits for another one's Read or Write is described.
func TestTest_StreamFindings(t *testing.T) {
	const text = `package x

import (
	"io"
	"net"
	"testing"
)

func pair(t *testing.T) (c, s net.Conn) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if c, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if s, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	return c, s
}

func TestFraming(t *testing.T) {
	c, s := pair(t)
	go func() {
		io.WriteString(s, "hello")
		io.WriteString(s, "world")
	}()
	b := make([]byte, 100)
	if n, _ := c.Read(b); string(b[:n]) == "WANT" {
		t.Error("read")
	}
}

func TestWriters(t *testing.T) {
	c, s := pair(t)
	done := make(chan bool)
	for range 2 {
		go func() {
			c.Write(make([]byte, 4_000_000))
			done <- true
		}()
	}
	if DRAIN {
		io.CopyN(io.Discard, s, 8_000_000)
	}
	<-done
	<-done
}

func TestOrder(t *testing.T) {
	c, s := pair(t)
	done := make(chan bool)
	for _, text := range []string{"a", "b"} {
		go func() {
			io.WriteString(c, text)
			done <- true
		}()
	}
	b := make([]byte, 2)
	io.ReadFull(s, b)
	<-done
	<-done
	if string(b) == "ORDER" {
		t.Error("order")
	}
}
`
	for _, w := range []string{"hello", "helloworld", ""} {
		testFile(t, strings.NewReplacer("WANT", w, "DRAIN", "true").Replace(text))
		if w == "" {
			testReports(t, []string{"complete: all orders"}, 0, "-v", "-exhaustive", "-run=Framing", ".")
			continue
		}
		testReports(t, []string{"FAILED TEST: x_test.go:32: read"}, 1, "-exhaustive", "-run=Framing", ".")
	}
	for _, order := range []string{"ab", "ba"} {
		testFile(t, strings.NewReplacer("DRAIN", "true", "ORDER", order).Replace(text))
		testReports(t, []string{"FAILED TEST: x_test.go:66: order"}, 1, "-exhaustive", "-run=Order", ".")
	}
	testFile(t, strings.NewReplacer("DRAIN", "false").Replace(text))
	testReports(t, []string{"macemc: DEADLOCK: 3 goroutines", "goroutine 2 waits in select at x_test.go:41 in TestWriters.func1",
		"goroutine 3 waits in select at x_test.go:41 in TestWriters.func1"}, 1, "-run=Writers", ".")
}
