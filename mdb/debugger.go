package mdb

import (
	"context"
	"io"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/inspect"
)

// Debugger is the part of a session that a screen needs. [Session] implements it, and so does package internal/task/remote for a session
// in another process. It is not safe for concurrent use.
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

// Wanted selects the parts of a session that [View] contains.
type Wanted struct {
	Steps       int  // number of lines of steps
	Places      bool // include the source position of each of these steps
	Reach       int  // number of steps before and after the current one in the event graph; 0 means no graph
	Width       int  // width of the event graph in columns
	Differences bool
	Source      int  // number of source lines before and after that of the step; 0 means none
	Image       int  // width of the event graph as an image, in pixels; 0 means none
	Comparison  int  // width of the image of the run to compare with, in pixels; 0 means none
	Options     bool // include the runs and, in the current state, the enabled events, the properties and the monitors
}

// View is the visible content of a session.
type View struct {
	At          Position
	Summary     string
	Steps       []StepLine
	States      []StateLine
	Lanes       []LaneLine
	Differences []string
	Source      []string
	Image       eventgraph.Image
	Comparison  Comparison
	Options     []OptionLine
	Questions   []QuestionLine
	Properties  []PropertyLine
	Monitors    []string
	Runs        []RunLine
	Err         string // why states or lanes are missing; empty if they are not
}

// View returns the content of a session around the current step.
func (s *Session) View(w Wanted) View {
	v := View{At: s.Position(), Summary: s.Summary()}
	from := max(0, min(v.At.Step-w.Steps/2, v.At.Last-w.Steps+2))
	v.Steps = s.Steps(from, from+w.Steps)
	var err error
	note := func(err error) {
		if err != nil {
			v.Err = err.Error()
		}
	}
	if w.Places {
		note(s.places(v.Steps))
	}
	v.States, err = s.States()
	note(err)
	if w.Reach > 0 {
		v.Lanes, err = s.Lanes(v.At.Step-w.Reach, v.At.Step+w.Reach, w.Width)
		note(err)
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
	if w.Image > 0 {
		v.Image, err = s.image(s.run, s.run.At, w.Image)
		note(err)
	}
	if w.Comparison > 0 {
		v.Comparison, err = s.comparison(w.Comparison)
		note(err)
	}
	if w.Options {
		note(s.addOptions(&v))
	}
	return v
}

// Inspector executes requests about the variables of a test before a step of the current run.
type Inspector func(ctx context.Context, r inspect.Request) (*inspect.Reply, error)

// InspectorOf returns the inspector of a session on the schedule of a test; nil means that the session has none. Operations of requests and
// stops are steps.
func InspectorOf(d Debugger) Inspector {
	if other, ok := d.(interface{ Inspector() Inspector }); ok {
		return other.Inspector()
	}
	s, ok := d.(*Session)
	if !ok || s.cfg.Inspect == nil {
		return nil
	}
	return func(ctx context.Context, r inspect.Request) (*inspect.Reply, error) {
		return s.cfg.Inspect(ctx, s.run.Name, r)
	}
}
