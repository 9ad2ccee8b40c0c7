package cli

import (
	"regexp"
	"strconv"
	"testing"
)

// BenchmarkTest measures schedules per second of two tests: one with an HTTP server and client, and one with two locks.
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
	rate := regexp.MustCompile(`macemc: \d+ schedules \((\d+)/s\), no finding`)
	for _, c := range []struct {
		name string
		args []string
	}{
		{"HTTP", []string{"-run=HTTP"}}, {"HTTP-race", []string{"-run=HTTP", "-race"}},
		{"locks", []string{"-run=Locks"}}, {"locks-race", []string{"-run=Locks", "-race"}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				out, status := testCommand(b.Context(), append(c.args, "-count=1", "-v", "-explore-time=3s", "-schedules=1000000", ".")...)
				m := rate.FindStringSubmatch(out)
				if status != 0 || m == nil {
					b.Fatalf("status %d\n%s", status, out)
				}
				perSecond, _ := strconv.ParseFloat(m[1], 64)
				b.ReportMetric(perSecond, "schedules/s")
			}
		})
	}
}
