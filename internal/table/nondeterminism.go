package table

import (
	"fmt"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// compare checks that a state is the interned one.
func (e *tables) compare(id uint32, state *kernel.Local, how string) error {
	l := &e.locals.list[id]
	if got := e.bench.AppendLocal(l.node, state, []byte{byte(l.node)}); string(got) == l.enc {
		return nil
	}
	service := state.Service()
	if service == nil {
		service = l.state.Service()
	}
	text := fmt.Sprintf("the service %T %s", service, how)
	now := e.fieldsOf(l.node, state)
	changes := encoding.Diff(l.fields, now)
	if l.fields == nil {
		changes = encoding.Diff(e.fieldsOf(l.node, l.state), now)
	}
	if len(changes) == 0 {
		text += "; what differs is not shown: the capacity of a slice, what lies beyond the length of one, or which of two things alike is referred to"
	}
	text += list(changes)
	return &sim.Finding{Kind: sim.Nondeterminism, Node: l.node, Message: text + hint}
}

// list names the first fields that differ, and both values.
func list(changes []encoding.Change) (text string) {
	for i, c := range changes {
		if i == 3 {
			return text + ", ..."
		}
		text += fmt.Sprintf("; %s is %s, was %s", c.Path, shown(c.New), shown(c.Old))
	}
	return text
}

const hint = ": it is not a function of its node's own events (memory shared between nodes, a global variable, or state that is not encoded?)"

func shown(value string) string {
	if value == "" {
		return "missing"
	}
	return value
}

func (e *tables) differs(node sim.NodeID, what string) error {
	return &sim.Finding{Kind: sim.Nondeterminism, Node: node,
		Message: fmt.Sprintf("the service %T: %s%s", e.sys.New(node), what, hint)}
}
