//go:build unix

package cli

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkTest measures schedules per second of processor time of two tests: one with an HTTP server and client, and one with two locks.
func BenchmarkTest(b *testing.B) {
	testFile(b, `package x

import (
	"math/rand"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

func TestHTTP(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { time.Sleep(3 * time.Second) }))
	defer srv.Close()
	resp, err := http.Get(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
}

func TestLocks(t *testing.T) {
	rand.Int() // else all orders are explored, which does not take long
	var a, b sync.Mutex
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			a.Lock()
			defer a.Unlock()
			b.Lock()
			defer b.Unlock()
		})
	}
	wg.Wait()
}
`)
	// processor returns the processor time of a command that executes so many schedules.
	processor := func(b *testing.B, schedules int, args []string) time.Duration {
		used := func() time.Duration {
			var u syscall.Rusage
			if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u); err != nil {
				b.Fatal(err)
			}
			return time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
		before := used()
		out, status := testCommand(b.Context(), append(args, "-count=1", "-v", fmt.Sprintf("-schedules=%d", schedules), ".")...)
		if status != 0 || !strings.Contains(out, fmt.Sprintf("macemc: %d schedule", schedules)) {
			b.Fatalf("status %d\n%s", status, out)
		}
		return used() - before
	}
	for _, c := range []struct {
		name      string
		schedules int
		args      []string
	}{
		{"HTTP", 4000, []string{"-run=HTTP"}}, {"HTTP-race", 1000, []string{"-run=HTTP", "-race"}},
		{"locks", 20000, []string{"-run=Locks"}}, {"locks-race", 5000, []string{"-run=Locks", "-race"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			processor(b, 1, c.args) // builds
			start := processor(b, 1, c.args)
			for b.Loop() {
				b.ReportMetric(float64(c.schedules)/(processor(b, c.schedules, c.args)-start).Seconds(), "schedules/s")
			}
		})
	}
}
