package render_test

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/search"
)

// The report names properties that most random runs missed and events that were rare after their first live states.
// With few runs it does not.
func TestWaste(t *testing.T) {
	text := func(walks, of, live int) string {
		r := report.Report{System: "s", Verdict: search.OK, Stopped: search.StoppedTime}
		r.Coverage.Sometimes = []search.Sometimes{{Property: "read", Runs: 90, Walks: walks, Of: of}}
		r.Coverage.AfterLiveWalks = live
		r.Coverage.AfterLive = []search.AfterLive{{What: "action stop"}, {What: "timer beat", Times: 70, Walks: 7}, {What: "message ping", Times: 900, Walks: 150}}
		return flat(printed(t, render.Terminal, &r))
	}
	const vacuous = "(RARE: in 4.5 % of the random runs; what depends on it is hardly checked)"
	const rare = "rare after the first live state, in a sample of 200 walks: action stop never, timer beat in 3.5 %"
	if s := text(45, 1000, 200); !strings.Contains(s, vacuous) || !strings.Contains(s, rare) || strings.Contains(s, "ping") {
		t.Error(s)
	}
	if s := text(500, 1000, 99); strings.Contains(s, "RARE") || strings.Contains(s, "rare") {
		t.Error(s)
	}
	if s := text(1, 3000, 0); !strings.Contains(s, "in 90 runs (RARE: in less than 0.1 % of the random runs") {
		t.Error(s)
	}
	if s := text(1, 99, 0); strings.Contains(s, "RARE") {
		t.Error(s)
	}
}
