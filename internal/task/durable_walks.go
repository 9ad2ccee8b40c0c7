package task

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/macemc/macemc/check"
	"github.com/macemc/macemc/internal/durable"
	"github.com/macemc/macemc/internal/words"
	"github.com/macemc/macemc/report"
	"github.com/macemc/macemc/search"
)

// A search by random walks that is kept is made of stretches, each with a seed of its own, as the shards of a divided search have. A stretch that is over is
// kept as its report; one that is under way when the process ends is lost, and made again.

// runsOf is how many runs the n-th stretch has: few, so that little is lost, and more when there are many of them already.
func runsOf(n int) int {
	if n <= 1000 {
		return 1000
	}
	return 10_000
}

// walkDurably makes random walks, and keeps what came of them.
func (p *Process) walkDurably(ctx context.Context, r *request) error {
	m, err := r.manifest()
	if err != nil {
		return err
	}
	cfg := &r.options.Search
	m.Visited = ""
	m.Walks = &durable.Walks{Strategy: string(cfg.Strategy), Seed: cfg.Seed, Steps: cfg.WalkSteps, Schedules: fmt.Sprint(cfg.Schedules)}
	runs, err := durable.OpenRuns(r.durable, m, r.mode)
	if err != nil {
		return err
	}
	defer runs.Close()
	all, err := reportsOf(runs.Path, runs.Reports)
	if err != nil {
		return err
	}
	w := walking{p: p, r: r, runs: runs, all: all}
	kept := &report.Kept{Folder: r.durable, Runs: w.paths()}
	if kept.Runs > 0 {
		fmt.Fprintf(p.Stderr, "macemc: %s holds %s runs\n", r.durable, words.Number(kept.Runs))
	}
	err = w.goOn(ctx)
	if len(w.all) == 0 {
		return err
	}
	merged, e := report.MergeStretches(w.all)
	if e != nil {
		return errors.Join(err, e)
	}
	merged.Kept = kept
	if merged.Verdict != search.Violation {
		merged.Stopped = cmp.Or(w.stopped, w.all[len(w.all)-1].Stopped)
	}
	notKept := w.notKept
	if err := p.conclude(ctx, merged, err, r); notKept == nil || err != nil {
		return err
	}
	p.fail(fmt.Errorf("%w; what was kept before is whole, and --resume goes on with it", notKept))
	return Exit(check.ErrorStatus(ctx, notKept))
}

// walking is a search by random walks that is kept.
type walking struct {
	p       *Process
	r       *request
	runs    *durable.Runs
	all     []*report.Report // of stretches, the last of which is perhaps not over
	stopped string           // why there is no other one; "": the last one says it
	notKept error            // why a stretch is not kept
}

// paths is how many runs there were.
func (w *walking) paths() (n int) {
	for _, r := range w.all {
		n += r.Paths
	}
	return n
}

// goOn makes stretches until one does not come to its end, or something is found, or there were as many runs as are wanted.
func (w *walking) goOn(ctx context.Context) error {
	began, limit := time.Now(), cmp.Or(w.r.options.Search.MaxPaths, math.MaxInt)
	for w.found() == nil && w.paths() < limit {
		o := w.r.options
		n := len(w.all) + 1
		s, err := report.Stretch(o.Search.Seed, n)
		if err != nil {
			return err
		}
		o.Shard, o.Search.Seed, o.Header = &s, s.SeedOf(), w.r.subject.Header(s.SeedOf())
		o.Search.MaxPaths = min(runsOf(n), limit-w.paths())
		if o.Search.Time > 0 {
			if o.Search.Time -= time.Since(began); o.Search.Time <= 0 && n > 1 {
				w.stopped = search.StoppedTime
				return nil
			}
		}
		rep, err := check.Run(ctx, o)
		if rep == nil {
			return err
		}
		w.all = append(w.all, rep)
		if err != nil || rep.Stopped != search.StoppedPaths && rep.Verdict != search.Violation {
			return err
		}
		var text bytes.Buffer
		if err := report.JSON(&text, rep); err != nil {
			return err
		}
		if w.notKept = w.runs.Keep(text.Bytes()); w.notKept != nil {
			return nil
		}
	}
	return nil
}

// found is the stretch in which something was; nil: in none.
func (w *walking) found() *report.Report {
	if n := len(w.all); n > 0 && w.all[n-1].Verdict == search.Violation {
		return w.all[n-1]
	}
	return nil
}

// reportsOf reads the reports in a folder.
func reportsOf(dir string, texts [][]byte) (all []*report.Report, err error) {
	for i, text := range texts {
		r := new(report.Report)
		if err := json.Unmarshal(text, r); err != nil || r.Shard == nil || r.Shard.Number != i+1 {
			return nil, fmt.Errorf("%s: stretch %d of its runs is none: %w", dir, i+1, cmp.Or(err, errors.New("it is another one")))
		}
		all = append(all, r)
	}
	return all, nil
}
