package bubble

import (
	"context"
	"fmt"
	"os"
	"reflect"

	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// Call returns an action of a program that has exposed an S, see [Host.Expose]. f may be a method expression, such as (*Store).Compact. The
// action calls f in a goroutine of its own, and f may block. Its error is shown in traces. The fields of the result may be changed.
func Call[S any](name string, f func(S, context.Context) error) sim.Action[*Program] {
	c := &call{name: name, on: func(h *Host) {
		for _, v := range h.exposed {
			if s, ok := v.(S); ok {
				go func() {
					if err := f(s, h.ctx); err != nil {
						h.Log().Info(name, "error", err)
					}
				}()
				return
			}
		}
	}}
	return sim.Action[*Program]{
		Name: name,
		When: func(p *Program) bool { return p.exposes(reflect.TypeFor[S]()) },
		Do: func(p *Program, env sim.Env) {
			if t := simext.Traced(env); t != nil {
				t.Runs(f)
			}
			p.step(env, &input{kind: callInput, call: c})
		},
	}
}

// Signal returns an action that sends a signal, such as os.Interrupt or syscall.SIGTERM, to the process of a node. It reaches channels of
// signal.Notify. SIGINT and SIGTERM also cancel the context of a main function that takes one. Otherwise, main ends if it neither handles
// nor ignores the signal. The action happens at most once in the life of a node. The fields of the result may be changed.
func Signal(sig os.Signal) sim.Action[*Program] {
	c := &call{name: sig.String(), on: func(h *Host) { interrupt(h, sig) }}
	return sim.Action[*Program]{
		Name:  c.name,
		Times: 1,
		When:  func(p *Program) bool { return p.Ended == "" },
		Do:    func(p *Program, env sim.Env) { p.step(env, &input{kind: callInput, call: c}) },
	}
}

// interrupt sends the process of a host a signal between two of its steps, which ends it unless it takes the signal.
func interrupt(h *Host, sig os.Signal) {
	switch how := fmt.Sprint("signal: ", sig); {
	case h.halted || h.signal(sig):
	case h.observe != nil && stepping.now.ctl.heldBack > 0: // what it has shown is of an earlier step
		go h.exit(how)
	default:
		h.halt(how)
	}
}
