package store

import (
	"fmt"

	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// Compare checks that a state equals the interned one.
func (e *Tables) Compare(id uint32, state *kernel.Local, how string) error {
	l := &e.Locals.List[id]
	if got := e.Bench.AppendLocal(l.Node, state, []byte{byte(l.Node)}); string(got) == l.Encoding {
		return nil
	}
	service := state.Service()
	if service == nil {
		service = l.State.Service()
	}
	text := fmt.Sprintf("the service %T %s", service, how)
	now := e.FieldsOf(l.Node, state)
	changes := diff.Between(l.fields, now)
	if l.fields == nil {
		changes = diff.Between(e.FieldsOf(l.Node, l.State), now)
	}
	if len(changes) == 0 {
		text += "; the difference is not a field: the capacity of a slice, elements beyond its length, or which of two equal values is referred to"
	}
	text += ChangeText(changes)
	return &sim.Finding{Kind: sim.Nondeterminism, Node: l.Node, Message: text + hint}
}

// ChangeText describes the first fields that differ.
func ChangeText(changes []diff.Change) (text string) {
	for i, c := range changes {
		if i == 3 {
			return text + ", ..."
		}
		text += fmt.Sprintf("; %s is %s, was %s", c.Path, ValueText(c.New), ValueText(c.Old))
	}
	return text
}

const hint = ": it depends on more than its node's own events (memory shared between nodes, a global variable, or state that is not encoded?)"

func ValueText(value string) string {
	if value == "" {
		return "missing"
	}
	return value
}

func (e *Tables) Differs(node sim.NodeID, what string) error {
	return &sim.Finding{Kind: sim.Nondeterminism, Node: node,
		Message: fmt.Sprintf("the service %T: %s%s", e.Sys.New(node), what, hint)}
}
