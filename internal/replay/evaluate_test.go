package replay_test

import (
	"cmp"
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/sim"
)

// Evaluate agrees with Holds and Check for all results and panics of properties, contained or not.
func TestEvaluate(t *testing.T) {
	type does = func(*sim.View) bool
	reads := func(f func() bool) does {
		return func(v *sim.View) bool {
			v.Service(0)
			return f()
		}
	}
	holds, fails := reads(func() bool { return true }), reads(func() bool { return false })
	panics, exits := reads(func() bool { panic("oh") }), reads(func() bool { runtime.Goexit(); return true })
	for i, opts := range []kernel.Options{{}, {Contain: true}, {Contain: true, Overdue: func(int) bool { return false }}} {
		if testing.Short() && i == 1 {
			continue
		}
		all := []does{holds, fails, panics}
		if opts.Contain {
			all = append(all, exits)
		}
		for _, always := range all {
			for _, eventually := range all {
				for _, sometimes := range all {
					sys := exitSystem("")
					sys.Properties = []sim.Property{
						{Name: "sometimes", Sometimes: sometimes}, {Name: "eventually", Eventually: eventually},
						{Name: "always", Always: always}, {Name: "last", Always: holds}, {Name: "behind", Eventually: panics},
					}
					evaluated(t, &sys, opts)
					sys.New = func(sim.NodeID) sim.Service { return &early{} }
					evaluated(t, &sys, opts)
				}
			}
		}
	}
	for _, where := range []string{"", "property", "Explain"} {
		sys := exitSystem(where)
		evaluated(t, &sys, kernel.Options{Contain: true})
	}
}

// exitSystem has a property that ends its goroutine where it is called: in "property" or "Explain".
func exitSystem(where string) sim.System {
	at := func(called string) {
		if called == where {
			runtime.Goexit()
		}
	}
	return sim.System{Name: "exits", Nodes: 1, New: func(sim.NodeID) sim.Service { return &sim.Nop{} }, Properties: []sim.Property{{
		Name:    "p",
		Always:  func(*sim.View) bool { at("property"); return where != "Explain" },
		Explain: func(*sim.View) string { at("Explain"); return "" },
	}}}
}

// early shows an earlier state, so that properties that read it are not judged.
type early struct{ sim.Nop }

func (*early) Stale() bool { return true }

func evaluated(t *testing.T, sys *sim.System, opts kernel.Options) {
	t.Helper()
	w, err := kernel.NewWorld(sys, opts)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(choose.First); err != nil {
		t.Fatal(err)
	}
	// caught returns the result of f and its panic value.
	caught := func(f func() bool) (ok bool, found *sim.Finding) {
		defer func() {
			if r := recover(); r != nil {
				ok, found = false, r.(*sim.Finding)
			}
		}()
		return f(), nil
	}
	var want []int
	var first, other *sim.Finding
	errors.As(w.Check(), &first)
	_, atLive := caught(w.Live)
	for i := range sys.Properties {
		p := &sys.Properties[i]
		ok, found := caught(func() bool { return w.Holds(p) })
		if !ok {
			want = append(want, i)
		}
		if p.Eventually == nil && other == nil {
			other = found
		}
	}
	first = cmp.Or(first, atLive, other)
	failing, found := replay.Evaluate(w)
	if !slices.Equal(failing, want) {
		t.Errorf("%+v: failing %v, want %v", opts, failing, want)
	}
	switch {
	case (found == nil) != (first == nil):
		t.Errorf("%+v: found %v, want %v", opts, found, first)
	case found != nil && (found.Kind != first.Kind || found.Property != first.Property || found.Message != first.Message):
		t.Errorf("%+v: found %+v, want %+v", opts, found, first)
	}
}

// A property that does not return is found, whatever other properties do.
func TestEvaluateWhatDoesNotReturn(t *testing.T) {
	end := make(chan struct{})
	defer close(end)
	hangs := sim.Property{Name: "hangs", Eventually: func(*sim.View) bool { <-end; return true }}
	for _, other := range []func(*sim.View) bool{
		func(*sim.View) bool { return true }, func(*sim.View) bool { return false }, func(*sim.View) bool { panic("oh") },
	} {
		for _, p := range []sim.Property{{Name: "other", Eventually: other}, {Name: "other", Sometimes: other}} {
			sys := exitSystem("")
			sys.Properties = []sim.Property{p, hangs}
			w, err := kernel.NewWorld(&sys, kernel.Options{Contain: true, Overdue: func(ticks int) bool { return ticks > 0 }})
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Start(choose.First); err != nil {
				t.Fatal(err)
			}
			failing, found := replay.Evaluate(w)
			if !slices.Contains(failing, 1) || found == nil || !contain.Overdue(found) || found.Property != "hangs" {
				t.Errorf("%+v: failing %v, found %v", p, failing, found)
			}
		}
	}
}
