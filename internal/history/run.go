package history

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/properties"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/sim"
)

// Run is a run with a current position: a path that is executed, see [New], or the recording of a test, see [Recorded].
type Run struct {
	*base
	kind
}

// base is what runs of both kinds store.
type base struct {
	words
	Name     string
	Nodes    int
	File     string       // empty if the run does not come from a file
	steps    []Step       // the first element describes the first state
	Finding  *sim.Finding // finding of the last step, which ends the run; nil means none
	violated *sim.Finding // finding of the first state that violates a property; nil means none
	brokenAt int          // step that led to that state
	At       int          // current step; 0 means the first state
	Critical int          // critical step; 0 means unknown
	Round    int          // number of last steps that form an infinite cycle; 0 means unknown
	From     *Run         // run from which this one branches; nil means none
	Common   int          // number of steps shared with From
	Why      string       // evidence for the critical step; empty if unknown
	Saved    bool
}

// kind is what [Executed] and [Recording] do differently.
type kind interface {
	// Title returns the name of a node, for a goroutine with its function and how it started.
	Title(id int) string
	// Sentence describes the step of a trace.
	Sentence(t *replay.TraceStep) string
	// Because describes the relation between step n and its cause.
	Because(n int) string
	// Changes returns the changes of a step that are shown beside its sentence.
	Changes(t *replay.TraceStep) []replay.NodeChange
	// Touched returns the nodes whose states step n may have changed.
	Touched(n int) []sim.NodeID
	// World moves to the state after step n. A recording has no world, so nil is returned.
	World(n int) (kernel.World, error)
	// Fields returns the state of a node after step n.
	Fields(n int, id sim.NodeID) ([]diff.Field, error)
	// Trace returns the full description of step n; step 0 is the first boots.
	Trace(n int) (*replay.TraceStep, error)
	// Graph returns the event graph of a range of steps, and options that show only that range. The graph covers at least the steps from
	// first to margin steps after the range. The step numbers that it shows are those of the run.
	Graph(first, from, to, margin int) (*eventgraph.Graph, eventgraph.Options, error)
	// Order returns the nodes in the order of display.
	Order() []int
	// Ended reports whether a node is a goroutine that has ended by step n.
	Ended(n, id int) bool
	// RunsProgram reports whether a node runs a program with goroutines.
	RunsProgram(id int) bool
	// Shared returns the length of the common prefix with a run of the same kind in steps.
	Shared(other *Run) int
	// WriteDifferences writes the differences between the states after step n and after step m of a run of the same kind, one a line.
	WriteDifferences(out io.Writer, n int, other *Run, m int) error
	// WriteWaits writes what the goroutines of a test, or of nodes that run programs, wait for after step n.
	WriteWaits(out io.Writer, n int) error
	// WriteHeld writes the goroutines that the schedule holds back after step n: those of a test, of a node, or of all nodes if node is
	// negative.
	WriteHeld(out io.Writer, margin string, n, node int) error
	// distance returns the number of steps between stored states. 0 means that all states are stored.
	distance() int
}

// Step is the record of one step. There is one for each step of a run.
type Step struct {
	Key     string
	Ev      netmodel.Event
	text    string       // for display
	refused bool         // whether it is the error of a connection that the peer refused
	Library bool         // whether a test executed it in the standard library
	With    []sim.NodeID // nodes that failed with the node of the event
	Picks   int32        // number of answers
	Cause   int32        // step that caused it, see causes
	Live    bool
	Failing uint64 // indexes of properties that do not hold after it, as bits; indexes from 64 on are not stored
}

// nodes returns the node of the event, which is negative if there is none, and the nodes that failed with it. The step changes no other
// node.
func (s *Step) nodes() []sim.NodeID { return append([]sim.NodeID{s.Ev.Node}, s.With...) }

func (s *Step) String() string { return s.text }

// Len returns the number of steps.
func (b *base) Len() int { return len(b.steps) - 1 }

// Step returns the stored data of step n; 0 is the first state.
func (b *base) Step(n int) *Step { return &b.steps[n] }

// InRound reports whether a step is part of the infinite cycle.
func (b *base) InRound(n int) bool { return n > b.Len()-b.Round }

// ended records a finding and returns other errors.
func (b *base) ended(err error) error {
	if f := (*sim.Finding)(nil); errors.As(err, &f) {
		b.Finding = f
		return nil
	}
	return err
}

// evaluate records the values of the properties in the state after the last step.
func (b *base) evaluate(w kernel.World) {
	n := b.Len()
	s := b.Step(n)
	failing, found := replay.Evaluate(w)
	if b.violated == nil && found != nil {
		b.violated, b.brokenAt = found, n
	}
	s.Live = true
	for _, i := range failing {
		s.Failing |= 1 << i // 0 for indexes from 64 on
		s.Live = s.Live && w.System().Properties[i].Eventually == nil
	}
}

// Found returns the finding of step n, or of the state after it if it is the first violating state. nil means none.
func (b *base) Found(n int) *sim.Finding {
	switch {
	case n == b.Len() && b.Finding != nil:
		return b.Finding
	case n == b.brokenAt:
		return b.violated
	}
	return nil
}

// FirstFound returns the first finding of the run and its step; nil means none.
func (b *base) FirstFound() (*sim.Finding, int) {
	if b.violated != nil {
		return b.violated, b.brokenAt
	}
	return b.Finding, b.Len()
}

// Violation describes a finding in one line: "SAFETY VIOLATION: one leader: n0 and n1 lead".
func Violation(f *sim.Finding) string {
	text := strings.ToUpper(string(f.Kind))
	if f.Kind == sim.Safety || f.Kind == sim.Liveness {
		text += " VIOLATION"
	}
	if f.Property != "" {
		text += ": " + f.Property
	}
	if f.Message != "" && f.Message != properties.DoesNotHold {
		text += ": " + textfmt.FirstLine(f.Message)
	}
	return text
}

// Unsaved reports whether the run is a branch that the end of the session drops.
func (b *base) Unsaved() bool { return b.From != nil && !b.Saved && b.Name != "live" }

// Summary describes the length of a run, its origin and its end.
func (b *base) Summary() string {
	text := fmt.Sprintf("%d steps, at step %d", b.Len(), b.At)
	if b.From != nil {
		text += fmt.Sprintf(", branched from %s at step %d", b.From.Name, b.Common)
	}
	if b.Critical > 0 {
		text += fmt.Sprintf(", critical step %d", b.Critical)
	}
	switch f, _ := b.FirstFound(); {
	case f != nil:
		text += ", " + Violation(f)
	case b.Step(b.Len()).Live:
		text += ", live in the end"
	case b.Passes != "":
		text += ", " + b.Passes
	}
	if !b.Saved {
		text += ", not saved"
	}
	return text
}

// Executed returns a run that is executed. It panics if the run is a recording.
func (r *Run) Executed() *Executed { return r.kind.(*Executed) }

// Recording returns a run that was recorded. It panics if the run is executed.
func (r *Run) Recording() *Recording { return r.kind.(*Recording) }

// words are the words for the nodes of a run and for its end.
type words struct {
	NodeWord   string // node, or goroutine
	letter     string // begins the names of nodes
	number     int    // of the first node
	Passes     string // describes a run without a finding; empty if only its states are described
	OmitsEmpty bool   // nodes without fields are not shown, as they have not started
}

var (
	ofSystems = words{NodeWord: "node", letter: "n"}
	ofTests   = words{NodeWord: "goroutine", letter: "g", number: 1, Passes: "the test passes", OmitsEmpty: true}
)

// NodeName returns the name of a node: n2, or g3 for a goroutine.
func NodeName(goroutine bool, id int) string {
	if goroutine {
		return ofTests.Node(id)
	}
	return ofSystems.Node(id)
}

// Node returns the name of a node: n2, or g3 for a goroutine.
func (w *words) Node(id int) string { return fmt.Sprintf("%s%d", w.letter, id+w.number) }

// ParseNode parses a node, such as n2, 2 or "node 2", or g3 for a recorded test.
func (w *words) ParseNode(text string) (id int, err error) {
	id, err = strconv.Atoi(strings.TrimPrefix(strings.TrimPrefix(text, w.NodeWord+" "), w.letter))
	return id - w.number, err
}

// IsNode reports whether a text has the form of a node's name, such as n2 or "node 2".
func (w *words) IsNode(text string) bool {
	number, named := strings.CutPrefix(text, w.NodeWord+" ")
	if !named {
		number, named = strings.CutPrefix(text, w.letter)
	}
	return named && number != "" && number[0] >= '0' && number[0] <= '9'
}
