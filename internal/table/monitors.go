package table

import (
	"fmt"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// monitors interns the states of all monitors; a number stands for a monitor and its state.
type monitors struct {
	list  []monitor
	ids   map[string]uint32
	sees  memo // state, node and event -> outcome
	owed  obligations
	outs  []monitorOut
	first []uint32 // by monitor: how it starts
}

type monitor struct {
	state sim.Monitor
	index int
	hash  sim.Fingerprint
	enc   string
	from  *monitorOrigin // nil: it starts so
	owes  []owed         // ascending
	asked bool           // for what it owes: it did not only fail so
}

type monitorOrigin struct {
	before uint32
	node   sim.NodeID
	event  uint32
}

type monitorOut struct {
	next uint32
	err  error
	// What the monitor came by: obligations that were hot, and that were settled.
	hot, settled []uint32
}

func (m *monitors) init(e *tables) error {
	m.ids = map[string]uint32{}
	for i := range e.sys.Monitors {
		made := e.bench.NewMonitor(i)
		owed := e.bench.Owes(made)
		id, err := e.internMonitor(i, made, nil, &owed)
		if err != nil {
			return err
		}
		m.first = append(m.first, id)
	}
	return nil
}

// internMonitor interns the state of a monitor that said what it waits for; nil: it failed.
func (e *tables) internMonitor(index int, state sim.Monitor, from *monitorOrigin, says *kernel.Owed) (id uint32, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &Unsupported{fmt.Sprintf("%s: %v", sim.MonitorName(state), r)}
		}
	}()
	m := &e.monitors
	e.buf = e.bench.AppendMonitor(state, append(e.buf[:0], byte(index), byte(index>>8)))
	id, ok := m.ids[string(e.buf)]
	if !ok {
		id = uint32(len(m.list))
		m.ids[string(e.buf)] = id
		m.list = append(m.list, monitor{state: state, index: index, hash: kernel.Hash(kernel.MonitorState, index, e.buf[2:]), enc: string(e.buf), from: from})
	}
	if at := &m.list[id]; says != nil && !at.asked {
		at.asked, at.owes = true, m.owed.of(index, says)
	}
	return id, nil
}

// observe returns the monitor after it was told of an announced event. The error is a finding, or
// [*Unsupported].
func (e *tables) observe(id uint32, node sim.NodeID, event uint32) (uint32, error) {
	m := &e.monitors
	key := uint64(id)<<32 | uint64(event)*uint64(e.nodes) + uint64(node)
	if v, ok := m.sees.get(key); ok {
		e.passing.see(&m.outs[v], m, m.list[id].index)
		return m.outs[v].next, m.outs[v].err
	}
	index := m.list[id].index
	before, err := e.telling(id, int(node), event)
	if err != nil {
		return id, err
	}
	defer e.calls.end(before)
	own, err := e.privateMonitor(id)
	if err != nil {
		return id, err
	}
	says, found := e.bench.Observe(own, node, e.bench.CopyValue(e.events.list[event]))
	if overdue(found) {
		return id, found // it may go on changing its state
	}
	asked := &says
	if found != nil {
		asked = nil
	}
	next, err := e.internMonitor(index, own, &monitorOrigin{id, node, event}, asked)
	if err != nil {
		return id, err
	}
	m.sees.put(key, uint64(len(m.outs)))
	hot, settled := m.owed.idsOf(index, says.Hot), m.owed.idsOf(index, says.Settled)
	m.outs = append(m.outs, monitorOut{next, found, hot, settled})
	e.passing.see(&m.outs[len(m.outs)-1], m, index)
	if e.recorder != nil {
		e.recorder.monitor(id, node, event, next, found)
	}
	return next, found
}

// privateMonitor makes a monitor in an interned state.
func (e *tables) privateMonitor(id uint32) (sim.Monitor, error) {
	m := &e.monitors.list[id]
	own, err := e.bench.CopyMonitor(m.state)
	e.plans.note(m.state, err)
	if err == nil {
		return own, nil
	}
	var told []*monitorOrigin
	for o := m.from; o != nil; o = e.monitors.list[o.before].from {
		told = append(told, o)
	}
	own = e.bench.NewMonitor(m.index)
	for i := len(told) - 1; i >= 0; i-- {
		o := told[i]
		_, _ = e.bench.Observe(own, o.node, e.bench.CopyValue(e.events.list[o.event]))
	}
	if got := e.bench.AppendMonitor(own, []byte{byte(m.index), byte(m.index >> 8)}); string(got) != m.enc {
		return nil, &sim.Finding{Kind: sim.Nondeterminism, Node: -1, Message: fmt.Sprintf(
			"%s is not a function of what it was told: told the same again it is in another state", sim.MonitorName(own))}
	}
	return own, nil
}
