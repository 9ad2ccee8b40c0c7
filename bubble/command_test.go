//go:build macemc_overlay

package bubble_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Package variables of a program that runs as a process of each node.
var (
	level    = flag.Int("level", 0, "number of the node")
	visits   = map[string]int{"init": 1}
	requests = make(chan string)
	mu       sync.Mutex
	boots    int
)

// visited is an ordinary main function. It exits with status 1 if it notices another node or an earlier process of its own.
func visited() {
	name := flag.String("name", "", "of the node")
	flag.Parse()
	boots++
	go func() { requests <- *name }()
	visits[<-requests]++
	host, _ := os.Hostname()
	if *name != host || fmt.Sprint("n", *level) != host || os.Args[0] != "visited" || os.Getenv("NAME") != host || os.Getenv("HOME") != "" || os.Getpid()%1000 != *level {
		log.Fatal("not my arguments: ", os.Args, os.Environ(), host, os.Getpid())
	}
	os.Setenv("NAME", "changed")
	if os.Getenv("NAME") != "changed" || len(os.Environ()) != 1 {
		log.Fatal("not my environment: ", os.Environ())
	}
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock() // several wait here at the same time
		defer mu.Unlock()
		time.Sleep(time.Second)
		visits["requests"]++
		fmt.Fprint(w, host)
	})
	go http.ListenAndServe(":80", nil)
	var wait sync.WaitGroup
	for i := range 6 {
		wait.Go(func() {
			peer := fmt.Sprint("n", i%3)
			answer := retry(func() (*http.Response, error) { return http.Get("http://" + peer) })
			text, err := io.ReadAll(answer.Body)
			if err == nil && string(text) != peer {
				log.Fatalf("%s answers for %s", text, peer)
			}
		})
	}
	wait.Wait()
	mu.Lock()
	defer mu.Unlock()
	// Six requests, some of them repeated after a crash or a broken connection.
	if boots != 1 || len(visits) > 3 || visits["init"] != 1 || visits[host] != 1 || visits["requests"] > 12 {
		log.Fatal("not my variables: ", boots, visits)
	}
	fmt.Println("done")
	os.Exit(3)
}

// Processes of nodes have variables, arguments and an environment of their own, and fresh ones after a crash.
func TestCommand(t *testing.T) {
	for _, how := range []sim.Interleave{sim.FIFO, sim.Random, 2} {
		t.Run(how.String(), func(t *testing.T) {
			r, err := searched(t, search.Config{Workers: 1, Time: time.Minute, MaxPaths: 60, WalkSteps: 300, System: sim.System{
				Name: "command", Nodes: 3, State: bubble.Rules, Network: netsim.Streams{}, Interleave: how, Crashes: 1,
				New: func(id sim.NodeID) sim.Service {
					name := fmt.Sprint("n", id)
					return bubble.Command(visited, []string{"visited", "-name", name, fmt.Sprint("-level=", id)}, []string{"NAME=" + name})
				},
				Properties: []sim.Property{{Name: "alone", Always: func(v *sim.View) bool {
					for id := range sim.NodeID(3) {
						if p, ok := v.Service(id).(*bubble.Program); ok && p.Ended != "" && p.Ended != "exit status 3" {
							return false
						}
					}
					return true
				}}, {Name: "some end", Sometimes: ended("exit status 3")}},
			}})
			if err != nil || r.Finding != nil || r.Stats.Paths == 0 || r.Stats.Sometimes[0].Walks == 0 {
				t.Errorf("%v, %s after %d paths", err, r.Verdict, r.Stats.Paths)
				if f := r.Finding; f != nil {
					t.Errorf("%v %s: %s at node %d after %d steps", f.Kind, f.Property, f.Message, f.Node, f.Steps)
				}
			}
		})
	}
	if boots != 0 || len(visits) != 1 {
		t.Errorf("the processes have changed variables of the test: %d boots, %v", boots, visits)
	}
}

// ended reports whether the process of node 0 has ended in the given way.
func ended(how string) func(v *sim.View) bool {
	return func(v *sim.View) bool {
		p, ok := v.Service(0).(*bubble.Program)
		return ok && p.Ended == how
	}
}

func of[M func() | func(context.Context) error](main M) func() sim.Service {
	return func() sim.Service { return bubble.Command(main, []string{"x", "-unknown"}, nil) }
}

// A process ends when its main function returns, and when it receives a signal that it does not handle. Ended distinguishes the two.
func TestCommand_Ended(t *testing.T) {
	terminated := of(func() {
		hangups, terminations := make(chan os.Signal, 1), make(chan os.Signal, 1)
		signal.Notify(hangups, syscall.SIGHUP)
		signal.Notify(terminations, syscall.SIGTERM)
		<-hangups
		<-terminations
		os.Exit(8)
	})
	for want, service := range map[string]func() sim.Service{
		"exit status 8":        terminated,
		"exit status 0":        of(func() { go func() { select {} }() }),
		"exit status 2":        of(func() { flag.Parse() }),
		"signal: interrupt":    of(func() { select {} }),
		"signal: terminated":   of(func() { signal.Ignore(os.Interrupt); select {} }),
		"returned interrupted": of(func(ctx context.Context) error { <-ctx.Done(); return errors.New("interrupted") }),
		"exit status 7": of(func() {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
			<-ctx.Done()
			stop()
			os.Exit(7)
		}),
	} {
		r, err := searched(t, search.Config{Workers: 1, Time: time.Minute, MaxPaths: 40, WalkSteps: 100, System: sim.System{
			Name: "ended", Nodes: 1, State: bubble.Rules, Network: netsim.Streams{},
			Actions:    []sim.AnyAction{bubble.Signal(os.Interrupt), bubble.Signal(syscall.SIGTERM), bubble.Signal(syscall.SIGHUP)},
			New:        func(sim.NodeID) sim.Service { return service() },
			Properties: []sim.Property{{Name: "ended", Always: func(v *sim.View) bool { return !ended(want)(v) }}},
		}})
		if err != nil || r.Finding == nil || r.Finding.Property != "ended" {
			t.Errorf("%s: %v, %s: %+v", want, err, r.Verdict, r.Finding)
		}
	}
}

// A process with a Host shows its own package variables.
func TestCommand_Host(t *testing.T) {
	client := func(ctx context.Context, h *bubble.Host) error {
		h.Observe(func() any { return boots })
		boots++
		<-ctx.Done()
		return errors.New("interrupted")
	}
	r, err := searched(t, search.Config{Workers: 1, Time: time.Minute, MaxPaths: 10, WalkSteps: 100, System: sim.System{
		Name: "host", Nodes: 2, State: bubble.Rules, Network: netsim.Streams{}, Actions: []sim.AnyAction{bubble.Signal(os.Interrupt)},
		New: func(sim.NodeID) sim.Service { return bubble.Command(client, []string{"client"}, nil) },
		Properties: []sim.Property{
			{Name: "own variables", Always: func(v *sim.View) bool {
				for _, n := range bubble.Seen[int](v) {
					if n > 1 {
						return false
					}
				}
				return true
			}},
			{Name: "shown", Sometimes: func(v *sim.View) bool {
				a, _ := bubble.SeenAt[int](v, 0)
				b, _ := bubble.SeenAt[int](v, 1)
				return a == 1 && b == 1
			}},
			{Name: "some end", Sometimes: ended("returned interrupted")},
		},
	}})
	if err != nil || r.Finding != nil || r.Stats.Paths == 0 || r.Stats.Sometimes[0].Walks == 0 || r.Stats.Sometimes[1].Walks == 0 {
		t.Errorf("%v, %s after %d paths: %+v", err, r.Verdict, r.Stats.Paths, r.Finding)
	}
}
