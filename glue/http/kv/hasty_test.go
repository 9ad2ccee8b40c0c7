//go:build macemc_overlay

package main

import (
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/test/replaytest"
	"github.com/macemc/macemc/search"
)

var (
	times     = flag.Int("times", 10, "how often a run is repeated")
	processes = flag.Int("processes", 1, "in how many other processes a run is repeated")
)

// Runs are reproducible.
func TestReplicas_Retrace(t *testing.T) { replaytest.Check(t, system(), *times, *processes) }

// A replica that acknowledges values without its peers is detected.
func TestReplicas_Hasty(t *testing.T) {
	r, err := search.Run(t.Context(), search.Config{Workers: 1, Time: time.Minute, System: system("-hasty")})
	if err != nil || r.Finding == nil || !strings.Contains(r.Finding.Message, "was acknowledged") {
		t.Errorf("%v, %s: %+v", err, r.Verdict, r.Finding)
	}
}
