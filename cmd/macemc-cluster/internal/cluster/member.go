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

// member is a live [superstep.Member]: it has its messages, its timers, and the store, node 0, with which it speaks at once.
type member struct {
	*run
	ctx  context.Context
	logs *slog.Logger
	self sim.NodeID
	inc  int
	core *superstep.Member
	data *data
	env  env

	mu     sync.Mutex
	inbox  []letter
	came   chan struct{}
	timers map[any]time.Time
	back   time.Time // when the server was there again
	gaps   int       // how often something was waited for in vain at this place

	lease     uint64 // the last one that was seen
	leaseSeen time.Time
	holds     atomic.Bool // it has the lease
	leaving   atomic.Bool // it is to give away what it has
	leaves    atomic.Bool // and says so
	short     time.Time   // when logs were found to be too short; 0: they are not
}

type letter struct {
	from sim.NodeID
	msg  any
}

// reconnected is what a member tells itself when the server was gone: what was on its way then does not come.
type reconnected struct{}

// leave is what a member is told that is to give away what it has.
type leave struct{}

func memberKey(id int) string { return fmt.Sprintf("member.%d", id) }
func leaveKey(id int) string  { return fmt.Sprintf("leave.%d", id) }

// process says for people who a member is.
func process() []byte {
	host, err := os.Hostname()
	if err != nil {
		host = "?"
	}
	return fmt.Appendf(nil, "%s:%d", host, os.Getpid())
}

const helloPeriod = 200 * time.Millisecond

// enlist gives this process a number that no other of the run has had.
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
	m := &member{run: r, ctx: ctx, logs: log, self: self, inc: int(rand.Int64N(1<<52)) + 1, came: make(chan struct{}, 1), timers: map[any]time.Time{}}
	m.env.m = m
	d, err := newData(m)
	if err != nil {
		return nil, err
	}
	m.data, m.core = d, &superstep.Member{Worker: superstep.Worker{Data: d}}
	return m, nil
}

// work takes part until the search has come to an end, or ctx is done. The error says that the run is not there any more.
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
	hellos.Go(func() { m.sayHello(ctx) })
	hellos.Go(func() { m.keepLease(ctx) })
	defer func() { cancel(); hellos.Wait() }()
	m.nc.SetReconnectHandler(func(*nats.Conn) { m.put(0, reconnected{}) })
	defer m.nc.SetReconnectHandler(nil)
	m.core.Start(&m.env, m.inc)
	paused, err := m.watch(ctx)
	if err != nil {
		cancel()
		return err
	}
	for !m.core.Over && m.ctx.Err() == nil {
		if paused.Load() && !m.leaving.Load() { // what comes waits, and all are there: hello is still said
			rest(m.ctx, helloPeriod)
			if m.withdrawn(m.ctx) {
				return nil
			}
			continue
		}
		began, came := time.Now(), m.take()
		for _, l := range came {
			switch msg := l.msg.(type) {
			case reconnected:
				m.data.lost, m.back = true, time.Now()
			case leave:
				m.leaves.Store(true)
				m.core.Leave(&m.env)
			case done:
				m.learn(&msg)
				m.core.Receive(&m.env, l.from, msg.Done)
			default:
				m.core.Receive(&m.env, l.from, l.msg)
			}
			m.miss()
		}
		t, at := m.due()
		switch {
		case !at.After(began): // what came before that was received, however long it took
			delete(m.timers, t)
			if superstep.IsGap(t) {
				m.gaps++
			}
			m.core.Timer(&m.env, t)
			m.miss()
		case len(came) == 0:
			select {
			case <-m.came:
			case <-m.ctx.Done():
			case <-time.After(time.Until(at)):
			}
		}
	}
	return nil
}

// leave has this member give away what it has, also while the search pauses.
func (m *member) leave() {
	m.leaving.Store(true)
	m.put(0, leave{})
}

// halt tells whoever leads, this member maybe, that the search is to end.
func (m *member) halt(why string) {
	if text, err := encodeMessage(0, superstep.Halt{Why: why}); err == nil && why != "" {
		_ = m.nc.Publish(m.subject("all"), text) // it is said again when the log is read again
	}
}

// stuck ends the search, as checked code has not come back to where it was called.
func (m *member) stuck(why string) error {
	r, err := open(m.ctx, m.nc, m.Manifest)
	if err == nil {
		err = r.halt(m.ctx, Why{Kind: "stuck", Text: why, Worker: m.self})
	}
	return cmp.Or(err, errors.New(why))
}

// watch tells whether the search is to pause, and this member to leave.
func (m *member) watch(ctx context.Context) (*atomic.Bool, error) {
	var watcher jetstream.KeyWatcher
	err := m.eventually(ctx, func(context.Context) (err error) {
		watcher, err = m.keys.WatchFiltered(ctx, []string{pauseKey, leaveKey(int(m.self))})
		return err
	})
	if err != nil {
		return nil, err
	}
	paused := new(atomic.Bool)
	go func() {
		for e := range watcher.Updates() {
			switch {
			case e == nil: // all that was there was told
			case e.Key() == pauseKey:
				paused.Store(e.Operation() == jetstream.KeyValuePut)
			default:
				m.leave()
			}
		}
	}()
	context.AfterFunc(ctx, func() { _ = watcher.Stop() })
	return paused, nil
}

// sayHello says that this member is there, whatever it does.
func (m *member) sayHello(ctx context.Context) {
	for ctx.Err() == nil {
		text, _ := encodeMessage(m.self, superstep.Hello{Inc: m.inc, Leaves: m.leaves.Load()})
		_ = m.nc.Publish(m.subject("all"), text)
		rest(ctx, helloPeriod)
	}
}

func (m *member) arrived(msg *nats.Msg) {
	from, body, err := decodeMessage(msg.Data)
	if err != nil {
		m.logs.Warn("a message is refused", "subject", msg.Subject, "bytes", len(msg.Data), "why", err)
		return
	}
	if from != m.self {
		m.put(from, body)
	}
}

func (m *member) put(from sim.NodeID, msg any) {
	m.mu.Lock()
	m.inbox = append(m.inbox, letter{from, msg})
	m.mu.Unlock()
	select {
	case m.came <- struct{}{}:
	default:
	}
}

// take takes what came.
func (m *member) take() []letter {
	m.mu.Lock()
	defer m.mu.Unlock()
	came := m.inbox
	m.inbox = nil
	return came
}

// miss says that something does not come, if the data know that.
func (m *member) miss() {
	if m.data.lost {
		m.data.lost = false
		m.core.Miss(&m.env)
	}
}

// due is the timer that fires next.
func (m *member) due() (t any, at time.Time) {
	at = time.Now().Add(time.Second)
	for timer, when := range m.timers {
		if when.Before(at) {
			t, at = timer, when
		}
	}
	if t == nil {
		at = at.Add(time.Second) // the loop comes round before
	}
	return t, at
}
