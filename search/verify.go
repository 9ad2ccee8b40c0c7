package search

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/sim"
)

const (
	// The first run of each of the first verifyFirst units, and then of one in verifyEvery, is executed a
	// second time and compared; of each of the first verifyClosely also the runs after 1, 2, 4, 8 and so on, as a search may
	// not have more.
	verifyFirst   = 2 * unitsPerRound
	verifyEvery   = 4
	verifyClosely = 4
	// verifyAgain is how often a run that differed is repeated to show the difference, and at most how often one is repeated that did
	// not, within verifySteps.
	verifyAgain = 16
	verifySteps = 64
)

// recording is the states that a run went through, by the hashes of their components.
type recording struct {
	parts  []part
	bounds []int // bounds[i] is the number of parts before state first+i+1
	first  int   // steps before the first of the states
}

type part struct {
	kernel.Component
	hash sim.Fingerprint
}

func (r *recording) reset() { r.parts, r.bounds = r.parts[:0], r.bounds[:0] }

// state records the state of w.
func (r *recording) state(w kernel.World) {
	for c, h := range w.Components() {
		r.parts = append(r.parts, part{c, h})
	}
	r.bounds = append(r.bounds, len(r.parts))
}

func (r *recording) at(step int) []part {
	if step -= r.first; step < 0 || step >= len(r.bounds) {
		return nil
	}
	first := 0
	if step > 0 {
		first = r.bounds[step-1]
	}
	return r.parts[first:r.bounds[step]]
}

// verifier executes runs a second time, in a world of its own that also looks for messages that were
// changed after they were sent.
type verifier struct {
	w        *worker
	run      *replay.Run // nil until needed
	recorded recording
	path     choose.Path
	bounds   []int32
}

func newVerifier(w *worker) *verifier { return &verifier{w: w} }

// repeats is how often the run is executed a third time and more. In a small system, one more execution may well be as the first by chance.
func (v *verifier) repeats(closely bool) int {
	if !closely {
		return 0
	}
	return min(verifyAgain, verifySteps/(len(v.w.loop.run.Bounds)+1))
}

// begin has the next run recorded.
func (v *verifier) begin() {
	v.recorded.reset()
	v.w.loop.record = &v.recorded
}

// verify executes the run that has just been recorded again.
func (v *verifier) verify() *Suspect {
	if v.run == nil {
		world, err := kernel.NewWorld(&v.w.cfg.System, kernel.Options{CheckMessages: true, UseAfterReturn: v.w.cfg.late})
		if err != nil {
			return nil // the same system made a world before
		}
		v.run = replay.NewRun(world)
	}
	l := v.w.loop
	v.path, v.bounds = append(v.path[:0], l.run.Path...), append(v.bounds[:0], l.run.Bounds...)
	v.w.active.Store(v.run)
	d := v.difference(v.run)
	_ = kernel.Finish(v.run.World) // the loop has done so with the same services
	if d == nil {
		return v.lasting()
	}
	end := len(v.path)
	if d.step < len(v.bounds) {
		end = int(v.bounds[d.step])
	}
	sus := &Suspect{
		Kind: sim.Nondeterminism, Node: -1, Path: v.path[:end].Clone(), Steps: d.step,
	}
	if d.finding != nil {
		sus.Find(d.finding)
		return sus
	}
	sus.Message = d.text
	if d.differs {
		if d.component.Kind == kernel.NodeState {
			sus.Node = sim.NodeID(d.component.Index)
		}
		details := v.details(d)
		sus.Difference = v.explain(d)
		sus.Difference.Details = details
		sus.Message = sus.Difference.String()
		if d.component.Kind == kernel.NodeState {
			sus.Message += fmt.Sprintf("; the service %v depends on more than its node's own events", v.w.loop.coverage.Services[d.component.Index])
		}
	}
	return sus
}

// details returns what the service of a node says on how the second execution differs.
func (v *verifier) details(d *difference) []string {
	if d.component.Kind != kernel.NodeState {
		return nil
	}
	id := sim.NodeID(d.component.Index)
	return declared.Compare(v.run.World.Service(id), v.w.loop.run.World.Service(id))
}

// lasting looks whether the two executions, at whose ends worlds are, refer to the same memory.
func (v *verifier) lasting() *Suspect {
	for id := range v.w.cfg.System.Nodes {
		var f *sim.Finding
		if err := kernel.Lasting(v.run.World, sim.NodeID(id), v.w.loop.run.World.Service(sim.NodeID(id))); errors.As(err, &f) {
			sus := &Suspect{Path: v.path.Clone(), Steps: len(v.bounds)}
			sus.Find(f)
			return sus
		}
	}
	return nil
}

// difference is where an execution went another way than the recorded one.
type difference struct {
	step      int
	text      string       // of another course of events
	finding   *sim.Finding // that the first execution did not have
	differs   bool         // in a component
	component kernel.Component
}

// difference executes the path on run, until its states differ from the recorded ones.
func (v *verifier) difference(run *replay.Run) *difference {
	src := &choose.Prefix{Path: v.path}
	return v.drive(run, src, func(step int) *difference {
		was, i := v.recorded.at(step), 0
		for c, h := range run.World.Components() {
			if i >= len(was) || was[i].Component != c || was[i].hash != h {
				return &difference{step: step, differs: true, component: c}
			}
			i++
		}
		return nil
	})
}

// drive executes the path on run, from where the first execution began. It calls visit in every state
// until that returns something.
func (v *verifier) drive(run *replay.Run, src *choose.Prefix, visit func(step int) *difference) *difference {
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
	first := v.recorded.first
	for step := first; step <= len(v.bounds); step++ {
		if v.w.loop.interrupted() {
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
			if err = run.Resume(v.w.loop.home.Saved); err == nil {
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

// certain reports whether a finding of the second execution is one of its closer look: nothing else
// can be new.
func (v *verifier) certain(f *sim.Finding) bool {
	return f.Kind == sim.Safety || f.Kind == sim.Panic || f.Kind == sim.Nondeterminism
}

// explain says what differs, with both values when they can be had.
func (v *verifier) explain(d *difference) *Difference {
	diff := &Difference{Step: d.step, Where: d.component.String()}
	again := fieldsOf(v.run.World, d.component)
	for i := range verifyAgain {
		if i > 0 { // what is shared with later steps, or with other nodes, is changed by them
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

func (d *Difference) String() string {
	s := fmt.Sprintf("step %d, executed twice in the same way, leaves %s in different states", d.Step, d.Where)
	if d.Step == 0 {
		s = fmt.Sprintf("the start, executed twice in the same way, leaves %s in different states", d.Where)
	}
	if d.Field == "" {
		return s
	}
	return fmt.Sprintf("%s: %s is %s or %s", s, d.Field, d.Values[0], d.Values[1])
}

func fieldsOf(w kernel.World, c kernel.Component) []sim.Field {
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
func firstDifference(a, b []sim.Field) (path string, values [2]string, ok bool) {
	for path, values := range differences(a, b) {
		return path, values, true
	}
	return "", values, false
}

// differences are the fields that are not the same in two lists, with both values.
func differences(a, b []sim.Field) iter.Seq2[string, [2]string] {
	return func(yield func(string, [2]string) bool) {
		for i, f := range slices.Concat(a, b) {
			x, y := valueOf(a, f.Path), valueOf(b, f.Path)
			if x != y && (i < len(a) || x == "absent") && !yield(cmp.Or(f.Path, "the state"), [2]string{x, y}) {
				return
			}
		}
	}
}

func valueOf(fields []sim.Field, path string) string {
	if i := slices.IndexFunc(fields, func(f sim.Field) bool { return f.Path == path }); i >= 0 {
		return fields[i].Value
	}
	return "absent"
}
