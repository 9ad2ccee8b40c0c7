//go:build macemc_overlay

package bubble_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// broker publishes a number each half second to those who have subscribed.
func broker(_ context.Context, h *bubble.Host) error {
	var mu sync.Mutex
	subscribers := map[net.Conn]bool{}
	n := 0
	h.Observe(func() any { return n })
	l, err := net.Listen("tcp", ":4222")
	if err != nil {
		return err
	}
	go func() {
		for range time.Tick(time.Second / 2) {
			mu.Lock()
			n++
			for c := range subscribers {
				fmt.Fprintln(c, n)
			}
			mu.Unlock()
		}
	}()
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go func() {
			for s := bufio.NewScanner(c); s.Scan(); {
				if s.Text() == "SUB" {
					mu.Lock()
					subscribers[c] = true
					mu.Unlock()
				}
			}
			mu.Lock()
			delete(subscribers, c)
			mu.Unlock()
		}()
	}
}

// subscriber subscribes and pings each second. If again is not set, it does not subscribe again after it has lost its connection.
func subscriber(h *bubble.Host, again bool) error {
	last := ""
	h.Observe(func() any { return last })
	for first := true; ; time.Sleep(time.Second) {
		c, err := net.Dial("tcp", "n0:4222")
		if err != nil {
			continue
		}
		if first || again {
			fmt.Fprintln(c, "SUB")
		}
		first = false
		stop := make(chan struct{})
		go func() {
			for t := time.NewTicker(time.Second); ; {
				select {
				case <-t.C:
					fmt.Fprintln(c, "PING")
				case <-stop:
					t.Stop()
					return
				}
			}
		}()
		for s := bufio.NewScanner(c); s.Scan(); {
			last = strings.TrimSpace(s.Text())
		}
		close(stop)
		c.Close()
		h.Log().Info("connection lost")
	}
}

// A liveness violation of programs that never rest is confirmed and minimized in the default time, or in more on a slow machine. A suspect
// that stays one has the ends of the nodes.
func TestRest_Tickers(t *testing.T) {
	r := checkSubscriber(t, true, false, time.Second)
	if r.Verdict != search.OK {
		t.Errorf("right: %v: %+v", r.Verdict, r.Suspect)
	}
	inMoreTime(t, false, func(r *report.Report) bool {
		return r.Verdict == search.Violation && r.Kind == sim.Liveness && r.Critical != nil && r.Critical.Case == critical.Located && r.Steps <= 500
	})
	inMoreTime(t, true, func(r *report.Report) bool {
		s := r.Suspect
		return s != nil && len(s.Ends) == 2 && strings.Contains(s.Ends[0], "Accept at tickers_test.go") && strings.Contains(s.Ends[1], "connection lost")
	})
}

// inMoreTime checks the wrong subscriber until the report is as wanted, each time with twice the time limit.
func inMoreTime(t *testing.T, proof bool, wanted func(*report.Report) bool) {
	t.Helper()
	for limit := 5 * time.Second; ; limit *= 2 {
		r := checkSubscriber(t, false, proof, limit)
		if wanted(r) {
			return
		}
		t.Logf("in %v: %v: %v in %d steps, %+v, suspect %+v", limit, r.Verdict, r.Kind, r.Steps, r.Critical, r.Suspect)
		if limit > 30*time.Second {
			t.Fatalf("not as wanted, although proof is %v", proof)
		}
	}
}

// checkSubscriber checks the subscriber, which is right or wrong.
func checkSubscriber(t *testing.T, right, proof bool, limit time.Duration) *report.Report {
	t.Helper()
	sys := sim.System{
		Name: "subscribe", Nodes: 2, State: bubble.Rules, Network: netsim.Streams{}, Crashes: 1,
		New: func(id sim.NodeID) sim.Service {
			if id == 0 {
				return bubble.Service(broker)
			}
			return bubble.Service(func(_ context.Context, h *bubble.Host) error { return subscriber(h, right) })
		},
		Properties: []sim.Property{{Name: "news arrive", Eventually: func(v *sim.View) bool {
			n, _ := bubble.SeenAt[int](v, 0)
			last, ok := bubble.SeenAt[string](v, 1)
			return ok && last == fmt.Sprint(n)
		}}},
	}
	sys.Timing = check.LivenessTiming(&sys)
	r, err := check.Run(t.Context(), check.Options{Dir: t.TempDir(), RequireProof: proof,
		Search: search.Config{System: sys, Workers: 1, Time: limit}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
