package kernel

import (
	"fmt"

	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/sim"
)

// setUpTicks is how long a function of a system may take when a world is made, in units of [contain.WatchInterval]: three seconds.
const setUpTicks = 60

// Asked names checked code that is called and is neither a handler nor a property.
type Asked struct {
	Name   string
	Making bool // no system can be made without calling it: New, Late, what makes a monitor, and what a new monitor is asked
}

func askedNew(id sim.NodeID) Asked { return Asked{fmt.Sprintf("New(%d)", id), true} }

func askedLate(id sim.NodeID) Asked { return Asked{fmt.Sprintf("Late(%d)", id), true} }

func askedMaker(monitor int) Asked {
	return Asked{fmt.Sprintf("the function that makes monitor %d", monitor), true}
}

// askedOwed is for a monitor that nothing was announced to.
func askedOwed(monitor int) Asked {
	return Asked{fmt.Sprintf("Obligations() of monitor %d", monitor), true}
}

// setUp calls a function of a system when a world is made, which no search watches yet. The error says that it did not return, or
// how else it failed; what names it.
func setUp[T any](sys *sim.System, opts *Options, what Asked, f func() T) (v T, err error) {
	defer opts.asks(func() Asked { return what })()
	w := contain.NewWatch(func(ticks int) bool { return ticks >= setUpTicks })
	defer w.Ticker.Stop()
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if found, ok := r.(*sim.Finding); ok && contain.Overdue(found) {
			err = fmt.Errorf("system %q: %s does not return: it took more than %v", sys.Name, what.Name, setUpTicks*contain.WatchInterval)
			return
		}
		value, stack := contain.RaisedBy(r)
		err = fmt.Errorf("system %q: %s %s\n%s", sys.Name, what.Name, contain.PanicText(value, "panicked: %v"), stack)
	}()
	return contain.Value(w, f), nil
}

// asking is containedValue for what is neither a handler nor a property, and tells so.
func asking[T any](w *Machine, what func() Asked, f func() T) T {
	defer w.Opts.asks(what)()
	return contain.Value(w.watch, f)
}

// asks tells that checked code is called which is neither a handler nor a property, until end is called.
func (o *Options) asks(what func() Asked) (end func()) {
	tell := o.Asking
	if tell == nil {
		return func() {}
	}
	tell(what())
	return func() { tell(Asked{}) }
}
