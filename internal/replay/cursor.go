package replay

import (
	"errors"
	"fmt"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// ErrEnd is returned by a [Cursor] when no step is left.
var ErrEnd = errors.New("the path ends here")

var (
	errNotAtEnd = errors.New("a path can only be made longer at its end, and not after a finding")
	errUncopied = errors.New("the engine does not copy states")
)

// A Cursor is a position in a path, with the world in the state of that position. It moves forward by executing steps,
// and back by executing again from the start or from the last stored state, see [Cursor.Keep].
type Cursor struct {
	run    *Run
	opts   kernel.Options
	path   choose.Path
	src    choose.Prefix
	short  error // a question without an answer in the path
	failed error // a finding or a mismatch of the path; nothing can follow
	keep   *checkpoints
	traced *Cursor // for Record
	places *Places // of a traced cursor
}

// NewCursor returns a cursor at the first state of a new world of sys. Its methods execute path, which is not
// copied and must not change. The error is about the system, or a finding of the first boots. With a finding the
// cursor is returned, too.
func NewCursor(sys *sim.System, path choose.Path, opts kernel.Options) (*Cursor, error) {
	w, err := kernel.NewWorld(sys, opts)
	if err != nil {
		return nil, err
	}
	c := &Cursor{run: NewRun(w), opts: opts, path: path}
	return c, c.start()
}

// World returns the world, in the state after [Cursor.Steps] steps.
func (c *Cursor) World() kernel.World { return c.run.World }

// Path returns the whole path, which belongs to the cursor.
func (c *Cursor) Path() choose.Path { return c.path }

// Pos returns the length of the executed part of the path.
func (c *Cursor) Pos() int { return c.src.Pos() }

// Steps returns the number of executed steps.
func (c *Cursor) Steps() int { return c.run.Steps() }

// AtEnd reports whether no step is left, or a finding ended the run.
func (c *Cursor) AtEnd() bool { return c.failed != nil || c.src.Done() }

// Next executes the next step of the path. The error is the step's finding, or describes why the path does not fit. At
// the end of the path it is [ErrEnd].
func (c *Cursor) Next() error {
	index, err := c.peek()
	if err != nil {
		return err
	}
	c.src.Take()
	err = c.check(c.run.Step(index, &c.src))
	if c.keep != nil {
		c.note()
	}
	return err
}

// Peek returns the next event of the path and its index, without executing it. The error is that of [Cursor.Next].
func (c *Cursor) Peek() (index int, ev netmodel.Event, err error) {
	if index, err = c.peek(); err == nil {
		ev, _ = c.run.Event(index)
	}
	return index, ev, err
}

// To moves to the state after n steps, forward or back; 0 is the first state. If the path is shorter, To moves to
// its end and returns [ErrEnd]. Other errors are those of [Cursor.Next].
func (c *Cursor) To(n int) error {
	at := c.run.Steps()
	// A copy of the first state lacks what the first boots did, which a recording shows.
	if s := c.keep.before(n); s != nil && n > 0 && (n < at || s.Steps() > at) {
		if err := c.resume(s); err != nil {
			return err
		}
	} else if n < at {
		if err := c.start(); err != nil {
			return err
		}
	}
	for c.run.Steps() < n {
		if err := c.Next(); err != nil {
			return err
		}
	}
	return nil
}

// start moves to the first state.
func (c *Cursor) start() error {
	c.failed, c.short = nil, nil
	c.src = choose.Prefix{Path: c.path, Then: choose.SourceFunc(func(p choose.Point) int {
		if c.short == nil {
			c.short = fmt.Errorf("the path ends before the question %q", p.Label)
		}
		return 0
	})}
	return c.check(c.run.Start(&c.src))
}

// peek returns the index of the next event, and checks that it fits the state.
func (c *Cursor) peek() (int, error) {
	if c.AtEnd() {
		return 0, ErrEnd
	}
	index := int(c.path[c.src.Pos()])
	fits := index >= 0
	if fits {
		_, fits = c.run.Event(index)
	}
	if !fits {
		n := len(c.run.World.Enabled()) + len(c.run.World.Injections(nil))
		c.failed = fmt.Errorf("step %d: the path picks event %d, but only %d can happen (counted from 0)",
			c.run.Steps()+1, index, n)
		return 0, c.failed
	}
	return index, nil
}

// check returns a mismatch of the path, if there is one, in place of the step's error.
func (c *Cursor) check(err error) error {
	mismatch := c.short
	if e := c.src.Err(); e != nil {
		mismatch = e
	}
	switch {
	case mismatch == nil:
	case c.run.Steps() == 0:
		err = fmt.Errorf("first boots: %w", mismatch)
	default:
		err = fmt.Errorf("step %d: %w", c.run.Steps(), mismatch)
	}
	c.failed = err
	return err
}
