package table

import "math/bits"

// calling notes the call of a handler, of that kind.
func (e *engine) calling(kind int, s *stepOf) (before uint64, err error) {
	if e.calls == nil {
		return 0, nil
	}
	e.buf = e.appendSituation(s, e.buf[:0])
	return e.calls.call(kind, hashOf(e.buf))
}

// telling notes the call of a monitor.
func (e *tables) telling(id uint32, from int, event uint32) (before uint64, err error) {
	if e.calls == nil {
		return 0, nil
	}
	e.buf = append(e.buf[:0], byte(from))
	e.buf = e.bench.AppendValue(e.events.list[event], e.buf)
	return e.calls.call(monitorCall, e.monitors.list[id].hash.Lo+hashOf(e.buf))
}

// gathering notes that the quorums of a node are asked about some datagrams.
func (e *tables) gathering(local uint32, items []inboxItem) (before uint64, err error) {
	if e.calls == nil {
		return 0, nil
	}
	content := e.locals.list[local].hash.Lo
	for i := range items { // the same exploration numbers messages as this one does
		content = bits.RotateLeft64(content, 17)*0x9e3779b97f4a7c15 + uint64(items[i].from)<<32 + uint64(items[i].msg)
	}
	return e.calls.call(gatherCall, content)
}

// asking notes that a property, or -1: the predicates of all, is asked about local states outside of check, and returns what ends that.
// It panics when that is refused.
func (e *tables) asking(property int, locals ...uint32) (end func()) {
	c := e.calls
	if c.checks {
		return func() {}
	}
	content := uint64(property)
	for _, id := range locals {
		content = bits.RotateLeft64(content, 17)*0x9e3779b97f4a7c15 + e.locals.list[id].hash.Lo
	}
	before, err := c.call(propertyCall, content)
	if err != nil {
		panic(err)
	}
	return func() { c.end(before) }
}
