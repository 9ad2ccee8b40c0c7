package kernel

import (
	"fmt"
	"math"
	"runtime"
	"strings"

	"github.com/macemc/macemc/sim"
)

// Call is a call between services of one node, as [sim.Enter] notes it.
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

// ShowsCalls implements [sim.CallTracer].
func (e *env) ShowsCalls() bool { return e.told }

// EnterCall implements [sim.CallTracer].
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
	case sim.NodeID:
		return string(appendNode(nil, v))
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
		outside := !ownFunction(f.Function)
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
