package task

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"syscall"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/check/walkweights"
	"github.com/macemc/macemc/internal/durable"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/internal/version"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// mode returns how the folder of a durable search is opened. A search that is repeated after a death began earlier.
func (p *Process) mode(f *Search) durable.Mode {
	switch {
	case f.Recheck:
		return durable.Recheck
	case f.Resume, p.Role.Again():
		return durable.Resume
	}
	return durable.Begin
}

// validateDurable returns an error for options that cannot be combined with --durable. It names flags. For callers of
// package search the same rules about logs stand in search/complete.go (fits).
func (f *Search) validateDurable() error {
	if f.Durable == "" {
		if f.Resume {
			return fmt.Errorf("--resume continues the search stored by --durable DIR; give --durable, too")
		}
		return nil
	}
	if how := f.Config.Reduce; how == options.ReduceDrop || how == options.ReduceFull {
		return fmt.Errorf("--durable cannot be combined with --reduce %s, which omits states", f.Config.Reduce)
	}
	if f.Config.Symmetry {
		return errors.New("--durable cannot be combined with --symmetry, which merges states")
	}
	if f.leavesOutCrashes() {
		return fmt.Errorf("--durable cannot be combined with --crash-model %s, which omits states", f.Config.Crashes)
	}
	for _, flag := range []string{"keep-going", "from", "save-prefixes", "shard"} {
		if f.Given.Has(flag) {
			return fmt.Errorf("--durable and --%s contradict each other; give one of them", flag)
		}
	}
	return nil
}

// FromFolder turns f into a search that rechecks the states in a folder. It returns the test of a package that
// defines the system.
func (f *Search) FromFolder(dir string) (test string, err error) {
	m, err := durable.Of(dir)
	if err != nil {
		return "", err
	}
	if m.Walks != nil {
		return "", fmt.Errorf("%s holds runs (strategy %s) but no states to recheck; use another seed or folder to check the current properties",
			dir, m.Walks.Strategy)
	}
	f.System = m.System
	if m.Package != "" {
		f.System = m.Package
	}
	f.Bugs, f.Nodes, f.Limits, f.Timing, f.Weights = m.Builds[len(m.Builds)-1].Bugs, m.Nodes, m.Limits, m.Timing, m.Weights
	f.Given = Given{"nodes", "timing", "strategy", "visited", "weights", "interleave"}
	f.Interleave, f.CrashCut, f.Config.Seed = m.Interleave, m.CrashCut, 1
	for fault := range sim.FaultCount {
		f.Given = append(f.Given, fault.String())
		if m.Limits[fault] > 0 && fault.Event().TakesDown() {
			f.Given = append(f.Given, "crash-cut")
		}
	}
	for _, k := range slices.Sorted(maps.Keys(m.Params)) {
		f.Set = append(f.Set, k+"="+m.Params[k])
	}
	f.Config.Strategy, f.Config.Visited, f.Config.HandlerLimit = search.BFS, string(m.Visited), 0
	f.Durable, f.Recheck = dir, true
	return m.Test, nil
}

// manifest describes the search, for its folder.
func (r *request) manifest() (*durable.Manifest, error) {
	sys, err := r.options.System()
	if err != nil {
		return nil, err
	}
	s, cfg := &r.subject, &r.options.Search
	weights := cfg.Weights
	if weights == (search.Weights{}) {
		weights = search.DefaultWeights()
	}
	m := &durable.Manifest{
		System: sys.Name, Package: s.Entry.Package, Test: s.Entry.Test, Nodes: sys.Nodes, Params: s.Config.Params,
		Limits: sys.Limits(), Timing: sys.Timing.String(), Interleave: sys.Interleave.String(), CrashCut: sys.CrashCut.String(),
		Weights: walkweights.Text(weights),
		Visited: string(cmp.Or(cfg.Visited, stateset.Exact)), Monitors: sys.MonitorNames(), Properties: []string{},
		Builds: []durable.Build{durable.NewBuild(version.Current().String(), slices.Clone(s.Config.Bugs))},
	}
	for _, p := range sys.Properties {
		m.Properties = append(m.Properties, p.Name)
	}
	return m, nil
}

// searchDurably searches and stores the states.
func (p *Process) searchDurably(ctx context.Context, r *request) error {
	m, err := r.manifest()
	if err != nil {
		return err
	}
	folder, err := durable.Open(r.Durable, m, p.mode(r.Search))
	if err != nil {
		return err
	}
	if folder.Before > 0 {
		fmt.Fprintf(p.Stderr, "macemc: %s holds %s states, which are checked again\n", r.Durable, textfmt.Number(folder.Before))
	}
	if folder.Changed != "" {
		fmt.Fprintf(p.Stderr, "macemc: they were found by a different build (%s); its recorded handler results are compared\n", folder.Changed)
	}
	if torn := folder.Stats().Torn; torn > 0 {
		fmt.Fprintf(p.Stderr, "macemc: the last %d bytes of its log were incomplete and are truncated; their states are searched again\n", torn)
	}
	r.options.Search.Log, r.options.Search.Spill = folder, r.Durable
	r.options.Kept = &report.Kept{Folder: r.Durable, Before: folder.Before}
	rep, err := check.Run(ctx, r.options)
	kept := folder.Close()
	if kept == nil && rep != nil && rep.Stopped == stats.StoppedDisk {
		kept = fmt.Errorf("%s: %w: it cannot store states that do not fit into memory", r.Durable, syscall.ENOSPC)
	}
	err = p.conclude(ctx, rep, err, r)
	if rep != nil && rep.Stopped == stats.StoppedMemory && m.Visited == string(stateset.Exact) {
		fmt.Fprintf(p.Stderr, "macemc: whole states are stored in memory; with --visited 64 or 128, in another folder, states that do not fit go to disk\n")
	}
	if kept == nil {
		return err
	}
	if err == nil || rep != nil {
		return cmp.Or(err, p.notStored(ctx, kept))
	}
	return err
}

// notStored reports why the folder of a search lacks the last part of it, and returns the exit status.
func (p *Process) notStored(ctx context.Context, why error) error {
	p.fail(fmt.Errorf("%w; everything written before is intact, and --resume continues from it", why))
	return Exit(exitcode.OfError(ctx, why))
}
