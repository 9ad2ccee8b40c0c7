package fairness

import (
	"fmt"
	"math"
	"reflect"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/fair"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/table/world"
	"github.com/macemc/macemc/sim"
)

// processes maps each event to the process that it belongs to. A process is the deliveries of a link, the sets that
// a quorum of a node takes, a timer, the internal steps of a node, each consequence of a fault, or an action.
type processes struct {
	e          *steptree.Engine
	ids        map[processKey]uint16
	plain      []uint16 // cache of ids for events determined by kind and nodes; 0 if unknown
	names      []string // of nodes
	rules      []declared.ActionRule
	label      []string                     // of actions
	disturbing []bool                       // by number, minus one
	Free       func(ev netmodel.Event) bool // reports events that a refinement promises nothing about; nil means none
}

type processKey struct {
	kind       eventkind.Kind
	node, peer sim.NodeID
	what       any  // timer, or index of an action
	disturbs   bool // so it has no fairness promise
}

func NewProcesses(e *steptree.Engine) *processes {
	p := &processes{e: e, ids: map[processKey]uint16{}, rules: declared.ActionRules(e.Sys), label: e.Sys.ActionNames()}
	for id := range sim.NodeID(e.Nodes) {
		name := fmt.Sprintf("n%d", id)
		if h, ok := e.Sys.New(id).(simext.Hosting); ok {
			kind, _, _ := h.Hosted()
			name = fmt.Sprintf("%s%d", kind, id)
		}
		p.names = append(p.names, name)
	}
	return p
}

// fairness returns the fairness of an event's process in the world's state: weak, but strong for timers under Prompt, and none for
// disturbances and actions without Fair. Ok is false for faults, which are not a process.
func (p *processes) fairness(w *world.World, ev netmodel.Event) (f fair.Fairness, ok bool) {
	switch {
	case ev.Kind.Injection():
		return fair.None, false
	case p.Free != nil && p.Free(ev):
		return fair.None, true
	case ev.Kind == eventkind.DoAction && !p.rules[ev.Slot].Fair:
		return fair.None, true
	case ev.Kind != eventkind.DoAction && w.Disturbs(ev):
		return fair.None, true
	case ev.Kind == eventkind.FireTimer && p.e.Sys.Timing == sim.Prompt:
		return fair.Strong, true // a message in flight disables it
	}
	return fair.Weak, true
}

// Actor returns the process of an event in the world's state, as in [fair.Edge].
func (p *processes) Actor(w *world.World, ev netmodel.Event, g *fair.Graph) (uint16, error) {
	if ev.Kind.Injection() {
		return 0, nil
	}
	key := processKey{ev.Kind, ev.Node, -1, nil, w.Disturbs(ev)}
	switch ev.Kind {
	case eventkind.Deliver, eventkind.DeliverError, eventkind.DeliverReady:
		key.peer = ev.Peer
	case eventkind.FireTimer:
		key.what = w.Locals.List[w.Vector[ev.Node]].State.Timer(ev.Slot)
	case eventkind.DoAction:
		key.what = ev.Slot
	case eventkind.TakeQuorum:
		key.what = w.Quorums.Sets[w.Gathered(ev.Node).Sets[ev.Slot].ID].Quorum
	case eventkind.Heal:
		key.what = ev.Slot
	}
	if key.what != nil {
		return p.number(w, ev, key, g)
	}
	at := ((int(key.kind)*(p.e.Nodes+1)+int(key.node)+1)*(p.e.Nodes+1) + int(key.peer) + 1) * 2
	if key.disturbs {
		at++
	}
	if at >= len(p.plain) {
		p.plain = append(p.plain, make([]uint16, at+1-len(p.plain))...)
	}
	if p.plain[at] == 0 {
		id, err := p.number(w, ev, key, g)
		if err != nil {
			return 0, err
		}
		p.plain[at] = id
	}
	return p.plain[at], nil
}

// number returns the number of an event's process.
func (p *processes) number(w *world.World, ev netmodel.Event, key processKey, g *fair.Graph) (uint16, error) {
	id, ok := p.ids[key]
	if !ok {
		if len(g.Processes) == math.MaxUint16 {
			return 0, fair.ErrTooLarge
		}
		f, _ := p.fairness(w, ev)
		g.Processes = append(g.Processes, fair.Process{Name: p.name(key), Fairness: f})
		p.disturbing = append(p.disturbing, key.disturbs)
		id = uint16(len(g.Processes))
		p.ids[key] = id
	}
	return id, nil
}

// name formats a process for humans.
func (p *processes) name(k processKey) string {
	name := func(id sim.NodeID) string {
		if id < 0 {
			return ""
		}
		return p.names[id]
	}
	return k.kind.Presentation().Process.Fill(name(k.node), name(k.peer), p.about(k))
}

// about names the quorum, timer or action of a process.
func (p *processes) about(k processKey) string {
	switch k.kind {
	case eventkind.TakeQuorum:
		return p.e.Sys.QuorumNames()[k.what.(int32)]
	case eventkind.DoAction:
		return p.label[k.what.(int32)]
	case eventkind.FireTimer:
		if t := reflect.TypeOf(k.what); t != nil && t.Kind() == reflect.Struct && t.NumField() == 0 {
			return t.Name()
		}
		return fmt.Sprintf("%+v", k.what)
	}
	return ""
}
