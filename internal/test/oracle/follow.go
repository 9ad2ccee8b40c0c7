package oracle

import (
	"errors"
	"fmt"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/sim"
)

// followed is the result of following a path.
type followed struct {
	steps  int
	bad    *finding // the common finding of both, or nil
	number int      // of the final state in the graph, or -1
	trail  []int    // of all states
}

// follow executes a path by the replay engine and by the oracle in parallel. The error is the first difference.
func (c *comparison) follow(path choose.Path) (*followed, error) {
	w, err := kernel.NewWorld(c.sys, kernel.Options{})
	if err != nil {
		return nil, err
	}
	run, src := replay.NewRun(w), &choose.Prefix{Path: path}
	err = run.Start(src)
	a := planned(run.Path)
	s, bad := c.model.start(&a)
	f := &followed{}
	for {
		f.steps = run.Steps()
		if err == nil {
			err = w.Check()
		}
		if bad == nil {
			bad = c.model.violated(s)
		}
		if f.bad, err = c.same(run, s, err, bad, &a); f.bad != nil || err != nil {
			return f, err
		}
		number, ok := c.graph.known[c.model.encode(s)]
		if !ok {
			number = -1
			if c.graph.complete {
				return nil, fmt.Errorf("path %v leads to a state that the oracle did not visit", run.Path)
			}
		}
		f.number, f.trail = number, append(f.trail, number)
		if src.Done() {
			return f, nil
		}
		index, _ := src.Take()
		ev, ok := run.Event(index)
		if !ok {
			return nil, fmt.Errorf("path %v: there is no event %d after step %d", path, index, run.Steps())
		}
		key := w.Key(ev)
		from := len(run.Path) + 1
		err = run.Step(index, src)
		a = planned(run.Path[from:])
		var next *event
		ordinary, faults := c.model.events(s)
		for _, ev := range append(ordinary, faults...) {
			if c.model.key(s, ev) == key {
				next = &ev
			}
		}
		if next == nil {
			return nil, fmt.Errorf("path %v: the oracle has no event %q", run.Path, key)
		}
		s, _, bad = c.model.step(s, *next, &a)
	}
}

// planned returns an asker that answers as in a path.
func planned(path choose.Path) asker {
	a := asker{arities: make([]int, len(path))}
	for _, pick := range path {
		a.picks = append(a.picks, int(pick))
	}
	return a
}

// same compares the error of the engine, or its world, with the oracle.
func (c *comparison) same(run *replay.Run, s *state, err error, bad *finding, a *asker) (*finding, error) {
	w := run.World
	switch {
	case (err != nil) != (bad != nil), err != nil && !sameFinding(err, bad):
		return nil, fmt.Errorf("path %v: the result of the replay engine is %v, that of the oracle %v", run.Path, err, bad)
	case a.pos != len(a.picks) && (bad == nil || bad.kind != sim.Divergence):
		return nil, fmt.Errorf("path %v: the last step asks %d questions; the oracle asks %d", run.Path, len(a.picks), a.pos)
	case bad != nil:
		return bad, nil
	case w.Live() != c.model.live(s):
		return nil, fmt.Errorf("path %v: live: %v; the oracle: %v", run.Path, w.Live(), c.model.live(s))
	}
	ordinary, faults := c.model.events(s)
	var mine, theirs []string
	for _, ev := range append(ordinary, faults...) {
		mine = append(mine, c.model.key(s, ev))
	}
	for _, ev := range w.Injections(slices.Clone(w.Enabled())) {
		theirs = append(theirs, w.Key(ev))
	}
	if len(ordinary) != len(w.Enabled()) {
		return nil, errors.New("other events are ordinary")
	}
	slices.Sort(mine)
	slices.Sort(theirs)
	if !slices.Equal(mine, theirs) {
		return nil, fmt.Errorf("path %v: what can happen is %q; the oracle: %q", run.Path, theirs, mine)
	}
	return nil, nil
}
