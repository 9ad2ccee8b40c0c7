package randomtests

import "slices"

// waiter is a goroutine that waits at a channel, by a case of its operation.
type waiter struct{ goroutine, arm int }

type value struct{ from int } // who has sent it

type channel struct {
	buffer             []value
	closed             bool
	senders, receivers []waiter
}

func room(c int) int {
	if c == buffered || c == signals {
		return 1
	}
	return 0
}

// arms returns the cases of an operation of a channel.
func (o op) cases() []arm {
	switch o.kind {
	case send:
		return []arm{{o.arg, true}}
	case receive:
		return []arm{{o.arg, false}}
	}
	return o.arms
}

func (s *state) ready(a arm) bool {
	if a.channel < 0 {
		return false
	}
	c := &s.channels[a.channel]
	if a.send {
		return c.closed || len(c.receivers) > 0 || len(c.buffer) < room(a.channel)
	}
	return c.closed || len(c.senders) > 0 || len(c.buffer) > 0
}

// communicate executes a case that is ready.
func (s *state) communicate(g, index int, a arm) {
	c := &s.channels[a.channel]
	slot := ofSlot + a.channel
	switch {
	case a.send && c.closed:
		s.panicked = true
	case a.send && len(c.receivers) > 0:
		r := c.receivers[0]
		s.meet(g, r.goroutine, a.channel)
		s.received(r.goroutine, r.arm, g+1)
		s.sent(g, index)
	case a.send:
		s.order.both(g, slot)
		c.buffer = append(slices.Clone(c.buffer), value{g})
		s.sent(g, index)
	case len(c.buffer) > 0:
		v := c.buffer[0]
		c.buffer = nil
		s.order.both(g, slot)
		if len(c.senders) > 0 {
			w := c.senders[0]
			s.order.both(w.goroutine, slot)
			c.buffer = []value{{w.goroutine}}
			s.sent(w.goroutine, w.arm)
		}
		s.received(g, index, v.from+1)
	case len(c.senders) > 0:
		w := c.senders[0]
		s.meet(w.goroutine, g, a.channel)
		s.sent(w.goroutine, w.arm)
		s.received(g, index, w.goroutine+1)
	default:
		s.order.acquire(g, ofClose+a.channel)
		s.received(g, index, 0)
	}
}

// meet orders a sender and a receiver. One waits for the other.
func (s *state) meet(from, to, c int) {
	if room(c) > 0 {
		s.order.both(from, ofSlot+c)
		s.order.both(to, ofSlot+c)
		return
	}
	all := s.order.now[from]
	all.join(s.order.now[to])
	s.order.now[from], s.order.now[to] = all, all
	s.order.tick(from)
	s.order.tick(to)
}

func (s *state) sent(g, index int)           { s.leave(g); s.finish(g, 5*index+4) }
func (s *state) received(g, index, from int) { s.leave(g); s.finish(g, 5*index+from) }

// leave removes a goroutine from all queues.
func (s *state) leave(g int) {
	own := func(w waiter) bool { return w.goroutine == g }
	for i := range s.channels {
		c := &s.channels[i]
		c.senders = slices.DeleteFunc(slices.Clone(c.senders), own)
		c.receivers = slices.DeleteFunc(slices.Clone(c.receivers), own)
	}
	s.due[g] = 0
}

// park adds a goroutine to the queues of its cases, from the first one on. The order matters if two have the same channel.
func (s *state) park(g int, arms []arm, first int) {
	s.parked[g] = true
	for k := range arms {
		i := (first + k) % len(arms)
		a, w := arms[i], waiter{g, i}
		switch {
		case a.channel < 0:
			s.due[g] = s.instant + 1
		case a.send:
			s.channels[a.channel].senders = append(slices.Clone(s.channels[a.channel].senders), w)
		default:
			s.channels[a.channel].receivers = append(slices.Clone(s.channels[a.channel].receivers), w)
		}
	}
}

// shut closes a channel. A goroutine that waits to send panics.
func (s *state) shut(g, at int) {
	c := &s.channels[at]
	if c.closed {
		s.panicked = true
		return
	}
	s.order.merge(g, ofClose+at)
	c.closed = true
	if len(c.senders) > 0 {
		s.panicked = true
	}
	for len(c.receivers) > 0 {
		r := c.receivers[0]
		s.order.acquire(r.goroutine, ofClose+at)
		s.received(r.goroutine, r.arm, 0)
	}
}
