package task

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	"github.com/macemc/macemc/check"
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/words"
	"github.com/macemc/macemc/live/recording"
	"github.com/macemc/macemc/observe"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Observe judges a run by the monitors of its system, in all orders that agree with its causes. Its fields are the argument and flags of the
// command of that name.
type Observe struct {
	File      string
	Monitor   string // the only one; "": all
	MaxStates int
	JSON      bool
	Given     Given
}

// Validate implements [Task].
func (o *Observe) Validate() error { return numbers{{"max-states", o.MaxStates, 1}}.check(o.Given) }

// observed is what is told of a monitor.
type observed struct {
	Monitor string          `json:"monitor"`
	Verdict observe.Verdict `json:"verdict"`
	// All: every order was looked at.
	All     bool    `json:"all"`
	States  int     `json:"states"`
	Message string  `json:"message,omitempty"`
	Order   []heard `json:"order,omitempty"` // in which it is violated, by the last
}

type heard struct {
	Node  sim.NodeID `json:"node"`
	Step  int        `json:"step"` // of the run
	Event string     `json:"event"`
}

// packages are the paths of packages in names of types.
var packages = regexp.MustCompile(`([\w.-]+/)+`)

// observation is what is told of a run.
type observation struct {
	System        string     `json:"system"`
	Announcements int        `json:"announcements"`
	Whole         bool       `json:"whole"` // all that was recorded is part of the run
	Monitors      []observed `json:"monitors"`
}

// Do implements [Task].
func (o *Observe) Do(ctx context.Context, p *Process) error {
	sys, path, whole, err := o.run(ctx, p)
	if sys == nil {
		return err
	}
	names := sys.MonitorNames()
	if len(names) == 0 {
		return fmt.Errorf("system %q has no monitors", sys.Name)
	}
	if o.Monitor != "" && !slices.Contains(names, o.Monitor) && !slices.Contains(names, "monitor "+o.Monitor) {
		return spec.Unknown(fmt.Sprintf("system %q: unknown monitor", sys.Name), o.Monitor, names)
	}
	h, err := observe.Of(sys, path)
	if err != nil {
		return err
	}
	told := observation{System: sys.Name, Announcements: h.Len()}
	status := check.StatusOK
	if told.Whole = whole; !whole {
		status = check.StatusInconclusive
	}
	for i, name := range names {
		if o.Monitor != "" && name != o.Monitor && name != "monitor "+o.Monitor {
			continue
		}
		j, err := observe.Judge(ctx, h, sys.Monitors[i], sys.State, o.MaxStates)
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		m := observed{Monitor: name, Verdict: j.Verdict, All: j.All, States: j.States, Message: j.Message}
		for _, at := range j.Order {
			a := h[at.Node][at.Index]
			m.Order = append(m.Order, heard{at.Node, a.Step, packages.ReplaceAllString(fmt.Sprintf("%T%+v", a.Event, a.Event), "")})
		}
		told.Monitors = append(told.Monitors, m)
		switch {
		case j.Verdict == observe.Some || j.Verdict == observe.Every:
			status = check.StatusViolation
		case j.Verdict == observe.Undecided && status == check.StatusOK:
			status = check.StatusInconclusive
		}
	}
	if o.JSON {
		return p.Ended(ctx, status, WriteJSON(p.Stdout, told))
	}
	out := &lines{w: p.Stdout}
	out.add("%s: %s", told.System, words.Plural(told.Announcements, "announcement"))
	if !whole {
		out.add("NOT all that was recorded is judged: the rest is no run of the system")
	}
	for i := range told.Monitors {
		told.Monitors[i].text(out)
	}
	return p.Ended(ctx, status, out.err)
}

// run reads the run, and the system with its monitors; whole: nothing that was recorded is left out. A nil system: there is nothing left to do. What
// live nodes recorded becomes a run without monitors, since that goes on behind a violation.
func (o *Observe) run(ctx context.Context, p *Process) (sys *sim.System, path choose.Path, whole bool, err error) {
	if !recording.IsDir(o.File) {
		l, done, err := p.load(ctx, o.File)
		if done || err != nil {
			return nil, nil, false, err
		}
		return &l.System, l.Path, true, nil
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
		return nil, nil, false, err
	}
	m.System.Monitors = full.Monitors
	return &m.System, m.Path, !p.Doubts(m), nil
}

func (m *observed) text(out *lines) {
	switch {
	case m.Verdict == observe.None:
		out.add("%s: violated in no order that agrees with the causes", m.Monitor)
	case m.Verdict == observe.Undecided:
		out.add("%s: UNDECIDED: there are more orders than were looked at (--max-states)", m.Monitor)
	case m.Verdict == observe.Every:
		out.add("%s: VIOLATED in every order that agrees with the causes", m.Monitor)
	case m.All:
		out.add("%s: VIOLATED in some of the orders that agree with the causes, not in all", m.Monitor)
	default:
		out.add("%s: VIOLATED in some of the orders that agree with the causes; not all were looked at (--max-states)", m.Monitor)
	}
	if m.Order == nil {
		return
	}
	out.add("  %s, as after", m.Message)
	for _, h := range m.Order {
		out.add("    step %d  n%d  %s", h.Step, h.Node, h.Event)
	}
}
