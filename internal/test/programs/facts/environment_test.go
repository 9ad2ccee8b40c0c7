//go:build macemc_overlay

package facts

import (
	"expvar"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Package variables that depend on the environment of the process, and what their initialization does elsewhere.
var (
	peer     = os.Getenv("MACEMC_TEST_PEER")
	_, isSet = os.LookupEnv("MACEMC_TEST_PEER")
	peers    = map[string]int{peer: 1}
	settings = &struct {
		Name  string
		Count int
	}{Name: peer}
	counts  = &struct{ N int }{N: 7}
	started = make(chan string, 1)
	verbose = flag.String("macemc-test-verbose", peer, "a flag of the process")
	metric  = expvar.NewString("macemc.test.peer")
	ticker  = time.NewTicker(time.Hour)
)

func init() {
	http.HandleFunc("/macemc-test-"+peer, http.NotFound)
	metric.Set(peer)
	log.SetPrefix(peer)
	go func() { started <- peer }()
}

// initialized exits with status 1 if a package variable does not depend on the environment of its own process alone.
func initialized() {
	boots := os.Getenv("MACEMC_TEST_PEER")
	settings.Count++
	counts.N++
	peers[peer]++
	began := time.Now()
	<-ticker.C
	switch {
	case peer != boots, !isSet, *verbose != boots, settings.Name != boots, settings.Count != 1, counts.N != 8, len(peers) != 1, peers[boots] != 2,
		metric.Value() != boots, log.Prefix() != boots, <-started != boots, time.Since(began) < time.Minute:
		fmt.Println(peer, isSet, *verbose, settings, counts, peers, metric, log.Prefix(), boots)
		os.Exit(1)
	}
	os.Exit(0)
}

// ended reports whether the process of node 0 has ended in the given way.
func ended(how string) func(v *sim.View) bool {
	return func(v *sim.View) bool {
		p, ok := v.Service(0).(*bubble.Program)
		return ok && p.Ended == how
	}
}

// The environment of a process reaches the initialization of packages, for each process its own, and at each boot.
func TestInitialization(t *testing.T) {
	if peer != "" || settings.Count != 0 {
		t.Fatal("the test has the environment or the variables of a process")
	}
	s := sim.System{
		Name: "initialization", Nodes: 2, State: bubble.Rules, Network: netsim.Streams{}, Crashes: 1,
		New: func(id sim.NodeID) sim.Service {
			return bubble.Command(initialized, []string{"x"}, []string{fmt.Sprint("MACEMC_TEST_PEER=n", id)})
		},
		Properties: []sim.Property{
			{Name: "own", Always: func(v *sim.View) bool { return !ended("exit status 1")(v) }},
			{Name: "ends", Eventually: ended("exit status 0")},
		},
	}
	r, err := search.Run(t.Context(), search.Config{Workers: 1, Time: time.Minute, MaxPaths: 20, WalkSteps: 30, System: s})
	if err != nil || r.Finding != nil || r.Stats.Paths == 0 || r.Suspect != nil {
		t.Errorf("%v, %+v, %+v", err, r.Finding, r.Suspect)
	}
	if peer != "" || settings.Count != 0 || counts.N != 7 || len(peers) != 1 {
		t.Errorf("processes have changed the variables of the test: %q %v %v %v", peer, settings, counts, peers)
	}
}
