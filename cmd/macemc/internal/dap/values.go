package dap

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/go-dap"

	"github.com/macemc/macemc/mdb"
)

// valuesOf are the variables with a reference, which is their index plus one.
type valuesOf struct {
	frame      frameOf
	how        string // inspect.Arguments or inspect.Locals; empty means the members of an expression
	expression string
	node       int // if positive, the state of this goroutine in the recording, or of this node plus 1
	scope      int // of the node; 0 means its state
}

// reference returns the reference of variables.
func (x *session) reference(v valuesOf) int {
	x.values = append(x.values, v)
	return len(x.values)
}

// variables answers with the variables with a reference.
func (x *session) variables(ctx context.Context, m *dap.VariablesRequest) {
	list, err := x.list(ctx, m.Arguments.VariablesReference)
	if err != nil {
		x.refuse(m, err.Error())
		return
	}
	x.send(&dap.VariablesResponse{Response: x.response(m), Body: dap.VariablesResponseBody{Variables: list}})
}

// list returns the variables with a reference.
func (x *session) list(ctx context.Context, reference int) ([]dap.Variable, error) {
	switch {
	case reference < 1 || reference > len(x.values):
	case x.values[reference-1].node > 0:
		v := x.values[reference-1]
		return x.ofNode(ctx, v.node-1, v.scope)
	case x.test != nil:
		return x.test.ofFrame(ctx, x.values[reference-1])
	}
	return nil, fmt.Errorf("there are no variables %d", reference)
}

// Scopes of a node.
const (
	scopeState = iota + 1
	scopeMessages
	scopeTimers
	scopeProperties
)

// scopes returns the scopes of a node. A goroutine of a test has only a state.
func (x *session) scopes(node int) (list []dap.Scope) {
	names := []string{"State", "Messages in flight", "Timers", "Properties"}
	if x.d.Position().Goroutines {
		names = names[:1]
	}
	for i, name := range names {
		list = append(list, dap.Scope{Name: name, VariablesReference: x.reference(valuesOf{node: node + 1, scope: i + 1})})
	}
	return list
}

// ofNode returns the variables of a scope of a node.
func (x *session) ofNode(ctx context.Context, node, scope int) ([]dap.Variable, error) {
	if node >= len(x.names) {
		return nil, fmt.Errorf("there is no node %d", node)
	}
	switch scope {
	case scopeMessages:
		return x.lines(ctx, fmt.Sprintf("messages n%d", node))
	case scopeTimers:
		return x.lines(ctx, fmt.Sprintf("timers n%d", node))
	case scopeProperties:
		return x.lines(ctx, "properties")
	}
	return x.state(node)
}

// state returns the fields of a node, with the changes of the last step.
func (x *session) state(node int) ([]dap.Variable, error) {
	v := x.d.View(mdb.Wanted{})
	if v.Err != "" {
		return nil, errors.New(v.Err)
	}
	list := []dap.Variable{}
	for _, l := range v.States {
		if l.Node != node || l.Path == "" {
			continue
		}
		value := l.Value
		if l.Changed && l.Old != "" {
			value += "   was " + l.Old
		}
		list = append(list, dap.Variable{Name: l.Path, Value: value})
	}
	return list, nil
}

// lines returns the output of a debugger command by lines, or its error.
func (x *session) lines(ctx context.Context, command string) ([]dap.Variable, error) {
	text, err := x.do(ctx, command)
	list := []dap.Variable{}
	if err != nil && ctx.Err() == nil { // schedules of tests have neither messages nor timers
		return append(list, dap.Variable{Name: "none", Value: err.Error()}), nil
	}
	for line := range strings.Lines(text) {
		list = append(list, dap.Variable{Name: strconv.Itoa(len(list)), Value: strings.TrimSpace(line)})
	}
	return list, err
}

// fieldOf returns the value of a node's field.
func (x *session) fieldOf(node int, name string) (string, error) {
	list, err := x.state(node)
	if err != nil {
		return "", err
	}
	for _, v := range list {
		if v.Name == name {
			return v.Value, nil
		}
	}
	return "", fmt.Errorf("n%d has no field %s", node, name)
}
