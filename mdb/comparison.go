package mdb

import (
	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/history"
	"github.com/macemc/macemc/internal/replay"
)

// Comparison is the run to compare with, at the step that corresponds to the current one, as in the command diff.
type Comparison struct {
	Run   string // its name; empty means none
	Step  int
	Last  int
	Same  bool // whether the step is a matching one, not only one with the same number
	Image eventgraph.Image
	// Only lists the steps around Step without a matching step in the current run, and Here those around the current step without one in
	// the other run.
	Only, Here []int
	Why        string // why there is none
}

// comparison returns the run to compare with, drawn with a width in pixels.
func (s *Session) comparison(width int) (b Comparison, err error) {
	r := s.run
	other, err := s.other()
	if err != nil {
		return Comparison{Why: err.Error()}, nil
	}
	to := history.Counterparts(r, other)
	b = Comparison{Run: other.Name, Step: to[r.At].Step, Last: other.Len(), Same: to[r.At].Same}
	b.Here = unmatched(to, r.At)
	b.Only = unmatched(history.Counterparts(other, r), b.Step)
	b.Image, err = s.image(other, b.Step, width)
	return b, err
}

// unmatched lists the steps in the image around a step that have no counterpart.
func unmatched(all []replay.Counterpart, at int) (steps []int) {
	for n := max(1, at-imageReach); n <= min(len(all)-1, at+imageReach); n++ {
		if !all[n].Same {
			steps = append(steps, n)
		}
	}
	return steps
}
