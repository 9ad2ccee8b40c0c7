package document

import (
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
)

// Code is a few lines of source around a handler, or where it panicked.
type Code struct {
	Place string // of the handler, in short form
	Note  string // empty if it handled the decisive step
	Label string // "repeats:" if the code runs again and again after that step; empty otherwise
	First int    // number of the first line
	Lines []string
	Mark  int // index of the line at Place
}

// Text returns the lines with their numbers and marks the line at Place.
func (c *Code) Text() []string {
	if c == nil {
		return nil
	}
	var text []string
	for i, l := range c.Lines {
		mark := ' '
		if i == c.Mark {
			mark = '>'
		}
		text = append(text, fmt.Sprintf("%c%4d  %s", mark, c.First+i, l))
	}
	return text
}

// setCode sets the code and removes its place beside the step.
func (d *Document) setCode(counterpart *replay.TraceStep) {
	if d.Code = d.ignoredCode(); d.Code == nil {
		d.Code = code(d.Report, counterpart)
	}
	if d.Code == nil {
		return
	}
	for i := range d.Violated {
		if f := &d.Violated[i]; f.Aside == d.Code.Place {
			f.Aside = ""
		}
	}
}

// code returns the source of the frame that panicked, or around the handler of the decisive step. If no code handled
// that step, as for a lost message, it returns the source of the counterpart in the live run. Nil means that no code
// is known, or that its source is missing.
func code(r *report.Report, counterpart *replay.TraceStep) *Code {
	if frames := framesOf(r.Stack); len(frames) > 0 {
		file, line := replay.SplitPlace(frames[0].Place)
		return newCode(Code{Place: replay.NewPlaces().Short(frames[0].Place)}, file, line, 4)
	}
	if c := lostCode(r); c != nil {
		return c
	}
	if r.Running > 0 { // the process may have ended in the code of any goroutine
		return nil
	}
	c := Code{}
	step := r.DecisiveStep()
	if r.Starved != nil { // the last step may be of a node without any part in it
		if step = handledLast(r, announces); step != nil {
			c.Note = fmt.Sprintf("step %d: %s; the last step that monitors observed", step.Number, step.Sentence())
		} else {
			step = handledLast(r, func(*replay.TraceStep) bool { return true })
		}
	}
	if step != nil && step.Source == "" {
		lost := step
		if step = counterpart; step != nil && delivers(step, lost) {
			c.Note = "where the lost message would have been handled"
		} else if step != nil {
			c.Note = fmt.Sprintf("handled in step %d of the live run only", step.Number)
		}
	}
	if step == nil || step.Source == "" {
		return nil
	}
	c.Place = step.Source
	file, line := step.Place()
	return newCode(c, file, line, 1)
}

// lostCode returns the code of the last write that a crash loses before a monitor is violated, such as that of a record that is missing then.
// Nil means that no such code is known.
func lostCode(r *report.Report) *Code {
	if r.Dead == nil || len(r.Dead.Observed) == 0 {
		return nil
	}
	lost, text, node := "", "", 0
	for i := range slices.Backward(r.Dead.Steps) {
		s := &r.Dead.Steps[i]
		if c := writtenBy(s, node, lost, text); c != nil {
			return c
		}
		if lost == "" && len(s.Lost) > 0 {
			lost, text, node = s.Lost[len(s.Lost)-1], s.LastLost(), s.Node
		}
	}
	return writtenBy(&r.Dead.Boot, -1, lost, text)
}

// writtenBy returns the code of a write in a step of a node; nil means that the step has no such write, or that its code is not known.
func writtenBy(s *replay.TraceStep, node int, key, text string) *Code {
	for i := range slices.Backward(s.Effects) {
		e := &s.Effects[i]
		if file, line := e.Place(); line > 0 && s.Node == node && e.Kind == stepinfo.WriteEffect.String() && e.Text == key {
			note := fmt.Sprintf("step %d: the last write that the crash loses is: %s", s.Number, text)
			return newCode(Code{Place: e.From, Note: note}, file, line, 1)
		}
	}
	return nil
}

// delivers reports whether a step delivers the message that another step loses.
func delivers(step, lost *replay.TraceStep) bool {
	return step.Event.Kind == eventkind.Deliver && lost.Event.Kind == eventkind.Lose && step.Node == lost.Node && step.Peer == lost.Peer && step.What == lost.What
}

// handledLast returns the last fitting step that code handled, and nil if there is none.
func handledLast(r *report.Report, fits func(*replay.TraceStep) bool) *replay.TraceStep {
	if r.Dead != nil {
		for i := range slices.Backward(r.Dead.Steps) {
			if s := &r.Dead.Steps[i]; s.Source != "" && fits(s) {
				return s
			}
		}
	}
	return nil
}

// Around returns the source around the operation of a step. Nil means that no code is known, or that its source is missing.
func Around(step *replay.TraceStep) *Code {
	file, line := step.Place()
	return newCode(Code{Place: step.Source}, file, line, 4)
}

// newCode reads the lines from before the marked one to the end of its function, with a limit.
func newCode(c Code, file string, mark, before int) *Code {
	const after = 10
	first, lines, err := replay.Source(file, mark, after)
	if err != nil {
		return nil
	}
	skip := max(0, mark-before-first)
	c.First, c.Lines, c.Mark = first+skip, lines[skip:], mark-first-skip
	for i := c.Mark; i < len(c.Lines); i++ {
		if strings.HasPrefix(c.Lines[i], "}") {
			c.Lines = c.Lines[:i+1]
		}
	}
	if c.Mark > 0 && before == 1 && c.Lines[0] == "" {
		c.First, c.Lines, c.Mark = c.First+1, c.Lines[1:], c.Mark-1
	}
	return &c
}
