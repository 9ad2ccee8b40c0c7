package explore

import (
	"errors"
	"iter"

	"github.com/macemc/macemc/internal/explore/graph"
)

// Log stores the states that an exploration finds, in order, so that another exploration can continue it. It does not
// depend on the numbers in states, which are private to a process: a state is stored as its predecessor and the index
// of the edge from there.
type Log interface {
	// End returns the position at the end of the log. The zero value means that the log is empty.
	End() Mark
	// Blocks yields the blocks of the log, each valid until the next one.
	Blocks() iter.Seq2[*Block, error]
	// Notes returns the notes of all blocks.
	Notes() []byte
	// Append adds the states found since the last call. The caller owns the block and its content. An error ends the
	// exploration. Earlier blocks are kept.
	Append(b *Block) error
}

// LogError is an error of a log.
type LogError struct{ Err error }

func (e *LogError) Error() string { return e.Err.Error() }
func (e *LogError) Unwrap() error { return e.Err }

// Block is a part of a log.
type Block struct {
	Mark                       // the position after it
	Origins      []Origin      // of its states; predecessors do not decrease, nor do edge indexes from the same predecessor
	CacheFillers []CacheFiller // among the states expanded since the last block; ascending
	Notes        []byte        // from the graph, see [Noting]
}

// Mark is a position in an exploration.
type Mark struct {
	States      int
	Expanded    int // number of expanded states, which are the first ones; all states found from them are included
	Transitions int
	Steps       int
	Live        int
	Depth       int
	Digest      uint64 // of the fingerprints of all states, in order
}

// Origin is the edge by which a state was found.
type Origin struct {
	From      uint32 // the number of its predecessor, plus one; 0 for a root
	EdgeIndex uint32 // index of the edge from there
}

// CacheFiller is a state in whose expansion the graph found something new. All other states take known edges, so
// expanding the cache fillers again repeats all work of the graph.
type CacheFiller struct {
	ID  uint32
	Row uint64 // hash of its edges
}

// Noting is a graph that can be logged.
type Noting interface {
	graph.Graph
	// Visit returns a number that grows when the graph finds something new.
	Visit() int
	// Notes appends a description of the things found since the last call, so that a difference can be named.
	Notes(buf []byte) []byte
	// Resumed is called when the exploration has reached the end of the log.
	Resumed()
}

// ChangedError reports that the graph differs from the one that a log was written from.
type ChangedError struct{ Why string }

func (e *ChangedError) Error() string { return e.Why }

// journal connects an exploration with a log.
type journal struct {
	log          Log
	graph        Noting
	met          int           // last result of graph.Visit
	digest       uint64        // of the states
	logged       Mark          // end of the log
	cacheFillers []CacheFiller // not in the log yet
	block        Block         // scratch
	to           []uint32      // scratch
	replay       bool          // the log is being replayed
	at           int           // in replay: index into the origins of the block
	edgeIndexes  []uint32      // in replay: the edge indexes wanted from a state
}

func (l *Loop) newJournal(log Log) error {
	noting, ok := l.graph.(Noting)
	switch {
	case !ok:
		return errors.New("explore: the graph cannot be logged")
	case l.ordered == nil:
		return errors.New("explore: a log is a queue, which the frontier is not")
	case l.opts.Reducer != nil:
		return errors.New("explore: what a reducer leaves out cannot be logged")
	}
	l.journal = &journal{log: log, graph: noting}
	return nil
}

// replaying reports whether the log is being replayed.
func (j *journal) replaying() bool { return j != nil && j.replay }

const mix = 0x9E3779B97F4A7C15

// expanded records an expanded state with edges from an index on, if it is a cache filler.
func (j *journal) expanded(id uint32, state []uint32, e *graph.Edges, from int) {
	if met := j.graph.Visit(); met != j.met {
		j.met = met
		j.cacheFillers = append(j.cacheFillers, CacheFiller{id, j.row(state, e, from)})
	}
}

// row returns a hash of the edges of a state, from an index on.
func (j *journal) row(state []uint32, e *graph.Edges, from int) uint64 {
	h := uint64(len(e.Ends) - from)
	for t := from; t < len(e.Ends); t++ {
		lo := e.Lo[t]
		if e.Width == 0 {
			j.to = e.To(t, state, j.to[:0])
			lo = j.graph.Fingerprint(j.to).Lo
		}
		h = (h^lo)*mix ^ uint64(e.Notes[t])
		h ^= h >> 32
	}
	return h
}

// logged adds the new states of a batch to the digest and to the log.
func (l *Loop) logged(b *Batch) error {
	j := l.journal
	if b.partial {
		return nil
	}
	d := j.digest
	for k := range b.news {
		lo := b.news[k].lo
		if b.Width == 0 {
			lo = j.graph.Fingerprint(b.vectors[k*b.words:][:b.words]).Lo
		}
		d = (d ^ lo) * mix
		d ^= d >> 32
	}
	j.digest = d
	if j.replay {
		return nil
	}
	block, n := &j.block, 0
	for n < len(j.cacheFillers) && int(j.cacheFillers[n].ID) < l.out.Expanded {
		n++
	}
	block.CacheFillers = append(block.CacheFillers[:0], j.cacheFillers[:n]...)
	j.cacheFillers = append(j.cacheFillers[:0], j.cacheFillers[n:]...)
	block.Origins = block.Origins[:0]
	for k := range b.news {
		block.Origins = append(block.Origins, b.news[k].Origin)
	}
	block.Notes = j.graph.Notes(block.Notes[:0])
	block.Mark = l.mark()
	if len(block.CacheFillers)+len(block.Notes) == 0 && block.Mark == j.logged {
		return nil
	}
	j.logged = block.Mark
	if err := j.log.Append(block); err != nil {
		return &LogError{err}
	}
	return nil
}

// mark returns the current position of the exploration.
func (l *Loop) mark() Mark {
	o := &l.out
	return Mark{o.States, o.Expanded, o.Transitions, o.Steps, o.Live, o.Depth, l.journal.digest}
}
