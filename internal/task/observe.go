package task

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/infile"
	"github.com/macemc/macemc/internal/recording"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/observe"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Observe judges a run by the monitors of its system, in all orders that agree with its causes. Its fields are the
// argument and flags of the command with that name.
type Observe struct {
	File      string   // a path file, or a folder of recordings; if empty, Logs is used
	Logs      []string // of the subject
	Monitor   string   // the only one; an empty string means all
	MaxStates int
	JSON      bool
	Subject
}

// Validate implements [Task].
func (o *Observe) Validate() error {
	if err := o.Subject.validate(); err != nil {
		return err
	}
	return numbers{{"max-states", o.MaxStates, 1}}.check(o.Given)
}

// observed is the result for one monitor.
type observed struct {
	Monitor string `json:"monitor"`
	// Heard is the number of announcements to the monitor.
	Heard   int             `json:"announcements"`
	Verdict observe.Verdict `json:"verdict"`
	// All is true if every order was examined.
	All     bool    `json:"all"`
	States  int     `json:"states"`
	Message string  `json:"message,omitempty"`
	Order   []heard `json:"order,omitempty"` // an order that violates the monitor with its last event
}

type heard struct {
	Node  sim.NodeID `json:"node"`
	File  string     `json:"file,omitempty"`
	Step  int        `json:"step"` // of the run, or the line of the file
	Event string     `json:"event"`
}

// observation is the result for a run.
type observation struct {
	System   string     `json:"system"`
	Whole    bool       `json:"whole"` // everything recorded is part of the run, or the logs have no gaps
	Gaps     []string   `json:"gaps,omitempty"`
	Unheard  []string   `json:"unheard,omitempty"` // types of events that no monitor observes, with their number
	Monitors []observed `json:"monitors"`
}

// Do implements [Task].
func (o *Observe) Do(ctx context.Context, p *Process) error {
	var seen *seen
	var err error
	if o.File != "" {
		seen, err = o.run(ctx, p)
	} else {
		seen, err = o.logs(p)
	}
	if seen == nil {
		return err
	}
	sys := seen.sys
	names := sys.MonitorNames()
	if len(names) == 0 {
		return fmt.Errorf("system %q has no monitors", sys.Name)
	}
	if o.Monitor != "" && !slices.Contains(names, o.Monitor) && !slices.Contains(names, "monitor "+o.Monitor) {
		return textfmt.Unknown(fmt.Sprintf("system %q: unknown monitor", sys.Name), o.Monitor, names)
	}
	told := observation{System: sys.Name, Whole: seen.whole, Gaps: seen.gaps}
	var all []sim.Monitor
	for _, m := range sys.Monitors {
		all = append(all, m())
	}
	if told.Unheard, err = seen.unheard(all...); err != nil {
		return err
	}
	status := exitcode.OK
	if !told.Whole {
		status = exitcode.Inconclusive
	}
	for i, name := range names {
		if o.Monitor != "" && name != o.Monitor && name != "monitor "+o.Monitor {
			continue
		}
		h, err := seen.history(sys.Monitors[i]())
		if err != nil {
			return err
		}
		j, err := observe.Judge(ctx, h, sys.Monitors[i], sys.State, o.MaxStates)
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		m := observed{Monitor: name, Heard: h.Len(), Verdict: j.Verdict, All: j.All, States: j.States, Message: j.Message}
		for _, at := range j.Order {
			a := h[at.Node][at.Index]
			m.Order = append(m.Order, heard{at.Node, a.File, a.Step, fmt.Sprintf("%s%+v", observe.Name(a.Event), a.Event)})
		}
		told.Monitors = append(told.Monitors, m)
		switch {
		case j.Verdict == observe.Some || j.Verdict == observe.Every:
			status = exitcode.Violation
		case status == exitcode.OK && (j.Verdict == observe.Undecided || m.Heard == 0 && o.File == ""):
			status = exitcode.Inconclusive
		}
	}
	if o.JSON {
		return p.StatusError(ctx, status, WriteJSON(p.Stdout, told))
	}
	out := &lines{w: p.Stdout}
	out.add("%s", told.System)
	switch {
	case !told.Whole && o.File != "":
		out.add("NOT all recorded events were judged: the others are not part of a run of the system")
	case !told.Whole:
		out.add("NOT all events are in the log:")
		for _, g := range told.Gaps {
			out.add("  %s", g)
		}
	}
	if told.Unheard != nil {
		out.add("observed by no monitor: %s", strings.Join(told.Unheard, ", "))
	}
	for i := range told.Monitors {
		told.Monitors[i].text(out)
	}
	return p.StatusError(ctx, status, out.err)
}

// seen is the input to judge.
type seen struct {
	sys     *sim.System
	history func(sim.Monitor) (observe.History, error) // the events for a monitor
	whole   bool                                       // nothing is missing
	gaps    []string
	unheard func(...sim.Monitor) ([]string, error)
}

// logs reads the logs of the subject.
func (o *Observe) logs(p *Process) (*seen, error) {
	subject, err := o.Subject.build(p)
	if err != nil {
		return nil, err
	}
	l := observe.NewLog(subject.System.Nodes)
	for _, name := range o.Logs {
		file, err := infile.Open(name)
		if err != nil {
			return nil, err
		}
		err = l.Read(name, file)
		if err = errors.Join(err, file.Close()); err != nil {
			return nil, err
		}
	}
	gaps := l.Gaps()
	return &seen{&subject.System, l.History, gaps == nil, gaps, l.Unheard}, nil
}

// run reads the run and the system with its monitors. nil means that nothing is left to do. Recordings of live
// nodes become a run without monitors, because they continue after a violation.
func (o *Observe) run(ctx context.Context, p *Process) (*seen, error) {
	if !recording.IsDir(o.File) {
		l, done, err := p.load(ctx, o.File)
		if done || err != nil {
			return nil, err
		}
		return ofRun(&l.System, l.Path, true)
	}
	var full sim.System
	entries := slices.Clone(p.Systems)
	for i := range entries {
		build := entries[i].Build
		entries[i].Build = func(c spec.Config) (sim.System, error) {
			built, err := build(c)
			full = built
			built.Properties, built.Monitors = nil, nil
			return built, err
		}
	}
	m, err := check.MergeRecordings(entries, o.File)
	if err != nil {
		return nil, err
	}
	m.System.Monitors = full.Monitors
	p.printDoubts(m)
	return ofRun(&m.System, m.Path, m.Whole())
}

func ofRun(sys *sim.System, path choose.Path, whole bool) (*seen, error) {
	h, err := observe.Of(sys, path)
	if err != nil {
		return nil, err
	}
	return &seen{sys: sys, history: func(sim.Monitor) (observe.History, error) { return h, nil }, whole: whole,
		unheard: func(...sim.Monitor) ([]string, error) { return nil, nil }}, nil
}

func (m *observed) text(out *lines) {
	switch {
	case m.Heard == 0:
		out.add("%s: received no announcements", m.Monitor)
	case m.Verdict == observe.None:
		out.add("%s: not violated in any order consistent with causality (%s)", m.Monitor, textfmt.Plural(m.Heard, "announcement"))
	case m.Verdict == observe.Undecided:
		out.add("%s: UNDECIDED: not all orders were examined (--max-states)", m.Monitor)
	case m.Verdict == observe.Every:
		out.add("%s: VIOLATED in every order consistent with causality", m.Monitor)
	case m.All:
		out.add("%s: VIOLATED in some, but not all, orders consistent with causality", m.Monitor)
	default:
		out.add("%s: VIOLATED in some orders consistent with causality; not all were examined (--max-states)", m.Monitor)
	}
	if m.Order == nil {
		return
	}
	out.add("  %s, for example after", m.Message)
	for _, h := range m.Order {
		if h.File != "" {
			out.add("    %s:%d  n%d  %s", h.File, h.Step, h.Node, h.Event)
		} else {
			out.add("    step %d  n%d  %s", h.Step, h.Node, h.Event)
		}
	}
}
