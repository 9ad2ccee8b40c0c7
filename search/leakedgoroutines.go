package search

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"runtime/pprof"
	"time"

	"github.com/macemc/macemc/internal/search/stats"
)

// leakLimit is the time that the end of a search waits for goroutines that handlers left behind.
const leakLimit = 300 * time.Millisecond

// detectLeaks calls run with a mark on its goroutine, which the goroutines that it starts inherit. The returned function
// reports whether any of them is still running. The search itself leaves none. Counting goroutines does not suffice,
// because others of the process start and end.
func detectLeaks(ctx context.Context, run func()) (leaked func() bool) {
	mark := fmt.Sprintf("%p", new(int))
	pprof.Do(ctx, pprof.Labels("macemc search", mark), func(context.Context) { run() })
	return func() bool {
		var all bytes.Buffer
		err := pprof.Lookup("goroutine").WriteTo(&all, 1)
		return err != nil || bytes.Contains(all.Bytes(), []byte(mark))
	}
}

// awaitLeaked ends a search without a finding. Goroutines that handlers left behind, which leaked detects, may still use an
// Env. Their run is then unknown, so that the suspect has an empty path.
func awaitLeaked(cfg *Config, r *Result, leaked func() bool) {
	pause := time.Millisecond
	for end := time.Now().Add(leakLimit); cfg.late.Finding() == nil && time.Now().Before(end) && leaked(); pause += pause / 2 {
		time.Sleep(pause)
	}
	f := cfg.late.Finding()
	if f == nil {
		return
	}
	sus := &Suspect{Finding: *f, Strategy: cmp.Or(cfg.Strategy, Deepening), Late: true}
	r.Verdict, r.Finding, r.Detail, r.Stopped, r.Stats.Complete, r.Stats.Recovers = Violation, sus, nil, stats.StoppedFound, false, false
}
