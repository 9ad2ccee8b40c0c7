//go:build macemc_overlay

package redis

import (
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/test/replaytest"
	"github.com/macemc/macemc/search"
)

// Runs are reproducible.
func TestCounter_Retrace(t *testing.T) { replaytest.Check(t, system("counter")) }

// A transaction that watches another key loses an increment.
func TestCounter_Unwatched(t *testing.T) {
	r, err := search.Run(t.Context(), search.Config{Workers: 1, Time: time.Minute, System: system("Counter")})
	if err != nil || r.Finding == nil || !strings.Contains(r.Finding.Message, "two clients") {
		t.Errorf("%v, %s: %+v", err, r.Verdict, r.Finding)
	}
}
