package statespace

import (
	"cmp"
	"errors"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/internal/table/world"
)

var (
	ErrLive  = errors.New("a live state was reached")
	ErrNoFit = errors.New("table: the path does not fit the system")
)

// Onward makes an exploration begin at the end of a path, and take only steps of the recovery relation.
type Onward struct {
	Path     choose.Path
	open     bool                // the path ends inside a step
	Violated error               // the first violation; successors of violating states are not visited
	Failed   error               // the first failure of a step of the recovery relation
	wrong    map[string]struct{} // packed states with a violation
	size     int                 // of wrong, in bytes
}

// fail records a failed step.
func (o *Onward) fail(err error) { o.Failed = cmp.Or(o.Failed, err) }

// bar records a violation of a state.
func (o *Onward) bar(state []uint32, err error) {
	if o.wrong == nil {
		o.wrong = map[string]struct{}{}
	}
	o.Violated = cmp.Or(o.Violated, err)
	key := store.VectorKey(state)
	o.wrong[key] = struct{}{}
	o.size += len(key) + wrongSize
}

// wrongSize is the approximate overhead of a map entry.
const wrongSize = 32

// bars reports whether a state has a recorded violation.
func (o *Onward) bars(state []uint32) bool {
	if len(o.wrong) == 0 {
		return false
	}
	_, ok := o.wrong[store.VectorKey(state)]
	return ok
}

// bytes returns the memory in use, 0 for nil.
func (o *Onward) bytes() int {
	if o == nil {
		return 0
	}
	return o.size
}

// execute follows the path. More answers the questions of its last step that the path leaves open. Usual is false
// if those answers leave the recovery relation.
func (o *Onward) execute(w *world.World, more choose.Source) (usual bool, err error) {
	defer w.Samples.Pause()()
	pos, crashes := 0, false
	o.open = false
	src := choose.SourceFunc(func(p choose.Point) int {
		if pos < len(o.Path) {
			pos++
			return int(o.Path[pos-1])
		}
		pick := more.Choose(p)
		o.open, crashes = true, crashes || p.Kind.Class() == choose.Fault && pick != 0
		return pick
	})
	if err := w.Begin(src); err != nil {
		return !crashes, err
	}
	for pos < len(o.Path) {
		w.Refresh()
		events := w.AllEvents(nil)
		if o.open || int(o.Path[pos]) >= len(events) {
			return false, ErrNoFit
		}
		ev := events[o.Path[pos]]
		pos++
		if err := w.Advance(&ev, src); err != nil {
			return !crashes, err
		}
	}
	return !crashes, nil
}
