package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/go-delve/delve/pkg/proc"

	"github.com/macemc/macemc/internal/inspect"
)

// clearLines removes the breakpoints of lines.
func (p *process) clearLines() error {
	for _, b := range p.lines {
		if err := p.group.SetBreakpointEnabled(b, false); err != nil {
			return err
		}
		delete(p.group.LogicalBreakpoints, b.LogicalID)
	}
	p.lines = nil
	return nil
}

// setLines sets breakpoints of lines.
func (p *process) setLines(list []inspect.Breakpoint) error {
	if err := p.clearLines(); err != nil {
		return err
	}
	for _, b := range list {
		set, err := p.set(proc.SetBreakpoint{File: b.File, Line: b.Line}, b.Condition)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", filepath.Base(b.File), b.Line, err)
		}
		p.lines = append(p.lines, set)
	}
	return nil
}

// verify returns why breakpoints of lines cannot be set.
func (p *process) verify(list []inspect.Breakpoint) (errs []string, err error) {
	if p.group == nil {
		return nil, errEnded
	}
	for _, b := range list {
		text := ""
		if _, err := proc.FindFileLocation(p.group.Selected, b.File, b.Line); err != nil {
			text = err.Error()
		}
		errs = append(errs, text)
	}
	return errs, nil
}

// forward continues to the next breakpoint of a line, the operation of the request, or the end.
func (p *process) forward(r *inspect.Request) (inspect.Stop, error) {
	if p.group == nil || p.stop.Reason == inspect.AtEnd {
		return p.stop, errors.New("the run has ended")
	}
	if err := errors.Join(p.setLines(r.Breakpoints), p.stopAt(r.Operation)); err != nil {
		return p.stop, err
	}
	for {
		reason, err := p.resume(p.group.Continue)
		if err != nil || p.bubbles == "" || reason != inspect.AtBreakpoint || (handler{p}).handling() {
			return p.stop, err
		}
	}
}

// mostOuts is the maximum number of returns after a step into the standard library.
const mostOuts = 50

// line continues to another line of a goroutine, or to a breakpoint before.
func (p *process) line(r *inspect.Request) (inspect.Stop, error) {
	if p.group == nil || !p.running {
		return p.stop, errors.New("no goroutine executes a line here")
	}
	id, err := reader{p}.id(r.Goroutine)
	if err != nil {
		return p.stop, err
	}
	g, err := proc.FindGoroutine(p.group.Selected, id)
	if err == nil {
		err = errors.Join(p.group.Selected.SwitchGoroutine(g), p.setLines(r.Breakpoints), p.stopAt(0))
	}
	if err != nil {
		return p.stop, err
	}
	step := map[string]func() error{inspect.Over: p.group.Next, inspect.Into: p.group.Step, inspect.Out: p.group.StepOut}[r.How]
	if step == nil {
		return p.stop, fmt.Errorf("unknown step %q", r.How)
	}
	v := p.within.visited
	defer func() {
		s, err := proc.ThreadScope(p.group.Selected, p.group.Selected.CurrentThread())
		if v.function == nil || p.stop.Reason != inspect.AtLine || err != nil {
			return
		}
		if p.within.visited = v; s.Fn == v.function {
			v.lines[s.Line] = true
		}
	}()
	if p.inside() { // in the operation, or a function of the distribution that executes it
		before := reader{p}.place(id)
		if err := p.leave(); err != nil || p.stop.Reason != inspect.AtLine {
			return p.stop, err
		}
		if r.How != inspect.Out && (reader{p}).place(id) != before { // the call was the last one of its line
			return p.stop, nil
		}
	}
	if _, err = p.resume(step); err == nil && p.stop.Reason == inspect.AtLine && p.inside() {
		err = p.leave()
	}
	return p.stop, err
}

// inside reports whether the selected goroutine executes code of the distribution, or of the checker.
func (p *process) inside() bool {
	g := p.group.Selected.SelectedGoroutine()
	if g == nil {
		return false
	}
	frames, err := proc.GoroutineStacktrace(p.group.Selected, g, 1, 0)
	if err != nil || len(frames) == 0 || frames[0].Current.Fn == nil {
		return false
	}
	return handler{p}.foreign(frames[0].Current.Fn.Name, frames[0].Current.File)
}

// leave returns from functions of the distribution and the checker. If it returns from a handler, it continues to the state after the step.
func (p *process) leave() error {
	for range mostOuts {
		if p.bubbles != "" && !(handler{p}).handling() {
			if err := errors.Join(p.group.ClearSteppingBreakpoints(), p.stopAt(p.stop.Operation+1)); err != nil {
				return err
			}
			_, err := p.resume(p.group.Continue)
			return err
		}
		if _, err := p.resume(p.group.StepOut); err != nil || p.stop.Reason != inspect.AtLine || !p.inside() {
			return err
		}
	}
	return nil
}
