package search

import (
	"testing"
	"time"

	"github.com/macemc/macemc/internal/budget"
)

// A suspect is decided soon after the time of its search. Most of the remaining time, including that of the follow-up,
// is for analysis.
func TestConfirming_Deadlines(t *testing.T) {
	const began = time.Hour
	for _, c := range []struct{ time, at, decide, locate time.Duration }{
		{time.Minute, 2 * time.Second, 7 * time.Second, 70250 * time.Millisecond},
		{time.Minute, 20 * time.Second, 40 * time.Second, 74750 * time.Millisecond},
		{time.Minute, time.Minute, 65 * time.Second, 84750 * time.Millisecond},
		{time.Second, time.Second, 4500 * time.Millisecond, 3625 * time.Millisecond},
		{15 * time.Minute, 9 * time.Second, 18 * time.Second, 16*time.Minute + 57*time.Second},
	} {
		cfg := Config{Time: c.time, start: began}
		p := cfg.deadlinesAt(began + c.at)
		if p.Decide-began != c.decide || p.Locate-began != c.locate {
			t.Errorf("of %v, after %v: decided after %v, located after %v; want %v, %v", c.time, c.at, p.Decide-began, p.Locate-began, c.decide, c.locate)
		}
	}
}

// No confirmation exceeds the limit of the follow-up of a finding, and none exceeds the time of a search that has a
// finding.
func TestConfirming(t *testing.T) {
	cfg := Config{Time: time.Minute, start: budget.Now()}
	for _, c := range []struct {
		overdue, found, deadlines bool
		want                      time.Duration
	}{
		{false, false, true, 93 * time.Second}, {true, false, false, 93 * time.Second}, {false, true, false, time.Minute}, {true, true, false, time.Minute},
	} {
		ctx, cancel := cfg.confirming(t.Context(), &Suspect{Overdue: c.overdue}, c.found)
		at, ok := budget.Deadline(ctx)
		if _, got := budget.DeadlinesOf(ctx); !ok || at-cfg.start != c.want || got != c.deadlines {
			t.Errorf("overdue: %v, after a finding: %v: until %v, with deadlines: %v; want %v, %v",
				c.overdue, c.found, at-cfg.start, got, c.want, c.deadlines)
		}
		cancel()
	}
	free, cancel := new(Config).confirming(t.Context(), &Suspect{}, false)
	defer cancel()
	if free != t.Context() {
		t.Error("a search without a time limit limits confirmations")
	}
}
