package runloop

import (
	"context"

	"errors"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/sim"
)

// A Task is a run to make. Path, which may end inside a step, is executed, and the strategy decides from there on.
type Task struct {
	Path choose.Path // only read
}

// A Strategy directs the loop. Its methods are called on one goroutine. A [Node] is valid only during the call.
type Strategy interface {
	// Next returns the next run to make; ok is false if there is none.
	Next() (t Task, ok bool)
	// Select is called in each state that a run reaches beyond its task, including the state at the end of the task. It
	// selects the events that may happen next.
	Select(at *Node) Selection
	// Choose answers a point beyond the task. For [choose.Event] the alternatives are the selected events. At other
	// points, at is still the state before the step in progress. If ok is false, the run ends at the end of the step of
	// the point.
	Choose(at *Node, p choose.Point) (pick int, ok bool)
	// Ended is called once for each run.
	Ended(o *Outcome)
}

// Stoppable is a strategy whose runs end when Ctx is done.
type Stoppable struct {
	Strategy
	Ctx context.Context
}

// lookEvery is the number of steps between checks of the context.
const lookEvery = 16

// Select implements [Strategy].
func (s *Stoppable) Select(at *Node) Selection {
	if at.Step%lookEvery == 0 && s.Ctx.Err() != nil {
		return Selection{End: Stopped}
	}
	return s.Strategy.Select(at)
}

// A Stateful strategy recognizes states that it has seen.
type Stateful interface {
	Strategy
	// Visit is called in each state before Select, and reports whether the state was seen before.
	Visit(at *Node) (seen bool)
	// Edge is called after Visit, but not for initial states. Only the numbers in from are valid, because the world has
	// moved on.
	Edge(from, to *Node, step *stepinfo.Step, seen bool)
}

// An Observer watches steps.
type Observer interface {
	// OnStep is called after each step beyond the run's task, and after the step with the last choice of the task.
	OnStep(at *Node, step *stepinfo.Step)
}

// Selection determines how a run continues from a state.
type Selection struct {
	End    End  // Running, or the end of the run
	Faults bool // injections may be chosen, too
}

// End is the reason for the end of a run.
type End uint8

const (
	Running     End = iota
	AtGoal          // in a live state that the strategy looked for
	OutOfEvents     // no selectable event is left
	TooLong         // at the strategy's limit of steps
	AtBound         // at the strategy's limit of depth
	Duplicate       // in a state seen before
	Unanswered      // a point was not answered
	Found           // with a finding
	Mismatch        // the task does not fit the system
	Stopped         // ended from outside
)

// Outcome describes the end of a run. The world is still in the run's last state.
type Outcome struct {
	Task    Task
	End     End
	Finding *sim.Finding // for Found
	Err     error        // for Mismatch
	Steps   int          // of the run, including those of the task
	Choices int          // points with more than one alternative, including those of the task
	Live    bool         // whether the last state is live
	Used    sim.Limits   // faults that struck
	// Stuck is, for a run with checked code that did not return, the path into that code; see [Loop.Watch]. The loop
	// must not be used again.
	Stuck choose.Path
}

// Node is the current state of a run.
type Node struct {
	Run *replay.Run
	// Enabled are the ordinary events, valid until the next step.
	Enabled []netmodel.Event
	Step    int // steps taken since the initial state
	Choices int // answered points with more than one alternative
	// Live reports whether all Eventually properties hold. It is true if there are none.
	Live bool
	Goal bool // whether the run is expected to reach a live state
	// Unlikely reports whether the step to this state was given an answer of weight 0, which walks never give.
	Unlikely bool
	Used     sim.Limits // faults that have struck in the run

	injections  []netmodel.Event
	listed      bool
	fingerprint encoding.Fingerprint
	hashed      bool
}

// Injections returns the faults that can strike here, valid until the next step.
func (n *Node) Injections() []netmodel.Event {
	if !n.listed {
		n.injections, n.listed = n.Run.World.Injections(n.injections[:0]), true
	}
	return n.injections
}

// Fingerprint returns the fingerprint of the state.
func (n *Node) Fingerprint() encoding.Fingerprint {
	if !n.hashed {
		n.fingerprint, n.hashed = n.Run.World.Fingerprint(), true
	}
	return n.fingerprint
}

// arrive sets n to the current state of the world.
func (n *Node) arrive(live bool) {
	n.Enabled = n.Run.World.Enabled()
	n.Step, n.Live, n.listed, n.hashed = n.Run.Steps(), live, false, false
}

func (o *Outcome) failed(err, mismatch error) {
	var finding *sim.Finding
	switch {
	case mismatch != nil:
		o.End, o.Err = Mismatch, mismatch
	case errors.As(err, &finding):
		o.End, o.Finding = Found, finding
	default:
		o.End, o.Err = Mismatch, err
	}
}
