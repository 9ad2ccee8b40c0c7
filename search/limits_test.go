package search_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/pingack"
)

// quiet is pingack without losses, and correct.
func quiet(t *testing.T) sim.System {
	t.Helper()
	sys, err := pingack.System.WithLimits(sim.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return sys
}

func TestMaxPaths(t *testing.T) {
	many := 1000
	if testing.Short() {
		many = 100
	}
	for _, s := range runStrategies {
		for _, n := range []int{1, 7, many} {
			res := run(t, search.Config{System: pingack.System, Strategy: s, MaxPaths: n, Confirm: refute})
			if res.Stats.Paths != n || res.Stopped != stats.StoppedPaths {
				t.Errorf("%s: %d paths, %s; want %d, paths", s, res.Stats.Paths, res.Stopped, n)
			}
		}
	}
}

func refute(context.Context, search.Suspect) (search.Confirmed, error) {
	return search.Confirmed{Refuted: true}, nil
}

func TestMaxDepth(t *testing.T) {
	res := run(t, search.Config{System: pingack.System, MaxDepth: 4, Confirm: refute})
	if res.Stats.ExhaustedDepth != 4 || res.Stopped != stats.StoppedDepth || res.Stats.Complete {
		t.Errorf("got %+v", res.Stats)
	}
	for _, p := range res.Stats.Phases {
		if p.Name == "deepening" && p.Choices.Max != 4 {
			t.Errorf("%d choices, want 4", p.Choices.Max)
		}
	}
}

func TestTimeAndInterruption(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	var last search.Progress
	told := 0
	cfg := search.Config{System: quiet(t), Strategy: search.Walk, Time: 2 * time.Second, Progress: func(p search.Progress) {
		told++
		if p.Paths < last.Paths || p.Events < last.Events || p.Elapsed < last.Elapsed || p.Phase != "walks" {
			t.Errorf("progress %+v after %+v", p, last)
		}
		last = p
	}}
	res := run(t, cfg)
	if res.Stopped != stats.StoppedTime || res.Verdict != search.OK || res.Stats.Paths == 0 || told == 0 {
		t.Errorf("got %+v, told %d times", res, told)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cfg.Time, cfg.Progress = time.Hour, func(search.Progress) { cancel() }
	res, err := search.Run(ctx, cfg)
	if err != nil || res.Stopped != stats.StoppedInterrupted || res.Stats.Paths == 0 {
		t.Errorf("got %+v, %v", res, err)
	}
	// No work was done.
	res, err = search.Run(ctx, cfg)
	if err != nil || res.Stopped != stats.StoppedInterrupted || res.Verdict != search.Interrupted {
		t.Errorf("got %+v, %v", res, err)
	}
}

func TestRun_BadConfig(t *testing.T) {
	for _, c := range []struct {
		change func(*search.Config)
		want   string
	}{
		{func(c *search.Config) { c.Strategy = "best" }, `Strategy "best" is not available; accepted are deepening, walk, faulty`},
		{func(c *search.Config) { c.MaxDepth = -1 }, "MaxDepth is -1"},
		{func(c *search.Config) { c.Time = -time.Second }, "Time is -1s"},
		{func(c *search.Config) { c.Weights.Timer = -1 }, "weight timer is -1"},
		{func(c *search.Config) { c.Weights.Fault = 3 }, "all weights of ordinary events are 0"},
		{func(c *search.Config) { c.Property = "no such" }, `no property or monitor "no such"`},
		{func(c *search.Config) { c.System.Nodes = 0 }, "Nodes is 0"},
		{func(c *search.Config) { c.Prefix = choose.Path{0, 9} }, "prefix: step 2: the path picks event 9"},
	} {
		cfg := search.Config{System: pingack.System}
		c.change(&cfg)
		if _, err := search.Run(context.Background(), cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want an error with %q", err, c.want)
		}
	}
}
