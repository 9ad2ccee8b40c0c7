package table_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/bundled"
	"github.com/macemc/macemc/internal/test/papers"
	"github.com/macemc/macemc/sim"
)

// With almost no memory every bundled system has the same findings, in the same order.
func TestSpill_BundledSystems(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	spilled := 0
	for k, entry := range papers.All() {
		t.Run(entry.Name, func(t *testing.T) {
			sys := bundled.System(t, entry.Name, 0, sim.Limits{sim.Crashes: 1})
			i := k % 2
			set, err := stateset.Named([]string{"64", "128"}[i])
			if err != nil {
				t.Fatal(err)
			}
			opts := options.Options{Visited: set, MaxStates: 10_000, Go: func(f func()) { go f() }}
			if i == 0 {
				opts.Go = nil
			}
			nearly, err := table.Explore(context.Background(), sys, opts)
			if _, ok := errors.AsType[*options.Unsupported](err); ok {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			if opts.MaxStates, opts.MaxDepth = 0, nearly.Depth; nearly.Complete {
				opts.MaxDepth = 0
			}
			dir := t.TempDir()
			want, err := logged(t, filepath.Join(dir, "in memory"), sys, opts)
			if err != nil {
				t.Fatal(err)
			}
			opts.Spill = &stateset.Spill{Dir: dir, Bytes: 1 << 14}
			got, err := logged(t, filepath.Join(dir, "on disk"), sys, opts)
			if err != nil {
				t.Fatal(err)
			}
			if got.Disk > 1<<16 {
				spilled++
				got.LivenessChecked, got.Dead, got.DeadPath = want.LivenessChecked, want.Dead, want.DeadPath
			}
			sameExploration(t, "spilled", got, want)
			a, b := records(t, filepath.Join(dir, "in memory")), records(t, filepath.Join(dir, "on disk"))
			if a.Mark != b.Mark || !slices.Equal(a.Origins, b.Origins) || !slices.Equal(a.CacheFillers, b.CacheFillers) {
				t.Errorf("the log ends with %+v, in memory with %+v", b.Mark, a.Mark)
			}
		})
	}
	if spilled < 10 {
		t.Errorf("%d explorations used the disk", spilled)
	}
}
