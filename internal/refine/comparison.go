package refine

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/table/refinement"
)

// system is one side of a comparison.
type system interface {
	Len() int
	Roots() ([]refinement.Transition, error)
	From(id uint32) ([]refinement.Transition, error)
	silence(ctx context.Context) (silence, error)
}

// silence is [refinement.Silence].
type silence interface {
	May(id uint32) bool
	Run(id uint32) (steps []uint32, round int)
}

type tables struct{ *refinement.Transitions }

func (t tables) silence(ctx context.Context) (silence, error) { return t.Silence(ctx) }

// comparison visits pairs of a state of the implementation and a set of states of the abstraction.
type comparison struct {
	impl, abs system
	most      int

	pairs   []pair
	visited map[uint32][]uint32 // sets, by state
	covered int
	largest int

	sets  [][]uint32 // ascending, closed under unobservable steps
	ids   map[string]uint32
	after map[uint64]uint32 // set and label -> set

	covers func(small, large []uint32) bool // contains, except in tests
}

type pair struct {
	state, set uint32
	from       int    // index of a pair; -1 for a root
	step       uint32 // from there; the number of the root
	label      uint32
}

type kind uint8

const (
	same kind = iota
	differs
	undecided
)

// found is the result of a comparison.
type found struct {
	kind  kind
	why   string
	root  int
	trace []uint32 // labels
	steps []uint32
	round int
}

func newComparison(impl, abs system, most int) *comparison {
	return &comparison{
		impl: impl, abs: abs, most: most, covers: contains,
		visited: map[uint32][]uint32{}, ids: map[string]uint32{}, after: map[uint64]uint32{},
	}
}

func (c *comparison) run(ctx context.Context) (found, error) {
	f, err := c.traces(ctx)
	if err != nil || f.kind != same {
		return f, err
	}
	return c.silences(ctx)
}

// start adds the initial pairs.
func (c *comparison) start() (found, error) {
	mine, err := c.impl.Roots()
	if err != nil {
		return found{}, err
	}
	theirs, err := c.abs.Roots()
	if err != nil {
		return found{}, err
	}
	for k, r := range mine {
		var set []uint32
		for _, s := range theirs {
			if s.Label == r.Label {
				set = append(set, s.To)
			}
		}
		if len(set) == 0 {
			return found{kind: differs, why: OtherStart, root: k}, nil
		}
		id, err := c.set(set)
		if err != nil {
			return found{}, err
		}
		c.add(pair{r.To, id, -1, uint32(k), 0})
	}
	return found{}, nil
}

// traces searches for an observation that the abstraction cannot make.
func (c *comparison) traces(ctx context.Context) (found, error) {
	f, err := c.start()
	if err != nil || f.kind != same {
		return f, err
	}
	for k := 0; k < len(c.pairs); k++ {
		if why := c.limit(ctx); why != "" {
			return found{kind: undecided, why: why}, nil
		}
		p := c.pairs[k]
		row, err := c.impl.From(p.state)
		if err != nil {
			return f, err
		}
		for n, step := range row {
			next := pair{step.To, p.set, k, uint32(n), step.Label}
			if step.Label != 0 {
				if next.set, err = c.post(p.set, step.Label); err != nil {
					return f, err
				}
				if why := c.limit(ctx); why != "" {
					return found{kind: undecided, why: why}, nil // the set may lack states
				}
				if len(c.sets[next.set]) == 0 {
					f := c.to(k)
					f.kind, f.why = differs, NeverDone
					f.trace, f.steps = append(f.trace, step.Label), append(f.steps, uint32(n))
					return f, nil
				}
			}
			c.add(next)
		}
	}
	if why := c.limit(ctx); why != "" {
		return found{kind: undecided, why: why}, nil
	}
	return found{}, nil
}

// silences searches for a pair in which only the implementation may fall silent, once all pairs are known.
func (c *comparison) silences(ctx context.Context) (found, error) {
	mine, err := c.impl.silence(ctx)
	if err != nil {
		return c.unless(ctx, err)
	}
	theirs, err := c.abs.silence(ctx)
	if err != nil {
		return c.unless(ctx, err)
	}
	for k, p := range c.pairs {
		if !mine.May(p.state) || slices.ContainsFunc(c.sets[p.set], theirs.May) {
			continue
		}
		f := c.to(k)
		f.kind, f.why = differs, MustGoOn
		steps, round := mine.Run(p.state)
		f.steps, f.round = append(f.steps, steps...), round
		return f, nil
	}
	return found{}, nil
}

// unless returns err, or the verdict undecided if the context has ended.
func (c *comparison) unless(ctx context.Context, err error) (found, error) {
	if ctx.Err() != nil {
		return found{kind: undecided, why: c.limit(ctx)}, nil
	}
	return found{}, err
}

// limit returns the reason why the comparison must stop, or an empty string.
func (c *comparison) limit(ctx context.Context) string {
	switch {
	case ctx.Err() != nil:
		return "the time limit was reached"
	case c.impl.Len() > c.most:
		return fmt.Sprintf("the implementation has more than %d states", c.most)
	case c.abs.Len() > c.most:
		return fmt.Sprintf("the abstraction has more than %d states", c.most)
	case len(c.pairs) > c.most:
		return fmt.Sprintf("there are more than %d pairs of states to compare", c.most)
	}
	return ""
}

// to returns the way to a pair.
func (c *comparison) to(k int) (f found) {
	for ; c.pairs[k].from >= 0; k = c.pairs[k].from {
		p := c.pairs[k]
		f.steps = append(f.steps, p.step)
		if p.label != 0 {
			f.trace = append(f.trace, p.label)
		}
	}
	f.root = int(c.pairs[k].step)
	slices.Reverse(f.steps)
	slices.Reverse(f.trace)
	return f
}

// add adds a pair unless another one covers it.
func (c *comparison) add(p pair) {
	for _, have := range c.visited[p.state] {
		if have == p.set {
			return
		}
		if c.covers(c.sets[have], c.sets[p.set]) {
			c.covered++
			return
		}
	}
	c.visited[p.state] = append(c.visited[p.state], p.set)
	c.pairs = append(c.pairs, p)
	c.largest = max(c.largest, len(c.sets[p.set]))
}

// post returns the set of states after an observation.
func (c *comparison) post(set, label uint32) (uint32, error) {
	key := uint64(set)<<32 | uint64(label)
	if id, ok := c.after[key]; ok {
		return id, nil
	}
	var to []uint32
	for _, state := range c.sets[set] {
		row, err := c.abs.From(state)
		if err != nil {
			return 0, err
		}
		for _, step := range row {
			if step.Label == label {
				to = append(to, step.To)
			}
		}
	}
	id, err := c.set(to)
	c.after[key] = id
	return id, err
}

// set returns the number of a set of states, closed under unobservable steps.
func (c *comparison) set(states []uint32) (uint32, error) {
	in := map[uint32]bool{}
	var all []uint32
	add := func(s uint32) {
		if !in[s] {
			in[s] = true
			all = append(all, s)
		}
	}
	for _, s := range states {
		add(s)
	}
	for k := 0; k < len(all); k++ {
		if c.abs.Len() > c.most {
			break // limit reports it
		}
		row, err := c.abs.From(all[k])
		if err != nil {
			return 0, err
		}
		for _, step := range row {
			if step.Label == 0 {
				add(step.To)
			}
		}
	}
	slices.Sort(all)
	var key []byte
	for _, s := range all {
		key = binary.LittleEndian.AppendUint32(key, s)
	}
	id, ok := c.ids[string(key)]
	if !ok {
		id = uint32(len(c.sets))
		c.ids[string(key)] = id
		c.sets = append(c.sets, all)
	}
	return id, nil
}

// contains reports whether large contains all elements of small. Both are ascending.
func contains(small, large []uint32) bool {
	if len(small) > len(large) {
		return false
	}
	i := 0
	for _, s := range small {
		for i < len(large) && large[i] < s {
			i++
		}
		if i == len(large) || large[i] != s {
			return false
		}
	}
	return true
}
