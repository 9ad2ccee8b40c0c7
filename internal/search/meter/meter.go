// Package meter measures which of two engines executes the steps of runs faster.
package meter

import "time"

// Numbers of engines.
const (
	ByReplay = iota
	ByTable
)

// Meter compares the speed of both engines while they are used in turn. The slower one gets a small share of the time,
// to notice when it becomes faster: tables fill, and runs get longer.
type Meter struct {
	Best   int              // the engine in use, except for measuring
	All    [2]time.Duration // processor time
	Events [2]int
	recent [2]recent
}

// recent is the recent work of an engine. The weight of older events decays.
type recent struct{ events, seconds float64 }

const (
	// meterWindow is the approximate time, in seconds of an engine's use, that decides.
	meterWindow = 0.02
	// meterBegin is the time of one engine before the other one is tried. For shorter searches, measuring does not pay.
	meterBegin = 3 * time.Millisecond
	// Shares of the time for the slower engine. The tables, which are slow until they are filled, get nearShare if they
	// are more than half as fast, and more at the beginning.
	farShare, nearShare = 0.02, 0.1
	// meterMargin is the factor by which the slower engine must be faster to replace the other one.
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

// Choose returns the engine to use next.
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
