package sim

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
)

// Call is a call between services of one node, as [Enter] notes it.
type Call struct {
	// Caller is the service that made the call: the one whose call encloses this one. Empty when that
	// is the node's own handler.
	Caller  string
	Service string
	Name    string
	Args    []string // as text
}

func (c Call) String() string {
	return fmt.Sprintf("%s.%s(%s)", c.Service, c.Name, strings.Join(c.Args, ", "))
}

// CallTracer is implemented by an [Env] that shows the calls between the services of its node. That of
// the checker does so by itself.
type CallTracer interface {
	// EnterCall notes that a call of a service begins. The function that it returns is called when the
	// call ends; nil when nobody looks.
	EnterCall(service, name string, args []any) (leave func())
}

// Frame is a call that has begun.
type Frame struct{ leave func() }

// Leave ends the call.
func (f Frame) Leave() {
	if f.leave != nil {
		f.leave()
	}
}

// Enter notes that a service of a node is called by another one: down by the service above it, or up by
// the one below. Logs and traces then show the call with its arguments, among the effects and in their
// order, and all that happens in it below it; a log of level debug, as live nodes may have, shows it too. The first line of the function called says
//
//	defer sim.Enter(env, "transport", "Send", to, msg).Leave()
//
// While searching nobody looks, and the call costs a few nanoseconds and no memory as long as its
// arguments do not: numbers below 256, pointers, constants and what is in an interface already.
// Arguments are not kept.
func Enter(e Env, service, name string, args ...any) (f Frame) {
	if own, ok := e.(*env); !ok || own.told {
		f = enter(e, service, name, args)
	}
	return f
}

// enter hands on a copy of args, so that those of Enter stay on the stack.
func enter(e Env, service, name string, args []any) Frame {
	if t, ok := e.(CallTracer); ok {
		return Frame{t.EnterCall(service, name, slices.Clone(args))}
	}
	return Frame{}
}

// EnterCall implements [CallTracer].
func (e *env) EnterCall(service, name string, args []any) (leave func()) {
	if !e.told || !e.running {
		return nil
	}
	c := Call{Service: service, Name: name}
	depth := len(e.calls)
	if depth > 0 {
		c.Caller = e.calls[depth-1]
	}
	for _, a := range args {
		c.Args = append(c.Args, e.w.argument(a))
	}
	if w := e.w; e.traced {
		w.last.Effects = append(w.last.Effects, Effect{
			Kind: CallEffect, Peer: -1, Depth: e.depth(), Value: c, Text: c.String(), From: caller(),
		})
	} else {
		e.logger.Debug("call", "is", c, "depth", depth)
	}
	e.calls = append(e.calls, service)
	return func() { e.calls = e.calls[:min(depth, len(e.calls))] }
}

// depth is how many calls are going on.
func (e *env) depth() uint8 { return uint8(min(len(e.calls), math.MaxUint8)) }

// argument renders an argument of a call for people.
func (w *machine) argument(v any) string {
	switch v := v.(type) {
	case nil:
		return "nil"
	case NodeID:
		return fmt.Sprintf("n%d", v)
	case error:
		return v.Error()
	}
	p, err := w.plans.Of(v)
	if err != nil {
		return fmt.Sprintf("%T", v)
	}
	return p.Names(v)
}

// caller is the file:line from which the function was called that called Enter. When that is the
// checker, which calls actions, it is where Enter was called.
func caller() string {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	site, found := "", false
	for {
		f, more := frames.Next()
		outside := !strings.HasPrefix(f.Function, envPackage)
		if found && !outside {
			return site
		}
		if outside {
			site = fmt.Sprintf("%s:%d", f.File, f.Line)
			if found {
				return site
			}
			found = true
		}
		if !more {
			return site
		}
	}
}
