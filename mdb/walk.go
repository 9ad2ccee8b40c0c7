package mdb

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/history"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/mdb/internal/cmdline"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// walker makes random walks from the current state.
type walker struct {
	loop *runloop.Loop
	walk stoppable
	seed uint64
	from choose.Path
}

func (s *Session) walker(ctx context.Context, steps int, seed uint64) (*walker, error) {
	if err := s.clean(); err != nil {
		return nil, err
	}
	w, err := kernel.NewWorld(s.sys, kernel.Options{})
	if err != nil {
		return nil, err
	}
	x := &walker{loop: runloop.New(w), walk: stoppable{runs.NewWalker(search.DefaultWeights().Scale(), steps), ctx.Err}, seed: seed}
	x.walk.SetLeaveLive(s.run.Step(s.run.At).Live)
	if _, err := s.run.World(s.run.At); err != nil {
		return nil, err
	}
	c := s.run.Executed().Cursor
	x.from = c.Path()[:c.Pos()]
	return x, nil
}

// stoppable is a walk that ends early when reason returns an error.
type stoppable struct {
	*runs.Walker
	reason func() error
}

// Select implements [runloop.Strategy].
func (w stoppable) Select(at *runloop.Node) runloop.Selection {
	if at.Step%1024 == 0 && w.reason() != nil {
		return runloop.Selection{End: runloop.Stopped}
	}
	return w.Walker.Select(at)
}

// clean returns an error if walks from the current state would end at once.
func (s *Session) clean() error {
	if f, n := s.run.FirstFound(); f != nil && n <= s.run.At {
		return fmt.Errorf("a search cannot start after a violation, and step %d is a %s", n, history.Violation(f))
	}
	return nil
}

func (x *walker) make(k int) (runloop.Outcome, choose.Path) {
	x.walk.Seed(x.seed, uint64(k))
	o := x.loop.Run(x.walk, runloop.Task{Path: x.from})
	return o, x.loop.Replay().Path
}

// adopt turns a path that continues the current state into a branch, and moves to its end.
func (s *Session) adopt(path choose.Path, out *bytes.Buffer) error {
	b, err := history.New(s.sys, fmt.Sprintf("branch%d", s.branches+1), path.Clone())
	if err != nil {
		return err
	}
	b.From, b.Common = s.run, s.run.At
	if s.run.Critical <= s.run.At {
		b.Critical = s.run.Critical
	}
	from := s.run.At
	s.enter(b)
	fmt.Fprintf(out, "%s: %d steps more from step %d on\n", b.Name, b.Len()-from, from)
	return s.to(b.Len(), out)
}

func walk(s *Session, ctx context.Context, args []string, out *bytes.Buffer) error {
	set, rest, err := cmdline.ReadSettings(args, "steps", "seed")
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return cmdline.Usagef("%q?", strings.Join(rest, " "))
	}
	steps, err := set.Count("steps", walkSteps)
	seed, err2 := set.Count("seed", 1)
	if err := cmp.Or(err, err2); err != nil {
		return err
	}
	x, err := s.walker(ctx, steps, uint64(seed))
	if err != nil {
		return err
	}
	o, path := x.make(0)
	switch o.End {
	case runloop.Mismatch:
		return o.Err
	case runloop.Stopped:
		return ctx.Err()
	}
	if o.Steps == s.run.At {
		return errors.New("nothing can happen here but faults")
	}
	switch {
	case o.Finding != nil:
	case o.Live:
		fmt.Fprintf(out, "live after %d steps\n", o.Steps-s.run.At)
	case o.End == runloop.OutOfEvents:
		fmt.Fprintf(out, "after %d steps nothing can happen any more; not live\n", o.Steps-s.run.At)
	default:
		fmt.Fprintf(out, "not live after %d steps\n", o.Steps-s.run.At)
	}
	return s.adopt(path, out)
}

func searchOn(s *Session, ctx context.Context, args []string, out *bytes.Buffer) error {
	set, rest, err := cmdline.ReadSettings(args, "walks", "steps", "seed", "time")
	if err != nil {
		return err
	}
	want := "live"
	if len(rest) > 0 {
		want = rest[0]
	}
	if len(rest) > 1 || want != "live" && want != "violation" {
		return cmdline.Usagef("search for live or violation")
	}
	steps, err := set.Count("steps", walkSteps)
	walks, err2 := set.Count("walks", searchWalks)
	seed, err3 := set.Count("seed", 1)
	if err := cmp.Or(err, err2, err3); err != nil {
		return err
	}
	limit := searchTime
	if text, ok := set["time"]; ok {
		if limit, err = time.ParseDuration(text); err != nil || limit <= 0 {
			return cmdline.Usagef("time=%s must be like 10s", text)
		}
	}
	if want == "live" {
		return s.searchLive(ctx, walks, steps, uint64(seed), out)
	}
	if err := s.clean(); err != nil {
		return err
	}
	if _, err := s.run.World(s.run.At); err != nil {
		return err
	}
	c := s.run.Executed().Cursor
	from := c.Path()[:c.Pos()].Clone()
	res, err := search.Run(ctx, search.Config{
		System: *s.sys, Prefix: from, Time: limit, WalkSteps: steps, Seed: uint64(seed), Workers: 1,
		Confirm: func(_ context.Context, x search.Suspect) (search.Confirmed, error) {
			certain := x.Kind != sim.Liveness && x.Kind != sim.Deadlock
			return search.Confirmed{Violation: certain, Refuted: !certain}, nil
		},
	})
	if err != nil {
		return err
	}
	if res.Finding == nil {
		fmt.Fprintf(out, "nothing found in %d runs from step %d (stopped by %s); this is not a proof\n", res.Stats.Paths, s.run.At, res.Stopped)
		return ctx.Err()
	}
	f := res.Finding
	fmt.Fprintf(out, "found a %s\n", history.Violation(&sim.Finding{Kind: f.Kind, Property: f.Property, Message: f.Message}))
	return s.adopt(f.Path, out)
}

// searchLive makes random walks to live states and keeps the shortest one.
func (s *Session) searchLive(ctx context.Context, walks, steps int, seed uint64, out *bytes.Buffer) error {
	x, err := s.walker(ctx, steps, seed)
	if err != nil {
		return err
	}
	var best choose.Path
	length, live, made := 0, 0, 0
	for ; made < walks && ctx.Err() == nil; made++ {
		o, path := x.make(made)
		switch {
		case o.End == runloop.Mismatch:
			return o.Err
		case o.End == runloop.Stopped:
			made-- // an interrupted walk does not count
			continue
		case o.Finding != nil:
			fmt.Fprintf(out, "walk %d found a %s\n", made+1, history.Violation(o.Finding))
			return s.adopt(path, out)
		case !o.Live:
			continue
		}
		if live++; best == nil || o.Steps < length {
			best, length = path.Clone(), o.Steps
		}
	}
	if best == nil {
		fmt.Fprintf(out, "none of %d walks from step %d reached a live state (%d steps each)\n", made, s.run.At, steps)
		return ctx.Err()
	}
	fmt.Fprintf(out, "%d of %d walks reached a live state; the shortest after %d steps\n", live, made, length-s.run.At)
	return s.adopt(best, out)
}

const (
	walkSteps   = 2000
	searchWalks = 200
	searchTime  = 10 * time.Second
)
