package mdb

import (
	"context"
	"io"
)

// Debugger is what a screen needs of a session. A [Session] is one, and so is a [Remote] one, which stands for
// that in another process. It is for one goroutine.
type Debugger interface {
	Do(ctx context.Context, line string, w io.Writer) error
	View(Wanted) View
	Position() Position
	Go(step int)
	Neighbour(direction, node int) (int, bool)
	Select(node int)
	Complete(line string) (words []string, begin int)
	Stay()
	Quit() error
}

// Wanted says what of a session is to be seen.
type Wanted struct {
	Steps       int  // how many lines of steps
	Places      bool // the source of each of these steps
	Reach       int  // how many steps before and after the current one the event graph shows; 0: no graph
	Width       int  // of the event graph, in columns
	Differences bool
	Source      int // how many lines of the source before and after that of the step; 0: none
}

// View is what a session shows at present.
type View struct {
	At          Position
	Summary     string
	Steps       []StepLine
	States      []StateLine
	Lanes       []LaneLine
	Differences []string
	Source      []string
	Err         string // what kept states or lanes from being shown; "": nothing
}

// View returns what a session shows around the current step.
func (s *Session) View(w Wanted) View {
	v := View{At: s.Position(), Summary: s.Summary()}
	from := max(0, min(v.At.Step-w.Steps/2, v.At.Last-w.Steps+2))
	v.Steps = s.Steps(from, from+w.Steps)
	var err error
	if w.Places {
		if err = s.places(v.Steps); err != nil {
			v.Err = err.Error()
		}
	}
	if v.States, err = s.States(); err != nil {
		v.Err = err.Error()
	}
	if w.Reach > 0 {
		if v.Lanes, err = s.Lanes(v.At.Step-w.Reach, v.At.Step+w.Reach, w.Width); err != nil {
			v.Err = err.Error()
		}
	}
	if w.Differences {
		if v.Differences, err = s.Differences(); err != nil {
			v.Differences = []string{err.Error()}
		}
	}
	if w.Source > 0 {
		if v.Source, err = s.Source(w.Source); err != nil {
			v.Source = []string{err.Error()}
		}
	}
	return v
}
