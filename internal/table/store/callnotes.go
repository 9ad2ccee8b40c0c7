package store

import (
	"math/bits"

	"github.com/macemc/macemc/internal/table/options"
)

// enterMonitor records the call of a monitor.
func (e *Tables) enterMonitor(id uint32, from int, event uint32) (before uint64, err error) {
	if e.Calls == nil {
		return 0, nil
	}
	e.Buf = append(e.Buf[:0], byte(from))
	e.Buf = e.Bench.AppendValue(e.Announcements.List[event], e.Buf)
	return e.Calls.Enter(options.MonitorCall, e.Monitors.List[id].Hash.Lo+ContentHash(e.Buf))
}

// NoteQuorums records the evaluation of a node's quorums on datagrams.
func (e *Tables) NoteQuorums(local uint32, items []InboxItem) (before uint64, err error) {
	if e.Calls == nil {
		return 0, nil
	}
	content := e.Locals.List[local].Hash.Lo
	for i := range items { // message numbers are reproducible in the same exploration
		content = bits.RotateLeft64(content, 17)*0x9e3779b97f4a7c15 + uint64(items[i].From)<<32 + uint64(items[i].Msg)
	}
	return e.Calls.Enter(options.GatherCall, content)
}

// NoteProperty records the evaluation of a property (-1 means all predicates) on local states outside of Check. The
// caller must call end after it. NoteProperty panics if the call is skipped.
func (e *Tables) NoteProperty(property int, locals ...uint32) (end func()) {
	c := e.Calls
	if c.Checking {
		return func() {}
	}
	content := uint64(property)
	for _, id := range locals {
		content = bits.RotateLeft64(content, 17)*0x9e3779b97f4a7c15 + e.Locals.List[id].Hash.Lo
	}
	before, err := c.Enter(options.PropertyCall, content)
	if err != nil {
		panic(err)
	}
	return func() { c.Leave(before) }
}
