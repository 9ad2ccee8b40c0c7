package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/superstep"
)

// member is a live [superstep.Member]: it has its messages, its timers, and the store (node 0), which it calls
// directly.
type member struct {
	*run
	ctx  context.Context
	logs *slog.Logger
	self sim.NodeID
	inc  int
	core *superstep.Member
	data *data
	env  env

	inbox  mailbox
	timers timers
	lease  *lease

	leaves atomic.Bool // it hands over its parts, and has announced that
	short  time.Time   // when logs were found too short, or zero
}

// reconnected is the message of a member to itself after a reconnection to the server: messages in flight were
// lost.
type reconnected struct{}

// leave is the message to a member that must hand over its parts.
type leave struct{}

func memberKey(id int) string { return fmt.Sprintf("member.%d", id) }
func leaveKey(id int) string  { return fmt.Sprintf("leave.%d", id) }

// process describes the process of a member.
func process() []byte {
	host, err := os.Hostname()
	if err != nil {
		host = "?"
	}
	return fmt.Appendf(nil, "%s:%d", host, os.Getpid())
}

const helloPeriod = 200 * time.Millisecond

// enlist assigns this process a number that no other process of the run has had.
func (r *run) enlist(ctx context.Context) (self sim.NodeID, err error) {
	for self = 1; self <= members; self++ {
		err := r.eventually(ctx, func(ctx context.Context) error {
			_, err := r.keys.Create(ctx, memberKey(int(self)), process())
			return err
		})
		if err == nil || !conflict(err) {
			return self, err
		}
	}
	return 0, fmt.Errorf("run %s has had %d workers already", r.ID, members)
}

// join makes this process a member of a run.
func join(ctx context.Context, r *run, self sim.NodeID, log *slog.Logger, newData func(*member) (*data, error)) (*member, error) {
	m := &member{run: r, ctx: ctx, logs: log, self: self, inc: int(rand.Int64N(1<<52)) + 1,
		inbox: mailbox{came: make(chan struct{}, 1)}, timers: timers{at: map[any]time.Time{}}}
	m.lease = newLease(r.keys, m.inc)
	m.env.m = m
	d, err := newData(m)
	if err != nil {
		return nil, err
	}
	m.data, m.core = d, &superstep.Member{Worker: superstep.Worker{Data: d}}
	return m, nil
}

// work takes part until the search ends, or ctx is done. The error reports that the run was removed.
func (m *member) work() error {
	var subs []*nats.Subscription
	defer func() {
		for _, s := range subs {
			_ = s.Unsubscribe()
		}
	}()
	for _, of := range []string{fmt.Sprintf("m.%d", m.self), "all"} {
		s, err := m.nc.Subscribe(m.subject(of), m.arrived)
		if err != nil {
			return err
		}
		subs = append(subs, s)
		if err := s.SetPendingLimits(-1, -1); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancel(m.ctx)
	var hellos sync.WaitGroup
	hellos.Go(func() { m.sendHeartbeats(ctx) })
	hellos.Go(func() { m.lease.keep(ctx) })
	defer func() { cancel(); hellos.Wait() }()
	m.nc.SetReconnectHandler(func(*nats.Conn) { m.inbox.put(0, reconnected{}) })
	defer m.nc.SetReconnectHandler(nil)
	m.core.Start(&m.env, m.inc)
	if err := m.watch(ctx); err != nil {
		cancel()
		return err
	}
	for !m.core.Over && m.ctx.Err() == nil {
		began, came := time.Now(), m.inbox.take()
		for _, l := range came {
			switch msg := l.msg.(type) {
			case reconnected:
				m.data.missing, m.timers.reconnected = true, time.Now()
			case leave:
				m.leaves.Store(true)
				m.core.Leave(&m.env)
			case done:
				m.updateLengths(&msg)
				m.core.Receive(&m.env, l.from, msg.Done)
			default:
				m.core.Receive(&m.env, l.from, l.msg)
			}
			m.miss()
		}
		t, at := m.timers.due()
		switch {
		case !at.After(began): // everything that came before that was received, however long it took
			m.timers.fire(t)
			m.core.Timer(&m.env, t)
			m.miss()
		case len(came) == 0:
			select {
			case <-m.inbox.came:
			case <-m.ctx.Done():
			case <-time.After(time.Until(at)):
			}
		}
	}
	return nil
}

// leave makes this member hand over its parts.
func (m *member) leave() { m.inbox.put(0, leave{}) }

// halt asks the leader, which may be this member, to end the search.
func (m *member) halt(why string) {
	if text, err := encodeMessage(0, superstep.Halt{Why: why}); err == nil && why != "" {
		_ = m.nc.Publish(m.subject("all"), text) // it is repeated when the log is read again
	}
}

// stuck ends the search because checked code does not return.
func (m *member) stuck(why string) error {
	r, err := open(m.ctx, m.nc, m.Manifest)
	if err == nil {
		err = r.halt(m.ctx, Why{Kind: "stuck", Text: why, Worker: m.self})
	}
	return cmp.Or(err, errors.New(why))
}

// watch makes this member leave when it is drained.
func (m *member) watch(ctx context.Context) error {
	var watcher jetstream.KeyWatcher
	err := m.eventually(ctx, func(context.Context) (err error) {
		watcher, err = m.keys.Watch(ctx, leaveKey(int(m.self)))
		return err
	})
	if err != nil {
		return err
	}
	go func() {
		for e := range watcher.Updates() {
			if e != nil { // nil is the end of the initial values
				m.leave()
			}
		}
	}()
	context.AfterFunc(ctx, func() { _ = watcher.Stop() })
	return nil
}

// sendHeartbeats sends heartbeats, whatever this member is doing.
func (m *member) sendHeartbeats(ctx context.Context) {
	for ctx.Err() == nil {
		text, _ := encodeMessage(m.self, superstep.Hello{Inc: m.inc, Leaves: m.leaves.Load()})
		_ = m.nc.Publish(m.subject("all"), text)
		sleep(ctx, helloPeriod)
	}
}

func (m *member) arrived(msg *nats.Msg) {
	from, body, err := decodeMessage(msg.Data)
	if err != nil {
		m.logs.Warn("a message is refused", "subject", msg.Subject, "bytes", len(msg.Data), "why", err)
		return
	}
	if from != m.self {
		m.inbox.put(from, body)
	}
}

// miss reports a missing message, if data has noticed one.
func (m *member) miss() {
	if m.data.missing {
		m.data.missing = false
		m.core.Miss(&m.env)
	}
}
