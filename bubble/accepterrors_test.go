//go:build macemc_overlay

package bubble_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/internal/test/replaytest"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// acceptError describes an error of Accept.
func acceptError(err error) string {
	var op *net.OpError
	if !errors.As(err, &op) || !errors.Is(err, syscall.EMFILE) || !op.Temporary() {
		return fmt.Sprintf("%#v; ", err)
	}
	return op.Error() + "; "
}

// An error strikes one of the open listeners. The connections that wait there are accepted afterwards.
func TestAcceptErrors_Alternatives(t *testing.T) {
	const (
		a = "accept tcp 10.0.0.1:80: accept: too many open files; "
		b = "accept tcp 10.0.0.1:81: accept: too many open files; "
	)
	one := []string{"80 81 ", "80 " + b + "81 ", a + "80 81 "}
	two := append([]string{"80 " + b + b + "81 ", a + "80 " + b + "81 ", a + a + "80 81 "}, one...)
	slices.Sort(two)
	type listen = func(network, address string) (net.Listener, error)
	for name, of := range map[string]func(*bubble.Host) listen{
		"Host": func(h *bubble.Host) listen { return h.Listen },
		"net":  func(*bubble.Host) listen { return net.Listen },
	} {
		program := func(ctx context.Context, h *bubble.Host) error {
			state := ""
			h.Observe(func() any { return state })
			var all []net.Listener
			for _, address := range []string{bubble.Addr(0, 79), bubble.Addr(0, 80), bubble.Addr(0, 81)} {
				l, err := of(h)("tcp", address)
				if err != nil {
					return err
				}
				all = append(all, l)
			}
			all[0].Close()
			all = all[1:]
			for _, l := range all {
				if _, err := h.Dial(ctx, "tcp", l.Addr().String()); err != nil {
					return err
				}
			}
			time.Sleep(time.Second) // all errors strike until here, or after the last call
			for _, l := range all {
				c, err := l.Accept()
				for ; err != nil; c, err = l.Accept() {
					state += acceptError(err)
				}
				state += fmt.Sprint(c.LocalAddr().(*net.TCPAddr).Port, " ")
			}
			return nil
		}
		for i, want := range [][]string{one, two} {
			got := outcomes(t, sim.System{
				Name: "listeners", Nodes: 1, Network: netsim.Streams{}, AcceptErrors: i + 1,
				New: func(sim.NodeID) sim.Service { return bubble.Service(program) },
			})
			if !slices.Equal(got, want) {
				t.Errorf("%s, %d errors: %q, want %q", name, i+1, got, want)
			}
		}
	}
}

// An error fails one of the calls that wait in a listener, although no connection arrives.
func TestAcceptErrors_Waiting(t *testing.T) {
	program := func(_ context.Context, h *bubble.Host) error {
		errs := 0
		h.Observe(func() any { return fmt.Sprint(errs, " failed") })
		l, err := net.Listen("tcp", ":80")
		for range 3 {
			go func() {
				if _, err := l.Accept(); errors.Is(err, syscall.EMFILE) {
					errs++
				}
			}()
		}
		time.Sleep(time.Second)
		return err
	}
	for limit := 1; limit <= 2; limit++ {
		got := outcomes(t, sim.System{
			Name: "waiting", Nodes: 1, AcceptErrors: limit,
			New: func(sim.NodeID) sim.Service { return bubble.Service(program) },
		})
		if want := []string{"0 failed", "1 failed", "2 failed"}[:limit+1]; !slices.Equal(got, want) {
			t.Errorf("%d errors: %q, want %q", limit, got, want)
		}
	}
}

// An error can strike while the program has an open listener.
func TestAcceptErrors_CanStrike(t *testing.T) {
	seen := map[string]bool{}
	_, err := searched(t, search.Config{Strategy: search.Walk, MaxPaths: 10, Workers: 1, System: sim.System{
		Name: "strikes", Nodes: 1, State: bubble.Rules, Interleave: sim.FIFO,
		New: func(sim.NodeID) sim.Service {
			return bubble.Service(func(_ context.Context, h *bubble.Host) error {
				state := "none"
				h.Observe(func() any { return state })
				time.Sleep(time.Second)
				l, err := net.Listen("tcp", ":80")
				if err != nil {
					return err
				}
				state = "open"
				time.Sleep(time.Second)
				state = "closed"
				l.Close()
				time.Sleep(time.Second)
				_, err = net.Listen("tcp", ":80")
				state = "ended"
				return err
			})
		},
		Properties: []sim.Property{{Name: "asks", Always: sim.Each(func(_ sim.NodeID, p *bubble.Program) bool {
			seen[fmt.Sprint(p.Seen, " ", p.CanStrike(sim.AcceptErrors))] = true
			return true
		})}},
	}})
	for _, want := range []string{"none false", "open true", "closed false", "ended false"} {
		if err != nil || len(seen) != 4 || !seen[want] {
			t.Errorf("%v: %v, want %q", err, seen, want)
		}
	}
}

// serving is a system of a server and a client that tries until it is answered.
func serving(serve func(l net.Listener) error, call func(ctx context.Context) error) sim.System {
	server := func(context.Context, *bubble.Host) error {
		l, err := net.Listen("tcp", ":80")
		if err != nil {
			return err
		}
		return serve(l)
	}
	client := func(ctx context.Context, h *bubble.Host) error {
		answered := false
		h.Observe(func() any { return answered })
		for !answered {
			limited, stop := context.WithTimeout(ctx, 5*time.Second)
			answered = call(limited) == nil
			stop()
			if !answered {
				time.Sleep(time.Second)
			}
		}
		<-ctx.Done()
		return nil
	}
	return sim.System{
		Name: "serving", Nodes: 2, State: bubble.Rules, Network: netsim.Streams{}, AcceptErrors: 2,
		New: func(id sim.NodeID) sim.Service { return bubble.Service([]bubble.Main{server, client}[id]) },
		Properties: []sim.Property{
			{Name: "the server runs", Always: sim.Each(func(_ sim.NodeID, p *bubble.Program) bool { return p.Ended == "" })},
			{Name: "the client is answered", Eventually: func(v *sim.View) bool {
				answered, _ := bubble.SeenAt[bool](v, 1)
				return answered
			}},
		},
	}
}

// accepting is a system of a server with an accept loop of its own. The loop ends at the first error, or continues after a pause.
func accepting(pause time.Duration) sim.System {
	return serving(func(l net.Listener) error {
		for {
			c, err := l.Accept()
			if err != nil && pause == 0 {
				return err
			}
			if err != nil {
				time.Sleep(pause)
				continue
			}
			io.WriteString(c, "hello")
			c.Close()
		}
	}, func(ctx context.Context) error {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", "n0:80")
		if err != nil {
			return err
		}
		defer c.Close()
		deadline, _ := ctx.Deadline()
		c.SetDeadline(deadline)
		_, err = io.ReadFull(c, make([]byte, len("hello")))
		return err
	})
}

// An accept loop that ends at an error is a finding that replays.
func TestAcceptErrors_LoopEnds(t *testing.T) {
	sys, err := accepting(0).Only("the server runs")
	if err != nil {
		t.Fatal(err)
	}
	replaytest.Finding(t, sys, "the server runs")
}

// Clients are never answered after the end of the accept loop.
func TestAcceptErrors_Deaf(t *testing.T) {
	sys, err := accepting(0).Only("the client is answered")
	if err != nil {
		t.Fatal(err)
	}
	r, err := searched(t, search.Config{System: sys, Workers: 1, Time: time.Minute})
	if err != nil || r.Finding == nil || r.Finding.Kind != sim.Liveness {
		t.Errorf("%v, %s: %+v", err, r.Verdict, r.Finding)
	}
}

// An accept loop that continues after a pause survives errors, as that of net/http does.
func TestAcceptErrors_Survived(t *testing.T) {
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") })
	serve := func(l net.Listener) error {
		return (&http.Server{Handler: handler, ErrorLog: log.New(io.Discard, "", 0)}).Serve(l)
	}
	get := func(ctx context.Context) error {
		r, err := http.NewRequestWithContext(ctx, "GET", "http://n0/", nil)
		if err != nil {
			return err
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			return err
		}
		return answer.Body.Close()
	}
	for name, sys := range map[string]sim.System{"own loop": accepting(10 * time.Millisecond), "http.Server": serving(serve, get)} {
		r, err := searched(t, search.Config{System: sys, Workers: 1, MaxPaths: 300})
		if err != nil || r.Finding != nil || r.Stats.FaultsUsed[sim.AcceptErrors] != 2 {
			t.Errorf("%s: %v, %s, %v faults: %+v", name, err, r.Verdict, r.Stats.FaultsUsed, r.Finding)
		}
	}
}
