package history

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/sim"
)

// Executed is the path of a system. A cursor moves to its states and computes them.
type Executed struct {
	*base
	Cursor  *replay.Cursor
	Words   *replay.Words
	boot    int // number of answers in the first boots
	plans   *encoding.Set
	causes  causes
	windows []window // cached traces of parts of the run, most recently used first
}

type window struct {
	first int // number of its first step
	trace *replay.Trace
}

const (
	WindowSteps = 64
	mostWindows = 8
)

// New executes a path and returns its run.
func New(sys *sim.System, name string, path choose.Path) (*Run, error) {
	c, err := replay.NewCursor(sys, path, kernel.Options{})
	x := &Executed{base: &base{words: ofSystems, Name: name, Nodes: sys.Nodes}, Cursor: c}
	if err = x.ended(err); err != nil {
		return nil, err
	}
	if x.Words, err = replay.NewWords(sys); err != nil {
		return nil, err
	}
	if x.plans, err = encoding.NewSet(declared.Rules(sys.State)...); err != nil {
		return nil, err
	}
	c.Keep()
	x.boot = c.Pos()
	x.causes.init(sys.Nodes, x.plans)
	x.steps = []Step{{Key: "all nodes boot", Ev: netmodel.Event{Node: -1}, text: "the first state"}}
	x.evaluate(c.World())
	return &Run{x.base, x}, x.readOn()
}

// FirstBoots returns the path of the first state, with answer 0 to each question of the first boots.
func FirstBoots(sys *sim.System) (choose.Path, error) {
	w, err := kernel.NewWorld(sys, kernel.Options{})
	if err != nil {
		return nil, err
	}
	run := replay.NewRun(w)
	_ = run.Start(choose.SourceFunc(func(choose.Point) int { return 0 })) // New records a finding
	return append(choose.Path{}, run.Path...), nil
}

// readOn executes the rest of the path after the known steps.
func (x *Executed) readOn() error {
	x.steps = slices.Grow(x.steps, len(x.Cursor.Path())-x.Cursor.Pos()) // each step has at least one answer
	for !x.Cursor.AtEnd() {
		_, ev, err := x.Cursor.Peek()
		if err != nil {
			return err
		}
		x.recordBefore(ev)
		if err := x.ended(x.Cursor.Next()); err != nil {
			return err
		}
		x.recordAfter()
	}
	return nil
}

// recordBefore records the data of a step that is available only before its execution.
func (x *Executed) recordBefore(ev netmodel.Event) {
	w := x.Cursor.World()
	label := w.Label(ev)
	s := Step{Key: label.String(), Ev: ev, text: x.Words.Describe(w, ev), Picks: -int32(x.Cursor.Pos()) - 1}
	s.refused = ev.Kind == eventkind.DeliverError && label.Content == sim.ErrRefused.Error()
	s.Cause = x.causes.cause(x.Cursor, &s)
	x.steps = append(x.steps, s)
}

// recordAfter completes the record of the step that was executed last.
func (x *Executed) recordAfter() {
	s := x.Step(x.Len())
	s.Picks += int32(x.Cursor.Pos())
	s.With = slices.Clone(x.Cursor.World().Last().With)
	x.evaluate(x.Cursor.World())
	x.causes.follow(x.Cursor.World(), s, x.Len())
}

// ComesRound reports whether the last n steps form a cycle.
func (x *Executed) ComesRound(n int) bool {
	if n > x.Len() || x.Cursor.To(x.Len()-n) != nil {
		return false
	}
	before := x.Cursor.World().Fingerprint()
	return x.Cursor.To(x.Len()) == nil && x.Cursor.World().Fingerprint() == before
}

func (x *Executed) World(n int) (kernel.World, error) {
	err := x.Cursor.To(n)
	if f := (*sim.Finding)(nil); errors.As(err, &f) && x.Cursor.Steps() == n {
		err = nil
	}
	return x.Cursor.World(), err
}

func (x *Executed) Fields(n int, id sim.NodeID) ([]diff.Field, error) {
	w, err := x.World(n)
	if err != nil {
		return nil, err
	}
	return w.NodeFields(id), nil
}

func (x *Executed) Order() (nodes []int) {
	for id := range x.Nodes {
		nodes = append(nodes, id)
	}
	return nodes
}

func (x *Executed) Title(id int) string                           { return x.Node(id) }
func (x *Executed) Touched(n int) []sim.NodeID                    { return x.Step(n).nodes() }
func (*Executed) Sentence(t *replay.TraceStep) string             { return t.Sentence() }
func (*Executed) Changes(t *replay.TraceStep) []replay.NodeChange { return replay.Readable(t.Changes) }
func (*Executed) Ended(int, int) bool                             { return false }
func (x *Executed) distance() int                                 { return x.Cursor.Distance() }

func (x *Executed) RunsProgram(id int) bool {
	service := x.Cursor.World().System().New(sim.NodeID(id)) // that of the node is missing while it is down
	defer simext.Discard(service)
	_, hosted := service.(simext.Hosted)
	return hosted
}

func (x *Executed) Trace(n int) (*replay.TraceStep, error) {
	first := max(0, n-1)/WindowSteps*WindowSteps + 1
	i := slices.IndexFunc(x.windows, func(w window) bool { return w.first == first })
	if i < 0 {
		t, err := x.Cursor.Record(first, first+WindowSteps-1)
		if err != nil {
			return nil, err
		}
		x.windows = slices.Insert(x.windows[:min(len(x.windows), mostWindows-1)], 0, window{first, t})
	} else if i > 0 {
		w := x.windows[i]
		copy(x.windows[1:], x.windows[:i])
		x.windows[0] = w
	}
	t := x.windows[0].trace
	switch {
	case n == 0:
		return &t.Boot, nil
	case n-first < len(t.Steps):
		return &t.Steps[n-first], nil
	}
	return nil, fmt.Errorf("no step %d; the run has %d", n, x.Len())
}

// Events returns the events that can happen after step n. The first ones, enabled in number, are not faults.
func (x *Executed) Events(n int) (all []netmodel.Event, enabled int, err error) {
	w, err := x.World(n)
	if err != nil {
		return nil, 0, err
	}
	if n == x.Len() && x.Finding != nil {
		return nil, 0, fmt.Errorf("the run ends with a finding, nothing can follow: %w", x.Finding)
	}
	ordinary := w.Enabled()
	return w.Injections(slices.Clone(ordinary)), len(ordinary), nil
}

// Texts returns a message as its keys have it, and with the names of its values.
func (x *Executed) Texts(msg any) (text, names string) {
	if p, err := x.plans.Of(msg); err == nil {
		text, names = p.Text(msg), p.Names(msg)
	}
	return text, names
}

// Branch returns a new run that ends after step n of r, which is executed.
func Branch(r *Run, name string, n int) (*Run, error) {
	x := r.Executed()
	c, err := x.Cursor.Branch(n)
	if err != nil {
		return nil, err
	}
	b := &base{words: ofSystems, Name: name, Nodes: x.Nodes, steps: slices.Clone(x.steps[:n+1]), At: n, From: r, Common: n}
	if x.Critical <= n {
		b.Critical = x.Critical
	}
	if x.brokenAt <= n {
		b.violated, b.brokenAt = x.violated, x.brokenAt
	}
	y := &Executed{base: b, Cursor: c, Words: x.Words, plans: x.plans, boot: x.boot}
	return &Run{b, y}, y.recomputeCauses()
}

// recomputeCauses recomputes causes up to the last step.
func (x *Executed) recomputeCauses() error {
	x.causes.init(x.Nodes, x.plans)
	if err := x.Cursor.To(0); err != nil {
		return err
	}
	for n := 1; n <= x.Len(); n++ {
		if err := x.ended(x.Cursor.Next()); err != nil {
			return err
		}
		x.causes.follow(x.Cursor.World(), x.Step(n), n)
	}
	return nil
}

// Extend adds a step, one of [Executed.Events] at the end of the run, and moves there.
func (x *Executed) Extend(index int, src choose.Source) error {
	events, _, err := x.Events(x.Len())
	if err != nil {
		return err
	}
	x.windows, x.Saved = nil, false
	x.recordBefore(events[index])
	if err := x.ended(x.Cursor.Extend(index, src)); err != nil {
		x.steps = x.steps[:x.Len()]
		return err
	}
	x.recordAfter()
	x.At = x.Len()
	return nil
}

// Shared compares the answers of steps, too, and first those in the first boots.
func (x *Executed) Shared(other *Run) int {
	y := other.Executed()
	p, q := x.Cursor.Path(), y.Cursor.Path()
	if !slices.Equal(p[:x.boot], q[:y.boot]) {
		return 0
	}
	n, at := 0, x.boot
	for n < min(x.Len(), y.Len()) {
		a, b := x.Step(n+1), y.Step(n+1)
		end := at + 1 + int(a.Picks)
		if a.Key != b.Key || a.Picks != b.Picks || !slices.Equal(p[at:end], q[at:end]) {
			break
		}
		n, at = n+1, end
	}
	return n
}

func (x *Executed) Because(n int) string {
	s := x.Step(n)
	cause := s.Ev.Kind.Presentation().Cause
	switch {
	case s.refused:
		return "what was refused was sent in"
	case cause == "":
		return "follows from"
	}
	return cause.Fill("", x.Node(int(s.Ev.Peer)), "")
}

// mostCompared is the maximum length of a value in a comparison.
const mostCompared = 60

func (x *Executed) WriteDifferences(out io.Writer, n int, other *Run, m int) error {
	before, err := allFields(x, n)
	if err != nil {
		return err
	}
	after, err := allFields(other.Executed(), m)
	if err != nil {
		return err
	}
	same, cut := true, false
	for id := range before {
		all := diff.Between(before[id], after[id])
		same = same && len(all) == 0
		for _, c := range all {
			parts := func(d diff.Change) bool { return replay.PartOf(d.Path, c.Path) }
			if id < x.Nodes && slices.ContainsFunc(all, parts) {
				continue // empty in one of the states; its parts are listed
			}
			where := "network "
			if id < x.Nodes {
				where = x.Node(id) + "."
			}
			from, to := cmp.Or(c.Old, "none"), cmp.Or(c.New, "none")
			if c.Old != "" && c.New != "" {
				from, to = textfmt.CutPair(from, to, mostCompared)
				cut = cut || from != c.Old || to != c.New
			}
			fmt.Fprintf(out, "  %s%s  %s | %s\n", where, c.Path, from, to)
		}
	}
	if same {
		fmt.Fprintln(out, "  the states are the same")
	}
	if cut {
		fmt.Fprintln(out, "  long values are cut around their first difference; \"field PATH\" shows them whole")
	}
	return nil
}

// allFields returns the fields of each node after step n, and last those of the network.
func allFields(x *Executed, n int) (all [][]diff.Field, err error) {
	w, err := x.World(n)
	if err != nil {
		return nil, err
	}
	for id := range x.Nodes {
		all = append(all, w.NodeFields(sim.NodeID(id)))
	}
	return append(all, w.NetFields()), nil
}

func (x *Executed) WriteWaits(out io.Writer, n int) error {
	some := false
	for id := range x.Nodes {
		texts, err := goroutines(x, n, id)
		if err != nil {
			return err
		}
		for _, text := range texts {
			some = true
			if !strings.Contains(text, simext.Pauses) {
				fmt.Fprintf(out, "  %s %s\n", x.Node(id), text)
			}
		}
	}
	if err := x.WriteHeld(out, "  ", n, -1); err != nil {
		return err
	}
	if !some {
		fmt.Fprintln(out, "  no node runs a program with goroutines")
	}
	return nil
}

func (x *Executed) WriteHeld(out io.Writer, margin string, n, node int) error {
	for id := range x.Nodes {
		if node >= 0 && node != id {
			continue
		}
		texts, err := goroutines(x, n, id)
		if err != nil {
			return err
		}
		for _, text := range texts {
			if strings.Contains(text, simext.Pauses) {
				fmt.Fprintf(out, "%s%s %s: the schedule holds it back %s\n", margin, x.Node(id), text, untilNext(x, n, id))
			}
		}
	}
	return nil
}

// untilNext describes the step of a node in which the goroutines that are held back after step n continue.
func untilNext(x *Executed, n, node int) string {
	for next := n + 1; next <= x.Len(); next++ {
		if slices.Contains(x.Touched(next), sim.NodeID(node)) {
			return fmt.Sprintf("until step %d, the next one of %s", next, x.Node(node))
		}
	}
	return fmt.Sprintf("until the next step of %s, which this run does not have", x.Node(node))
}

// goroutines describes the goroutines of a node's program after step n.
func goroutines(x *Executed, n, node int) ([]string, error) {
	fields, err := x.Fields(n, sim.NodeID(node))
	for _, f := range fields {
		if f.Part.Kind == diff.OfProgram && f.Part.Name == simext.GoroutinesField {
			return strings.Split(f.Value, simext.BetweenGoroutines), err
		}
	}
	return nil, err
}
