package table

import (
	"context"
	"errors"
	"slices"

	"github.com/macemc/macemc/choose"
)

// path returns the path to a state (plus one; 0: the start), and if event is not negative to what a step
// from there came to.
func (x *explorer) path(state uint32, event int, picks choose.Path) choose.Path {
	var chain []uint32 // latest first
	for s := state; s != 0; s = x.parent(s - 1) {
		chain = append(chain, s-1)
	}
	slices.Reverse(chain)
	path := x.along(chain)
	if event >= 0 {
		path = append(path, int32(event))
	}
	return append(path, picks...)
}

// along returns the path through some states, each of which was found from the one before.
func (x *explorer) along(chain []uint32) (path choose.Path) {
	defer x.w.samples.pause()()
	var from []uint32
	for _, to := range x.vectors(chain) {
		path = append(path, x.between(from, to)...)
		from = to
	}
	return path
}

// vectors returns the world's vectors of some states, in ascending order. Fingerprints do not tell them, but
// states are found in the same order again.
func (x *explorer) vectors(ids []uint32) (vectors [][]uint32) {
	if x.prints == nil {
		tree := make([]uint32, x.seen.size())
		for _, id := range ids {
			x.seen.unfold(id, tree)
			vectors = append(vectors, x.unpacked(tree[:x.sites.words]))
		}
		return vectors
	}
	again := newExplorer(x.w.engine, ExploreOptions{Visited: x.opts.Visited})
	defer again.close()
	defer x.w.bench.ShowInFlight(x.w.inFlight) // again took the engine's view
	again.capture, again.barred = capture{ids: ids}, x.barred
	if len(ids) > 0 && again.run(context.Background()) != errCaptured {
		panic("table: a state is not found again")
	}
	for _, v := range again.capture.vectors {
		vectors = append(vectors, x.unpacked(v))
	}
	return vectors
}

func (x *explorer) unpacked(packed []uint32) []uint32 {
	v := make([]uint32, len(x.w.v))
	x.sites.unpack(packed, v)
	return v
}

// capture keeps the packed vectors of some states when they are found.
type capture struct {
	ids     []uint32 // that are still to come, in ascending order; nil: nothing is captured
	vectors [][]uint32
}

var errCaptured = errors.New("all states were captured")

// take takes the vector of a state.
func (c *capture) take(id uint32, v []uint32) error {
	if c.ids[0] != id {
		return nil
	}
	c.vectors = append(c.vectors, slices.Clone(v))
	if c.ids = c.ids[1:]; len(c.ids) == 0 {
		return errCaptured
	}
	return nil
}

// between finds the step from one state to another, or, when from is nil, the answers by which the
// start leads there.
func (x *explorer) between(from, to []uint32) choose.Path {
	w := x.w
	var answers choose.Enumerate
	try := func(do func() error) (choose.Path, bool) {
		for answers = (choose.Enumerate{}); answers.Next(); {
			if do() == nil && slices.Equal(w.v, to) {
				return answers.Path(), true
			}
		}
		return nil, false
	}
	if from == nil {
		path, ok := try(func() error {
			_, err := x.begins(&answers)
			return err
		})
		if ok && x.onward != nil {
			return append(x.onward.path.Clone(), path...)
		}
		if ok {
			return path
		}
		panic("table: the first state cannot be reached again")
	}
	w.restore(from)
	for i, ev := range w.list(nil) {
		path, ok := try(func() error {
			w.restore(from)
			return w.advance(ev, &answers)
		})
		if ok {
			return append(choose.Path{int32(i)}, path...)
		}
	}
	panic("table: a state cannot be reached again from the state before it")
}
