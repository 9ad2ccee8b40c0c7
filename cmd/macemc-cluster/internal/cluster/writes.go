package cluster

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/superstep"
)

// Ask implements [superstep.Data].
func (d *data) Ask(env sim.Env, c *superstep.Commit, taken bool) {
	if d.impossible {
		return
	}
	var full []int // parts with states that are not logged
	for i, owner := range c.Owner {
		switch {
		case owner != env.Self():
		case !d.read[i]:
			err := d.load(i, c.Next[i], c.Len[i])
			if err == nil {
				d.m.inbox.put(0, superstep.Log{Part: i})
				continue
			}
			d.warn(i, err)
			if !retried(err) {
				d.failed(err)
				d.m.halt(d.end.halt()) // the member will not be done
			}
		case taken && d.shard.Len(i) > d.m.seen[i].len:
			full = append(full, i)
		}
	}
	if len(full) > 0 {
		d.write(full)
	}
}

func (d *data) warn(part int, err error) {
	if d.m.ctx.Err() == nil {
		d.m.logs.Warn("the log of a part", "part", part, "why", err)
	}
}

// retried reports whether an error of the server may be temporary.
func retried(err error) bool {
	return !errors.Is(err, errDamaged) && !errors.Is(err, errStates) && !errors.Is(err, errKeepsNothing)
}

var (
	errKeepsNothing = errors.New("the server has no storage: enable JetStream")

	errStates = errors.New("states of a log")
	errUnread = errors.New("a log cannot be read")
)

// load replaces the states of a part by those in its log, which must have all committed ones.
func (d *data) load(part, next, committed int) error {
	r := d.m.run
	if d.shard.Has(part) {
		seq, _, err := r.end(d.m.ctx, part)
		if err != nil {
			return err
		}
		if seq == r.seen[part].last && r.seen[part].len >= committed {
			d.read[part] = true
			return nil
		}
		d.shard.Drop(part) // another member has written, and pending states may be there
	}
	defer d.unmark()
	began := time.Now()
	r.seen[part] = seen{}
	d.shard.Take(part)
	restore := func() error {
		for {
			b, ok, err := r.next(d.m.ctx, part)
			if err != nil || !ok {
				return err
			}
			states, from, err := d.shard.Unpack(b.states, d.stateOf)
			if errors.Is(err, errUnread) {
				return err
			}
			words := d.shard.Words()
			for k := 0; k < len(from) && err == nil; k++ {
				err = d.shard.Restore(part, states[k*words:][:words], from[k])
			}
			if err != nil {
				return fmt.Errorf("%w: part %d: %w", errStates, part, err)
			}
		}
	}
	d.other = 0
	err := restore()
	if n := r.seen[part].len; err == nil && n < committed {
		err = fmt.Errorf("it has %d states, but %d were committed: perhaps a server is still catching up", n, committed)
	}
	if err != nil {
		d.shard.Drop(part)
		return err
	}
	d.shard.Rewind(part, next)
	d.read[part] = true
	if n := d.shard.Len(part); n > 10_000 {
		d.m.logs.Info("a part was read", "part", part, "states", n, "took", time.Since(began).Round(time.Millisecond))
	}
	return nil
}

// write appends the accepted states to the logs of parts. A part to which another member has written, or may have,
// must be read again.
func (d *data) write(full []int) {
	var all sync.WaitGroup
	errs := make([]error, len(full))
	for k, part := range full {
		blocks := d.pending(part)
		all.Go(func() {
			for _, b := range blocks {
				ok, err := d.m.append(d.m.ctx, part, b)
				if err == nil && !ok {
					err = errors.New("another worker has written to it")
				}
				if err != nil {
					errs[k] = err
					return
				}
			}
		})
	}
	all.Wait()
	for k, part := range full {
		if errs[k] != nil {
			d.warn(part, errs[k])
			d.m.reportFull(errs[k])
			d.read[part], d.missing, d.impossible = false, true, true
			continue
		}
		d.m.inbox.put(0, superstep.Log{Part: part})
	}
}

// pending returns the accepted states of a part that are not in its log.
func (d *data) pending(part int) (blocks []block) {
	pack, first := d.shard.NewPack(), d.m.seen[part].len
	for at := first; at < d.shard.Len(part); at++ {
		pack.Add(d.shard.State(part, at))
		if n, bytes := pack.Len(); n >= packStates || bytes >= packBytes || at == d.shard.Len(part)-1 {
			blocks = append(blocks, block{first, n, pack.Take()})
			d.moved.logged, d.moved.logBytes = d.moved.logged+n, d.moved.logBytes+len(blocks[len(blocks)-1].states)
			first += n
		}
	}
	return blocks
}
