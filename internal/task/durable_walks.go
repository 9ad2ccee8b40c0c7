package task

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"syscall"

	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/durable"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/internal/search/option"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/search"
)

// A stored search that executes runs consists of batches. Each has its own seed, like the shards of a divided
// search. Deepening continues in each batch from the end of the one before. A finished batch is stored as its
// report and the progress of deepening. A batch in progress when the process ends is lost and repeated.

// runsOf returns the number of runs in the n-th batch: few, so that little is lost, and more for late batches.
// Deepening makes many more runs than walks in the same time.
func runsOf(name search.Name, n int) int {
	runs := 1000
	if name.Can(strategy.Deepens) {
		runs = 20_000
	}
	if n > 1000 {
		runs *= 10
	}
	return runs
}

// walkDurably executes runs and stores their results.
func (p *Process) walkDurably(ctx context.Context, r *request) error {
	m, err := r.manifest()
	if err != nil {
		return err
	}
	cfg := &r.options.Search
	m.Visited = cfg.Visited
	m.Walks = option.Settings(search.Options, cfg)
	var reached func([]byte) error
	if cfg.Strategy.Can(strategy.Deepens) {
		cfg.Reach = search.NewReach()
		reached = cfg.Reach.Decode
	}
	runs, err := durable.OpenRuns(r.Durable, m, p.mode(r.Search), reached)
	if err != nil {
		return err
	}
	defer runs.Close()
	all, err := reportsOf(runs.Path, runs.Reports)
	if err != nil {
		return err
	}
	w := walking{r: r, runs: runs, all: all}
	kept := &report.Kept{Folder: r.Durable, Runs: w.paths()}
	if kept.Runs > 0 {
		fmt.Fprintf(p.Stderr, "macemc: %s holds %s runs\n", r.Durable, textfmt.Number(kept.Runs))
	}
	err = w.goOn(ctx)
	kept.Lost = w.lost
	if len(w.all) == 0 {
		return err
	}
	merged, e := report.MergeBatches(w.all)
	if e != nil {
		return errors.Join(err, e)
	}
	merged.Kept = kept
	if merged.Verdict != search.Violation {
		merged.Stopped = cmp.Or(w.stopped, w.all[len(w.all)-1].Stopped)
	}
	notKept := w.notKept
	if notKept != nil && merged.Verdict == search.OK { // the search was to continue
		merged.Verdict = search.Inconclusive
		if errors.Is(notKept, syscall.ENOSPC) {
			merged.Verdict, merged.Stopped = search.OutOfResource, stats.StoppedDisk
		}
	}
	if err := p.conclude(ctx, merged, err, r); notKept == nil || err != nil {
		return err
	}
	return p.notStored(ctx, notKept)
}

// walking is a stored search that executes runs.
type walking struct {
	r       *request
	runs    *durable.Runs
	all     []*report.Report // of batches; the last one may be incomplete
	stopped string           // why there are no more batches; if empty, the last report contains it
	lost    int              // runs of the last batch, if it is not stored
	notKept error            // why a batch is not stored
}

// work returns the number of runs, and that of their steps.
func (w *walking) work() (paths, events int) {
	for _, r := range w.all {
		paths, events = paths+r.Paths, events+r.Events
	}
	return paths, events
}

func (w *walking) paths() int {
	paths, _ := w.work()
	return paths
}

// goOn makes batches until one ends early or there are no more to make.
func (w *walking) goOn(ctx context.Context) error {
	began, limit := budget.Now(), cmp.Or(w.r.options.Search.MaxPaths, math.MaxInt)
	for !w.over() && w.paths() < limit {
		cfg := &w.r.options.Search
		if cfg.Reach != nil && cfg.Reach.Sampled() && cfg.MaxPaths == 0 && cfg.Time == 0 { // the user has not limited the search
			w.stopped = stats.StoppedSampled
			return nil
		}
		o := w.r.options
		n := len(w.all) + 1
		s, err := report.Batch(o.Search.Seed, n)
		if err != nil {
			return err
		}
		o.Shard, o.Search.Seed, o.Header = &s, s.SeedOf(), w.r.subject.Header(s.SeedOf())
		o.Search.MaxPaths = min(runsOf(o.Search.Strategy, n), limit-w.paths())
		if o.Search.Time > 0 {
			if o.Search.Time -= budget.Now() - began; o.Search.Time <= 0 && n > 1 {
				w.stopped = stats.StoppedTime
				return nil
			}
		}
		if tell := o.Search.Progress; tell != nil {
			paths, events := w.work()
			o.Search.Progress = func(x search.Progress) {
				x.Paths, x.Events = x.Paths+paths, x.Events+events
				tell(x)
			}
		}
		rep, err := check.Run(ctx, o)
		if rep == nil {
			return err
		}
		w.all, w.lost = append(w.all, rep), rep.Paths
		if err != nil || rep.Stopped != stats.StoppedPaths && !w.over() {
			return err
		}
		var text bytes.Buffer
		if err := render.JSON(&text, document.New(rep, nil)); err != nil {
			return err
		}
		var piece []byte
		if o.Search.Reach != nil && !w.over() {
			if piece, err = o.Search.Reach.Encode(); err != nil {
				return err
			}
		}
		if w.notKept = w.runs.Keep(text.Bytes(), piece); w.notKept != nil {
			return nil
		}
		w.lost = 0
	}
	return nil
}

// found reports whether there is a violation, which is in the last batch.
func (w *walking) found() bool {
	n := len(w.all)
	return n > 0 && w.all[n-1].Verdict == search.Violation
}

// over reports whether there is a violation, or deepening is complete.
func (w *walking) over() bool {
	n := len(w.all)
	return w.found() || n > 0 && slices.Contains([]string{stats.StoppedComplete, stats.StoppedDepth, stats.StoppedFingerprints,
		stats.StoppedSampled}, w.all[n-1].Stopped)
}

// reportsOf reads the reports in a folder.
func reportsOf(dir string, texts [][]byte) (all []*report.Report, err error) {
	for i, text := range texts {
		r := new(report.Report)
		if err := json.Unmarshal(text, r); err != nil || r.Shard == nil || r.Shard.Number != i+1 {
			return nil, fmt.Errorf("%s: part %d of its runs is damaged: %w", dir, i+1, cmp.Or(err, errors.New("it belongs to another shard")))
		}
		all = append(all, r)
	}
	return all, nil
}
