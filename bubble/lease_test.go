//go:build macemc_overlay

package bubble_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/internal/test/replaytest"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

const leaseTime = 3 * time.Second

// answerAll answers requests.
func answerAll(address string, answer func(request string) string) error {
	l, err := net.ListenPacket("udp", address)
	if err != nil {
		return err
	}
	for buf := make([]byte, 100); ; {
		n, from, err := l.ReadFrom(buf)
		if err != nil {
			return err
		}
		if _, err := l.WriteTo([]byte(answer(string(buf[:n]))), from); err != nil {
			return err
		}
	}
}

// ask sends a request and returns the answer.
func ask(address, request string) (string, error) {
	c, err := net.Dial("udp", address)
	if err != nil {
		return "", err
	}
	defer c.Close()
	if _, err := c.Write([]byte(request)); err != nil {
		return "", err
	}
	buf := make([]byte, 100)
	n, err := c.Read(buf)
	return string(buf[:n]), err
}

// lockServer grants the lease of a value with a token, and accepts new values only from the owner of the last token.
func lockServer(context.Context) error {
	var (
		mu           sync.Mutex
		until        time.Time
		token, value int
	)
	return answerAll(":80", func(request string) string {
		mu.Lock()
		defer mu.Unlock()
		var t, v int
		if _, err := fmt.Sscanf(request, "put %d %d", &t, &v); err == nil {
			if t != token {
				return "stale"
			}
			value = v
			return "ok"
		}
		if now := time.Now(); now.Before(until) {
			return "busy"
		} else {
			token, until = token+1, now.Add(leaseTime)
		}
		return fmt.Sprintf("%d %d %d", token, until.UnixNano(), value)
	})
}

// owner repeatedly acquires the lease, increments the value once, and answers reads from memory until the lease ends. Its first argument is
// a margin. The second one selects whether the lease ends at the server's time or after the locally measured duration.
func owner(context.Context) error {
	margin, err := time.ParseDuration(os.Args[1])
	if err != nil {
		return err
	}
	var (
		mu    sync.Mutex
		until time.Time
		value int
	)
	go answerAll(":80", func(string) string {
		mu.Lock()
		defer mu.Unlock()
		v := value
		if !time.Now().Before(until) {
			return "none"
		}
		return strconv.Itoa(v)
	})
	for {
		began := time.Now()
		answer, err := ask("n0:80", "lock")
		if err != nil {
			return err
		}
		var token, v int
		var ends int64
		if _, err := fmt.Sscanf(answer, "%d %d %d", &token, &ends, &v); err == nil {
			end := time.Unix(0, ends)
			if os.Args[2] == "duration" {
				end = began.Add(leaseTime)
			}
			if answer, err = ask("n0:80", fmt.Sprint("put ", token, " ", v+1)); err != nil {
				return err
			}
			if answer == "ok" {
				mu.Lock()
				value, until = v+1, end.Add(-margin)
				mu.Unlock()
				time.Sleep(time.Until(end))
			}
		}
		time.Sleep(time.Second)
	}
}

// reader reads from both owners. No read returns less than a read that has completed before it.
func reader(ctx context.Context, h *bubble.Host) error {
	for last, from := 0, 1; ; from = 3 - from {
		answer, err := ask(bubble.Addr(sim.NodeID(from), 80), "get")
		if err != nil {
			return err
		}
		if v, err := strconv.Atoi(answer); err == nil {
			h.Assert(v >= last, "read %d after %d", v, last)
			last = v
		}
		time.Sleep(time.Second / 2)
	}
}

func leases(clocks *sim.Clocks, margin time.Duration, end string) sim.System {
	return sim.System{
		Name: "lease", Nodes: 4, State: bubble.Rules, Network: netsim.Datagrams{}, Clocks: clocks,
		Timing: sim.BoundedLiveness(100 * time.Millisecond),
		New: func(id sim.NodeID) sim.Service {
			switch id {
			case 0:
				return bubble.Command(lockServer, []string{"lock"}, nil)
			case 3:
				return bubble.Service(reader)
			}
			return bubble.Command(owner, []string{"owner", margin.String(), end}, nil)
		},
	}
}

// Leases are correct if and only if the margin covers the difference between the clocks.
func TestClocks_Leases(t *testing.T) {
	for _, c := range []struct {
		clocks   *sim.Clocks
		margin   time.Duration
		end      string
		violated bool
		paths    int // upper bound
	}{
		{&sim.Clocks{}, 0, "time", false, 50},
		{&sim.Clocks{Offset: 1500 * time.Millisecond}, time.Second, "time", true, 1000},
		{&sim.Clocks{Offset: 500 * time.Millisecond}, time.Second, "time", false, 50},
		{&sim.Clocks{Offset: time.Hour, Drift: 100_000}, 600 * time.Millisecond, "duration", false, 50},
		{&sim.Clocks{Drift: 300_000}, 300 * time.Millisecond, "duration", true, 1000},
		{nil, time.Second, "time", true, 1000},
	} {
		r, err := searched(t,
			search.Config{System: leases(c.clocks, c.margin, c.end), Workers: 1, Strategy: search.Walk, MaxPaths: c.paths, WalkSteps: 200})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%v, margin %v, %s: %v after %d paths, %d steps; %+v", c.clocks, c.margin, c.end, r.Verdict, r.Stats.Paths,
			r.Stats.Events, r.Finding)
		if (r.Finding != nil) != c.violated {
			t.Errorf("want a violation: %v", c.violated)
		}
	}
}

// Runs are deterministic.
func TestClocks_Retrace(t *testing.T) {
	replaytest.Check(t, leases(&sim.Clocks{Offset: time.Second, Drift: 1000}, time.Second, "time"))
}
