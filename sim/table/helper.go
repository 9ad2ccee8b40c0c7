package table

import "context"

// helper is a second worker, which looks successors up. The set of fingerprints, or of roots, is its own; batches
// of successors go to it and come back in the same order. The zero value does nothing, so that batches are
// looked up at once.
type helper struct {
	work, done chan *successors
	away       int           // batches
	back       []*successors // of these, what has come back
	free       []*successors
}

// maxAway is how many batches may be away.
const maxAway = 8

// begin starts the helper, if there is to be one.
func (x *explorer) begin() {
	h := &x.helper
	if x.opts.Go == nil {
		return
	}
	h.work, h.done = make(chan *successors, maxAway), make(chan *successors, maxAway)
	x.opts.Go(func() {
		for f := range h.work {
			x.lookUp(f)
			h.done <- f
		}
		close(h.done)
	})
}

// end waits for the helper to end. What it still looked up is dropped.
func (x *explorer) end() {
	h := &x.helper
	if h.work == nil {
		return
	}
	close(h.work)
	for range h.done {
	}
}

// dispatch has what was pushed looked up, and finishes what was looked up already. States before next
// have been expanded.
func (x *explorer) dispatch(ctx context.Context, next uint32) error {
	h, f := &x.helper, x.found
	f.next = next
	x.sift(f)
	if h.work == nil {
		x.lookUp(f)
		return x.finish(ctx, f)
	}
	h.work <- f
	h.away++
	if k := len(h.free); k > 0 {
		x.found, h.free = h.free[k-1], h.free[:k-1]
	} else {
		x.found = &successors{words: x.sites.words}
	}
	for x.out.Stopped == "" && h.away > 0 && (h.away == maxAway || len(h.back)+len(h.done) > 0) {
		if err := x.back(ctx); err != nil {
			return err
		}
	}
	return nil
}

// settle has all that was pushed looked up and finished.
func (x *explorer) settle(ctx context.Context, next uint32) error {
	if err := x.dispatch(ctx, next); err != nil {
		return err
	}
	for x.out.Stopped == "" && x.helper.away > 0 {
		if err := x.back(ctx); err != nil {
			return err
		}
	}
	return nil
}

// back finishes the next batch that comes back.
func (x *explorer) back(ctx context.Context) error {
	h := &x.helper
	var f *successors
	if len(h.back) > 0 {
		f = h.back[0]
		h.back = append(h.back[:0], h.back[1:]...)
	} else {
		f = <-h.done
	}
	h.away--
	h.free = append(h.free, f)
	return x.finish(ctx, f)
}

// calm waits until the helper has nothing to do, so that the set can be looked at.
func (x *explorer) calm() {
	h := &x.helper
	for len(h.back) < h.away {
		h.back = append(h.back, <-h.done)
	}
}
