//go:build macemc_overlay

package main

import (
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/test/replaytest"
	"github.com/macemc/macemc/search"
)

// Runs are reproducible.
func TestReplicas_Retrace(t *testing.T) { replaytest.Check(t, system()) }

// A replica that acknowledges values without its peers is detected.
func TestReplicas_Hasty(t *testing.T) {
	r, err := search.Run(t.Context(), search.Config{Workers: 1, Time: time.Minute, System: system("-hasty")})
	if err != nil || r.Finding == nil || !strings.Contains(r.Finding.Message, "was acknowledged") {
		t.Errorf("%v, %s: %+v", err, r.Verdict, r.Finding)
	}
}
