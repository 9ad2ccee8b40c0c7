// Package remote lets a screen in one process debug a run that another one executes: each call of a method of
// [mdb.Debugger] is a Question, and its result an Answer.
package remote

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/macemc/macemc/mdb"
)

// Question is a call of a [mdb.Debugger] method in another process.
type Question struct {
	Method    string     `json:"method"`
	Line      string     `json:"line,omitempty"`
	Step      int        `json:"step,omitempty"`
	Direction int        `json:"direction,omitempty"`
	Node      int        `json:"node,omitempty"`
	Wanted    mdb.Wanted `json:"wanted,omitzero"`
}

// Answer is the result of a call.
type Answer struct {
	Text     string       `json:"text,omitempty"`
	Words    []string     `json:"words,omitempty"`
	Begin    int          `json:"begin,omitempty"`
	Step     int          `json:"step,omitempty"`
	OK       bool         `json:"ok,omitempty"`
	Position mdb.Position `json:"position,omitzero"`
	View     mdb.View     `json:"view,omitzero"`
	Error    string       `json:"error,omitempty"`
	Is       string       `json:"is,omitempty"` // which known error Error is; empty means none
}

// Names of errors that both processes know.
const (
	isQuit     = "quit"
	isCanceled = "canceled"
)

// Reply executes a call on d.
func Reply(ctx context.Context, d mdb.Debugger, q Question) Answer {
	var a Answer
	var err error
	switch q.Method {
	case "Do":
		var text bytes.Buffer
		err = d.Do(ctx, q.Line, &text)
		a.Text = text.String()
	case "View":
		a.View = d.View(q.Wanted)
	case "Position":
		a.Position = d.Position()
	case "Go":
		d.Go(q.Step)
	case "Neighbour":
		a.Step, a.OK = d.Neighbour(q.Direction, q.Node)
	case "Select":
		d.Select(q.Node)
	case "Complete":
		a.Words, a.Begin = d.Complete(q.Line)
	case "Stay":
		d.Stay()
	case "Quit":
		err = d.Quit()
	default:
		err = errors.New("unknown method " + q.Method)
	}
	if err != nil {
		a.Error = err.Error()
		switch {
		case errors.Is(err, mdb.ErrQuit):
			a.Is = isQuit
		case errors.Is(err, context.Canceled):
			a.Is = isCanceled
		}
	}
	return a
}

// Debugger is a session in another process. Its value executes a call there and returns the result. If ctx is done, the other process stops
// the current command.
type Debugger func(ctx context.Context, q Question) Answer

func (r Debugger) Do(ctx context.Context, line string, w io.Writer) error {
	a := r(ctx, Question{Method: "Do", Line: line})
	if _, err := io.WriteString(w, a.Text); err != nil {
		return err
	}
	return a.err()
}

func (r Debugger) View(w mdb.Wanted) mdb.View {
	a := r.ask(Question{Method: "View", Wanted: w})
	if a.Error != "" {
		a.View.Err = a.Error
	}
	return a.View
}

func (r Debugger) Position() mdb.Position { return r.ask(Question{Method: "Position"}).Position }
func (r Debugger) Go(step int)            { r.ask(Question{Method: "Go", Step: step}) }
func (r Debugger) Select(node int)        { r.ask(Question{Method: "Select", Node: node}) }
func (r Debugger) Stay()                  { r.ask(Question{Method: "Stay"}) }
func (r Debugger) Quit() error            { return r.ask(Question{Method: "Quit"}).err() }

func (r Debugger) Neighbour(direction, node int) (int, bool) {
	a := r.ask(Question{Method: "Neighbour", Direction: direction, Node: node})
	return a.Step, a.OK
}

func (r Debugger) Complete(line string) ([]string, int) {
	a := r.ask(Question{Method: "Complete", Line: line})
	return a.Words, a.Begin
}

// ask is for calls that are fast.
func (r Debugger) ask(q Question) Answer { return r(context.Background(), q) }

func (a Answer) err() error {
	switch {
	case a.Error == "":
		return nil
	case a.Is == isQuit:
		return mdb.ErrQuit
	case a.Is == isCanceled:
		return context.Canceled
	}
	return errors.New(a.Error)
}
