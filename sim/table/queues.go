package table

import "slices"

// queues interns lists of messages: each but the empty one, which is number 0, is another one with a message at its end.
type queues struct {
	list pages[queue]
	made memo // of a queue and a message: the queue with the message at its end
}

type queue struct {
	before uint32 // all but the last message
	last   uint32
	first  uint32
	rest   uint32 // all but the first message, plus one; 0: not known
	n      uint32
}

func (q *queues) at(id uint32) *queue {
	if q.list.len() == 0 {
		q.list.add(queue{})
	}
	return q.list.at(id)
}

// pushed is a queue with a message at its end.
func (q *queues) pushed(id, msg uint32) uint32 {
	key := uint64(id)<<32 | uint64(msg)
	if made, ok := q.made.get(key); ok {
		return uint32(made)
	}
	before := q.at(id)
	next := queue{before: id, last: msg, first: before.first, n: before.n + 1}
	if before.n == 0 {
		next.first = msg
	}
	made := q.list.add(next)
	q.made.put(key, uint64(made))
	return made
}

// popped is a queue without its first message.
func (q *queues) popped(id uint32) uint32 {
	switch o := *q.at(id); {
	case o.n == 1:
		return 0
	case o.rest > 0:
		return o.rest - 1
	default:
		rest := q.pushed(q.popped(o.before), o.last)
		q.at(id).rest = rest + 1
		return rest
	}
}

// appendTo appends the messages of a queue.
func (q *queues) appendTo(buf []uint32, id uint32) []uint32 {
	n := int(q.at(id).n)
	buf = slices.Grow(buf, n)[:len(buf)+n]
	for at := len(buf); n > 0; n-- {
		at--
		o := q.list.at(id)
		buf[at], id = o.last, o.before
	}
	return buf
}
