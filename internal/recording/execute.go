package recording

import (
	"errors"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/sim"
)

// execute executes the recorded events.
func (m *merger) execute() {
	var src answers
	var effects []Effect
	var booted []*cursor
	for _, c := range m.cursors {
		late := m.world.System().Late != nil && m.world.System().Late(c.node)
		if e := c.next(); e != nil && e.Kind == eventkind.Boot && !late {
			booted = append(booted, c)
			src.list = append(src.list, e.Answers...)
			effects = append(effects, e.Effects...)
		}
	}
	err := m.run.Start(&src)
	m.recordOverflow()
	m.file.Boot = src.picks
	for _, c := range booted {
		m.recordExecuted(c, c.next())
	}
	m.out.Origins = nil // first boots are not steps
	if err := errors.Join(src.done(), m.compareEffects(effects, 0)); err != nil {
		m.out.Disagreement = &Disagreement{Origin: Origin{Node: 0, Start: 1, Event: 1}, What: "the boot of all nodes", Reason: err.Error()}
		return
	}
	if err != nil {
		m.finding = err
		return
	}
	for m.out.Disagreement == nil && m.finding == nil && m.step() {
	}
}

// take executes the event with that index.
func (m *merger) take(index int, src *answers) error {
	ev, _ := m.run.Event(index)
	key := m.world.Key(ev)
	err := m.run.Step(index, src)
	m.recordOverflow()
	m.file.Steps = append(m.file.Steps, pathfile.Step{Index: index, Key: key, Picks: src.picks})
	return err
}

// recordOverflow records the messages that the last step queued beyond the buffer.
func (m *merger) recordOverflow() {
	for _, o := range m.world.Last().Over {
		if waits := m.capacity - o.Room + 1; waits > m.over.waits {
			m.over = overflow{o.From, o.To, waits}
		}
	}
}

// recordExecuted records that an event has been executed.
func (m *merger) recordExecuted(c *cursor, e *Event) {
	if c.pos == len(c.starts[c.start].Events) {
		c.start, c.pos = c.nextStart(), 0
	}
	m.count(c.node, e)
	c.clock[c.node]++
	for _, a := range e.Received() {
		for i, n := range m.index.clocks[a.From] {
			c.clock[i] = max(c.clock[i], n)
		}
		if m.index.copies[a.From]--; m.index.copies[a.From] == 0 {
			delete(m.index.clocks, a.From)
		}
		if e.Stream {
			m.index.undelivered[a.From.Incarnation]--
		}
	}
	incarnation := c.starts[c.start].Header.Incarnation
	clock := slices.Clone(c.clock)
	for range e.numbered() {
		c.sent[c.start]++
		if ref := (Ref{incarnation, c.sent[c.start]}); m.index.copies[ref] > 0 {
			m.index.clocks[ref] = clock
		}
	}
	m.out.Origins = append(m.out.Origins, Origin{c.node, c.start + 1, e.Number, clock})
	for _, p := range m.index.refused[e] {
		m.index.beforeStart[p]--
	}
	c.pos++
}

// perform executes the node's next event, which has that index.
func (m *merger) perform(c *cursor, index int) {
	if m.atCrash(c) {
		m.crash(index)
		return
	}
	e := c.next()
	for _, a := range e.Received() {
		if e.Stream || m.index.copies[a.From] <= 1 {
			continue
		}
		if !m.inject(func(ev netmodel.Event) bool {
			return ev.Kind == eventkind.Duplicate && ev.Node == c.node && ev.Peer == a.Peer && m.duplicates(ev, index, &a)
		}, &m.used[sim.Dup]) {
			m.disagree(c, e, m.describe(index), "it arrived twice, but the network model cannot duplicate it")
			return
		}
		index, _ = m.findEvent(c.node, e, true)
	}
	src := answers{list: e.Answers}
	what := m.describe(index)
	err := m.take(index, &src)
	if wrong := m.compare(e, &src, err); wrong != nil {
		m.file.Steps = m.file.Steps[:len(m.file.Steps)-1] // the run ends before it; the world is not used further
		m.disagree(c, e, what, wrong.Error())
		return
	}
	m.recordExecuted(c, e)
	if err != nil {
		m.finding = err
		return
	}
	m.compareState(c, e, what)
}

// duplicates reports whether ev duplicates a message that the event with that index delivers.
func (m *merger) duplicates(ev netmodel.Event, index int, a *Received) bool {
	given, ok := m.run.Event(index)
	if !ok || given.Kind == eventkind.Deliver {
		return ok && given.Slot == ev.Slot
	}
	ev.Msgs = 1 // it consumes nothing
	m.envelopes = m.world.Messages(ev, m.envelopes[:0])
	return m.sum(&m.envelopes[0]) == xxhash.Sum64(a.Data)
}

// disagree ends the run before e, the node's next event.
func (m *merger) disagree(c *cursor, e *Event, what, reason string) {
	start := c.start + 1
	if c.atEnd() {
		start = c.nextStart() + 1
	}
	m.out.Disagreement = &Disagreement{Origin: Origin{c.node, start, e.Number, nil}, Step: len(m.file.Steps) + 1, What: what, Reason: reason}
}

func (m *merger) describe(index int) string {
	ev, _ := m.run.Event(index)
	return m.world.Key(ev)
}

// crash takes the nodes of a process down, so that they can start again.
func (m *merger) crash(index int) {
	ev, _ := m.run.Event(index)
	src := answers{lostWrites: map[string]int{}}
	for _, id := range m.upInProcess(ev.Node) {
		label := stepinfo.SurvivorsLabelOf(id)
		if id == ev.Node {
			label = stepinfo.SurvivorsLabel
		}
		src.lostWrites[label] = m.cursors[id].lostWrites()
		for peer := range m.cursors {
			m.queued[[2]sim.NodeID{id, sim.NodeID(peer)}] = 0
			m.queued[[2]sim.NodeID{sim.NodeID(peer), id}] = 0
		}
	}
	_ = m.take(index, &src)
	m.used[sim.Crashes]++
	m.out.Origins = append(m.out.Origins, Origin{Node: -1})
}

// upInProcess returns the nodes of a node's process that are up, itself included.
func (m *merger) upInProcess(id sim.NodeID) (all []sim.NodeID) {
	for _, mate := range m.world.System().Process(id) {
		if m.up(mate) {
			all = append(all, mate)
		}
	}
	return all
}

func (m *merger) inject(fits func(netmodel.Event) bool, used *int) bool {
	index, ok := m.find(fits)
	if !ok {
		return false
	}
	_ = m.take(index, &answers{})
	*used++
	m.out.Origins = append(m.out.Origins, Origin{Node: -1})
	return true
}
