// Package stats has the counters and the coverage of a search, as reports store them, and the reasons for its end.
package stats

import (
	"math/bits"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/crashes"
)

// Reasons for the end of a search. Package report/document has words for each (words.go), and what the user can do about
// some (nofinding.go).
const (
	StoppedFound       = "found"
	StoppedDepth       = explore.StoppedDepth // everything requested is explored
	StoppedTime        = "time"
	StoppedPaths       = "paths"
	StoppedInterrupted = explore.StoppedInterrupted
	StoppedComplete    = "complete" // all states were visited
	// StoppedFingerprints: all states with different fingerprints were visited, but the fingerprints are too short to
	// prove completeness.
	StoppedFingerprints = "fingerprints"
	StoppedKnown        = "known"                // an accepted violation ended it, or states after one were not visited
	StoppedSampled      = table.StoppedSampled   // all states reachable by the sampled alternatives of large draws were visited
	StoppedMemory       = explore.StoppedMemory  // at MaxBytes
	StoppedDisk         = "disk"                 // disk full
	StoppedCrashes      = crashes.StoppedCrashes // crashes were left out, and it is not proven that this changes no verdict
	StoppedStuck        = "stuck"                // a handler did not return, and this could not be confirmed
	StoppedLost         = "lost"                 // its process died
	StoppedUnresponsive = "unresponsive"         // it did not stop when its time was over
)

// Relied counts the walks in which an action was done between the start of recovery and the live state reached. If
// recovery must not rely on the action, mark it by [sim.Action.Disturbs].
type Relied struct {
	Action string `json:"action"`
	Walks  int    `json:"walks"`
}

// Schedule counts the walks of one schedule.
type Schedule struct {
	Name   string `json:"name"`
	Paths  int    `json:"paths"`
	Events int    `json:"events"`
}

// Phase counts the runs of one kind of exploration, summed over its rounds.
type Phase struct {
	Name        string    `json:"name"` // that of a strategy, such as "walks", or "leaf walks", "prefixes", "critical"
	Seconds     float64   `json:"seconds"`
	Paths       int       `json:"paths"`
	Live        int       `json:"live"`       // runs that ended in a live state
	Duplicates  int       `json:"duplicates"` // runs cut at a state seen before
	OutOfEvents int       `json:"out_of_events"`
	TooLong     int       `json:"too_long"` // runs that ended at the step limit, not live
	States      int       `json:"states"`
	Events      int       `json:"events"`
	Steps       Histogram `json:"steps"`           // steps to the end; for walks to the first live state
	Choices     Histogram `json:"choices"`         // choices with more than one alternative
	Short       int       `json:"short,omitempty"` // walks of fewer than [ShortWalk] steps, including those past live states
}

// ShortWalk is the number of steps below which a random walk tests little.
const ShortWalk = 10

// Histogram counts values in powers-of-two classes, with exact minimum and maximum.
type Histogram struct {
	Count   int   `json:"count"`
	Min     int   `json:"min"`
	Max     int   `json:"max"`
	Buckets []int `json:"buckets"` // Buckets[i] counts values v with bits.Len(v) == i
}

// Ended counts a run.
func (p *Phase) Ended(o *runloop.Outcome) {
	p.Paths++
	switch o.End {
	case runloop.Duplicate:
		p.Duplicates++
	case runloop.OutOfEvents:
		p.OutOfEvents++
	case runloop.TooLong:
		p.TooLong++
	}
	if o.Live {
		p.Live++
	}
}

// Add adds the counts of another part of the phase.
func (p *Phase) Add(o *Phase) {
	p.Seconds += o.Seconds
	p.Paths += o.Paths
	p.Live += o.Live
	p.Duplicates += o.Duplicates
	p.OutOfEvents += o.OutOfEvents
	p.TooLong += o.TooLong
	p.Short += o.Short
	p.States += o.States
	p.Events += o.Events
	p.Steps.Merge(&o.Steps)
	p.Choices.Merge(&o.Choices)
}

// Add counts a value, which must not be negative.
func (h *Histogram) Add(v int) {
	if h.Count == 0 {
		h.Min, h.Max = v, v
	}
	h.Count++
	h.Min, h.Max = min(h.Min, v), max(h.Max, v)
	k := bits.Len(uint(v))
	for len(h.Buckets) <= k {
		h.Buckets = append(h.Buckets, 0)
	}
	h.Buckets[k]++
}

// Merge adds the values of another histogram.
func (h *Histogram) Merge(g *Histogram) {
	switch {
	case g.Count == 0:
		return
	case h.Count == 0:
		h.Min, h.Max = g.Min, g.Max
	}
	h.Count += g.Count
	h.Min, h.Max = min(h.Min, g.Min), max(h.Max, g.Max)
	for len(h.Buckets) < len(g.Buckets) {
		h.Buckets = append(h.Buckets, 0)
	}
	for k, n := range g.Buckets {
		h.Buckets[k] += n
	}
}
