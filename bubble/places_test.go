//go:build macemc_overlay

package bubble_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

var served int

// serveTwice is a main function whose handler has no lock.
func serveTwice() {
	http.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		served++
		fmt.Fprint(w, served) // answers here
	})
	http.ListenAndServe(":80", nil) // waits here
}

// Steps of programs show the place at which the program acted or waits, although package net/http sends and receives.
func TestPlaces(t *testing.T) {
	sys := sim.System{Name: "places", Nodes: 2, State: bubble.Rules, Network: netsim.Streams{}, Interleave: sim.FIFO,
		New: func(id sim.NodeID) sim.Service {
			if id == 0 {
				return bubble.Command(serveTwice, nil, nil)
			}
			return bubble.Command(func(_ context.Context, h *bubble.Host) error {
				r, err := http.Get("http://n0/") // asks here
				if err == nil {
					io.Copy(io.Discard, r.Body)
					h.Assert(false, "answered") // asserts here
				}
				return err
			}, nil, nil)
		}}
	r, err := searched(t, search.Config{System: sys, Workers: 1, MaxPaths: 50, WalkSteps: 50, Seed: 1})
	if err != nil || r.Finding == nil {
		t.Fatalf("%v, result %+v", err, r)
	}
	trace, err := replay.Record(&sys, r.Finding.Path, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile("places_test.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(code), "\n")
	var comments []string
	for i := range trace.Steps {
		s := &trace.Steps[i]
		if file, line := s.Place(); filepath.Base(file) == "places_test.go" {
			_, comment, _ := strings.Cut(lines[line-1], "// ")
			comments = append(comments, fmt.Sprintf("n%d %s", s.Node, comment))
		}
	}
	got := strings.Join(comments, ", ")
	if want := "n0 waits here, n1 asks here, n0 answers here, n1 asserts here"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
