package search

import "time"

// meter compares the speed of both engines while they are used in turn. The slower one gets a small share of the
// time, so that it is noticed when it becomes the faster one: tables fill, runs get longer.
type meter struct {
	best   int              // the engine that is used but for measuring
	all    [2]time.Duration // processor time
	events [2]int
	recent [2]recent
}

// recent is what an engine did lately; events of longer ago count less and less.
type recent struct{ events, seconds float64 }

const (
	// meterWindow is about how many seconds of an engine's use decide.
	meterWindow = 0.02
	// meterBegin is how long one engine is used before the other one is tried: short searches are not worth it.
	meterBegin = 3 * time.Millisecond
	// The share of the time that the slower engine gets. The tables, which are slow until they are filled, get
	// nearShare when they are more than half as fast, and more at the beginning.
	farShare, nearShare = 0.02, 0.1
	// meterMargin is by how much the slower engine must be faster to become the one that is used.
	meterMargin = 1.05
)

func (m *meter) add(engine, events int, took time.Duration) {
	m.all[engine] += took
	m.events[engine] += events
	r := &m.recent[engine]
	r.events, r.seconds = r.events+float64(events), r.seconds+took.Seconds()
	if r.seconds > meterWindow {
		r.events, r.seconds = r.events*meterWindow/r.seconds, meterWindow
	}
}

func (r *recent) rate() float64 {
	if r.seconds == 0 {
		return 0
	}
	return r.events / r.seconds
}

// choose returns the engine that is to be used next.
func (m *meter) choose() int {
	other := 1 - m.best
	if m.recent[other].rate() > meterMargin*m.recent[m.best].rate() {
		m.best, other = other, m.best
	}
	all := m.all[0] + m.all[1]
	if all < meterBegin {
		return m.best
	}
	of := func(share float64) time.Duration { return time.Duration(share * float64(all)) }
	most := of(farShare)
	if other == byTable {
		if 2*m.recent[byTable].rate() > m.recent[byReplay].rate() {
			most = of(nearShare)
		}
		most = max(most, min(25*time.Millisecond, of(0.4)), min(60*time.Millisecond, of(0.12)))
	}
	if m.all[other] < most {
		return other
	}
	return m.best
}
