package cluster

import (
	"errors"
	"fmt"
	"time"

	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/superstep"
)

// env is what the protocol sees of the world.
type env struct {
	sim.Env // nil: nothing else is asked for
	m       *member
}

func (e *env) Self() sim.NodeID { return e.m.self }
func (e *env) Nodes() int       { return members + 1 }

// SetTimer implements [sim.Env]. That something is missed is not said at once while others may still be at work.
func (e *env) SetTimer(t any, after time.Duration) {
	if superstep.IsGap(t) {
		after = gapTime << min(e.m.gaps, 5)
		if time.Since(e.m.back) < settling {
			after = time.Second // others may have sent something in the next epoch, too, before this process was there again
		}
	}
	e.m.timers[t] = time.Now().Add(after)
}

const (
	gapTime  = 10 * time.Second
	settling = 5 * time.Second // until all are there again that have lost the server
)

func (e *env) StopTimer(t any) {
	delete(e.m.timers, t)
	if superstep.IsGap(t) {
		e.m.gaps = 0
	}
}

func (e *env) Send(to sim.NodeID, msg any) {
	m := e.m
	if to == 0 {
		m.ask(msg)
		return
	}
	switch said := msg.(type) {
	case superstep.Hello:
		return // it is said all the time
	case superstep.Done:
		msg = m.with(said)
	}
	text, err := encodeMessage(m.self, msg)
	if err == nil {
		err = m.nc.Publish(m.subject(fmt.Sprintf("m.%d", to)), text)
	}
	if err != nil {
		m.logs.Warn("a message is not sent", "to", to, "why", err)
	}
}

// with says besides how many blocks there are in the logs of which something is said.
func (m *member) with(said superstep.Done) done {
	d := done{said, make([]int, parts)}
	for i, n := range said.Len {
		if at := m.seen[i].length(); at.states == n {
			d.Blocks[i] = at.blocks
		}
	}
	return d
}

// learn is told of the logs of another member's parts.
func (m *member) learn(d *done) {
	for i, n := range d.Blocks {
		if n > 0 {
			m.told[i] = length{n, d.Len[i]}
		}
	}
}

// ask asks the store, which answers at once, or, when it is not there, not at all.
func (m *member) ask(msg any) {
	var err error
	switch msg := msg.(type) {
	case superstep.Claim:
		err = m.claim()
	case superstep.Release:
		err = m.release()
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
		m.sayFull(err)
		m.logs.Warn("the server does not answer", "why", err)
	}
}

// answer tells what commit there is.
func (m *member) answer(swapped bool) error {
	c, err := m.commit(m.ctx)
	if err != nil {
		return err
	}
	lens := c.Len // what leads looks at logs with each commit
	if swapped || !m.core.Leader.Leading {
		if lens, err = m.lens(m.ctx); err != nil {
			return err
		}
	}
	if m.behind(&c, lens) {
		return errors.New("a log is shorter than what was committed: perhaps a server has not come to know all yet")
	}
	if swapped {
		m.put(0, superstep.Swapped{Commit: c, Lens: lens})
	} else {
		m.put(0, superstep.Granted{Commit: c, Lens: lens})
	}
	return nil
}

// behind reports whether logs are too short, and that may be because a server of several leads that does not know it yet.
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
