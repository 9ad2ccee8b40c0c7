package search

import (
	"errors"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/sim"
)

// A Task is a run to make: Path is executed, which may end inside a step, and from there on the
// strategy decides.
type Task struct {
	Path choose.Path // only read
}

// A Strategy decides where the loop goes. Its methods are called on one goroutine. A [Node] is valid
// during the call only.
type Strategy interface {
	// Next returns the next run to make; ok is false when there is none.
	Next() (t Task, ok bool)
	// Select is called in each state that a run reaches beyond its task, the state at the end of the
	// task included. It says what may happen next there.
	Select(at *Node) Selection
	// Choose answers a point beyond the task. For [choose.Event] the alternatives are the selected
	// events; at other points at is still the state before the step in progress. When ok is false the
	// run ends at the end of the step that the point belongs to.
	Choose(at *Node, p choose.Point) (pick int, ok bool)
	// Ended is called once for each run.
	Ended(o *Outcome)
}

// A Stateful strategy knows which states it has seen.
type Stateful interface {
	Strategy
	// Visit is called in each state before Select, and says whether the state was seen before.
	Visit(at *Node) (seen bool)
	// Edge is called after Visit, but not for first states. Of from only the numbers are left: the
	// world has moved on.
	Edge(from, to *Node, step *stepinfo.Step, seen bool)
}

// An Observer watches steps.
type Observer interface {
	// OnStep is called after each step beyond the run's task, that with the last choice of the task
	// included.
	OnStep(at *Node, step *stepinfo.Step)
}

// Selection says how a run goes on from a state.
type Selection struct {
	End    End  // not Running: the run ends here
	Faults bool // injections may be chosen, too
}

// End says why a run ended.
type End uint8

const (
	Running     End = iota
	AtGoal          // in a live state that the strategy looked for
	OutOfEvents     // nothing that may be chosen is left
	TooLong         // at the strategy's limit of steps
	AtBound         // at the strategy's limit of depth
	Duplicate       // in a state seen before
	Cut             // a point was not answered
	Found           // with a finding
	Misfit          // the task does not fit the system
	Stopped         // from outside, before its end
)

// Outcome is how a run ended. The world is still in the run's last state.
type Outcome struct {
	Task    Task
	End     End
	Finding *sim.Finding // of Found
	Err     error        // of Misfit
	Steps   int          // of the run, those of the task included
	Choices int          // points with more than one alternative, those of the task included
	Live    bool         // whether the last state is live
	Used    sim.Limits   // faults that struck
	// Stuck is, of a run with checked code that did not return, the path into that; see [Loop.Watch]. The loop must not be used
	// any more.
	Stuck choose.Path
}

// Node is the state that a run is in.
type Node struct {
	Run *replay.Run
	// Enabled are the ordinary events, valid until the next step.
	Enabled []sim.Event
	Step    int // steps taken since the first state
	Choices int // points answered so far that had more than one alternative
	// Live reports whether all Eventually properties hold; true when there are none.
	Live bool
	Goal bool // whether the run is to come to a state that is live
	// Unlikely reports whether the step to this state was given an answer of weight 0, as walks never do.
	Unlikely bool
	Used     sim.Limits // faults that have struck in the run

	injections  []sim.Event
	listed      bool
	fingerprint sim.Fingerprint
	hashed      bool
}

// Injections are the faults that can strike here, valid until the next step.
func (n *Node) Injections() []sim.Event {
	if !n.listed {
		n.injections, n.listed = n.Run.World.Injections(n.injections[:0]), true
	}
	return n.injections
}

// Fingerprint is that of the state.
func (n *Node) Fingerprint() sim.Fingerprint {
	if !n.hashed {
		n.fingerprint, n.hashed = n.Run.World.Fingerprint(), true
	}
	return n.fingerprint
}

// arrive makes n the state that the world is in now.
func (n *Node) arrive(live bool) {
	n.Enabled = n.Run.World.Enabled()
	n.Step, n.Live, n.listed, n.hashed = n.Run.Steps(), live, false, false
}

func (o *Outcome) failed(err, misfit error) {
	var finding *sim.Finding
	switch {
	case misfit != nil:
		o.End, o.Err = Misfit, misfit
	case errors.As(err, &finding):
		o.End, o.Finding = Found, finding
	default:
		o.End, o.Err = Misfit, err
	}
}

// count counts an injected fault.
func (n *Node) count(k sim.EventKind) {
	if f, ok := k.Fault(); ok {
		n.Used[f]++
	}
}
