package table

import (
	"cmp"
	"context"
	"errors"
)

// DefaultLimit is how many entries the tables of a world hold before they are dropped, when no run is
// under way: local states, steps, and what is in flight between two nodes.
const DefaultLimit = 1 << 19

// entrySize is about the memory that an entry takes, all told.
const entrySize = 1 << 10

// Limit changes the number of entries.
func (w *World) Limit(entries int) { w.most = entries }

// full reports whether the tables are to be dropped.
func (w *World) full() bool { return !w.saved && w.entries() > w.most }

func (e *engine) entries() int {
	return len(e.locals.list) + len(e.steps.leaves) + len(e.conns.list) + len(e.bags.list)
}

// errLimit says that an exploration is to stop in the middle of a state.
var errLimit = errors.New("a limit was reached")

// limitBy has limits looked at while one state is expanded, too: it may have very many successors.
func (x *explorer) limitBy(ctx context.Context) {
	limit := func() error {
		switch {
		case ctx.Err() != nil:
			x.limited = "interrupted"
		case x.opts.MaxBytes > 0 && x.inUse()+x.found.bytesUsed() > x.opts.MaxBytes:
			x.limited = "memory"
		default:
			return nil
		}
		return errLimit
	}
	x.answers.limit, x.sites.answers.limit = limit, limit
}

// unlimited undoes limitBy.
func (x *explorer) unlimited() {
	x.answers.limit, x.sites.answers.limit, x.sites.limited = nil, nil, nil
}

// inUse is about the memory that is taken, once there is room for some more states.
func (x *explorer) inUse() int {
	if x.deep != nil {
		return x.deep.soon()
	}
	return x.soon()
}

// stopped makes of errLimit the reason why the exploration stopped.
func (x *explorer) stopped(err error) error {
	if errors.Is(err, errLimit) {
		x.out.Stopped = cmp.Or(x.out.Stopped, x.limited)
		return nil
	}
	return err
}

// bytesUsed is about the memory that the successors take.
func (f *successors) bytesUsed() int {
	return 4*cap(f.ends) + cap(f.notes) + 8*cap(f.prints) + 8*cap(f.others) + 8*cap(f.changes) + 32*cap(f.tops)
}
