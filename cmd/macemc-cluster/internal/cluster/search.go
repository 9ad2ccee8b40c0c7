package cluster

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/shard"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/superstep"
)

// Search starts a search, and waits for its end.
type Search struct {
	URL      string
	Security Security
	Manifest Manifest // without ID and Parts
	// Tell, if not nil, is called with messages for the user.
	Tell func(string)
}

// Explore makes the workers of the server visit all states of a system.
func (s *Search) Explore(ctx context.Context, sys *sim.System, opts options.Options) (*table.Exploration, error) {
	nc, err := connect(s.URL, s.Security)
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	opts.World.Contain = true // little is executed here
	s.Manifest.Cut, s.Manifest.Weightless = shard.ChoosePartNodes(sys, opts, parts), opts.Weightless
	states, err := shard.New(sys, opts, parts, s.Manifest.Cut, nil)
	if err != nil {
		return nil, err
	}
	if path, err := states.Rehearse(ctx); err != nil {
		return &table.Exploration{Stopped: "finding", Finding: err, Path: path}, nil
	}
	roots, err := states.Roots()
	if err != nil {
		path, err := states.Follow(nil, false)
		return &table.Exploration{Stopped: "finding", Finding: err, Path: path}, nil
	}
	for k := range len(roots) / states.Words() {
		if path, err := states.Follow([]uint32{uint32(k)}, false); err != nil {
			return &table.Exploration{States: 1, Stopped: "finding", Finding: err, Path: path}, nil
		}
	}
	r, err := s.begin(ctx, nc, states, roots)
	if err != nil {
		return nil, err
	}
	c, err := s.wait(ctx, r, opts.Progress)
	noRoom := errors.Is(err, errFull)
	if noRoom {
		s.notify("the server has no room for more: make room, restart it with the same --dir, and repeat this command to continue")
		err = nil
	}
	if err != nil {
		return nil, err
	}
	x, err := s.conclude(ctx, r, c, states, sys, opts)
	if err == nil && noRoom {
		x.Stopped = stats.StoppedDisk
	}
	if c.End != superstep.Running {
		background := context.WithoutCancel(ctx)
		if left := errors.Join(withdraw(background, nc), r.remove(background)); left != nil {
			s.notify("the data of the search cannot be removed (%v): remove it by \"macemc cluster abort %s\"", left, s.URL)
		}
	}
	if err == nil && x.Stopped == "stuck" && !s.Manifest.Contain {
		s.notify("checked code did not return: searching again, slower, to find the step")
		s.Manifest.Contain = true
		return s.Explore(ctx, sys, opts)
	}
	return x, err
}

var errFull = errors.New("the server has no room")

// begin creates the run, or opens it if it exists.
func (s *Search) begin(ctx context.Context, nc *nats.Conn, states *shard.Shard, roots []uint32) (*run, error) {
	var there *Manifest
	err := eventually(ctx, func(ctx context.Context) (err error) {
		there, err = current(ctx, nc)
		if keeps, _ := nc.ConnectedServerJetStream(); !keeps && errors.Is(err, nats.ErrNoResponders) {
			return errKeepsNothing
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	m := s.Manifest
	wanted := m.Replicas
	if m.Replicas, err = replicas(nc, wanted); err != nil {
		return nil, err
	}
	m.ID, m.Parts = newID(), parts
	if there != nil {
		if m.ID = there.ID; wanted == 0 {
			m.Replicas = there.Replicas
		}
		if !same(&m, there) {
			return nil, fmt.Errorf("there is another search: %s, run %s; end it by \"macemc cluster abort %s\"", there.Title, there.ID, s.URL)
		}
		s.notify("the search exists already, as run %s", m.ID)
		return open(ctx, nc, m)
	}
	r, err := create(ctx, nc, m)
	if err != nil {
		return nil, err
	}
	packs := make([]*shard.Pack, parts)
	lens := make([]int, parts)
	seen := map[encoding.Fingerprint]bool{}
	for k := range len(roots) / states.Words() {
		state := roots[k*states.Words():][:states.Words()]
		if f := states.Fingerprint(state); seen[f] {
			continue
		} else {
			seen[f] = true
		}
		part := states.Of(state)
		if packs[part] == nil {
			packs[part] = states.NewPack()
		}
		packs[part].Add(state, explore.Source{Number: stateset.NoPlace, EdgeIndex: uint32(k)})
		lens[part]++
	}
	for part, pack := range packs {
		if pack == nil {
			continue
		}
		text, ok := pack.Take(), false
		err := eventually(ctx, func(ctx context.Context) (err error) {
			ok, err = r.append(ctx, part, block{0, lens[part], text})
			return err
		})
		if err != nil || !ok {
			return nil, cmp.Or(err, errors.New("another process writes to the run"))
		}
	}
	c := superstep.NewCommit(members, lens)
	c.Rev = 1
	if err := eventually(ctx, func(ctx context.Context) error { return r.swap(ctx, c) }); err != nil {
		return nil, err
	}
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	err = eventually(ctx, func(ctx context.Context) error {
		keys, err := createKeys(ctx, r.js, runsBucket, m.Replicas)
		if err != nil {
			return err
		}
		_, err = keys.Create(ctx, runKey, text)
		return err
	})
	if err != nil {
		_ = r.remove(ctx)
		if conflict(err) {
			err = errors.New("another search began at the same time")
		}
		return nil, err
	}
	s.notify("run %s waits for workers: macemc worker --join %s", m.ID, s.URL)
	return r, nil
}

func same(a, b *Manifest) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return bytes.Equal(x, y)
}

func (s *Search) notify(format string, args ...any) {
	if s.Tell != nil {
		s.Tell(fmt.Sprintf(format, args...))
	}
}

// fullSubject is the subject of notices that the server has no room.
const fullSubject = "full"

// leaving is the maximum time for the end of a search.
const leaving = 10 * time.Second

// wait waits until the search ends. If it must end early, wait notifies the workers.
func (s *Search) wait(ctx context.Context, r *run, progress func(states, transitions, depth, waiting int)) (c superstep.Commit, err error) {
	background, workers, left, failed := context.WithoutCancel(ctx), -1, time.Time{}, time.Time{}
	noRoom, fullSince, fullAt := make(chan struct{}, 1), time.Time{}, 0
	sub, err := r.nc.Subscribe(r.subject(fullSubject), func(*nats.Msg) {
		select {
		case noRoom <- struct{}{}:
		default:
		}
	})
	if err != nil {
		return c, err
	}
	defer func() { _ = sub.Unsubscribe() }()
	for {
		now, e := r.commit(background)
		switch {
		case e == nil:
			c, failed = now, time.Time{}
		case gone(e) || r.withdrawn(background):
			return c, fmt.Errorf("run %s was removed: %w", r.ID, e)
		case failed.IsZero():
			failed = time.Now()
			s.notify("the server does not answer (%v): trying for a minute", e)
		case time.Since(failed) > time.Minute:
			return c, fmt.Errorf("the server, or a majority of the servers, does not answer (%w): when they are back, repeat the command to continue", e)
		}
		if c.End != superstep.Running {
			return c, nil
		}
		if n := taking(&c); n != workers {
			if workers >= 0 || n > 0 {
				s.notify("%s, epoch %d", textfmt.Plural(n, "worker"), c.Epoch)
			}
			workers = n
		}
		if progress != nil {
			progress(total(c.Len), total(c.Edges), c.Level, total(c.Len)-total(c.Next))
		}
		switch {
		case ctx.Err() == nil:
		case left.IsZero():
			left = time.Now()
			fallthrough
		default:
			text, _ := encodeMessage(0, superstep.Halt{Why: Why{Kind: "interrupted"}.String()})
			_ = r.nc.Publish(r.subject("all"), text)
			if time.Since(left) > leaving || workers <= 0 && c.Epoch == 0 {
				s.notify("no worker has answered: the run remains and continues when one does")
				return c, nil
			}
		}
		select {
		case <-noRoom:
			switch {
			case fullSince.IsZero() || c.K != fullAt: // it may have been said before there was room
				fullSince, fullAt = time.Now(), c.K
			case time.Since(fullSince) > time.Second:
				return c, errFull
			}
		case <-ctx.Done():
			time.Sleep(50 * time.Millisecond)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func taking(c *superstep.Commit) (n int) {
	for _, inc := range c.Incs {
		if inc != 0 {
			n++
		}
	}
	return n
}

func total(counts []int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// withdraw makes room for the next search.
func withdraw(ctx context.Context, nc *nats.Conn) error {
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	return eventually(ctx, func(ctx context.Context) error {
		keys, err := js.KeyValue(ctx, runsBucket)
		if err != nil {
			return err
		}
		return keys.Delete(ctx, runKey)
	})
}
