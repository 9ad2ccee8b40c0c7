package kernel

import (
	"fmt"
	"math"

	"github.com/macemc/macemc/internal/kernel/callsite"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/sim"
)

// ShowsCalls implements the interface of [sim.Enter].
func (e *env) ShowsCalls() bool { return e.showsCalls }

// EnterCall implements the interface of [sim.Enter].
func (e *env) EnterCall(service, name string, args []any) (leave func()) {
	if !e.showsCalls || !e.Running {
		return nil
	}
	c := stepinfo.Call{Service: service, Name: name}
	depth := len(e.calls)
	if depth > 0 {
		c.Caller = e.calls[depth-1]
	}
	for _, a := range args {
		c.Args = append(c.Args, e.w.argument(a))
	}
	if w := e.w; e.traced {
		w.last.Effects = append(w.last.Effects, stepinfo.Effect{
			Kind: stepinfo.CallEffect, Peer: -1, Depth: e.depth(), Value: c, Text: c.String(), From: callsite.Caller(),
		})
	} else {
		e.logger.Debug("call", "is", c, "depth", depth)
	}
	e.calls = append(e.calls, service)
	return func() { e.calls = e.calls[:min(depth, len(e.calls))] }
}

// depth returns the number of calls in progress.
func (e *env) depth() uint8 { return uint8(min(len(e.calls), math.MaxUint8)) }

// argument renders an argument of a call as text.
func (w *Machine) argument(v any) string {
	switch v := v.(type) {
	case nil:
		return "nil"
	case sim.NodeID:
		return string(stepinfo.AppendNode(nil, v))
	case error:
		return fmt.Sprint(contain.Shown{Value: v})
	}
	p, err := w.plans.Of(v)
	if err != nil {
		return fmt.Sprintf("%T", v)
	}
	return p.Names(v)
}
