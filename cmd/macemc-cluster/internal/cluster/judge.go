package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/shard"
	"github.com/macemc/macemc/systems/superstep"
)

// errMemory reports that this process lacks the memory for the search of dead states.
var errMemory = errors.New("not enough memory")

// judge finds dead states, after all states are in the logs and were verified. It runs in this process, with four
// bytes for each state, and with those states that are not known to recover by how they were found. The error is
// one of the logs, that of ctx, or errMemory.
func (s *Search) judge(ctx context.Context, r *run, c *superstep.Commit, shard *shard.Shard, opts options.Options,
	x *table.Exploration) error {
	dead := shard.NewDead(opts.Visited, c.Len)
	if dead == nil {
		return nil
	}
	if opts.MaxBytes > 0 && dead.Bytes() > opts.MaxBytes {
		return errMemory
	}
	if _, err := shard.Roots(); err != nil { // creates the content of the first states
		return err
	}
	s.notify("all states are found: searching for dead ones")
	limit := func() error {
		if opts.MaxBytes > 0 && dead.Bytes()+shard.Bytes() > opts.MaxBytes {
			return errMemory
		}
		return ctx.Err()
	}
	err := r.each(shard, func(part, _ int, states []uint32, from []explore.Source) error {
		words := shard.Words()
		for k := range from {
			if err := dead.Add(part, states[k*words:][:words], from[k]); err != nil {
				return err
			}
		}
		return limit()
	}, nil)
	if err == nil {
		err = dead.MarkOrigins()
	}
	if err == nil {
		err = r.each(shard, func(part, first int, states []uint32, from []explore.Source) error {
			words := shard.Words()
			for k := range from {
				dead.Hold(part, first+k, states[k*words:][:words])
			}
			return limit()
		}, dead)
	}
	if err == nil {
		err = dead.Judge(limit)
	}
	if err != nil {
		return err
	}
	n, part, number := dead.Dead()
	var trail []uint32
	if n > 0 {
		at := Why{Source: &explore.Source{Part: uint32(part), Number: uint32(number)}, AtEdge: true}
		if trail, err = r.trail(shard, &at); err != nil {
			return err
		}
	}
	if !shard.Dead(x, n, trail) {
		return fmt.Errorf("%d states are dead, but state %d of part %d is unreachable: a worker computes other results", n, number, part)
	}
	return nil
}

// each reads all logs, which were seen to their ends, in the order of writing, so that all content becomes known.
// It omits blocks in which all states recover according to but.
func (r *run) each(shard *shard.Shard, do func(part, first int, states []uint32, from []explore.Source) error,
	but *explore.DeadParts) error {
	ctx := context.Background()
	type place struct {
		part, i int
		seq     uint64
	}
	var all []place
	for part := range parts {
		for i, b := range r.seen[part].blocks {
			all = append(all, place{part, i, b.seq})
		}
	}
	slices.SortFunc(all, func(a, b place) int { return cmp.Compare(a.seq, b.seq) })
	known := archive{run: r, shard: shard}
	var stateOf func(part, number uint32) ([]uint32, error)
	stateOf = func(part, number uint32) ([]uint32, error) {
		if part >= parts {
			return nil, errDamaged
		}
		return known.state(ctx, int(part), int(number), stateOf)
	}
	for _, at := range all {
		if log := &r.seen[at.part]; but != nil {
			first, until := log.blocks[at.i].first, log.len
			if at.i+1 < len(log.blocks) {
				until = log.blocks[at.i+1].first
			}
			if but.AllRecover(at.part, first, until) {
				continue
			}
		}
		var b block
		err := eventually(ctx, func(ctx context.Context) (err error) { b, err = r.read(ctx, at.part, at.i); return err })
		if err != nil {
			return err
		}
		states, from, err := shard.Unpack(b.states, stateOf)
		if err != nil {
			return err
		}
		if err := do(at.part, b.first, states, from); err != nil {
			return err
		}
	}
	return nil
}
