package replay

import (
	"errors"
	"slices"
	"sort"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

const (
	mostCheckpoints = 512
	firstDistance   = 64 // steps between checkpoints, until there are too many
)

// checkpoints are stored states of a path. They are added when the path is first executed. When there are too many,
// every other one is dropped. So their number is bounded, and the distance to any step is at most the length of the
// path divided by half that number.
type checkpoints struct {
	list     []checkpoint // ascending
	distance int
	bounds   []int32 // as in [Run], for the executed steps
	sent     []int32 // by message identity, from 1 on: the sending step
	why      error   // why states cannot be copied
	borrowed bool    // owned by another cursor; read-only
}

type checkpoint struct {
	*kernel.Checkpoint
	pos int // in the path
}

// Keep enables copies of states along the path, so that visited steps are reached again in bounded time. It must be
// called before the first step. If states cannot be copied the cursor executes from the start, see
// [Cursor.Uncopied].
func (c *Cursor) Keep() {
	if c.run.Steps() > 0 {
		panic("replay: Cursor.Keep must be called before the first step")
	}
	if c.keep == nil {
		c.keep = &checkpoints{distance: firstDistance}
		c.note()
	}
}

// Uncopied returns the reason why states are not copied, or nil if they are or Keep was not called.
func (c *Cursor) Uncopied() error {
	if c.keep == nil {
		return nil
	}
	return c.keep.why
}

// Distance returns the number of steps between stored copies, or 0 if there are none.
func (c *Cursor) Distance() int {
	if c.keep == nil || c.keep.why != nil {
		return 0
	}
	return c.keep.distance
}

// SentAt returns the step that sent a message. It returns false if the cursor does not know it, see [Cursor.Keep].
func (c *Cursor) SentAt(id sim.MessageID) (step int, ok bool) {
	if c.keep == nil || id < 1 || int(id) > len(c.keep.sent) {
		return 0, false
	}
	return int(c.keep.sent[id-1]), true
}

// note adds a checkpoint after the last step if one is due.
func (c *Cursor) note() {
	k, n := c.keep, c.run.Steps()
	if k.borrowed {
		return
	}
	if n > len(k.bounds) {
		k.bounds = append(k.bounds, c.run.Bounds[len(k.bounds):]...)
	}
	w, ok := c.run.World.(kernel.Checkpointer)
	for ok && len(k.sent) < w.Identities() {
		k.sent = append(k.sent, int32(n))
	}
	if k.why != nil || c.failed != nil || n%k.distance != 0 || len(k.list) > 0 && k.list[len(k.list)-1].Steps() >= n {
		return
	}
	if !ok {
		k.why = errUncopied
		return
	}
	saved, err := w.Checkpoint()
	if err != nil {
		k.why, k.list = err, nil
		return
	}
	if k.list = append(k.list, checkpoint{saved, c.src.Pos()}); len(k.list) > mostCheckpoints {
		k.distance *= 2
		k.list = slices.DeleteFunc(k.list, func(s checkpoint) bool { return s.Steps()%k.distance != 0 })
	}
}

// before returns the last checkpoint at or before step n, or nil.
func (k *checkpoints) before(n int) *checkpoint {
	if k == nil {
		return nil
	}
	i := sort.Search(len(k.list), func(i int) bool { return k.list[i].Steps() > n })
	if i == 0 {
		return nil
	}
	return &k.list[i-1]
}

// upTo returns a copy that is limited to the first n steps.
func (k *checkpoints) upTo(n int) *checkpoints {
	c := &checkpoints{distance: k.distance, why: k.why}
	i := sort.Search(len(k.list), func(i int) bool { return k.list[i].Steps() > n })
	c.list = slices.Clone(k.list[:i])
	c.bounds = slices.Clone(k.bounds[:min(n, len(k.bounds))])
	c.sent = slices.Clone(k.sent[:sort.Search(len(k.sent), func(i int) bool { return int(k.sent[i]) > n })])
	return c
}

// resume restores a checkpoint of the path.
func (c *Cursor) resume(s *checkpoint) error {
	if err := c.run.World.(kernel.Checkpointer).Resume(s.Checkpoint); err != nil {
		return err
	}
	c.failed, c.short = nil, nil
	c.run.Path = append(c.run.Path[:0], c.path[:s.pos]...)
	c.run.Bounds = append(c.run.Bounds[:0], c.keep.bounds[:s.Steps()]...)
	c.src.Seek(s.pos)
	return nil
}

// Branch returns a new cursor after the first n steps, where its path ends, see [Cursor.Extend]. It stores states
// like c. If the error is nil c does not move.
func (c *Cursor) Branch(n int) (*Cursor, error) {
	at := c.run.Steps()
	if err := c.To(n); err != nil {
		return nil, err
	}
	b, err := NewCursor(c.run.World.System(), c.run.Path.Clone(), c.opts)
	if b == nil {
		return nil, err
	}
	if c.keep != nil {
		b.keep = c.keep.upTo(n)
	}
	if err := b.To(n); err != nil {
		return nil, err
	}
	if err := c.To(at); err != nil {
		if !errors.As(err, new(*sim.Finding)) {
			return nil, err
		}
	}
	return b, nil
}

// Extend executes the event with the given index (see [Run.Event]), with its questions answered by src, and appends
// the step to the path. The cursor must be at the end of the path. The error is the step's finding, or describes why no
// step could be made.
func (c *Cursor) Extend(index int, src choose.Source) error {
	if c.failed != nil || !c.src.Done() {
		return errNotAtEnd
	}
	if _, ok := c.run.Event(index); !ok {
		return c.run.Step(index, src)
	}
	err := c.run.Step(index, src)
	c.path = append(c.path, c.run.Path[len(c.path):]...)
	c.src.Path = c.path
	c.src.Seek(len(c.path))
	c.failed = err
	if c.keep != nil {
		c.note()
	}
	return err
}
