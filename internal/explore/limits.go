package explore

import (
	"context"
	"math"
	"time"
)

// stop decides whether the exploration stops here.
// At the limit of memory, the rows of edges go first, see over.
func (l *Loop) stop(ctx context.Context) {
	l.unasked = 0
	if l.opts.Progress != nil {
		l.opts.Progress(l.out.States, l.out.Transitions, l.out.Depth, l.out.States-l.open)
	}
	switch {
	case l.opts.MaxStates > 0 && l.out.States >= l.opts.MaxStates && (l.journal == nil || !l.journal.replay):
		l.out.Stopped = StoppedStates
	case l.over(0):
		l.out.Stopped = StoppedMemory
	case ctx.Err() != nil:
		l.out.Stopped = StoppedInterrupted
	}
}

// mostLate is how long a batch may take after the context is done. Most end sooner, so that the result of an exploration
// that is interrupted before it begins is the same each time.
const mostLate = 250 * time.Millisecond

// hurry lets late cut a batch after ctx is done, because the checked code may be slow. A log needs whole batches.
func (l *Loop) hurry(ctx context.Context) (end func()) {
	if l.journal != nil {
		return func() {}
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-ended:
		case <-time.After(mostLate):
			l.overdue.Store(true)
		}
	})
	return func() { stop(); close(ended) }
}

// late returns [ErrLimit] if a batch must not be completed.
func (l *Loop) late() error {
	if !l.overdue.Load() {
		return nil
	}
	l.limited = StoppedInterrupted
	return ErrLimit
}

// Limit is called by graphs with a long-running Expand. Expand must return its result, nil or [ErrLimit].
func (l *Loop) Limit(ctx context.Context) error {
	switch {
	case ctx.Err() != nil:
		l.limited = StoppedInterrupted
	case l.over(l.batch.Bytes()):
		l.limited = StoppedMemory
	default:
		return nil
	}
	return ErrLimit
}

// room returns the number of bytes that may still be taken.
func (l *Loop) room() int {
	if l.opts.MaxBytes == 0 {
		return math.MaxInt
	}
	return max(0, l.opts.MaxBytes-l.inUse())
}

// over reports whether so many more bytes exceed the limit, even after it has dropped all rows.
func (l *Loop) over(bytes int) bool {
	if l.opts.MaxBytes == 0 || l.inUse()+bytes <= l.opts.MaxBytes {
		return false
	}
	l.rows.drop()
	return l.inUse()+bytes > l.opts.MaxBytes
}

// bytes returns the memory for the visited states, without that of the frontier.
func (l *Loop) bytes() int {
	n := l.setBytes
	if l.opts.Analysis != nil {
		n += l.opts.Analysis.Bytes()
	}
	if l.space != nil {
		n += 4 * len(l.space.numbers)
	}
	return n
}

// inUse returns the approximate memory in use, including room for some more states.
func (l *Loop) inUse() int {
	kept, waiting := l.frontier.Bytes()
	n := l.bytes() + kept + waiting + l.growth + l.graph.Bytes() + l.rows.bytes()
	if l.waiting != nil {
		n += l.waiting.spool.Bytes()
	}
	return n
}
