package task

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/check/walkweights"
	"github.com/macemc/macemc/internal/durable"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/search/stats"
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

// FromFolder turns f into a search that rechecks the states in a folder. It returns the test of a package that
// defines the system.
func (f *Search) FromFolder(dir string) (test string, err error) {
	m, err := durable.Of(dir)
	if err != nil {
		return "", err
	}
	if m.Walks != nil {
		return "", fmt.Errorf("%s holds runs (strategy %s) but no states to recheck; use another seed or folder to check the current properties",
			dir, m.Walks["strategy"])
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

// Instant returns the instant at which the stored search began that f continues; 0 means that there is none.
func (f *Search) Instant() uint64 {
	if !f.Resume && !f.Recheck {
		return 0
	}
	m, err := durable.Load(f.Durable)
	if err != nil {
		return 0 // the search reports it
	}
	return m.Builds[0].Instant
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
		Builds: []durable.Build{durable.NewBuild(version.Current().String(), slices.Clone(s.Config.Bugs), replay.Instant(&sys))},
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

// DurableInfo describes the content of a folder.
func (p *Process) DurableInfo(dir string, asJSON bool) error {
	s, err := durable.Look(dir)
	if err != nil {
		return err
	}
	if s.Manifest.Walks != nil {
		return p.runsInfo(dir, s, asJSON)
	}
	defer s.Log.Close()
	end, stats, m := s.Log.End(), s.Log.Stats(), s.Manifest
	waiting := end.States - end.Expanded
	if asJSON {
		return WriteJSON(p.Stdout, map[string]any{
			"manifest": m, "states": end.States, "waiting": waiting, "transitions": end.Transitions, "depth": end.Depth, "bytes": stats.Bytes,
			"torn": stats.Torn, "blocks": stats.Blocks, "pioneers": stats.CacheFillers, "finished": end.States > 0 && waiting == 0,
			"in_use": s.InUse,
		})
	}
	w, line := p.describe(m)
	left := "all expanded"
	if waiting > 0 {
		left = fmt.Sprintf("%s not yet expanded", textfmt.Number(waiting))
	}
	line("states", "%s; %s", textfmt.Number(end.States), left)
	line("transitions", "%s", textfmt.Number(end.Transitions))
	line("depth", "%d", end.Depth)
	line("log", "%s bytes, %.2f per state; %d blocks; --resume re-executes the steps of %s states", textfmt.Number(int(stats.Bytes)),
		float64(stats.Bytes)/float64(max(1, end.States)), stats.Blocks, textfmt.Number(stats.CacheFillers))
	if stats.Torn > 0 {
		line("torn", "%d incomplete bytes at the end, which --resume truncates", stats.Torn)
	}
	switch {
	case s.InUse:
		line("now", "a search is running")
	case end.States > 0 && waiting == 0:
		line("now", "finished")
	default:
		line("now", "unfinished; --resume continues it")
	}
	return w.Flush()
}

// describe begins the description of a folder, in named lines.
func (p *Process) describe(m *durable.Manifest) (w *tabwriter.Writer, line func(name, format string, args ...any)) {
	w = tabwriter.NewWriter(p.Stdout, 0, 0, 2, ' ', 0)
	line = func(name, format string, args ...any) { fmt.Fprintf(w, "%s\t%s\n", name, fmt.Sprintf(format, args...)) }
	for _, s := range m.Settings() {
		if s[1] != "" && s[1] != "0" {
			line(s[0], "%s", s[1])
		}
	}
	for _, b := range m.Builds {
		with := ""
		if len(b.Bugs) > 0 {
			with = ", with bug " + strings.Join(b.Bugs, ", ")
		}
		line("program", "%s, from %s%s", b.Program, b.Began.Format("2006-01-02 15:04:05"), with)
	}
	return w, line
}

// runsInfo describes the content of a folder of random walks.
func (p *Process) runsInfo(dir string, s *durable.State, asJSON bool) error {
	all, err := runsIn(dir)
	if err != nil {
		return err
	}
	w := walking{all: all}
	if asJSON {
		return WriteJSON(p.Stdout, map[string]any{"manifest": s.Manifest, "runs": w.paths(), "stretches": len(all), "finished": w.over(),
			"in_use": s.InUse})
	}
	out, line := p.describe(s.Manifest)
	line("runs", "%s, in %s", textfmt.Number(w.paths()), textfmt.Plural(len(all), "part"))
	switch {
	case s.InUse:
		line("now", "a search is running")
	case w.found():
		line("now", "finished with a finding, which --resume reports again")
	case w.over():
		line("now", "finished: iterative deepening completed")
	default:
		line("now", "unfinished; --resume continues it")
	}
	return out.Flush()
}

// runsIn reads the reports in a folder of random walks.
func runsIn(dir string) ([]*report.Report, error) {
	texts, err := durable.RunsIn(dir)
	if err != nil {
		return nil, err
	}
	return reportsOf(dir, texts)
}
