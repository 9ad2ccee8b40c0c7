package kernel

import (
	"fmt"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/internal/stacks"
	"github.com/macemc/macemc/sim"
)

func (w *Machine) Step(ev netmodel.Event, src choose.Source) (err error) {
	defer contain.CatchState(&err) // of functions of state rules
	if err := w.step(ev, src); err != nil {
		return err
	}
	w.encodeAll()
	return w.list()
}

// encodeAll calls the functions that encode the state if they are contained, so that a failure belongs to a step.
func (w *Machine) encodeAll() {
	if w.Opts.Contain && len(w.Sys.State) > 0 {
		w.Fingerprint()
	}
}

// step calls the handler, asks for a crash inside, and applies effects with monitors, which a failed handler lacks. Properties follow.
func (w *Machine) step(ev netmodel.Event, src choose.Source) error {
	w.Steps++
	w.delays.Stepped = w.delays.Bounded()
	w.last.Reset(&ev)
	w.last.Disturbs = w.disturbing != nil && w.Disturbs(ev)
	w.Src = src
	if w.Opts.Trace {
		w.traceEvent(ev)
	}
	switch {
	case ev.Kind.TakesDown():
		f, _ := ev.Fault()
		return w.fail(&w.Members[ev.Node], f)
	case ev.Kind == eventkind.Arrive:
		return w.arrive(ev)
	case ev.Kind.OfNetwork():
		w.Net.Inject(ev)
		w.dirtyNetwork()
		return nil
	}
	n := &w.Members[ev.Node]
	if ev.Kind.Injection() {
		f, _ := ev.Fault()
		w.FaultsLeft[f]--
	}
	var d declared.Handed
	switch ev.Kind {
	case eventkind.Boot:
		if err := w.Load(n); err != nil {
			return err
		}
	case eventkind.DoAction:
		n.Counts[ev.Slot]++
	case eventkind.TakeQuorum:
		d.Set = &declared.Assembled{Quorum: n.sets[ev.Slot].quorum}
		if err := w.takeSet(ev, d.Set); err != nil {
			return err
		}
	case eventkind.Deliver, eventkind.DeliverError, eventkind.DeliverReady:
		d.Delivery = w.Net.Take(ev)
		if d.Msg.Attached().Sent != nil {
			if err := w.CheckUnchanged(&d.Delivery, n.ID); err != nil {
				return err
			}
		}
		if w.doubled && ev.Kind == eventkind.Deliver {
			d.Msg.Body = w.PrivateTo(d.Msg.Body)
		}
	}
	w.last.Handler = true
	if err := w.Handle(n, ev, &d, src); err != nil {
		return err
	}
	if w.last.Cuttable() {
		w.askCrashInside(n.ID)
	}
	if w.last.Crashed {
		return w.CrashInside(n, w.last.Applied)
	}
	return w.Apply(n, 0, len(w.last.Effects))
}

// arrive puts a message into the queue of its receiver.
func (w *Machine) arrive(ev netmodel.Event) (err error) {
	defer w.Contain(ev.Node, &err) // a panic of the network if the queue is full
	w.Net.Inject(ev)
	return nil
}

// Handle runs the handler of an event. Its effects are recorded, not applied.
func (w *Machine) Handle(n *Node, ev netmodel.Event, d *declared.Handed, src choose.Source) error {
	w.Src, w.Choices, w.Failed, w.Ended, w.BadType = src, 0, nil, nil, nil
	w.FirstEffect = len(w.last.Effects)
	if late := w.Opts.UseAfterReturn; late.Used() {
		return late.Finding()
	}
	if w.time.at != nil {
		w.pass(n, ev)
	}
	var err error
	if w.keepsSent() {
		err = w.callWatched(n, ev, d)
	} else {
		n.turn = (n.turn + 1) % len(n.envs) // so that a late use of an Env is noticed even while another handler of the node runs
		n.Env = n.envs[n.turn]
		err = w.call(n, ev, d)
	}
	if f, ok := err.(*sim.Finding); ok && contain.Overdue(f) {
		return f // its handler may still be changing everything else
	}
	if err == nil && len(w.Quorums) > 0 {
		err = w.noteNever(n)
	}
	w.Touch(n)
	if n.Clock.Decided() {
		w.retain(n)
	}
	return w.Outcome(n, err)
}

// Outcome returns the error of a handler that has returned, or panicked with err.
func (w *Machine) Outcome(n *Node, err error) error {
	switch {
	case w.Ended != nil:
		w.Ended.Node = n.ID
		return w.Ended
	case err != nil:
		return err
	case w.Failed != nil:
		return w.Failed
	}
	return w.BadType
}

// callWatched is call with a separate Env for each handler. It checks that the handler changes only its own node.
func (w *Machine) callWatched(n *Node, ev netmodel.Event, d *declared.Handed) error {
	n.Env = NewEnv(w, n)
	var unchanged, probe func() error
	if w.Opts.CheckMessages {
		unchanged = w.watchOthers(n)
	}
	if ev.Kind == eventkind.TakeQuorum {
		probe = w.probeOrder(n, ev, d.Set)
	}
	err := w.call(n, ev, d)
	if err == nil {
		err = w.sentUnchanged(n.ID)
	}
	if err == nil && unchanged != nil {
		err = unchanged()
	}
	if err == nil && probe != nil {
		err = probe()
	}
	return err
}

func (w *Machine) call(n *Node, ev netmodel.Event, d *declared.Handed) (err error) {
	e := n.Env
	e.Running, e.kind, e.slot = true, ev.Kind, ev.Slot
	e.calls = e.calls[:0]
	defer func() {
		e.Running = false
		if r := recover(); r != nil {
			err = panicError(n.ID, r)
			if found, ok := err.(*sim.Finding); ok && contain.Overdue(found) {
				n.renew(w) // that of the handler stays invalid
				n.closed = true
			}
		}
	}()
	switch {
	case w.Opts.Settle:
		w.runSettled(n, ev, d)
	case w.contains():
		w.runContained(n, ev, d)
	default:
		w.run(n, ev, d)
	}
	return nil
}

// runSettled is run that waits for the goroutines that the handler starts.
func (w *Machine) runSettled(n *Node, ev netmodel.Event, d *declared.Handed) {
	own := detached(d)
	step, joined := w.run, uint64(0)
	if w.contains() {
		step, joined = w.runContained, 1
	}
	if declared.Carries(n.Service) { // its steps end when all its goroutines wait
		step(n, ev, own)
		return
	}
	if left := w.started.By(func() { step(n, ev, own) }, joined); left > 0 && w.Opts.Leaked != nil {
		w.Opts.Leaked(left)
	}
}

// runContained is run on a separate goroutine.
func (w *Machine) runContained(n *Node, ev netmodel.Event, d *declared.Handed) {
	own := detached(d)
	contain.Call(w.watch, func() { w.run(n, ev, own) })
}

// detached returns a copy of a delivery for other goroutines. The original would escape to the heap in every step if they
// held it. The original is nil when the first nodes boot.
func detached(d *declared.Handed) *declared.Handed {
	own := new(declared.Handed)
	if d != nil {
		*own = *d
	}
	return own
}

// HandlerCaller is the name in stacks of the function that calls handlers.
var HandlerCaller = stacks.Name((*Machine).run)

// run calls the handler of an event.
func (w *Machine) run(n *Node, ev netmodel.Event, d *declared.Handed) {
	e := n.Env
	switch ev.Kind {
	case eventkind.Boot:
		n.Service.Boot(e)
	case eventkind.DoAction:
		w.Actions[ev.Slot].Do(n.Service, e)
	case eventkind.FireTimer:
		w.delays.Pass(n.ID, n.Armed[ev.Slot].untilDue)
		w.last.Timer = n.fire(ev.Slot)
		n.Service.Timer(e, w.last.Timer)
	case eventkind.Deliver:
		if len(w.Quorums) > 0 {
			w.refuse(n, d.Msg.Body)
		}
		n.Service.Receive(e, d.From, d.Msg.Body)
	case eventkind.DeliverError:
		if n.onError != nil {
			n.onError.PeerError(e, d.From, d.Err)
		}
	case eventkind.DeliverReady:
		if n.onReady != nil {
			n.onReady.PeerReady(e, d.From)
		}
	case eventkind.TakeQuorum:
		w.Quorums[d.Set.Quorum].Do(n.Service, e, d.Set.Set)
	case eventkind.Internal:
		n.Stepper.Step(e)
	default:
		f, _ := ev.Fault()
		n.Service.(simext.Struck).Strike(e, f)
	}
}

// panicError returns the error for a recovered panic of a handler: a [*simext.NotSimulated], or else a [*sim.Finding].
func panicError(id sim.NodeID, r any) error {
	value, _ := contain.RaisedBy(r)
	if e, ok := value.(*simext.NotSimulated); ok {
		e.Node = id
		return e
	}
	return PanicFinding(id, r)
}

func PanicFinding(id sim.NodeID, r any) *sim.Finding {
	value, stack := contain.RaisedBy(r)
	switch r := value.(type) {
	case *sim.Finding:
		r.Node = id
		return r
	case contain.Ended:
		return &sim.Finding{Kind: sim.Panic, Cause: contain.GoroutineEnded, Node: id,
			Message: "the code of the node " + contain.EndedText, Stack: stack}
	case diverged:
		return &sim.Finding{Kind: sim.Divergence, Node: id, Message: "the handler made more choices in one step than the bound allows"}
	case usedAfterReturn:
		return &sim.Finding{Kind: sim.Panic, Cause: contain.UsedAfterReturn, Node: id, Message: string(r), Stack: stack}
	case misuse:
		return &sim.Finding{Kind: sim.Panic, Node: id, Message: string(r), Stack: stack}
	}
	return &sim.Finding{Kind: sim.Panic, Node: id, Message: fmt.Sprint(contain.Shown{Value: value}), Stack: stack}
}

// ask has the source answer a question of the step in progress.
func (w *Machine) ask(p choose.Point) int {
	pick := 0
	if p.Arity > 1 {
		pick = w.Src.Choose(p)
	}
	if w.Opts.Trace {
		w.last.Answers = append(w.last.Answers, stepinfo.Answer{Kind: p.Kind, Label: p.Label, Pick: pick, Arity: p.Arity})
	}
	return pick
}

func (w *Machine) Start(src choose.Source) (err error) {
	defer contain.CatchState(&err)
	if err := w.boot(src); err != nil {
		return err
	}
	w.encodeAll()
	return w.list()
}

// boot sets the initial state.
func (w *Machine) boot(src choose.Source) error {
	w.Net.Reset()
	w.FaultsLeft, w.doubled = w.limits, false
	w.Steps, w.nextID, w.failedRule = 0, 0, stateRule{}
	w.Properties.Reset()
	w.Monitors = w.Monitors[:0]
	for i, newMonitor := range w.Sys.Monitors {
		made := w.Opts.asks(func() Asked { return askedMaker(i) })
		w.Monitors = append(w.Monitors, newMonitor())
		made()
	}
	w.events.listAnew()
	for i := range w.Members {
		n := &w.Members[i]
		if found := w.Discard(n); found != nil {
			return found
		}
		n.Up, n.halted, n.Service, n.hashed, n.never = false, false, nil, false, 0
		w.Properties.Shown.Services[i] = nil
		n.Armed = n.Armed[:0]
		clear(n.Counts)
		n.Disk.Reset()
		n.Clock.Reset(int(n.ID))
	}
	late := func(i int) bool {
		if w.Sys.Late == nil {
			return false
		}
		defer w.Opts.asks(func() Asked { return askedLate(sim.NodeID(i)) })()
		return w.Sys.Late(sim.NodeID(i))
	}
	w.last.Reset(&netmodel.Event{Kind: eventkind.Boot, Peer: -1})
	w.resetDelays(src)
	w.time = newTime(w.Sys)
	if err := w.WhoFails(); err != nil {
		return err
	}
	for i := range w.Members {
		if !late(i) {
			if err := w.Load(&w.Members[i]); err != nil {
				return err
			}
		}
	}
	for i := range w.Members {
		if late(i) {
			continue
		}
		first := len(w.last.Effects)
		if err := w.Handle(&w.Members[i], netmodel.Event{Kind: eventkind.Boot, Node: sim.NodeID(i), Peer: -1}, nil, src); err != nil {
			return err
		}
		if err := w.Apply(&w.Members[i], first, len(w.last.Effects)); err != nil {
			return err
		}
	}
	return nil
}

// Load builds the node's service and brings the node up, without booting it.
func (w *Machine) Load(n *Node) (err error) {
	defer w.Contain(n.ID, &err)
	if !w.ownGoroutines {
		n.Service = w.Sys.New(n.ID)
	} else {
		n.Service = asking(w, func() Asked { return askedNew(n.ID) }, func() sim.Service { return w.Sys.New(n.ID) })
	}
	n.closed = false
	w.Properties.Shown.Services[n.ID] = n.Service
	n.onError, _ = n.Service.(sim.PeerErrorHandler)
	n.onReady, _ = n.Service.(sim.PeerReadyHandler)
	n.Stepper, _ = n.Service.(simext.Stepper)
	n.Fits = n.Fits[:0]
	for i := range w.Actions {
		if w.Actions[i].Fits(n.ID, n.Service) {
			n.Fits = append(n.Fits, int32(i))
		}
	}
	n.Up = true
	w.Net.Booted(n.ID)
	w.Touch(n)
	return nil
}
