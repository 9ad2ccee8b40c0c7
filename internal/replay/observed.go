package replay

import (
	"errors"
	"slices"
	"strings"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// Observation is an event that a node announced to monitors.
type Observation struct {
	Step int    `json:"step"` // 0 for the first boots
	Node int    `json:"node"`
	Text string `json:"text"`

	event any
}

// listener takes the place of a monitor and passes on what it observes.
type listener struct {
	name  string                           `macemc:"-"`
	heard func(from sim.NodeID, event any) `macemc:"-"`
}

// Name implements the optional interface of [sim.MonitorName].
func (l *listener) Name() string { return l.name }

// Observe implements [sim.Monitor].
func (l *listener) Observe(from sim.NodeID, event any) error {
	l.heard(from, event)
	return nil
}

// mostObserved bounds the events that copies of a monitor observe in [Decisive].
const mostObserved = 1_000_000

// Decisive returns the observations that violate a monitor: a part of those of the run's first steps to which the monitor answers with
// the same error, and with another one, or none, if any of them is missing. It executes the path again. nil means that the finding is
// not a monitor's, that the monitor does not repeat its error, or that it has observed too much.
func Decisive(sys *sim.System, path choose.Path, steps int, f *sim.Finding) []Observation {
	i := slices.Index(sys.MonitorNames(), f.Property)
	words, err := NewWords(sys)
	if f.Kind != sim.Safety || i < 0 || err != nil {
		return nil
	}
	all := words.listen(sys, path, steps, i)
	budget := mostObserved
	same := func(part []Observation) bool {
		n, text := words.violates(sys.Monitors[i], part, &budget)
		return n == len(part) && text == f.Message
	}
	n, _ := words.violates(sys.Monitors[i], all, &budget) // the listener also observes the rest of the step
	if all = all[:n]; !same(all) {
		return nil
	}
	for before := 0; before != len(all); { // one by one: without several, the monitor may have the same error for another reason
		before = len(all)
		for at := 0; at < len(all); {
			if part := slices.Concat(all[:at], all[at+1:]); same(part) {
				all = part
			} else {
				at++
			}
		}
	}
	if budget < 0 {
		return nil
	}
	return all
}

// listen executes steps of a path and returns what monitor i observes.
func (x *Words) listen(sys *sim.System, path choose.Path, steps, i int) (all []Observation) {
	step := 0
	listening := *sys
	listening.Monitors = slices.Clone(sys.Monitors)
	listening.Monitors[i] = func() sim.Monitor {
		return &listener{strings.TrimPrefix(sys.MonitorNames()[i], "monitor "), func(from sim.NodeID, event any) {
			all = append(all, Observation{step, int(from), x.text(event), event})
		}}
	}
	c, err := NewCursor(&listening, path, kernel.Options{})
	for c != nil && err == nil && step < steps {
		step++
		err = c.Next()
	}
	if found := (*sim.Finding)(nil); err != nil && !errors.As(err, &found) {
		return nil
	}
	return all
}

// violates passes observations to a new monitor until one violates it. It returns their number and the text of the error. No text means
// that none does, or that the monitor panics.
func (x *Words) violates(newMonitor func() sim.Monitor, part []Observation, budget *int) (n int, text string) {
	defer func() {
		if recover() != nil {
			n, text = 0, ""
		}
	}()
	m := newMonitor()
	for i := range part {
		if *budget--; *budget < 0 {
			break
		}
		event := part[i].event
		if p, err := x.plans.Of(event); err == nil && !p.Flat() {
			event = p.Copy(event) // the monitor owns it
		}
		if err := m.Observe(sim.NodeID(part[i].Node), event); err != nil {
			return i + 1, err.Error()
		}
	}
	return 0, ""
}
