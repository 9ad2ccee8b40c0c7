package cluster

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// lease is the right to lead a run, which at most one member has.
type lease struct {
	keys   jetstream.KeyValue
	holder []byte // the value of a lease that this member has
	last   uint64 // the last revision seen
	seen   time.Time
	held   atomic.Bool // this member has it
}

func newLease(keys jetstream.KeyValue, inc int) *lease {
	return &lease{keys: keys, holder: []byte(strconv.Itoa(inc))}
}

// claim acquires or extends the lease, and reports whether this member has it. A lease that was not renewed for a
// while, by the local clock, is free.
func (l *lease) claim(ctx context.Context) (bool, error) {
	var e jetstream.KeyValueEntry
	err := within(ctx, func(ctx context.Context) (err error) { e, err = l.keys.Get(ctx, leaseKey); return err })
	now := time.Now()
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		err = within(ctx, func(ctx context.Context) error { _, err := l.keys.Create(ctx, leaseKey, l.holder); return err })
	case err != nil:
		return false, err
	case l.isOwn(e):
	case e.Revision() != l.last:
		l.held.Store(false)
		l.last, l.seen = e.Revision(), now
		return false, nil
	case now.Sub(l.seen) < leaseTime:
		return false, nil
	default:
		err = l.put(ctx, e.Revision())
	}
	if conflict(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	l.held.Store(true)
	return true, nil
}

// isOwn reports whether an entry is a lease of this member.
func (l *lease) isOwn(e jetstream.KeyValueEntry) bool { return string(e.Value()) == string(l.holder) }

// release gives the lease back, if this member has it.
func (l *lease) release(ctx context.Context) error {
	l.held.Store(false)
	return within(ctx, func(ctx context.Context) error {
		e, err := l.keys.Get(ctx, leaseKey)
		switch {
		case errors.Is(err, jetstream.ErrKeyNotFound) || err == nil && !l.isOwn(e):
			return nil
		case err != nil:
			return err
		}
		err = l.keys.Delete(ctx, leaseKey, jetstream.LastRevision(e.Revision()))
		if conflict(err) {
			return nil
		}
		return err
	})
}

// keep renews the lease at intervals while this member has it, even during long reads of logs.
func (l *lease) keep(ctx context.Context) {
	for sleep(ctx, leaseTime/4) {
		if !l.held.Load() {
			continue
		}
		var e jetstream.KeyValueEntry
		err := within(ctx, func(ctx context.Context) (err error) { e, err = l.keys.Get(ctx, leaseKey); return err })
		if err == nil && l.isOwn(e) {
			_ = l.put(ctx, e.Revision()) // it is tried again soon
		}
	}
}

func (l *lease) put(ctx context.Context, rev uint64) error {
	return within(ctx, func(ctx context.Context) error { _, err := l.keys.Update(ctx, leaseKey, l.holder, rev); return err })
}
