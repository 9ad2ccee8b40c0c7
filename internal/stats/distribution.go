package stats

import (
	"math"
	"slices"

	"github.com/macemc/macemc/search"
)

// Distribution is how many steps walks of one kind took to their first live state.
type Distribution struct {
	Name    string         `json:"name"`
	Faults  bool           `json:"faults"` // the walks begin after faults, not in the first state
	Weights search.Weights `json:"weights"`
	Walks   int            `json:"walks"`
	// Live of them became live. The others were not within the limit, ran out of events, or, as many as
	// Found, ended with a finding.
	Live  int `json:"live"`
	Found int `json:"found"`
	// Percentiles are the 50th, 90th and 99th, counted over all walks.
	Percentiles []Percentile `json:"percentiles"`
	MaxSteps    int          `json:"max_steps"` // of a walk that became live
	// Counts says how many walks became live after how many steps, in ascending order of steps.
	Counts []Count `json:"counts"`
}

// Count is a number of walks that took the same number of steps.
type Count struct {
	Steps int `json:"steps"`
	Walks int `json:"walks"`
}

// Percentile is the least number of steps within which P per cent of all walks became live.
type Percentile struct {
	P     int  `json:"p"`
	Steps *int `json:"steps"` // nil when fewer did
}

var percentiles = [...]int{50, 90, 99}

// count fills in all that follows from Walks and the steps of the walks that became live, which it sorts.
func (d *Distribution) count(steps []int) {
	slices.Sort(steps)
	d.Live, d.Counts = len(steps), []Count{}
	for _, s := range steps {
		if n := len(d.Counts); n == 0 || d.Counts[n-1].Steps != s {
			d.Counts = append(d.Counts, Count{Steps: s})
		}
		d.Counts[len(d.Counts)-1].Walks++
		d.MaxSteps = s
	}
	d.Percentiles = nil
	for _, p := range percentiles {
		at := Percentile{P: p}
		if n, ok := d.Quantile(float64(p) / 100); ok {
			at.Steps = &n
		}
		d.Percentiles = append(d.Percentiles, at)
	}
}

// Quantile returns the least number of steps within which at least the share q of all walks became
// live, q being above 0 and at most 1 (nearest rank). ok is false when fewer did.
func (d *Distribution) Quantile(q float64) (steps int, ok bool) {
	// A rank is whole; what the product exceeds it by is rounding.
	rank := max(1, int(math.Ceil(q*float64(d.Walks)-1e-9)))
	for _, c := range d.Counts {
		if rank -= c.Walks; rank <= 0 {
			return c.Steps, true
		}
	}
	return 0, false
}

// NotLive is the share of walks that did not become live, 0 when there are none.
func (d *Distribution) NotLive() float64 {
	if d.Walks == 0 {
		return 0
	}
	return float64(d.Walks-d.Live) / float64(d.Walks)
}
