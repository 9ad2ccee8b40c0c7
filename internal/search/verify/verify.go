// Package verify detects nondeterminism in runs of a search: a second execution of a run that differs ([Verifier]), and the
// same step from two states with equal encodings that differs ([EncodingCollisions]). The search does so for a sample of
// its runs. Nondeterminism is also detected elsewhere, and is a violation with exit status 1 everywhere:
//
//	table engine             each handler is called twice when tables begin (Rehearse of internal/table), and a sample of
//	                         its runs is executed in the replay engine (internal/table/world/crosscheck.go)
//	every finding            is executed again (recur of internal/check/recurrence.go). If that does not end, it stays
//	                         undecided, and the search is inconclusive.
package verify

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/sim"
)

const (
	// verifyAgain is the number of repetitions of a run that differed, to show the difference. It is also the maximum
	// number for a run that did not differ, within verifySteps.
	verifyAgain = 16
	verifySteps = 64
)

// Mismatch is a problem with a run that was executed twice, or with two runs through equal states.
type Mismatch struct {
	*sim.Finding
	Path       choose.Path
	Steps      int
	Difference *Difference // the differing part of the state, for nondeterminism; nil if unknown
}

// Difference is a part of the state in which two executions of the same path differ.
type Difference struct {
	Step   int       `json:"step"`
	Where  string    `json:"where"`  // "n0", "the network", "monitor 1"
	Field  string    `json:"field"`  // empty if the values could not be reproduced
	Values [2]string `json:"values"` // one per execution
	// Details are lines from the service itself on the first difference, see [simext.Comparer].
	Details []string `json:"details,omitempty"`
	// Collision means that the same step from two states with equal encodings differs, not two executions of one path.
	Collision bool `json:"collision,omitempty"`
}

func (d *Difference) String() string {
	what := "the start"
	if d.Step > 0 {
		what = fmt.Sprintf("step %d", d.Step)
	}
	s := fmt.Sprintf("%s leaves %s in different states when repeated", what, d.Where)
	if d.Field == "" {
		return s
	}
	return fmt.Sprintf("%s: %s is %s or %s", s, d.Field, d.Values[0], d.Values[1])
}

// Recording is the sequence of states of a run, as hashes of their components.
type Recording struct {
	parts  []part
	bounds []int // bounds[i] is the number of parts before state first+i+1
	First  int   // steps before the first of the states
}

type part struct {
	kernel.Component
	hash encoding.Fingerprint
}

func (r *Recording) Reset() { r.parts, r.bounds = r.parts[:0], r.bounds[:0] }

// State records the state of w.
func (r *Recording) State(w kernel.World) {
	w.Components()(func(c kernel.Component, h encoding.Fingerprint) bool { // the body of a range loop would allocate its variables
		r.parts = append(r.parts, part{c, h})
		return true
	})
	r.bounds = append(r.bounds, len(r.parts))
}

func (r *Recording) at(step int) []part {
	if step -= r.First; step < 0 || step >= len(r.bounds) {
		return nil
	}
	first := 0
	if step > 0 {
		first = r.bounds[step-1]
	}
	return r.parts[first:r.bounds[step]]
}

// Verifier executes runs a second time, in a separate world that also detects messages that were changed after they
// were sent.
type Verifier struct {
	Sys         *sim.System
	Late        *contain.UseAfterReturn
	First       *replay.Run          // the recorded run
	Active      func(*replay.Run)    // is called with the run being executed
	Interrupted func() bool          // reports whether the second execution must end
	Home        func() *replay.Saved // start of the recording, if it is not the initial state
	Recorded    Recording

	run    *replay.Run // nil until needed
	path   choose.Path
	bounds []int32
}

// Repeats returns the number of executions after the second. In a small system, one more execution may equal the first
// by chance.
func (v *Verifier) Repeats(further bool) int {
	if !further {
		return 0
	}
	return min(verifyAgain, verifySteps/(len(v.First.Bounds)+1))
}

// Verify executes the recorded run again. services are the types of the nodes' services.
// A handler that reads a clock or random numbers, rather than those of its Env, is found by a difference.
func (v *Verifier) Verify(services []reflect.Type) *Mismatch {
	if v.run == nil {
		world, err := kernel.NewWorld(v.Sys, kernel.Options{CheckMessages: true, UseAfterReturn: v.Late})
		if err != nil {
			return nil // the same system made a world before
		}
		v.run = replay.NewRun(world)
	}
	v.path, v.bounds = append(v.path[:0], v.First.Path...), append(v.bounds[:0], v.First.Bounds...)
	v.Active(v.run)
	d := v.difference(v.run)
	_ = kernel.Finish(v.run.World) // the loop has closed the same services
	if d == nil {
		return v.lasting()
	}
	end := len(v.path)
	if d.step < len(v.bounds) {
		end = int(v.bounds[d.step])
	}
	found := &Mismatch{Finding: d.finding, Path: v.path[:end].Clone(), Steps: d.step}
	if d.finding != nil {
		return found
	}
	found.Finding = &sim.Finding{Kind: sim.Nondeterminism, Node: -1}
	found.Message = d.text
	if d.differs {
		if d.component.Kind == kernel.NodeState {
			found.Node = sim.NodeID(d.component.Index)
		}
		details := v.details(d)
		found.Difference = v.explain(d)
		found.Difference.Details = details
		found.Message = found.Difference.String()
		if d.component.Kind == kernel.NodeState {
			found.Message += fmt.Sprintf("; the service %v depends on more than its node's own events", services[d.component.Index])
		}
	}
	return found
}

// details returns the service's own description of the difference in the second execution.
func (v *Verifier) details(d *difference) []string {
	if d.component.Kind != kernel.NodeState {
		return nil
	}
	id := sim.NodeID(d.component.Index)
	return declared.Compare(v.run.World.Service(id), v.First.World.Service(id))
}

// lasting checks whether the services at the ends of the two executions share memory.
func (v *Verifier) lasting() *Mismatch {
	for id := range v.Sys.Nodes {
		var f *sim.Finding
		if err := kernel.Lasting(v.run.World, sim.NodeID(id), v.First.World.Service(sim.NodeID(id))); errors.As(err, &f) {
			return &Mismatch{Finding: f, Path: v.path.Clone(), Steps: len(v.bounds)}
		}
	}
	return nil
}

// difference describes where an execution deviated from the recorded one.
type difference struct {
	step      int
	text      string       // of a different course of events
	finding   *sim.Finding // a finding that the first execution did not have
	differs   bool         // a component differs
	component kernel.Component
}

// difference executes the path on run, until its states differ from the recorded ones.
func (v *Verifier) difference(run *replay.Run) *difference {
	src := &choose.Prefix{Path: v.path}
	return v.drive(run, src, func(step int) *difference {
		was, i := v.Recorded.at(step), 0
		for c, h := range run.World.Components() {
			if i >= len(was) || was[i].Component != c || was[i].hash != h {
				return &difference{step: step, differs: true, component: c}
			}
			i++
		}
		return nil
	})
}

// drive executes the path on run, from the start of the first execution. It calls visit in every state until visit
// returns a difference.
func (v *Verifier) drive(run *replay.Run, src *choose.Prefix, visit func(step int) *difference) *difference {
	asked := ""
	asking := choose.SourceFunc(func(p choose.Point) int {
		asked = fmt.Sprintf("%v %q of %d", p.Kind, p.Label, p.Arity)
		return src.Choose(p)
	})
	other := func(step int, format string, args ...any) *difference {
		text := fmt.Sprintf("step %d behaved differently when repeated: ", step)
		return &difference{step: step, text: text + fmt.Sprintf(format, args...)}
	}
	bound := func(step int) int { // length of the path after that step
		switch {
		case step < 0:
			return 0
		case step < len(v.bounds):
			return int(v.bounds[step])
		}
		return len(v.path)
	}
	first := v.Recorded.First
	for step := first; step <= len(v.bounds); step++ {
		if v.Interrupted() {
			return nil
		}
		var err error
		switch {
		case step > first:
			index, _ := src.Take()
			if _, ok := run.Event(index); !ok {
				return other(step, "event %d was no longer enabled", index)
			}
			asked = ""
			err = run.Step(index, asking)
		case first > 0:
			if err = run.Resume(v.Home()); err == nil {
				src.Seek(len(run.Path))
			}
		default:
			err = run.Start(asking)
		}
		if err != nil {
			d := other(step, "%v", err)
			if f, ok := err.(*sim.Finding); ok && v.certain(f) {
				d.finding = f
			}
			return d
		}
		if src.Err() != nil {
			return other(step, "%v", src.Err())
		}
		if src.Pos() != bound(step) || len(run.Path) != bound(step) {
			text := fmt.Sprintf("it made %d choices instead of %d", len(run.Path)-bound(step-1), bound(step)-bound(step-1))
			if asked != "" {
				text += ", the last for " + asked
			}
			return other(step, "%s", text)
		}
		if d := visit(step); d != nil {
			return d
		}
	}
	return nil
}

// certain reports whether a finding of the second execution comes from its closer checks: nothing else can be new.
func (v *Verifier) certain(f *sim.Finding) bool {
	return f.Kind == sim.Safety || f.Kind == sim.Panic || f.Kind == sim.Nondeterminism
}

// explain describes a difference, with both values if they can be reproduced.
func (v *Verifier) explain(d *difference) *Difference {
	diff := &Difference{Step: d.step, Where: d.component.String()}
	again := fieldsOf(v.run.World, d.component)
	for i := range verifyAgain {
		if i > 0 { // shared memory is changed by later steps, or by other nodes
			v.drive(v.run, &choose.Prefix{Path: v.path}, func(int) *difference { return nil })
		}
		at := v.drive(v.run, &choose.Prefix{Path: v.path}, func(step int) *difference {
			if step == d.step {
				return &difference{step: step}
			}
			return nil
		})
		if at == nil || at.step != d.step {
			continue
		}
		if field, values, ok := firstDifference(again, fieldsOf(v.run.World, d.component)); ok {
			diff.Field, diff.Values = field, values
			break
		}
	}
	return diff
}

func fieldsOf(w kernel.World, c kernel.Component) []diff.Field {
	switch c.Kind {
	case kernel.NodeState:
		return w.NodeFields(sim.NodeID(c.Index))
	case kernel.MonitorState:
		return kernel.MonitorFields(w, c.Index)
	case kernel.NetState, kernel.Budgets:
		return w.NetFields()
	}
	return nil
}

// firstDifference compares fields by path.
func firstDifference(a, b []diff.Field) (path string, values [2]string, ok bool) {
	for path, values := range differences(a, b) {
		return path, values, true
	}
	return "", values, false
}

// differences yields the fields that differ between two lists, with both values.
func differences(a, b []diff.Field) iter.Seq2[string, [2]string] {
	return func(yield func(string, [2]string) bool) {
		for i, f := range slices.Concat(a, b) {
			x, y := valueOf(a, f.Path), valueOf(b, f.Path)
			if x != y && (i < len(a) || x == "absent") && !yield(cmp.Or(f.Path, "the state"), [2]string{x, y}) {
				return
			}
		}
	}
}

func valueOf(fields []diff.Field, path string) string {
	if i := slices.IndexFunc(fields, func(f diff.Field) bool { return f.Path == path }); i >= 0 {
		return fields[i].Value
	}
	return "absent"
}
