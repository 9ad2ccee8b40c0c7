package cluster

import (
	"errors"
	"fmt"
	"time"

	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/superstep"
)

// env is the environment of the protocol.
type env struct {
	sim.Env // nil, for unused methods
	m       *member
}

func (e *env) Self() sim.NodeID { return e.m.self }
func (e *env) Nodes() int       { return members + 1 }

// SetTimer implements [sim.Env]. Gap timers are longer here, since other members may still be working.
func (e *env) SetTimer(t any, after time.Duration) { e.m.timers.set(t, after) }
func (e *env) StopTimer(t any)                     { e.m.timers.stop(t) }

func (e *env) Send(to sim.NodeID, msg any) {
	m := e.m
	if to == 0 {
		m.ask(msg)
		return
	}
	switch report := msg.(type) {
	case superstep.Hello:
		return // it is repeated all the time
	case superstep.Done:
		msg = m.with(report)
	}
	text, err := encodeMessage(m.self, msg)
	if err == nil {
		err = m.nc.Publish(m.subject(fmt.Sprintf("m.%d", to)), text)
	}
	if err != nil {
		m.logs.Warn("cannot send a message", "to", to, "why", err)
	}
}

// with adds the numbers of blocks in the logs to a report.
func (m *member) with(report superstep.Done) done {
	d := done{report, make([]int, parts)}
	for i, n := range report.Len {
		if at := m.seen[i].length(); at.states == n {
			d.Blocks[i] = at.blocks
		}
	}
	return d
}

// updateLengths handles the lengths of the logs of another member's parts.
func (m *member) updateLengths(d *done) {
	for i, n := range d.Blocks {
		if n > 0 {
			m.reported[i] = length{n, d.Len[i]}
		}
	}
}

// ask sends a request to the store. It answers at once, or, if it is not reachable, not at all.
func (m *member) ask(msg any) {
	var err error
	switch msg := msg.(type) {
	case superstep.Claim:
		var has bool
		if has, err = m.lease.claim(m.ctx); has {
			err = m.answer(false)
		}
	case superstep.Release:
		err = m.lease.release(m.ctx)
	case superstep.Swap:
		err = m.swap(m.ctx, msg.Commit)
		if err == nil {
			err = m.answer(true)
		}
	}
	if err != nil && m.ctx.Err() == nil {
		if m.withdrawn(m.ctx) {
			m.core.Over = true // the run was removed
			return
		}
		m.reportFull(err)
		m.logs.Warn("the server does not answer", "why", err)
	}
}

// answer reports the current commit to the member.
func (m *member) answer(swapped bool) error {
	c, err := m.commit(m.ctx)
	if err != nil {
		return err
	}
	lens := c.Len // the leader checks the logs with each commit
	if swapped || !m.core.Leader.Leading {
		if lens, err = m.lens(m.ctx); err != nil {
			return err
		}
	}
	if m.behind(&c, lens) {
		return errors.New("a log is shorter than its committed length: perhaps a server is still catching up")
	}
	if swapped {
		m.inbox.put(0, superstep.Swapped{Commit: c, Lens: lens})
	} else {
		m.inbox.put(0, superstep.Granted{Commit: c, Lens: lens})
	}
	return nil
}

// behind reports whether logs are too short because the leading one of several servers may still be catching up.
func (m *member) behind(c *superstep.Commit, lens []int) bool {
	short := false
	for i, n := range lens {
		short = short || n < c.Len[i]
	}
	switch {
	case !short:
		m.short = time.Time{}
	case m.short.IsZero():
		m.short = time.Now()
	}
	return short && m.Replicas > 1 && time.Since(m.short) < electing
}
