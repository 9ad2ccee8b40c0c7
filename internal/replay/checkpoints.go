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

// checkpoints are the states of a path that need not be computed again. They grow as the path is first
// executed; when there are too many, every other one is given up, so that their number is bounded and
// the way to any step is at most the length of the path divided by half that number.
type checkpoints struct {
	list     []checkpoint // ascending
	distance int
	bounds   []int32 // as in [Run], of the steps executed so far
	sent     []int32 // by message identity, from 1 on: the step that sent it
	why      error   // why states cannot be copied
	borrowed bool    // of another cursor, nothing is added
}

type checkpoint struct {
	*kernel.Checkpoint
	pos int // in the path
}

// Keep makes the cursor keep copies of states on its way, so that a step that it has been at is reached
// again in bounded time. It must be called before the first step. States that cannot be copied are
// reached by executing from the start as ever, see [Cursor.Uncopied].
func (c *Cursor) Keep() {
	if c.run.Steps() > 0 {
		panic("replay: Cursor.Keep must be called before the first step")
	}
	if c.keep == nil {
		c.keep = &checkpoints{distance: firstDistance}
		c.note()
	}
}

// Uncopied says why states are not copied; nil when they are, or when none was to be.
func (c *Cursor) Uncopied() error {
	if c.keep == nil {
		return nil
	}
	return c.keep.why
}

// Distance is how many steps lie between the copies that are kept; 0: none are.
func (c *Cursor) Distance() int {
	if c.keep == nil || c.keep.why != nil {
		return 0
	}
	return c.keep.distance
}

// SentAt returns the step that sent the message of an identity; false when the cursor has not kept
// that, see [Cursor.Keep].
func (c *Cursor) SentAt(id sim.MessageID) (step int, ok bool) {
	if c.keep == nil || id < 1 || int(id) > len(c.keep.sent) {
		return 0, false
	}
	return int(c.keep.sent[id-1]), true
}

// note keeps what is worth keeping of the step that was executed last.
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

// before returns the last checkpoint that is not beyond step n, nil when there is none.
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

// upTo returns a copy that knows the first n steps only.
func (k *checkpoints) upTo(n int) *checkpoints {
	c := &checkpoints{distance: k.distance, why: k.why}
	i := sort.Search(len(k.list), func(i int) bool { return k.list[i].Steps() > n })
	c.list = slices.Clone(k.list[:i])
	c.bounds = slices.Clone(k.bounds[:min(n, len(k.bounds))])
	c.sent = slices.Clone(k.sent[:sort.Search(len(k.sent), func(i int) bool { return int(k.sent[i]) > n })])
	return c
}

// resume goes to a checkpoint of the path.
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

// Branch returns a cursor of its own that stands after the first n steps, where its path ends; see
// [Cursor.Extend]. It keeps states like c, which stays where it is if the error is nil.
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

// Extend executes the event with the given index (see [Run.Event]), its questions answered by src, and adds
// the step to the path, at whose end the cursor must stand. The error is the step's finding, or says
// why no step could be made.
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
