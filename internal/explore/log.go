package explore

import (
	"errors"
	"iter"

	"github.com/macemc/macemc/internal/explore/graph"
)

// Log keeps the states that an exploration finds, in order, so that another one can go on where it ended. Nothing in it depends on
// the numbers in states, which are a process's own: a state is where it was found from, and by which edge.
type Log interface {
	// End is how far the log goes. The zero value: nothing is in it.
	End() Mark
	// Blocks yields what is in it, in parts, each valid until the next one.
	Blocks() iter.Seq2[*Block, error]
	// Notes are those of all blocks.
	Notes() []byte
	// Append adds what was found since the last call. The block and what is in it are the caller's. An error ends the
	// exploration; what was added before is kept.
	Append(b *Block) error
}

// LogError is an error of a log.
type LogError struct{ Err error }

func (e *LogError) Error() string { return e.Err.Error() }
func (e *LogError) Unwrap() error { return e.Err }

// Block is a part of a log.
type Block struct {
	Mark                       // behind it
	Origins      []Origin      // of the states in it; where they are from does not decrease, nor by which edge from the same state
	CacheFillers []CacheFiller // of the states that were expanded, but for those of earlier blocks; ascending
	Notes        []byte        // of the graph, see [Noting]
}

// Mark is how far an exploration came.
type Mark struct {
	States      int
	Expanded    int // states, the first ones: what was found from them is among the states
	Transitions int
	Steps       int
	Live        int
	Depth       int
	Digest      uint64 // of the fingerprints of all states, in order
}

// Origin is where a state was found.
type Origin struct {
	From      uint32 // the number of the state that it was found from, plus one; 0: it is a root
	EdgeIndex uint32 // by which edge from there
}

// CacheFiller is a state in whose expansion the graph met something for the first time. All others take known edges, so that to
// expand the cache fillers again executes all that the graph did once.
type CacheFiller struct {
	ID  uint32
	Row uint64 // hash of its edges
}

// Noting is a graph that can be logged.
type Noting interface {
	graph.Graph
	// Visit is a number that grows when something is met for the first time.
	Visit() int
	// Notes appends what is to be known of the things that were met since it was called last, so that a difference can be named.
	Notes(buf []byte) []byte
	// Resumed is told that the exploration has come to where the log ends.
	Resumed()
}

// ChangedError says that the graph is not the one that a log was written of.
type ChangedError struct{ Why string }

func (e *ChangedError) Error() string { return e.Why }

// journal is an exploration's end of a log.
type journal struct {
	log          Log
	graph        Noting
	met          int           // by the graph
	digest       uint64        // of the states
	logged       Mark          // end of the log
	cacheFillers []CacheFiller // that are not in the log yet
	block        Block         // scratch
	to           []uint32      // scratch
	replay       bool          // the log is being replayed
	at           int           // in replay: in the origins of the block
	turns        []uint32      // in replay: which edges of a state are wanted
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

// expanded notes a state that was expanded, whose edges are those from one on, if it is a cache filler.
func (j *journal) expanded(id uint32, state []uint32, e *graph.Edges, from int) {
	if met := j.graph.Visit(); met != j.met {
		j.met = met
		j.cacheFillers = append(j.cacheFillers, CacheFiller{id, j.row(state, e, from)})
	}
}

// row is a hash of the edges from one on, which lead from a state.
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

// logged takes the new states of a batch into the digest, and into the log.
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

// mark is how far the exploration came.
func (l *Loop) mark() Mark {
	o := &l.out
	return Mark{o.States, o.Expanded, o.Transitions, o.Steps, o.Live, o.Depth, l.journal.digest}
}
