package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/predict"
	"github.com/macemc/macemc/internal/testsched/program"
)

// Saved counts stored schedules, except those of known findings, that pass.
type Saved struct {
	Passing               int
	Unfit                 int    // number of them with a switch that did not apply
	Unlike                int    // number of others, recorded without -race and executed with it, or the other way round: their runs differ
	UnfitFile, UnlikeFile string // the first of each
}

// Add adds other counts.
func (s *Saved) Add(other Saved) {
	s.Passing += other.Passing
	s.Unfit += other.Unfit
	s.Unlike += other.Unlike
	s.UnfitFile, s.UnlikeFile = cmp.Or(s.UnfitFile, other.UnfitFile), cmp.Or(s.UnlikeFile, other.UnlikeFile)
}

// Pass counts a schedule in a file that passes. unlike means that its build differs in -race, and all that all of its switches applied.
func (s *Saved) Pass(file string, unlike, all bool) {
	switch {
	case unlike:
		s.Add(Saved{Unlike: 1, UnlikeFile: file})
	case !all:
		s.Add(Saved{Passing: 1, Unfit: 1, UnfitFile: file})
	default:
		s.Passing++
	}
}

// String returns an empty string if there are none.
func (s Saved) String() string {
	passing, unlike := "", ""
	if s.Passing > 0 {
		passing = program.Plural(s.Passing, "saved schedule passes", "saved schedules pass")
	}
	if s.Unfit > 0 {
		passing += ", but the code may have changed for " + named(s.UnfitFile, s.Unfit)
	}
	if s.Unlike > 0 {
		unlike = "not looked for, as -race changes its run: the finding of " + named(s.UnlikeFile, s.Unlike)
	}
	return Joined(passing, unlike)
}

// named names the first of n files.
func named(file string, n int) string {
	if n == 1 {
		return file
	}
	return fmt.Sprintf("%s and %d more", file, n-1)
}

// Joined joins the texts that are not empty.
func Joined(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "; ")
}

// Predictions counts predictions by the results of their directed schedules.
type Predictions struct {
	Predicted int
	Tried     int // have a directed schedule that was executed; Confirmed, Others and those that are not confirmed
	Confirmed int
	Others    int // led to a finding that was not predicted
	Cut       int // number of tests with a run that was longer than its record
}

// Add adds other counts.
func (c *Predictions) Add(other Predictions) {
	c.Predicted += other.Predicted
	c.Tried += other.Tried
	c.Confirmed += other.Confirmed
	c.Others += other.Others
	c.Cut += other.Cut
}

func (c Predictions) String() string {
	text := fmt.Sprintf("%s: %d confirmed", program.Plural(c.Predicted, "prediction", "predictions"), c.Confirmed)
	for _, part := range []struct {
		n    int
		text string
	}{{c.Tried - c.Confirmed - c.Others, "not confirmed"}, {c.Others, "led to another finding"}, {c.Predicted - c.Tried, "not tried"}} {
		if part.n > 0 {
			text += fmt.Sprintf(", %d %s", part.n, part.text)
		}
	}
	if c.Cut > 0 {
		text += fmt.Sprintf(", the first %d operations of runs recorded in %s", predict.MaxEvents, program.Plural(c.Cut, "test", "tests"))
	}
	return text
}
