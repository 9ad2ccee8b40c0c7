package statespace

import (
	"cmp"
	"errors"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/internal/table/world"
)

var (
	ErrLive  = errors.New("a live state was met")
	ErrNoFit = errors.New("table: the path does not fit the system")
)

// Onward has an exploration begin at the end of a path, and take the steps of the recovery relation only.
type Onward struct {
	Path     choose.Path
	open     bool                // the step that path ends inside was asked more than it answers
	Violated error               // what is wrong with the first state with which something is, behind which nothing is visited
	Failed   error               // likewise of steps of the recovery relation, which lead nowhere
	wrong    map[string]struct{} // states with which something is wrong, packed
	size     int                 // of these, in bytes
}

// fail notes that a step failed.
func (o *Onward) fail(err error) { o.Failed = cmp.Or(o.Failed, err) }

// bar notes that something is wrong with a state.
func (o *Onward) bar(state []uint32, err error) {
	if o.wrong == nil {
		o.wrong = map[string]struct{}{}
	}
	o.Violated = cmp.Or(o.Violated, err)
	key := store.VectorKey(state)
	o.wrong[key] = struct{}{}
	o.size += len(key) + wrongSize
}

// wrongSize is about what an entry of a map takes beside its key.
const wrongSize = 32

// bars reports whether something is wrong with a state.
func (o *Onward) bars(state []uint32) bool {
	if len(o.wrong) == 0 {
		return false
	}
	_, ok := o.wrong[store.VectorKey(state)]
	return ok
}

// bytes is the memory that is kept. Nil keeps none.
func (o *Onward) bytes() int {
	if o == nil {
		return 0
	}
	return o.size
}

// execute goes to the end of the path; more answers what that leaves open of its last step. usual is false when that takes what is not in the recovery relation.
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
