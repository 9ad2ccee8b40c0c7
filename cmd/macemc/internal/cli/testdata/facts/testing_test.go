package facts

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"
	"testing/quick"
	"testing/synctest"
	"time"
)

func TestName(t *testing.T) {
	same(t, t.Name(), "TestName")
	t.Run("a b/c", func(t *testing.T) { same(t, t.Name(), "TestName/a_b/c") })
	t.Run("a b/c", func(t *testing.T) { same(t, t.Name(), "TestName/a_b/c#01") })
	t.Run("", func(t *testing.T) { same(t, t.Name(), "TestName/#00") })
}

func TestDeadline(t *testing.T) {
	deadline, ok := t.Deadline()
	same(t, ok, true)
	if left := time.Until(deadline); left < 9*time.Minute || left > 10*time.Minute {
		t.Error(left)
	}
}

func TestTempDir(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	same(t, filepath.Dir(a), filepath.Dir(b))
	same(t, a != b, true)
	has(t, a, "TestTempDir")
	info, err := os.Stat(a)
	must(t, err)
	same(t, info.IsDir(), true)
}

func TestSetenv(t *testing.T) {
	t.Run("sub", func(t *testing.T) {
		t.Setenv("FACT", "value")
		same(t, os.Getenv("FACT"), "value")
	})
	_, ok := os.LookupEnv("FACT")
	same(t, ok, false)
}

func TestChdir(t *testing.T) {
	before, err := os.Getwd()
	must(t, err)
	t.Run("sub", func(t *testing.T) {
		dir, err := filepath.EvalSymlinks(t.TempDir())
		must(t, err)
		t.Chdir(dir)
		now, err := os.Getwd()
		must(t, err)
		same(t, now, dir)
		same(t, os.Getenv("PWD"), dir)
	})
	after, err := os.Getwd()
	must(t, err)
	same(t, after, before)
}

func TestCleanupOrder(t *testing.T) {
	var order []int
	t.Run("sub", func(t *testing.T) {
		for i := range 3 {
			t.Cleanup(func() { order = append(order, i) })
		}
	})
	same(t, order, []int{2, 1, 0})
}

func TestTestContext(t *testing.T) {
	var ctx context.Context
	t.Run("sub", func(t *testing.T) {
		ctx = t.Context()
		must(t, ctx.Err())
		t.Cleanup(func() { same(t, ctx.Err(), context.Canceled) })
	})
	same(t, ctx.Err(), context.Canceled)
}

func TestParallel(t *testing.T) {
	n := make(chan int, 3)
	t.Run("group", func(t *testing.T) {
		for i := range 3 {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				n <- i
			})
		}
		same(t, len(n), 0)
	})
	same(t, len(n), 3)
}

func TestSkips(t *testing.T) {
	ran := t.Run("sub", func(t *testing.T) {
		defer func() { same(t, t.Skipped(), true) }()
		t.Skip("skipped")
	})
	same(t, ran, true)
	same(t, t.Skipped(), false)
	same(t, t.Failed(), false)
}

func TestHelper(t *testing.T) {
	t.Helper()
	t.Log("logged")
	fmt.Fprintln(t.Output(), "written")
}

func TestFlags(t *testing.T) {
	same(t, testing.Testing(), true)
	same(t, testing.Short(), false)
	same(t, testing.CoverMode(), "")
	same(t, flag.Parsed(), true)
	same(t, flag.Lookup("test.run") != nil, true)
	same(t, flag.Lookup("test.timeout").Value.String(), "10m0s")
	same(t, len(flag.Args()), 0)
}

func TestArgs(t *testing.T) {
	if !strings.HasSuffix(os.Args[0], "facts.test") {
		t.Error(os.Args[0])
	}
	lacks(t, os.Args[1:], checker...)
}

func TestBubble(t *testing.T) {
	before := time.Now()
	synctest.Test(t, func(t *testing.T) {
		same(t, time.Now().UTC(), time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC))
		time.AfterFunc(2*time.Hour, func() { t.Error("it fires after the end") })
		time.Sleep(time.Hour)
		synctest.Wait()
		same(t, time.Now().UTC(), time.Date(2000, 1, 1, 1, 0, 0, 0, time.UTC))
	})
	if d := time.Since(before); d < 0 || d > time.Minute {
		t.Error(d)
	}
}

func TestBubbles(t *testing.T) {
	begin := time.Now()
	for range 3 {
		t.Run("bubble", func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				same(t, time.Now().UTC(), time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC))
				ended := false
				go func() {
					time.Sleep(time.Hour)
					ended = true
				}()
				time.Sleep(2 * time.Hour)
				synctest.Wait()
				same(t, ended, true)
			})
		})
	}
	t.Run("no bubble", func(t *testing.T) {
		t.Parallel()
		if d := time.Since(begin); d < 0 || d > time.Minute {
			t.Error(d)
		}
	})
}

func TestAllocs(t *testing.T) {
	n := testing.AllocsPerRun(10, func() { _ = fmt.Sprint("a", 1) })
	if n < 1 || n > 10 {
		t.Error(n)
	}
	c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	must(t, err)
	defer c.Close()
	b, to := make([]byte, 8), c.LocalAddr().(*net.UDPAddr).AddrPort()
	same(t, testing.AllocsPerRun(10, func() {
		c.WriteToUDPAddrPort(b, to)
		c.ReadFromUDPAddrPort(b)
		c.WriteMsgUDPAddrPort(b, nil, to)
		c.ReadMsgUDPAddrPort(b, nil)
	}), 0.0)
}

func TestQuick(t *testing.T) {
	must(t, quick.Check(func(a, b int) bool { return a+b == b+a }, nil))
}

func TestFS(t *testing.T) {
	must(t, fstest.TestFS(fstest.MapFS{"a/b": {Data: []byte("text")}}, "a/b"))
}

func TestReader(t *testing.T) {
	must(t, iotest.TestReader(strings.NewReader("some text"), []byte("some text")))
}

func ExampleName() {
	fmt.Println(strings.Join(stackOf(), "\n"))
	// Output:
	// example.org/facts.ExampleName
	// testing.runExample
	// testing.runExamples
	// testing.(*M).Run
	// main.main
	// runtime.main
	// runtime.goexit
}

func Name() {}

func FuzzText(f *testing.F) {
	f.Add("a", 1)
	f.Fuzz(func(t *testing.T, s string, n int) { lacks(t, stackOf(), checker...) })
}
