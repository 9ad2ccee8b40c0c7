package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/shard"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/superstep"
)

// conclude returns the result of the search.
func (s *Search) conclude(ctx context.Context, r *run, c superstep.Commit, shard *shard.Shard, sys *sim.System,
	opts options.Options) (*table.Exploration, error) {
	set, err := stateset.Named(r.Visited)
	if err != nil {
		return nil, err
	}
	states := total(c.Len)
	x := &table.Exploration{States: states, Transitions: total(c.Edges), Expanded: total(c.Next), Depth: c.Level, Stopped: "interrupted"}
	none := set.New(nil)
	x.Omission = none.Omission(states)
	none.Close()
	x.Stats.Steps = x.Transitions
	switch c.End {
	case superstep.Complete:
		if err := r.verify(&c); err != nil {
			return nil, fmt.Errorf("not complete, although all workers are done: %w", err)
		}
		x.Complete, x.Stopped, x.Depth = true, "", c.Level-1
		if err := s.judge(ctx, r, &c, shard, opts, x); err != nil {
			if err != errMemory && ctx.Err() == nil {
				return nil, err
			}
			s.notify("liveness is not judged: %v", err)
		}
	case superstep.Damaged:
		return nil, errors.New("the server has lost acknowledged data: restart the search")
	case superstep.Halted:
		var why Why
		if err := json.Unmarshal([]byte(c.Why), &why); err != nil {
			return nil, fmt.Errorf("the search was ended: %s", c.Why)
		}
		switch why.Kind {
		case "died":
			return nil, r.died(shard, sys, &why)
		case "differs":
			return nil, r.differs(shard, sys, &why)
		}
		return x, s.halted(r, shard, x, &why)
	}
	return x, nil
}

// halted sets why a search ended early.
func (s *Search) halted(r *run, shard *shard.Shard, x *table.Exploration, why *Why) error {
	switch why.Kind {
	case "found":
		trail, err := r.trail(shard, why)
		if err != nil {
			return fmt.Errorf("worker %d has found %s, but the path cannot be found: %w", why.Worker, why.Text, err)
		}
		if x.Path, x.Finding = shard.Follow(trail, why.AtEdge); x.Finding == nil {
			return fmt.Errorf("worker %d has found %s, but this process does not: the worker computes something else", why.Worker, why.Text)
		}
		x.Stopped = "finding"
	case "error":
		return fmt.Errorf("worker %d: %s", why.Worker, why.Text)
	default:
		x.Stopped = why.Kind
	}
	return nil
}

// trail returns the path to a finding, by the logs of all parts.
func (r *run) trail(shard *shard.Shard, why *Why) (trail []uint32, err error) {
	ctx := context.Background()
	at := *why.Source
	if !why.AtEdge {
		trail = append(trail, at.EdgeIndex)
	}
	for at.Number != stateset.NoPlace {
		part, number := int(at.Part), int(at.Number)
		if part >= parts {
			return nil, errDamaged
		}
		var b block
		err := eventually(ctx, func(ctx context.Context) (err error) { b, err = r.blockOf(ctx, part, number); return err })
		if err != nil {
			return nil, err
		}
		from, err := shard.Sources(b.states)
		if err != nil {
			return nil, err
		}
		if number-b.first >= len(from) {
			return nil, errDamaged
		}
		at = from[number-b.first]
		trail = append(trail, at.EdgeIndex)
	}
	slices.Reverse(trail)
	return trail, nil
}

// verify reads all logs, and checks that they hold all committed states.
func (r *run) verify(c *superstep.Commit) error {
	for part := range parts {
		r.seen[part] = seen{}
		for {
			ok := false
			err := eventually(context.Background(), func(ctx context.Context) (err error) { _, ok, err = r.next(ctx, part); return err })
			if err != nil {
				return err
			}
			if !ok {
				break
			}
		}
		if n := r.seen[part].len; n != c.Len[part] || c.Next[part] != n {
			return fmt.Errorf("the log of part %d has %d states instead of %d", part, n, c.Len[part])
		}
	}
	return nil
}
