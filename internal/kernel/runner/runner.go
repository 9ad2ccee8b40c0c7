// Package runner runs nodes of a system whose network is elsewhere.
package runner

import (
	"fmt"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding/rule"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/memdisk"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
)

// Runner runs nodes of a system whose network is elsewhere: on sockets, or in a recording. It is the
// machine of the replay engine without a network model: handlers, effects on the own node, state and
// properties are the same. What handlers send is handed to the caller; what arrives is for the caller
// to say. Timers may fire in any order, as real time is no part of a node's state.
//
// A runner is for one goroutine.
type Runner struct {
	w      *kernel.Machine
	out    externalNetwork
	writes []memdisk.Write

	ordered bool
}

// Answers answers the questions of a handler.
type Answers interface {
	choose.Source
	// Room is how many messages the stream to peer accepts before the step.
	Room(node, peer sim.NodeID) int
}

// Done is what a step did. It is the runner's, valid until the next step.
type Done struct {
	*stepinfo.Step
	// Writes are those of the effects, in order. They wait for a sync as far as the effects have none
	// after them.
	Writes []memdisk.Write
	// Finding is a failed assertion, or a panic and the like. After a failed assertion the effects
	// have happened; after anything else they have not and the node must not be run on.
	Finding *sim.Finding
}

// Broken reports whether the node must not be run on.
func (d *Done) Broken() bool { return d.Finding != nil && d.Finding.Property != sim.AssertionProperty }

// NewRunner returns a runner whose nodes are all down and have never been up. The error is that of
// [kernel.NewWorld].
func NewRunner(sys *sim.System, opts kernel.Options) (*Runner, error) {
	own := *sys
	own.State = append(slices.Clone(sys.State), rule.AcrossPrograms())
	own.Timing = sim.AnyOrder
	world, err := kernel.NewWorld(&own, opts)
	if err != nil {
		return nil, err
	}
	r := &Runner{w: world.(*kernel.Machine)}
	r.out.capacity = r.w.Net.Capacity()
	r.out.datagrams, r.out.streams = true, true
	if p, ok := r.w.Net.(sim.Parted); ok {
		r.out.datagrams, r.out.streams = p.Kinds()
	}
	if o, ok := r.w.Net.(interface{ Ordered() bool }); ok {
		r.ordered = o.Ordered()
	}
	r.w.Net, r.w.Holder, r.w.Groups = &r.out, nil, nil
	for i := range r.w.Members {
		r.w.Members[i].Clock.Reset(sim.NodeID(i))
	}
	return r, nil
}

// Capacity is how many messages a stream accepts of which nothing is queued.
func (r *Runner) Capacity() int { return r.out.capacity }

// Kinds tells what the system's network carries.
func (r *Runner) Kinds() (datagrams, streams bool) { return r.out.datagrams, r.out.streams }

// Ordered reports whether datagrams must not be lost, and those between two nodes must arrive in the order in which they
// were sent.
func (r *Runner) Ordered() bool { return r.ordered }

// Up reports whether the node is up.
func (r *Runner) Up(id sim.NodeID) bool { return r.w.Members[id].Up }

// ActionEvent is the event that a node does the action of that name. ok is false when the system has
// no such action, or the node cannot do it now.
func (r *Runner) ActionEvent(id sim.NodeID, name string) (ev sim.Event, ok bool) {
	n := &r.w.Members[id]
	for _, i := range n.Fits {
		if a := &r.w.Actions[i]; n.Up && a.Name == name {
			return sim.Event{Kind: sim.DoAction, Node: id, Peer: -1, Slot: i}, r.w.Can(n, i)
		}
	}
	return sim.Event{}, false
}

// Actions returns the names of the actions that the node can do now.
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

// Ready reports whether the node can take a step of its own, see [host.Stepper]. Its event is of kind [sim.Internal]. A finding
// is that of a service that cannot tell; the node must not be run on.
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

// Takes reports whether quorums take a message to the node, which is up, now or later.
func (r *Runner) Takes(id sim.NodeID, msg any) bool {
	s := r.w.Members[id].Service
	return slices.ContainsFunc(r.w.Quorums, func(q declared.Quorum) bool { return q.Takes(msg) && q.Has(s) })
}

// Assemble tells what the quorums of a node take of the datagrams that wait for it. The event by which it takes a set is of kind
// [sim.TakeQuorum], and the set is handed over in [declared.Handed].Set. A finding is that of a quorum that cannot tell; the node must not
// be run on.
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

// TimerEvent is the event that a timer of the node fires; ok is false when it is not armed.
func (r *Runner) TimerEvent(id sim.NodeID, t any) (ev sim.Event, ok bool) {
	i, ok := r.w.Members[id].FindTimer(t)
	return sim.Event{Kind: sim.FireTimer, Node: id, Peer: -1, Slot: int32(i)}, ok
}

// TimerText is the text of a timer in stable keys.
func (r *Runner) TimerText(t any) string {
	if k, err := r.w.KindOf(t); err == nil {
		return k.Text
	}
	return fmt.Sprintf("%T", t)
}

// Text renders a message as stable keys do.
func (r *Runner) Text(msg any) string { return r.w.PlanOf(msg).Text(msg) }

// Copy makes a copy of a message that has no memory in common with it, to be delivered. The error
// names what cannot be encoded.
func (r *Runner) Copy(msg any) (any, error) {
	p, err := r.w.Copies.Of(msg)
	if err != nil {
		return nil, fmt.Errorf("message: %w", err)
	}
	return p.Copy(msg), nil
}

// Unchanged compares a message, taken from the effects of a step of from, with what its sender still
// holds. The error is a finding. Without [kernel.Options].CheckMessages nothing is compared.
func (r *Runner) Unchanged(from, to sim.NodeID, m sim.Message) error {
	if m.Seam().Sent == nil {
		return nil
	}
	return r.w.CheckUnchanged(&sim.Delivery{From: from, Msg: m}, to)
}

// Run executes the handler of ev and makes its effects happen to the node. Boot brings the node up
// first. d is what an event of the network hands over; its message must be nobody else's. A nil call
// is for all events of the model; else it is what runs, with the event's node only, in place of a
// handler.
func (r *Runner) Run(ev sim.Event, d declared.Handed, answers Answers, call func(sim.Env, sim.Service)) Done {
	w, n := r.w, &r.w.Members[ev.Node]
	w.Steps++
	w.Last().Reset(&ev)
	w.Last().Handler = true
	r.out.answers = answers
	r.writes = r.writes[:0]
	done := Done{Step: w.Last()}
	var err error
	switch {
	case ev.Kind == sim.Boot:
		err = w.Load(n)
	case call != nil:
	case ev.Kind == sim.DoAction:
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

// manyTimers is how many values of timers are remembered: a live node may set other ones for ever.
const manyTimers = 10_000

// forgetTimers drops what is known of timers that are not armed.
func (r *Runner) forgetTimers() {
	clear(r.w.Timers)
	for i := range r.w.Members {
		for _, a := range r.w.Members[i].Armed {
			r.w.Timers[a.Value] = a.Kind
		}
	}
}

// call runs what is no event of the system on a node.
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

// Hash is the fingerprint of the node's state: the component of [World.Components] under
// [sim.AnyOrder].
func (r *Runner) Hash(id sim.NodeID) sim.Fingerprint { return r.w.NodeHash(&r.w.Members[id]) }

// Held returns the times that the node's state holds. The slice is the runner's.
func (r *Runner) Held(id sim.NodeID) []macetime.Time {
	n := &r.w.Members[id]
	r.w.Enc.Reset()
	if n.Up {
		r.w.Enc.Add(r.w.PlanOf(n.Service), n.Service)
	}
	return r.w.Enc.Times()
}

// NodeFields is [World.NodeFields].
func (r *Runner) NodeFields(id sim.NodeID) []sim.Field { return r.w.NodeFields(id) }

// Service is [World.Service].
func (r *Runner) Service(id sim.NodeID) sim.Service { return r.w.Members[id].Service }

// Check is [World.Check]; properties see no messages in flight.
func (r *Runner) Check() error { return r.w.Check() }

// Live is [World.Live]; properties see no messages in flight.
func (r *Runner) Live() bool { return r.w.Live() }

// Holds is [World.Holds]; properties see no messages in flight.
func (r *Runner) Holds(p *sim.Property) bool { return r.w.Holds(p) }

// Explain is [World.Explain]; properties see no messages in flight.
func (r *Runner) Explain(p *sim.Property) string { return r.w.Explain(p) }

// Close tells the service of a node, which is not to run any more, that it is thrown away. The finding is that it failed.
func (r *Runner) Close(id sim.NodeID) *sim.Finding { return r.w.Discard(&r.w.Members[id]) }
