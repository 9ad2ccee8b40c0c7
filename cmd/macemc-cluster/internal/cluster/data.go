package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/shard"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/superstep"
)

// data implements [superstep.Data] for the states of a system.
type data struct {
	m          *member
	shard      *shard.Shard
	owner      []sim.NodeID  // by part
	packs      []*shard.Pack // by member; nil if nothing was sent to it
	send       func(to sim.NodeID, content any)
	logs       archive
	read       [parts]bool // by part: its log was read, and no other process wrote to it
	end        *Why        // why the search ends; nil if it goes on
	missing    bool        // something is missing, or cannot be had from the server
	impossible bool        // this superstep cannot be completed here
	budget     time.Duration
	moved      traffic
	other      sim.NodeID // the worker that wrote the data being read; 0 if unknown
	witnesses  []byte     // scratch: witnesses of states for comparison
	memory     int        // bytes; 0 means no limit
	mark       func(part, number uint32, nothing bool)
}

// traffic counts what a worker has sent.
type traffic struct{ states, bytes, logged, logBytes, compared int }

const (
	packStates = 8192
	packBytes  = largest / 2
)

// newData prepares a search.
func newData(m *member, sys *sim.System, opts options.Options) (*data, error) {
	d := &data{m: m, packs: make([]*shard.Pack, members+1), budget: 500 * time.Millisecond}
	var err error
	if d.shard, err = shard.New(sys, opts, parts, m.Cut, d.sendToOwner); err != nil {
		return nil, err
	}
	d.logs = archive{run: m.run, shard: d.shard}
	_, err = d.shard.Roots() // creates the content of the first states
	return d, err
}

// Why is the reason to end a search.
type Why struct {
	Kind   string          `json:"kind"` // "found", "depth", "memory", "error", "interrupted", "stuck", "died", "differs"
	Text   string          `json:"text,omitempty"`
	Worker sim.NodeID      `json:"worker,omitempty"`
	Source *explore.Source `json:"source,omitempty"` // of the finding
	AtEdge bool            `json:"at_edge,omitempty"`
	// The difference: the other worker (0 if unknown), and the witnesses of both, see [shard.Shard.Witness].
	Other   sim.NodeID `json:"other,omitempty"`
	Witness uint64     `json:"witness,omitempty"`
	Theirs  uint64     `json:"theirs,omitempty"` // 0 if unknown
}

func (w Why) String() string {
	text, _ := json.Marshal(w)
	return string(text)
}

// halt returns the reason as superstep passes it on. It returns "" if the search goes on.
func (w *Why) halt() string {
	if w == nil {
		return ""
	}
	return w.String()
}

// failed handles an error of the shard.
func (d *data) failed(err error) {
	var found *explore.FoundError
	var differs *shard.DiffersError
	switch {
	case err == nil:
	case errors.Is(err, errUnread):
		d.missing, d.impossible = true, true
	case d.end != nil:
	case errors.As(err, &differs):
		d.differs(differs.Source, d.other, differs.Witness, 0)
	case errors.As(err, &found):
		d.end = &Why{Kind: "found", Text: err.Error(), Worker: d.m.self, Source: &found.Source, AtEdge: found.AtEdge}
	default:
		d.end = &Why{Kind: "error", Text: err.Error(), Worker: d.m.self}
	}
}

// Renew implements [superstep.Data]. Accepted states remain accepted, since they are reachable.
func (d *data) Renew(c *superstep.Commit, self sim.NodeID) {
	d.owner, d.missing, d.impossible = c.Owner, false, false
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

// Logged implements [superstep.Data]. Ask has done its work.
func (d *data) Logged(superstep.Log, *superstep.Commit) {}

// Read implements [superstep.Data].
func (d *data) Read(c *superstep.Commit, self sim.NodeID) bool {
	for i, owner := range c.Owner {
		if owner == self && !d.read[i] {
			return false
		}
	}
	return !d.impossible
}

// Pending implements [superstep.Data].
func (d *data) Pending() bool {
	for i := range d.read {
		if d.shard.Has(i) && d.shard.Len(i) > d.m.seen[i].len && d.end == nil {
			return true
		}
	}
	return d.impossible
}

// Say implements [superstep.Data].
func (d *data) Say(done *superstep.Done) {
	done.Next, done.Len, done.Edges, done.Halt = make([]int, parts), make([]int, parts), make([]int, parts), d.end.halt()
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
		d.end = &Why{Kind: "depth"}
		return
	}
	if d.memory > 0 && d.shard.Bytes() > d.memory {
		d.end = &Why{Kind: "memory", Worker: d.m.self}
		return
	}
	defer d.unmark()
	deadline := time.Now().Add(d.budget)
	d.failed(d.shard.Expand(c.Until, func() bool { return time.Now().After(deadline) }))
	if sampled := d.shard.Sampled(); len(sampled) > 0 && d.end == nil {
		d.failed(errors.New("checked code makes a choice with too many alternatives to enumerate: a cluster does not sample"))
	}
	for to, pack := range d.packs {
		if pack != nil {
			d.flush(sim.NodeID(to), pack)
		}
	}
	d.sample(env.Self(), c)
}

// unmark records that no steps are being executed.
func (d *data) unmark() {
	if d.mark != nil {
		d.mark(0, 0, true)
	}
}

// sendToOwner sends a state to the owner of its part.
func (d *data) sendToOwner(part int, state []uint32, from explore.Source) {
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

func (d *data) flush(to sim.NodeID, pack *shard.Pack) {
	if n, _ := pack.Len(); n > 0 {
		content := pack.Take()
		d.moved.states, d.moved.bytes = d.moved.states+n, d.moved.bytes+len(content)
		d.send(to, append(content, batchOfStates))
	}
}

// The last byte of a batch is its kind.
const (
	batchOfStates = iota
	batchOfSample // expanded states with their witnesses
)

// Take implements [superstep.Data].
func (d *data) Take(_ sim.Env, from sim.NodeID, content any) {
	if d.end != nil || d.impossible {
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
		err = fmt.Errorf("data from worker %d: %w", from, err)
	}
	d.failed(err)
}

// stateOf returns a state in the log of any part.
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
