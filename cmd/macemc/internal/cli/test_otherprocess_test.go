package cli

import (
	"cmp"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// A test that reaches a server in another process is not explored. If there is no such server, it fails in every schedule.
func TestTest_OtherProcess(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	testFile(t, strings.ReplaceAll(`package x

import (
	"net"
	"net/http"
	"testing"
)

func TestBroker(t *testing.T) {
	c, err := net.Dial("tcp", "localhost:PORT")
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}

func TestHTTP(t *testing.T) {
	r, err := http.Get("http://127.0.0.1:1/")
	if err == nil {
		r.Body.Close()
		t.Fatal("answered")
	}
}
`, "PORT", strings.TrimPrefix(l.Addr().String(), "127.0.0.1:")))
	testReports(t, []string{"TestBroker: not explored: it reaches a socket outside of the run", "schedules of 1 test"}, 0, ".")
	l.Close()
	for _, seed := range []string{"1", "2", "3"} {
		testReports(t, []string{"macemc: FAILED TEST: x_test.go:12: dial tcp 127.0.0.1"}, 1, "-run=Broker", "-explore-seed="+seed, ".")
	}
}

// A test that sends datagrams to another process is not explored. Datagrams that nobody receives do not prevent that.
func TestTest_DatagramsToOtherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	var ports []string
	for range 2 {
		l, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, strings.TrimPrefix(l.LocalAddr().String(), "127.0.0.1:"))
		if len(ports) == 2 {
			l.Close()
		}
	}
	u, err := net.ListenPacket("unixgram", path)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	testFile(t, strings.NewReplacer("PORT", ports[0], "CLOSED", ports[1], "PATH", path).Replace(`package x

import (
	"net"
	"testing"
)

func dial(t *testing.T, network, to string) {
	c, err := net.Dial(network, to)
	if err != nil {
		t.Fatal(err)
	}
	c.Write([]byte("hello"))
	c.Close()
}

func send(t *testing.T, from, to string) {
	c, err := net.ListenPacket("udp", from)
	if err != nil {
		t.Fatal(err)
	}
	a, _ := net.ResolveUDPAddr("udp", to)
	if _, err := c.WriteTo([]byte("hello"), a); err != nil {
		t.Error(err)
	}
	c.Close()
}

func TestDial(t *testing.T) { dial(t, "udp", "localhost:PORT") }

func TestSend(t *testing.T) { send(t, "127.0.0.1:0", "127.0.0.1:PORT") }

func TestSendFromAll(t *testing.T) { send(t, ":0", "127.0.0.1:PORT") }

func TestUnix(t *testing.T) { dial(t, "unixgram", "PATH") }

func TestNobody(t *testing.T) {
	go dial(t, "udp", "127.0.0.1:CLOSED")
	send(t, "127.0.0.1:0", "127.0.0.1:CLOSED")
}
`))
	testReports(t, []string{" TestDial, TestSend, TestSendFromAll and 1 more: not explored: each reaches a socket outside of the run",
		"schedules of 1 test"}, 0, ".")
}

// A test is not explored if a goroutine that a package has started connects to its listener, or sends datagrams to its socket.
func TestTest_OtherProcessPackage(t *testing.T) {
	testFile(t, `package x

import (
	"net"
	"testing"
)

var jobs = make(chan func())

func init() {
	go func() {
		for f := range jobs {
			f()
		}
	}()
}

func listen(t *testing.T) net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestDial(t *testing.T) {
	l := listen(t)
	defer l.Close()
	errs := make(chan error)
	jobs <- func() {
		c, err := net.Dial("tcp", l.Addr().String())
		if err == nil {
			c.Close()
		}
		errs <- err
	}
	if err := <-errs; err != nil {
		t.Error(err)
	}
}

func TestSend(t *testing.T) {
	p, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	jobs <- func() {
		s, err := net.ListenPacket("udp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		s.WriteTo([]byte("hello"), p.LocalAddr())
		s.Close()
	}
	if n, _, err := p.ReadFrom(make([]byte, 10)); n != 5 || err != nil {
		t.Error(n, err)
	}
}

func TestOther(t *testing.T) {
	l := listen(t)
	defer l.Close()
	errs := make(chan error)
	jobs <- func() {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err == nil {
			l.Close()
			_, err = net.Dial("tcp", l.Addr().String())
		}
		errs <- err
	}
	if err := <-errs; err == nil {
		t.Error("connected")
	}
}
`)
	testReports(t, []string{"the run above is repeated: a goroutine that a package has started reaches a socket of the test",
		"60 schedules of 3 tests"}, 0, "-v", "-schedules=20", ".")
}

// coresTest is a test that fails in few schedules.
const coresTest = `package x

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

func TestX(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	sum := 0
	for i := range 6 {
		wg.Go(func() {
			for range LOOPS {
				mu.Lock()
				sum = 3*sum + i
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if rand.IntN(20000) == 11 {
		t.Errorf("got %d", sum)
	}
	if folder := "FOLDER"; folder != "" {
		switch folder {
		case "TempDir":
			folder = t.TempDir()
		case "Time":
			folder = filepath.Join(os.TempDir(), fmt.Sprint("x-", time.Now().UnixNano()))
			if err := os.Mkdir(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			defer os.RemoveAll(folder)
		}
		os.WriteFile(filepath.Join(folder, "x.txt"), nil, 0o600)
	}
}
`

// furtherProcesses returns the output of a command, and the number of processes that execute schedules besides the first one.
func furtherProcesses(t *testing.T, args ...string) (out string, n int) {
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	const log = "starts.txt"
	os.RemoveAll(log)
	os.RemoveAll("testdata")
	if err := os.WriteFile("start", []byte("#!/bin/sh\necho \"$@\" >> "+log+"\nexec \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	out, _ = testCommand(t.Context(), append(args, "-exec="+filepath.Join(folder, "start"), ".")...)
	starts, err := os.ReadFile(log)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return out, strings.Count(string(starts), "-test.timeout=0s")
}

// The finding of an exploration does not depend on the number of cores on which its processes execute schedules.
func TestTest_Cores(t *testing.T) {
	testFile(t, strings.NewReplacer("FOLDER", "", "LOOPS", "1").Replace(coresTest))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	rates, building := regexp.MustCompile(`[0-9.]+s|[0-9]+/s`), regexp.MustCompile(`macemc: building .*\n`)
	want := ""
	for _, cores := range []int{1, 2, 4} {
		runtime.GOMAXPROCS(cores)
		out, further := furtherProcesses(t, "-schedules=50000")
		out = rates.ReplaceAllString(building.ReplaceAllString(out, ""), "T")
		if want = cmp.Or(want, out); out != want || !strings.Contains(out, "found by schedule ") || further == 0 {
			t.Errorf("%d further processes with %d cores:\n%s\nwant:\n%s", further, cores, out, want)
		}
	}
}

// Processes of a test that share files do not execute schedules at the same time.
func TestTest_CoresOfFiles(t *testing.T) {
	for folder, several := range map[string]bool{".": false, "TempDir": true, "Time": false} {
		testFile(t, strings.NewReplacer("FOLDER", folder, "LOOPS", "200", "20000", "2000000000").Replace(coresTest))
		out, further := furtherProcesses(t, "-schedules=300")
		if further > 0 != several || !strings.Contains(out, "300 schedules") {
			t.Errorf("%s: %d further processes\n%s", folder, further, out)
		}
	}
}
