package search

import (
	"cmp"
	"runtime"
	"time"
)

// graceful is how long the end of a search waits for goroutines that handlers left behind.
const graceful = 300 * time.Millisecond

// leave ends a search that found nothing and began with so many goroutines. Goroutines that handlers left behind may still use an Env;
// which run they are of is not known then, so that the path is that of no step.
func leave(cfg *Config, r *Result, before int) {
	for end := time.Now().Add(graceful); cfg.late.Finding() == nil && runtime.NumGoroutine() > before && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	f := cfg.late.Finding()
	if f == nil {
		return
	}
	sus := &Suspect{Strategy: cmp.Or(cfg.Strategy, Deepening)}
	sus.Find(f)
	r.Verdict, r.Finding, r.Detail, r.Stopped, r.Stats.Complete, r.Stats.Recovers = Violation, sus, nil, StoppedFound, false, false
}
