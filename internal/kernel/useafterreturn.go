package kernel

import (
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/stacks"
	"github.com/macemc/macemc/sim"
)

// late records a use of the Env after its handler had returned.
// It is a finding at once, or at the next handler if a goroutine that the handler started uses the Env. Self and Nodes are
// not noticed.
func (e *env) late(what string) {
	text := fmt.Sprintf("%s: the Env of node %d was used after its handler had returned", what, e.n.ID)
	stack := string(debug.Stack())
	g := stacks.Read(stack)[0]
	if g.Creator.Function == "" || slices.ContainsFunc(g.Frames, callsChecked) {
		if kept := e.handler(); kept != "" {
			text += "; " + kept + " kept it"
		}
		e.w.end(usedAfterReturn(text + lateAdvice))
	}
	text += fmt.Sprintf("; a goroutine used it that %s started (%s)", g.Creator.Function, g.Creator.Place)
	e.w.Opts.UseAfterReturn.Record(&sim.Finding{Kind: sim.Panic, Cause: contain.UsedAfterReturn, Node: e.n.ID, Message: text + lateAdvice,
		Stack: stack})
	runtime.Goexit()
}

// usedAfterReturn is the panic value for such a use on a goroutine that calls checked code.
type usedAfterReturn string

const lateAdvice = "; macemc vet finds such uses in the source"

// callers is the path of the packages that call checked code.
var callers = reflect.TypeFor[Machine]().PkgPath()

// callsChecked reports whether a goroutine with that frame in its stack calls checked code.
func callsChecked(f stacks.Frame) bool {
	for _, caller := range []string{stacks.Methods[Machine](), callers + "/bench.(*Bench).", callers + "/runner.(*Runner).",
		contain.ContainedCreator} {
		if strings.HasPrefix(f.Function, caller) {
			return true
		}
	}
	return false
}

// handler names the handler that the Env was passed to last.
func (e *env) handler() string {
	if e.kind == eventkind.DoAction {
		return fmt.Sprintf("the action %q", e.w.Actions[e.slot].Name)
	}
	name := e.kind.Presentation().Method
	if e.n.Service == nil || name == "" || e.kind == eventkind.Internal { // its method belongs to the service that carries the code
		return ""
	}
	t := reflect.TypeOf(e.n.Service)
	if m, ok := t.MethodByName(name); ok {
		file, line := runtime.FuncForPC(m.Func.Pointer()).FileLine(m.Func.Pointer())
		return fmt.Sprintf("%v.%s (%s:%d)", t, name, file, line)
	}
	return ""
}
