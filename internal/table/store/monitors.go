package store

import (
	"fmt"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/sim"
)

// monitors interns the states of all monitors. A number identifies a monitor and its state.
type monitors struct {
	List  []monitor
	ids   map[string]uint32
	Sees  Memo // state, node and event -> outcome
	Owed  obligations
	Outs  []monitorOut // by outcome, see Sees
	First []uint32     // by monitor: its initial state
}

// monitor is a monitor in one state.
type monitor struct {
	State sim.Monitor
	index int // of the monitor in the system
	Hash  encoding.Fingerprint
	Enc   string         // canonical encoding, the key in monitors.ids
	from  *monitorOrigin // nil for an initial state
	Owes  []Owed         // ascending
	asked bool           // Owes is set; false only after a failure
}

// monitorOrigin is the step that first reached a state of a monitor.
type monitorOrigin struct {
	before uint32 // the state before
	node   sim.NodeID
	event  uint32 // index in Tables.Announcements
}

// monitorOut is the outcome of an event for a monitor.
type monitorOut struct {
	next uint32
	err  error // a finding; next is then the state in which the monitor failed
	// Obligations that were hot, and that were settled, during the event.
	hot, settled []uint32
}

func (m *monitors) init(e *Tables) error {
	m.ids = map[string]uint32{}
	for i := range e.Sys.Monitors {
		made := e.Bench.NewMonitor(i)
		owed := e.Bench.Owes(made)
		id, err := e.internMonitor(i, made, nil, &owed)
		if err != nil {
			return err
		}
		m.First = append(m.First, id)
	}
	return nil
}

// internMonitor interns the state of a monitor with its obligations. owed is nil if it failed.
func (e *Tables) internMonitor(index int, state sim.Monitor, from *monitorOrigin, owed *declared.Owed) (id uint32, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *sim.Finding: // of a function of a state rule
			err = r
		default:
			err = &options.Unsupported{Why: fmt.Sprintf("%s: %v", sim.MonitorName(state), r)}
		}
	}()
	m := &e.Monitors
	e.Buf = e.Bench.AppendMonitor(state, append(e.Buf[:0], byte(index), byte(index>>8)))
	id, ok := m.ids[string(e.Buf)]
	if !ok {
		id = uint32(len(m.List))
		m.ids[string(e.Buf)] = id
		m.List = append(m.List, monitor{State: state, index: index, Hash: kernel.Hash(kernel.MonitorState, index, e.Buf[2:]),
			Enc: string(e.Buf), from: from})
	}
	if at := &m.List[id]; owed != nil && !at.asked {
		at.asked, at.Owes = true, m.Owed.of(index, owed)
	}
	return id, nil
}

// Observe returns the monitor's state after an announced event. The error is a finding, or [*options.Unsupported].
func (e *Tables) Observe(id uint32, node sim.NodeID, event uint32) (next uint32, err error) {
	defer e.CatchRule(&err)
	m := &e.Monitors
	key := uint64(id)<<32 | uint64(event)*uint64(e.Nodes) + uint64(node)
	if v, ok := m.Sees.Get(key); ok {
		e.Passing.see(&m.Outs[v], m, m.List[id].index)
		return m.Outs[v].next, m.Outs[v].err
	}
	index := m.List[id].index
	before, err := e.enterMonitor(id, int(node), event)
	if err != nil {
		return id, err
	}
	defer e.Calls.Leave(before)
	own, err := e.privateMonitor(id)
	if err != nil {
		return id, err
	}
	owed, found := e.Bench.Observe(own, node, e.Bench.CopyValue(e.Announcements.List[event]))
	if IsOverdue(found) {
		return id, found // its handler may still be changing the state
	}
	asked := &owed
	if found != nil {
		asked = nil
	}
	if next, err = e.internMonitor(index, own, &monitorOrigin{id, node, event}, asked); err != nil {
		return id, err
	}
	m.Sees.Put(key, uint64(len(m.Outs)))
	hot, settled := m.Owed.idsOf(index, owed.Hot), m.Owed.idsOf(index, owed.Settled)
	m.Outs = append(m.Outs, monitorOut{next, found, hot, settled})
	e.Passing.see(&m.Outs[len(m.Outs)-1], m, index)
	if e.Recorder != nil {
		e.Recorder.Monitor(id, node, event, next, found)
	}
	return next, found
}

// privateMonitor returns a private copy of a monitor in an interned state.
func (e *Tables) privateMonitor(id uint32) (sim.Monitor, error) {
	m := &e.Monitors.List[id]
	own, err := e.Bench.CopyMonitor(m.State)
	e.CopyPlans.Note(m.State, err)
	if err == nil {
		return own, nil
	}
	var path []*monitorOrigin
	for o := m.from; o != nil; o = e.Monitors.List[o.before].from {
		path = append(path, o)
	}
	own = e.Bench.NewMonitor(m.index)
	for i := len(path) - 1; i >= 0; i-- {
		o := path[i]
		_, _ = e.Bench.Observe(own, o.node, e.Bench.CopyValue(e.Announcements.List[o.event]))
	}
	if got := e.Bench.AppendMonitor(own, []byte{byte(m.index), byte(m.index >> 8)}); string(got) != m.Enc {
		return nil, &sim.Finding{Kind: sim.Nondeterminism, Node: -1, Message: fmt.Sprintf(
			"%s is not a function of the announced events: after the same events it is in another state", sim.MonitorName(own))}
	}
	return own, nil
}
