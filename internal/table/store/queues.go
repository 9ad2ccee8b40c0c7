package store

import "slices"

// Queues interns lists of messages. Number 0 is the empty list. Random runs create so many that the lists are
// stored without pointers, in a few large pieces, to spare the garbage collector.
type Queues struct {
	List   Pages[queue]
	items  [][]uint32 // storage of all lists
	stored int        // number of stored items
	pushes Memo       // queue and message -> the queue with the message at its end
	slots  []uint32   // by hash of the messages: numbers plus one, open addressing
	shift  uint
	draft  []uint32 // scratch
}

// queue locates the messages of a list.
type queue struct {
	piece, begin, n uint32
	rest            uint32 // the list without its first message, plus one; 0: unknown
}

// itemsPiece is the minimum number of items allocated at once.
const itemsPiece = 1 << 12

func (q *Queues) Init() { q.Intern(nil) }

// Of returns the messages of a queue, which must not be changed.
func (q *Queues) Of(id uint32) []uint32 {
	o := q.List.At(id)
	if o.n == 0 {
		return nil
	}
	return q.items[o.piece][o.begin:][:o.n:o.n]
}

// Pushed returns a queue with a message appended.
func (q *Queues) Pushed(id, msg uint32) uint32 {
	key := uint64(id)<<32 | uint64(msg)
	if made, ok := q.pushes.Get(key); ok {
		return uint32(made)
	}
	q.draft = append(append(q.draft[:0], q.Of(id)...), msg)
	made := q.Intern(q.draft)
	q.pushes.Put(key, uint64(made))
	return made
}

// Popped returns a queue without its first message.
func (q *Queues) Popped(id uint32) uint32 {
	o := q.List.At(id)
	if o.rest == 0 {
		o.rest = q.Intern(q.Of(id)[1:]) + 1
	}
	return o.rest - 1
}

// Intern returns the number of a list of messages.
func (q *Queues) Intern(msgs []uint32) uint32 {
	if q.List.Len() >= len(q.slots)/2 {
		q.grow()
	}
	mask := len(q.slots) - 1
	i := q.slot(msgs)
	for ; q.slots[i] != 0; i = (i + 1) & mask {
		if id := q.slots[i] - 1; slices.Equal(q.Of(id), msgs) {
			return id
		}
	}
	id := q.List.Add(q.store(msgs))
	q.slots[i] = id + 1
	return id
}

func (q *Queues) store(msgs []uint32) queue {
	last := len(q.items) - 1
	if last < 0 || cap(q.items[last])-len(q.items[last]) < len(msgs) {
		q.items = append(q.items, make([]uint32, 0, max(itemsPiece, len(msgs))))
		last++
	}
	o := queue{piece: uint32(last), begin: uint32(len(q.items[last])), n: uint32(len(msgs))}
	q.items[last] = append(q.items[last], msgs...)
	q.stored += len(msgs)
	return o
}

// slot returns the first slot to probe for a list.
func (q *Queues) slot(msgs []uint32) int {
	h := uint64(len(msgs))
	for _, msg := range msgs {
		h = (h ^ h>>29 ^ uint64(msg)) * 0x9E3779B97F4A7C15
	}
	h ^= h >> 32
	return int(h * 0x9E3779B97F4A7C15 >> q.shift)
}

func (q *Queues) grow() {
	size := max(minMemo, 2*len(q.slots))
	q.slots, q.shift = make([]uint32, size), 64
	for s := size; s > 1; s >>= 1 {
		q.shift--
	}
	for id := range uint32(q.List.Len()) {
		i := q.slot(q.Of(id))
		for q.slots[i] != 0 {
			i = (i + 1) & (size - 1)
		}
		q.slots[i] = id + 1
	}
}

// queueSize is the approximate memory of a queue without its messages.
const queueSize = 96

func (q *Queues) bytes() int { return queueSize*q.List.Len() + 4*q.stored }
