package cluster

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/macemc/macemc/explore"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/sim/table"
	"github.com/macemc/macemc/systems/superstep"
)

// data are the states of a system, as [superstep.Data].
type data struct {
	m      *member
	shard  *table.Shard
	owner  []sim.NodeID  // by part
	packs  []*table.Pack // by member; nil: nothing was sent to it
	send   func(to sim.NodeID, content any)
	logs   archive
	read   [parts]bool // the log of a part that it has was read, and nobody else wrote to it
	halt   string
	lost   bool // something is missing, or cannot be had from the server
	void   bool // likewise: this superstep cannot be done here any more
	budget time.Duration
	moved  traffic
	other  sim.NodeID // who has made what is read; 0: it is not known
	tells  []byte     // scratch: what is said of states that another is to expand, too
	memory int        // bytes; 0: no limit
	mark   func(part, number uint32, nothing bool)
}

// traffic is what a worker has sent.
type traffic struct{ states, bytes, logged, logBytes, compared int }

const (
	packStates = 8192
	packBytes  = largest / 2
)

// newData prepares to search.
func newData(m *member, sys *sim.System, opts table.ExploreOptions) (*data, error) {
	d := &data{m: m, packs: make([]*table.Pack, members+1), budget: 500 * time.Millisecond}
	var err error
	if d.shard, err = table.NewShard(sys, opts, parts, m.Cut, d.elsewhere); err != nil {
		return nil, err
	}
	d.logs = archive{run: m.run, shard: d.shard}
	_, err = d.shard.Roots() // what is in the first states
	return d, err
}

// Why is why a search is to end.
type Why struct {
	Kind   string          `json:"kind"` // "found", "depth", "memory", "error", "interrupted", "stuck", "died", "differs"
	Text   string          `json:"text,omitempty"`
	Worker sim.NodeID      `json:"worker,omitempty"`
	Source *explore.Source `json:"source,omitempty"` // of what was found
	AtEdge bool            `json:"at_edge,omitempty"`
	// What differs: who did something else, 0: that is not known, and what this worker and the other one come to, see [table.Shard.Witness].
	Other   sim.NodeID `json:"other,omitempty"`
	Witness uint64     `json:"witness,omitempty"`
	Theirs  uint64     `json:"theirs,omitempty"` // 0: not known
}

func (w Why) String() string {
	text, _ := json.Marshal(w)
	return string(text)
}

// failed takes an error of the shard.
func (d *data) failed(err error) {
	var found *explore.FoundError
	var differs *table.DiffersError
	switch {
	case err == nil:
	case errors.Is(err, errUnread):
		d.lost, d.void = true, true
	case d.halt != "":
	case errors.As(err, &differs):
		d.differs(differs.Source, d.other, differs.Witness, 0)
	case errors.As(err, &found):
		d.halt = Why{Kind: "found", Text: err.Error(), Worker: d.m.self, Source: &found.Source, AtEdge: found.AtEdge}.String()
	default:
		d.halt = Why{Kind: "error", Text: err.Error(), Worker: d.m.self}.String()
	}
}

// Renew implements [superstep.Data]. What was accepted stays so: it can be reached.
func (d *data) Renew(c *superstep.Commit, self sim.NodeID) {
	d.owner, d.lost, d.void = c.Owner, false, false
	d.shard.Forget()
	clear(d.packs)
	for i, owner := range c.Owner {
		if d.shard.Has(i) && (owner != self || !d.read[i] || c.Next[i] < d.shard.Held(i)) {
			d.shard.Drop(i)
		}
		d.read[i] = false
		if d.shard.Has(i) {
			d.shard.Rewind(i, c.Next[i])
		}
	}
}

// Ask implements [superstep.Data].
func (d *data) Ask(env sim.Env, c *superstep.Commit, taken bool) {
	if d.void {
		return
	}
	var full []int // parts with states that are not logged
	for i, owner := range c.Owner {
		switch {
		case owner != env.Self():
		case !d.read[i]:
			err := d.load(i, c.Next[i])
			if err == nil {
				d.m.put(0, superstep.Log{Part: i})
				continue
			}
			d.warn(i, err)
			if !retried(err) {
				d.failed(err)
				d.m.halt(d.halt) // it does not come to be done
			}
		case taken && d.shard.Len(i) > d.m.seen[i].len:
			full = append(full, i)
		}
	}
	if len(full) > 0 {
		d.write(full)
	}
}

func (d *data) warn(part int, err error) {
	if d.m.ctx.Err() == nil {
		d.m.logs.Warn("the log of a part", "part", part, "why", err)
	}
}

// retried reports whether an error is one of the server, which may be gone the next time.
func retried(err error) bool { return !errors.Is(err, errDamaged) && !errors.Is(err, errStates) }

var (
	errStates = errors.New("states of a log")
	errUnread = errors.New("a log cannot be read")
)

// load makes the states of a part what is in its log.
func (d *data) load(part, next int) error {
	r := d.m.run
	if d.shard.Has(part) {
		seq, _, err := r.end(d.m.ctx, part)
		if err != nil {
			return err
		}
		if seq == r.seen[part].last {
			d.read[part] = true
			return nil
		}
		d.shard.Drop(part) // another has written, and what is pending may be there
	}
	defer d.unmark()
	began := time.Now()
	r.seen[part] = seen{}
	d.shard.Take(part)
	restore := func() error {
		for {
			b, ok, err := r.next(d.m.ctx, part)
			if err != nil || !ok {
				return err
			}
			states, from, err := d.shard.Unpack(b.states, d.stateOf)
			if errors.Is(err, errUnread) {
				return err
			}
			words := d.shard.Words()
			for k := 0; k < len(from) && err == nil; k++ {
				err = d.shard.Restore(part, states[k*words:][:words], from[k])
			}
			if err != nil {
				return fmt.Errorf("%w: part %d: %w", errStates, part, err)
			}
		}
	}
	d.other = 0
	if err := restore(); err != nil {
		d.shard.Drop(part)
		return err
	}
	d.shard.Rewind(part, next)
	d.read[part] = true
	if n := d.shard.Len(part); n > 10_000 {
		d.m.logs.Info("a part was read", "part", part, "states", n, "took", time.Since(began).Round(time.Millisecond))
	}
	return nil
}

// write adds what was accepted to the logs of parts. A part where another has written, or may have, is to be read again.
func (d *data) write(full []int) {
	var all sync.WaitGroup
	errs := make([]error, len(full))
	for k, part := range full {
		blocks := d.pending(part)
		all.Go(func() {
			for _, b := range blocks {
				ok, err := d.m.append(d.m.ctx, part, b)
				if err == nil && !ok {
					err = errors.New("another worker has written to it")
				}
				if err != nil {
					errs[k] = err
					return
				}
			}
		})
	}
	all.Wait()
	for k, part := range full {
		if errs[k] != nil {
			d.warn(part, errs[k])
			d.m.sayFull(errs[k])
			d.read[part], d.lost, d.void = false, true, true
			continue
		}
		d.m.put(0, superstep.Log{Part: part})
	}
}

// pending is what was accepted and is not in the log of a part.
func (d *data) pending(part int) (blocks []block) {
	pack, first := d.shard.NewPack(), d.m.seen[part].len
	for at := first; at < d.shard.Len(part); at++ {
		pack.Add(d.shard.State(part, at))
		if n, bytes := pack.Len(); n >= packStates || bytes >= packBytes || at == d.shard.Len(part)-1 {
			blocks = append(blocks, block{first, n, pack.Take()})
			d.moved.logged, d.moved.logBytes = d.moved.logged+n, d.moved.logBytes+len(blocks[len(blocks)-1].states)
			first += n
		}
	}
	return blocks
}

// Logged implements [superstep.Data]: Ask has done it.
func (d *data) Logged(superstep.Log, *superstep.Commit) {}

// Read implements [superstep.Data].
func (d *data) Read(c *superstep.Commit, self sim.NodeID) bool {
	for i, owner := range c.Owner {
		if owner == self && !d.read[i] {
			return false
		}
	}
	return !d.void
}

// Pending implements [superstep.Data].
func (d *data) Pending() bool {
	for i := range d.read {
		if d.shard.Has(i) && d.shard.Len(i) > d.m.seen[i].len && d.halt == "" {
			return true
		}
	}
	return d.void
}

// Say implements [superstep.Data].
func (d *data) Say(done *superstep.Done) {
	done.Next, done.Len, done.Edges, done.Halt = make([]int, parts), make([]int, parts), make([]int, parts), d.halt
	for i := range parts {
		if d.shard.Has(i) {
			done.Next[i], done.Edges[i] = d.shard.Next(i)
			done.Len[i] = d.m.seen[i].len
		}
	}
}

// Expand implements [superstep.Data].
func (d *data) Expand(env sim.Env, c *superstep.Commit, send func(to sim.NodeID, content any)) {
	d.send = send
	for i := range parts {
		if d.shard.Has(i) {
			d.shard.Rewind(i, c.Next[i])
		}
	}
	if d.m.Depth > 0 && c.Level >= d.m.Depth {
		d.halt = Why{Kind: "depth"}.String()
		return
	}
	if d.memory > 0 && d.shard.Bytes() > d.memory {
		d.halt = Why{Kind: "memory", Worker: d.m.self}.String()
		return
	}
	defer d.unmark()
	deadline := time.Now().Add(d.budget)
	d.failed(d.shard.Expand(c.Until, func() bool { return time.Now().After(deadline) }))
	if sampled := d.shard.Sampled(); len(sampled) > 0 && d.halt == "" {
		d.failed(errors.New("checked code draws one of more alternatives than are enumerated: a cluster takes no samples"))
	}
	for to, pack := range d.packs {
		if pack != nil {
			d.flush(sim.NodeID(to), pack)
		}
	}
	d.sample(env.Self(), c)
}

// unmark says that no steps are taken.
func (d *data) unmark() {
	if d.mark != nil {
		d.mark(0, 0, true)
	}
}

// elsewhere sends a state to the member that has its part.
func (d *data) elsewhere(part int, state []uint32, from explore.Source) {
	to := d.owner[part]
	if d.packs[to] == nil {
		d.packs[to] = d.shard.NewPack()
	}
	pack := d.packs[to]
	pack.Add(state, from)
	if n, bytes := pack.Len(); n >= packStates || bytes >= packBytes {
		d.flush(to, pack)
	}
}

func (d *data) flush(to sim.NodeID, pack *table.Pack) {
	if n, _ := pack.Len(); n > 0 {
		content := pack.Take()
		d.moved.states, d.moved.bytes = d.moved.states+n, d.moved.bytes+len(content)
		d.send(to, append(content, batchOfStates))
	}
}

// The last byte of a batch says what it is.
const (
	batchOfStates = iota
	batchOfSample // of states that were expanded, and what is said of each
)

const (
	sampled   = 1000 // one of so many states is expanded by another worker, too, and the first one of a part in each superstep
	sampleTag = 16   // bytes that are said of a state: its number and its witness
)

// sample sends states that were expanded to another member, who is to come to the same.
func (d *data) sample(self sim.NodeID, c *superstep.Commit) {
	to := self
	for k := 1; k < members && to == self; k++ {
		if id := (int(self)-1+k)%members + 1; c.Incs[id-1] != 0 {
			to = sim.NodeID(id)
		}
	}
	if to == self || d.halt != "" {
		return
	}
	pack := d.shard.NewPack()
	d.tells = d.tells[:0]
	flush := func() {
		if n, _ := pack.Len(); n > 0 {
			d.send(to, append(append(pack.Take(), d.tells...), batchOfSample))
			d.tells = d.tells[:0]
		}
	}
	for i := range parts {
		if !d.shard.Has(i) {
			continue
		}
		next, _ := d.shard.Next(i)
		for n := c.Next[i]; n < next; n = (n/sampled + 1) * sampled {
			state, from := d.shard.State(i, n)
			pack.Add(state, from)
			d.tells = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(d.tells, uint64(n)), d.shard.Witness(state))
			if _, bytes := pack.Len(); bytes+len(d.tells) > packBytes {
				flush()
			}
		}
	}
	flush()
}

// compare expands states that another has expanded.
func (d *data) compare(from sim.NodeID, content []byte) error {
	n, _ := binary.Uvarint(content)
	if n > uint64(len(content)/sampleTag) {
		return errGarbage
	}
	tells := content[len(content)-int(n)*sampleTag:]
	states, _, err := d.shard.Unpack(content[:len(content)-len(tells)], d.stateOf)
	if err != nil {
		return err
	}
	for words := d.shard.Words(); len(tells) > 0; tells, states = tells[sampleTag:], states[words:] {
		number, theirs := binary.LittleEndian.Uint64(tells), binary.LittleEndian.Uint64(tells[8:])
		own := d.shard.Witness(states[:words])
		d.moved.compared++
		if own != theirs {
			at := explore.Source{Part: uint32(d.shard.Of(states[:words])), Number: uint32(number)}
			d.differs(at, from, own, theirs)
			return nil
		}
	}
	return nil
}

// differs ends the search, as another came to something else from a state.
func (d *data) differs(at explore.Source, other sim.NodeID, own, theirs uint64) {
	d.halt = Why{Kind: "differs", Worker: d.m.self, Source: &at, AtEdge: true, Other: other, Witness: own, Theirs: theirs}.String()
}

// Take implements [superstep.Data].
func (d *data) Take(_ sim.Env, from sim.NodeID, content any) {
	if d.halt != "" || d.void {
		return
	}
	defer d.unmark()
	d.other = from
	err := errGarbage
	if batch := content.([]byte); len(batch) > 0 && batch[len(batch)-1] == batchOfSample {
		err = d.compare(from, batch[:len(batch)-1])
	} else if len(batch) > 0 {
		var states []uint32
		var sources []explore.Source
		if states, sources, err = d.shard.Unpack(batch[:len(batch)-1], d.stateOf); err == nil {
			err = d.shard.Arrive(states, sources)
		}
	}
	if err != nil && d.m.ctx.Err() == nil {
		err = fmt.Errorf("what worker %d sent: %w", from, err)
	}
	d.failed(err)
}

// stateOf is a state that is in the log of any part.
func (d *data) stateOf(part, number uint32) ([]uint32, error) {
	i, n := int(part), int(number)
	if i >= parts {
		return nil, fmt.Errorf("there is no part %d", i)
	}
	if d.shard.Has(i) && n >= d.shard.Held(i) && n < d.shard.Len(i) {
		state, _ := d.shard.State(i, n)
		return state, nil
	}
	return d.logs.state(d.m.ctx, i, n, d.stateOf)
}
