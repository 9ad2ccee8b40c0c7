package cluster

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// claim acquires or extends the lease. A lease that was not renewed for a while, by the local clock, is free.
func (m *member) claim() error {
	var e jetstream.KeyValueEntry
	err := within(m.ctx, func(ctx context.Context) (err error) { e, err = m.keys.Get(ctx, leaseKey); return err })
	self, now := []byte(strconv.Itoa(m.inc)), time.Now()
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		err = within(m.ctx, func(ctx context.Context) error { _, err := m.keys.Create(ctx, leaseKey, self); return err })
	case err != nil:
		return err
	case string(e.Value()) == string(self):
		m.holds.Store(true)
		return m.answer(false)
	case e.Revision() != m.lease:
		m.holds.Store(false)
		m.lease, m.leaseSeen = e.Revision(), now
		return nil
	case now.Sub(m.leaseSeen) < leaseTime:
		return nil
	default:
		err = m.putLease(self, e.Revision())
	}
	if conflict(err) {
		return nil
	}
	if err != nil {
		return err
	}
	m.holds.Store(true)
	return m.answer(false)
}

// release gives the lease back, if this member has it.
func (m *member) release() error {
	m.holds.Store(false)
	return within(m.ctx, func(ctx context.Context) error {
		e, err := m.keys.Get(ctx, leaseKey)
		switch {
		case errors.Is(err, jetstream.ErrKeyNotFound) || err == nil && string(e.Value()) != strconv.Itoa(m.inc):
			return nil
		case err != nil:
			return err
		}
		err = m.keys.Delete(ctx, leaseKey, jetstream.LastRevision(e.Revision()))
		if conflict(err) {
			return nil
		}
		return err
	})
}

// keepLease renews the lease at intervals while this member has it, even during long reads of logs.
func (m *member) keepLease(ctx context.Context) {
	self := []byte(strconv.Itoa(m.inc))
	for sleep(ctx, leaseTime/4) {
		if !m.holds.Load() {
			continue
		}
		var e jetstream.KeyValueEntry
		err := within(ctx, func(ctx context.Context) (err error) { e, err = m.keys.Get(ctx, leaseKey); return err })
		if err == nil && string(e.Value()) == string(self) {
			_ = m.putLease(self, e.Revision()) // it is tried again soon
		}
	}
}

func (m *member) putLease(self []byte, rev uint64) error {
	return within(m.ctx, func(ctx context.Context) error { _, err := m.keys.Update(ctx, leaseKey, self, rev); return err })
}
