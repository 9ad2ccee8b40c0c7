package store

import "slices"

// connEffect is the effect of an operation on all connections of one shape: equal flags, and equal queue lengths.
type connEffect struct {
	flags  [2]uint8
	Queues [2]queueChange
	err    uint8 // the error that OpError delivers
}

// knownEffect is a cached effect.
type knownEffect struct {
	connEffect
	used uint32 // number of uses
}

// due reports whether to compare with the network model: at uses that are powers of two.
func (k *knownEffect) due() bool {
	k.used++
	return k.used&(k.used-1) == 0
}

// queueChange is the change of a queue by an operation, see [netmodel.Parted].
type queueChange uint8

const (
	Stays   queueChange = iota
	loses               // the first message
	gains               // the sent message
	emptied             // all messages are lost
)

// MostShaped is the maximum queue length of a connection with a shape, in 16 bits.
const MostShaped = 1<<16 - 1

// shape returns the shape of a connection in 49 bits, or false if it has none.
func (c *conns) shape(n *conn) (shape uint64, ok bool) {
	first, second := uint64(len(c.Queues.Of(n.queues[0]))), uint64(len(c.Queues.Of(n.queues[1])))
	return second<<33 | first<<17 | n.kind(), max(first, second) <= c.MostShaped
}

// effectKey is the cache key of an operation on a shape, independent of the message sent.
func effectKey(shape uint64, code uint32) uint64 {
	op, _, _, how := Coded(code)
	key := shape<<6 | uint64(code-1)&(1<<5-1)<<1
	if op == OpCrash {
		key |= uint64(how)
	}
	return key
}

// delivered is the content that an operation delivers: a message by OpTake, an error by OpError.
type delivered struct {
	Msg uint32
	Err uint8
}

// observe derives the effect of an operation from the connection before and after it. It returns false if it is not
// a connEffect.
func (c *conns) observe(before, after *conn, code uint32, h delivered) (d connEffect, ok bool) {
	op, _, _, msg := Coded(code)
	d = connEffect{flags: after.Flags, err: h.Err}
	for i, id := range before.queues {
		switch was, is := c.Queues.Of(id), c.Queues.Of(after.queues[i]); {
		case slices.Equal(is, was):
			d.Queues[i] = Stays
		case len(was) > 0 && slices.Equal(is, was[1:]):
			d.Queues[i] = loses
		case op == OpSend && len(is) == len(was)+1 && is[len(was)] == msg && slices.Equal(is[:len(was)], was):
			d.Queues[i] = gains
		case len(is) == 0:
			d.Queues[i] = emptied
		default:
			return d, false
		}
	}
	return d, op != OpTake || c.taken(before, &d) == h.Msg
}

// do applies an effect to a connection.
func (c *conns) do(d *connEffect, before *conn, code uint32) (after conn, h delivered) {
	_, _, _, msg := Coded(code)
	after = *before
	after.Flags = d.flags
	for i, id := range before.queues {
		switch d.Queues[i] {
		case loses:
			after.queues[i] = c.Queues.Popped(id)
		case gains:
			after.queues[i] = c.Queues.Pushed(id, msg)
		case emptied:
			after.queues[i] = 0
		}
	}
	return after, delivered{c.taken(before, d), d.err}
}

// taken returns the message that a queue loses, or an invalid number.
func (c *conns) taken(before *conn, d *connEffect) uint32 {
	for i, id := range before.queues {
		if d.Queues[i] == loses {
			return c.Queues.Of(id)[0]
		}
	}
	return noMessage
}

const noMessage = ^uint32(0)
