package kernel

import (
	"fmt"
	"strings"

	"github.com/macemc/macemc/sim"
)

// setUpTicks is how long a function of a system may take when a world is made, in units of [WatchInterval]: three seconds.
const setUpTicks = 60

// Functions that a system is made by have these names in what [Options].Asking is told.

func nameOfNew(id sim.NodeID) string { return fmt.Sprintf("New(%d)", id) }

func nameOfLate(id sim.NodeID) string { return fmt.Sprintf("Late(%d)", id) }

func nameOfMaker(monitor int) string {
	return fmt.Sprintf("the function that makes monitor %d", monitor)
}

// Makes reports whether that is the name of New, Late, what makes a monitor, or what one of these is asked at first, as [Options].Asking is
// told it.
func Makes(what string) bool {
	for _, prefix := range []string{"New(", "Late(", "the function that makes monitor ", "what monitor "} {
		if strings.HasPrefix(what, prefix) {
			return true
		}
	}
	return false
}

// setUp calls a function of a system when a world is made, which no search watches yet. The error says that it did not return, or
// how else it failed; what is its name.
func setUp[T any](sys *sim.System, opts *Options, what string, f func() T) (v T, err error) {
	defer opts.asks(func() string { return what })()
	w := newWatch(func(ticks int) bool { return ticks >= setUpTicks })
	defer w.ticker.Stop()
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if found, ok := r.(*sim.Finding); ok && Overdue(found) {
			err = fmt.Errorf("system %q: %s does not return: it took more than %v", sys.Name, what, setUpTicks*WatchInterval)
			return
		}
		value, stack := raisedBy(r)
		err = fmt.Errorf("system %q: %s %s\n%s", sys.Name, what, panicText(value, "panicked: %v"), stack)
	}()
	return containedValue(w, f), nil
}
