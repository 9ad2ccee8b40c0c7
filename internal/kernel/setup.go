package kernel

import (
	"fmt"

	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/sim"
)

// setUpTicks is the time limit of a system's function when a world is made, in units of [contain.WatchInterval]: three
// seconds.
const setUpTicks = 60

// Asked names checked code being called that is neither a handler nor a property.
type Asked struct {
	Name   string
	Making bool // no system can be made without calling it: New, Late, a monitor's constructor, and a new monitor's obligations
}

func askedNew(id sim.NodeID) Asked { return Asked{fmt.Sprintf("New(%d)", id), true} }

func askedLate(id sim.NodeID) Asked { return Asked{fmt.Sprintf("Late(%d)", id), true} }

func askedMaker(monitor int) Asked {
	return Asked{fmt.Sprintf("the function that makes monitor %d", monitor), true}
}

// askedOwed names the Obligations call of a monitor before its first event.
func askedOwed(monitor int) Asked {
	return Asked{fmt.Sprintf("Obligations() of monitor %d", monitor), true}
}

// setUp calls a function of a system while a world is made, before any search watches it. The error reports that it did
// not return, or how else it failed; what names it.
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

// asking calls a function that is neither a handler nor a property, contained, and reports the call to Options.Asking.
func asking[T any](w *Machine, what func() Asked, f func() T) T {
	defer w.Opts.asks(what)()
	return contain.Value(w.watch, f)
}

// asks reports to Asking that checked code other than a handler or a property is called, until end is called.
func (o *Options) asks(what func() Asked) (end func()) {
	tell := o.Asking
	if tell == nil {
		return func() {}
	}
	tell(what())
	return func() { tell(Asked{}) }
}
