// Package runner runs nodes of a system with an external network.
package runner

import (
	"fmt"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/encoding/rule"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/memdisk"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
)

// Runner runs nodes of a system with an external network: on sockets, or in a recording. It uses the machine of the
// replay engine without a network model: handlers, effects on the own node, state and properties are the same. The
// caller receives the messages that handlers send, and supplies the arrivals. Timers may fire in any order, since real
// time is not part of a node's state.
//
// A runner is not safe for concurrent use.
type Runner struct {
	w      *kernel.Machine
	out    externalNetwork
	writes []memdisk.Write

	ordered bool
}

// Answers answers the questions of a handler.
type Answers interface {
	choose.Source
	// Room returns the number of messages that the stream to peer accepts before the step.
	Room(node, peer sim.NodeID) int
}

// Done is the result of a step. It belongs to the runner and is valid until the next step.
type Done struct {
	*stepinfo.Step
	// Writes are the writes among the effects, in order. Those without a later sync effect wait for a sync.
	Writes []memdisk.Write
	// Finding is a failed assertion, a panic or the like. After a failed assertion the effects have happened. After any
	// other finding they have not, and the node must not be run again.
	Finding *sim.Finding
}

// Broken reports whether the node must not be run again.
func (d *Done) Broken() bool { return d.Finding != nil && d.Finding.Property != sim.AssertionProperty }

// NewRunner returns a runner whose nodes are down and have never been up. The error is as for [kernel.NewWorld].
func NewRunner(sys *sim.System, opts kernel.Options) (*Runner, error) {
	own := *sys
	own.State = append(slices.Clone(sys.State), sim.StateRule(rule.AcrossPrograms()))
	own.Timing = sim.AnyOrder
	world, err := kernel.NewWorld(&own, opts)
	if err != nil {
		return nil, err
	}
	r := &Runner{w: world.(*kernel.Machine)}
	r.out.capacity = r.w.Net.Capacity()
	r.out.datagrams, r.out.streams = true, true
	if p, ok := r.w.Net.(netmodel.Parted); ok {
		r.out.datagrams, r.out.streams = p.Kinds()
	}
	if o, ok := r.w.Net.(interface{ Ordered() bool }); ok {
		r.ordered = o.Ordered()
	}
	r.w.Net, r.w.Holder, r.w.Groups = &r.out, nil, nil
	for i := range r.w.Members {
		r.w.Members[i].Clock.Reset(i)
	}
	return r, nil
}

// Capacity returns the number of messages that an empty stream accepts.
func (r *Runner) Capacity() int { return r.out.capacity }

// Kinds reports whether the system's network carries datagrams and streams.
func (r *Runner) Kinds() (datagrams, streams bool) { return r.out.datagrams, r.out.streams }

// Ordered reports whether datagrams must not be lost, and those between two nodes must arrive in the order in which
// they were sent.
func (r *Runner) Ordered() bool { return r.ordered }

// Up reports whether the node is up.
func (r *Runner) Up(id sim.NodeID) bool { return r.w.Members[id].Up }

// ActionEvent returns the event that a node does the action of that name. ok is false if the system has no such action,
// or it is not enabled.
func (r *Runner) ActionEvent(id sim.NodeID, name string) (ev netmodel.Event, ok bool) {
	n := &r.w.Members[id]
	for _, i := range n.Fits {
		if a := &r.w.Actions[i]; n.Up && a.Name == name {
			return netmodel.Event{Kind: eventkind.DoAction, Node: id, Peer: -1, Slot: i}, r.w.Can(n, i)
		}
	}
	return netmodel.Event{}, false
}

// Actions returns the names of the enabled actions of the node.
func (r *Runner) Actions(id sim.NodeID) []string {
	n := &r.w.Members[id]
	var names []string
	if n.Up {
		for _, i := range n.Fits {
			if r.w.Can(n, i) {
				names = append(names, r.w.Actions[i].Name)
			}
		}
	}
	return names
}

// Ready reports whether the node can take a step of its own, see [host.Stepper]. Its event is of kind [eventkind.Internal]. A
// finding means that the service's Ready failed, and the node must not be run again.
func (r *Runner) Ready(id sim.NodeID) (ready bool, found *sim.Finding) {
	n := &r.w.Members[id]
	if !n.Up || n.Stepper == nil {
		return false, nil
	}
	var err error
	func() {
		defer r.w.CatchWhen(&err)
		ready = r.w.Ready(n)
	}()
	return ready, findingOf(id, err)
}

// Takes reports whether quorums of the node, which is up, take a message at present or later.
func (r *Runner) Takes(id sim.NodeID, msg any) bool {
	s := r.w.Members[id].Service
	return slices.ContainsFunc(r.w.Quorums, func(q declared.Quorum) bool { return q.Takes(msg) && q.Has(s) })
}

// Assemble returns the sets that the quorums of a node take from the datagrams that wait for it. The event by which it
// takes a set is of kind [eventkind.TakeQuorum], with the set in [declared.Handed].Set. A finding means that a quorum's
// function failed, and the node must not be run again.
func (r *Runner) Assemble(id sim.NodeID, all []sim.From[any]) (made declared.Assembly, found *sim.Finding) {
	n := &r.w.Members[id]
	if !n.Up {
		return made, nil
	}
	var err error
	func() {
		defer r.w.CatchWhen(&err)
		made = r.w.Assemble(n, all)
	}()
	return made, findingOf(id, err)
}

// TimerEvent returns the event that a timer of the node fires. ok is false if the timer is not armed.
func (r *Runner) TimerEvent(id sim.NodeID, t any) (ev netmodel.Event, ok bool) {
	i, ok := r.w.Members[id].FindTimer(t)
	return netmodel.Event{Kind: eventkind.FireTimer, Node: id, Peer: -1, Slot: int32(i)}, ok
}

// TimerText returns the text of a timer in stable keys.
func (r *Runner) TimerText(t any) string {
	if k, err := r.w.KindOf(t); err == nil {
		return k.Text
	}
	return fmt.Sprintf("%T", t)
}

// Text renders a message as stable keys do.
func (r *Runner) Text(msg any) string { return r.w.PlanOf(msg).Text(msg) }

// Copy returns a copy of a message that shares no memory with it, for delivery. The error names the part that cannot be
// encoded.
func (r *Runner) Copy(msg any) (any, error) {
	p, err := r.w.Copies.Of(msg)
	if err != nil {
		return nil, fmt.Errorf("message: %w", err)
	}
	return p.Copy(msg), nil
}

// Unchanged compares a message from the effects of a step of from with the original that its sender holds. The error is
// a finding. Without [kernel.Options].CheckMessages nothing is compared.
func (r *Runner) Unchanged(from, to sim.NodeID, m netmodel.Message) error {
	if m.Attached().Sent == nil {
		return nil
	}
	return r.w.CheckUnchanged(&netmodel.Delivery{From: from, Msg: m}, to)
}

// Run executes the handler of ev and applies its effects to the node. Boot brings the node up first. d is the content
// of a network event. Nothing else may refer to its message. A nil call serves all events of the model. Otherwise call
// runs in place of a handler, with the event's node only.
func (r *Runner) Run(ev netmodel.Event, d declared.Handed, answers Answers, call func(sim.Env, sim.Service)) Done {
	w, n := r.w, &r.w.Members[ev.Node]
	w.Steps++
	w.Last().Reset(&ev)
	w.Last().Handler = true
	r.out.answers = answers
	r.writes = r.writes[:0]
	done := Done{Step: w.Last()}
	var err error
	switch {
	case ev.Kind == eventkind.Boot:
		err = w.Load(n)
	case call != nil:
	case ev.Kind == eventkind.DoAction:
		n.Counts[ev.Slot]++
	}
	first := len(n.Disk.Pending)
	switch {
	case err != nil:
	case call != nil:
		err = r.call(n, call, answers)
	default:
		err = w.Handle(n, ev, &d, answers)
	}
	r.writes = append(r.writes, n.Disk.Pending[first:]...)
	done.Writes = r.writes
	if done.Finding = findingOf(n.ID, err); done.Broken() {
		return done
	}
	if err := w.Apply(n, 0, len(w.Last().Effects)); err != nil && !done.Broken() {
		done.Finding = findingOf(n.ID, err)
	}
	if len(w.Timers) > manyTimers {
		r.forgetTimers()
	}
	return done
}

// manyTimers is the number of timer values that are cached, since a live node may set new ones without end.
const manyTimers = 10_000

// forgetTimers drops the cached values of timers that are not armed.
func (r *Runner) forgetTimers() {
	clear(r.w.Timers)
	for i := range r.w.Members {
		for _, a := range r.w.Members[i].Armed {
			r.w.Timers[a.Value] = a.Kind
		}
	}
}

// call runs a function on a node that is not an event of the system.
func (r *Runner) call(n *kernel.Node, call func(sim.Env, sim.Service), src choose.Source) (err error) {
	w := r.w
	w.Src, w.Choices, w.Failed, w.Ended, w.BadType, w.FirstEffect = src, 0, nil, nil, nil, 0
	if w.Opts.CheckMessages {
		n.Env = kernel.NewEnv(w, n)
	}
	defer func() {
		n.Env.Running = false
		w.Touch(n)
		if p := recover(); p != nil {
			err = kernel.PanicFinding(n.ID, p)
		}
		err = w.Outcome(n, err)
	}()
	n.Env.Running = true
	call(n.Env, n.Service)
	return nil
}

func findingOf(id sim.NodeID, err error) *sim.Finding {
	switch f := err.(type) {
	case nil:
		return nil
	case *sim.Finding:
		return f
	}
	return &sim.Finding{Kind: sim.Panic, Node: id, Message: err.Error()}
}

// Hash returns the fingerprint of the node's state: the component of [kernel.World.Components] under [sim.AnyOrder].
func (r *Runner) Hash(id sim.NodeID) encoding.Fingerprint { return r.w.NodeHash(&r.w.Members[id]) }

// Held returns the times that the node's state holds. The slice belongs to the runner.
func (r *Runner) Held(id sim.NodeID) []macetime.Time {
	n := &r.w.Members[id]
	r.w.Enc.Reset()
	if n.Up {
		r.w.Enc.Add(r.w.PlanOf(n.Service), n.Service)
	}
	return r.w.Enc.Times()
}

// NodeFields is [kernel.World.NodeFields].
func (r *Runner) NodeFields(id sim.NodeID) []diff.Field { return r.w.NodeFields(id) }

// Service is [kernel.World.Service].
func (r *Runner) Service(id sim.NodeID) sim.Service { return r.w.Members[id].Service }

// Check is [kernel.World.Check]. Properties see no messages in flight.
func (r *Runner) Check() error { return r.w.Check() }

// Live is [kernel.World.Live]. Properties see no messages in flight.
func (r *Runner) Live() bool { return r.w.Live() }

// Holds is [kernel.World.Holds]. Properties see no messages in flight.
func (r *Runner) Holds(p *sim.Property) bool { return r.w.Holds(p) }

// Explain is [kernel.World.Explain]. Properties see no messages in flight.
func (r *Runner) Explain(p *sim.Property) string { return r.w.Explain(p) }

// Close closes the service of a node that will not run again. The finding is that Close failed.
func (r *Runner) Close(id sim.NodeID) *sim.Finding { return r.w.Discard(&r.w.Members[id]) }
