// Package meter measures which of two engines executes the steps of runs faster.
package meter

import "time"

// Numbers of engines.
const (
	ByReplay = iota
	ByTable
)

// Meter compares the speed of both engines while they are used in turn. The slower one gets a small share of the
// time, so that it is noticed when it becomes the faster one: tables fill, runs get longer.
type Meter struct {
	Best   int              // the engine that is used but for measuring
	All    [2]time.Duration // processor time
	Events [2]int
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

func (m *Meter) Add(engine, events int, took time.Duration) {
	m.All[engine] += took
	m.Events[engine] += events
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

// Choose returns the engine that is to be used next.
func (m *Meter) Choose() int {
	other := 1 - m.Best
	if m.recent[other].rate() > meterMargin*m.recent[m.Best].rate() {
		m.Best, other = other, m.Best
	}
	all := m.All[0] + m.All[1]
	if all < meterBegin {
		return m.Best
	}
	of := func(share float64) time.Duration { return time.Duration(share * float64(all)) }
	most := of(farShare)
	if other == ByTable {
		if 2*m.recent[ByTable].rate() > m.recent[ByReplay].rate() {
			most = of(nearShare)
		}
		most = max(most, min(25*time.Millisecond, of(0.4)), min(60*time.Millisecond, of(0.12)))
	}
	if m.All[other] < most {
		return other
	}
	return m.Best
}
