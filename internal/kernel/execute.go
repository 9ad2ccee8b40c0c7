package kernel

import (
	"fmt"
	"runtime"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/stacks"
	"github.com/macemc/macemc/sim"
)

func (w *machine) Step(ev sim.Event, src choose.Source) error {
	if err := w.step(ev, src); err != nil {
		return err
	}
	return w.list()
}

func (w *machine) step(ev sim.Event, src choose.Source) error {
	w.steps++
	w.delays.stepped = w.delays.fires != nil
	w.last.Reset(&ev)
	w.last.Disturbs = w.disturbing != nil && w.Disturbs(ev)
	w.src = src
	if w.opts.Trace {
		w.traceEvent(ev)
	}
	switch ev.Kind {
	case sim.Crash, sim.Halt:
		f, _ := ev.Kind.Fault()
		return w.fail(&w.nodes[ev.Node], f)
	case sim.Arrive:
		return w.arrive(ev)
	case sim.Lose, sim.Duplicate, sim.Break, sim.Partition, sim.Heal:
		w.doubled = w.doubled || ev.Kind == sim.Duplicate
		w.net.Inject(ev)
		w.dirtyNetwork()
		return nil
	}
	n := &w.nodes[ev.Node]
	var d declared.Handed
	switch ev.Kind {
	case sim.Boot:
		if err := w.load(n); err != nil {
			return err
		}
	case sim.DoAction:
		n.counts[ev.Slot]++
	case sim.TakeQuorum:
		d.Set = &declared.Assembled{Quorum: n.sets[ev.Slot].quorum}
		if err := w.takeSet(ev, d.Set); err != nil {
			return err
		}
	case sim.Deliver, sim.DeliverError, sim.DeliverReady:
		d.Delivery = w.net.Take(ev)
		if d.Msg.Seam().Sent != nil {
			if err := w.checkUnchanged(&d.Delivery, n.id); err != nil {
				return err
			}
		}
		if w.doubled && ev.Kind == sim.Deliver {
			d.Msg.Body = w.privateTo(d.Msg.Body)
		}
	}
	w.last.Handler = true
	if err := w.handle(n, ev, &d, src); err != nil {
		return err
	}
	if w.mayFail() && w.last.Outlasts() {
		w.askCut(n.id)
	}
	if w.last.Crashed {
		return w.crashInside(n, w.last.Applied)
	}
	return w.apply(n, 0, len(w.last.Effects))
}

// arrive has a message put into the queue of its receiver.
func (w *machine) arrive(ev sim.Event) (err error) {
	defer w.contain(ev.Node, &err) // of the network, when the queue is full
	w.net.Inject(ev)
	return nil
}

// handle runs the handler of an event. Its effects are recorded, not applied.
func (w *machine) handle(n *node, ev sim.Event, d *declared.Handed, src choose.Source) error {
	w.src, w.choices, w.failed, w.ended, w.badType = src, 0, nil, nil, nil
	w.own = len(w.last.Effects)
	if late := w.opts.UseAfterReturn; late.found.Load() != nil {
		return late.Finding()
	}
	w.pass(n, ev)
	var err error
	if w.keepsSent() {
		err = w.callWatched(n, ev, d)
	} else {
		n.turn = (n.turn + 1) % len(n.envs) // a later use of an Env is noticed also while another handler of the node runs
		n.env = n.envs[n.turn]
		err = w.call(n, ev, d)
	}
	if f, ok := err.(*sim.Finding); ok && contain.Overdue(f) {
		return f // its handler may go on changing all else
	}
	if err == nil && len(w.quorums) > 0 {
		err = w.noteNever(n)
	}
	w.touch(n)
	if n.clock.model.Decided() {
		w.retain(n)
	}
	return w.outcome(n, err)
}

// outcome is what is wrong with a handler that has returned, or panicked with err.
func (w *machine) outcome(n *node, err error) error {
	switch {
	case w.ended != nil:
		w.ended.Node = n.id
		return w.ended
	case err != nil:
		return err
	case w.failed != nil:
		return w.failed
	}
	return w.badType
}

// callWatched is call with an Env of its own for each handler, and looks whether the handler changes what is not its own.
func (w *machine) callWatched(n *node, ev sim.Event, d *declared.Handed) error {
	n.env = newEnv(w, n)
	var unchanged, probe func() error
	if w.opts.CheckMessages {
		unchanged = w.watchOthers(n)
	}
	if ev.Kind == sim.TakeQuorum {
		probe = w.probeOrder(n, ev, d.Set)
	}
	err := w.call(n, ev, d)
	if err == nil {
		err = w.sentUnchanged(n.id)
	}
	if err == nil && unchanged != nil {
		err = unchanged()
	}
	if err == nil && probe != nil {
		err = probe()
	}
	return err
}

func (w *machine) call(n *node, ev sim.Event, d *declared.Handed) (err error) {
	e := n.env
	e.running, e.kind, e.slot = true, ev.Kind, ev.Slot
	e.calls = e.calls[:0]
	defer func() {
		e.running = false
		if r := recover(); r != nil {
			found := panicFinding(n.id, r)
			if err = found; contain.Overdue(found) {
				n.renew(w) // that of the handler stays invalid
				n.closed = true
			}
		}
	}()
	before := 0
	if w.opts.Settle {
		before = runtime.NumGoroutine()
	}
	if w.contains() {
		var own declared.Handed
		if d != nil { // not so when the first nodes boot
			own = *d
		}
		w.runContained(n, ev, own)
	} else {
		w.run(n, ev, d)
	}
	if w.opts.Settle && !declared.Carries(n.service) { // whose steps end when all of their goroutines wait
		contain.AwaitStarted(before)
	}
	return nil
}

// runContained is run on a goroutine of its own. It has a copy of the delivery, as that would be allocated in every step if
// the goroutine had the original.
func (w *machine) runContained(n *node, ev sim.Event, d declared.Handed) {
	contain.Call(w.watch, func() { w.run(n, ev, &d) })
}

// HandlerCaller is the name in stacks of what calls handlers.
var HandlerCaller = stacks.Name((*machine).run)

// run calls the handler of an event.
func (w *machine) run(n *node, ev sim.Event, d *declared.Handed) {
	e := n.env
	switch ev.Kind {
	case sim.Boot:
		n.service.Boot(e)
	case sim.DoAction:
		w.actions[ev.Slot].Do(n.service, e)
	case sim.FireTimer:
		if w.delays.clocks != nil {
			w.delays.clocks[n.id] += n.armed[ev.Slot].left
		}
		w.last.Timer = n.fire(ev.Slot)
		n.service.Timer(e, w.last.Timer)
	case sim.Deliver:
		if len(w.quorums) > 0 {
			w.refuse(n, d.Msg.Body)
		}
		n.service.Receive(e, d.From, d.Msg.Body)
	case sim.DeliverError:
		if n.onError != nil {
			n.onError.PeerError(e, d.From, d.Err)
		}
	case sim.DeliverReady:
		if n.onReady != nil {
			n.onReady.PeerReady(e, d.From)
		}
	case sim.TakeQuorum:
		w.quorums[d.Set.Quorum].Do(n.service, e, d.Set.Set)
	case sim.Internal:
		n.stepper.Step(e)
	}
}

func panicFinding(id sim.NodeID, r any) *sim.Finding {
	value, stack := contain.RaisedBy(r)
	switch r := value.(type) {
	case *sim.Finding:
		r.Node = id
		return r
	case contain.Ended:
		return &sim.Finding{Kind: sim.Panic, Cause: sim.GoroutineEnded, Node: id, Message: "the code of the node " + contain.EndedText, Stack: stack}
	case diverged:
		return &sim.Finding{Kind: sim.Divergence, Node: id, Message: "the handler made more choices in one step than the bound allows"}
	case usedAfterReturn:
		return &sim.Finding{Kind: sim.Panic, Cause: sim.UsedAfterReturn, Node: id, Message: string(r), Stack: stack}
	case misuse:
		return &sim.Finding{Kind: sim.Panic, Node: id, Message: string(r), Stack: stack}
	}
	return &sim.Finding{Kind: sim.Panic, Node: id, Message: fmt.Sprint(value), Stack: stack}
}

// ask has a question of the step in progress answered.
func (w *machine) ask(p choose.Point) int {
	pick := 0
	if p.Arity > 1 {
		pick = w.src.Choose(p)
	}
	if w.opts.Trace {
		w.last.Answers = append(w.last.Answers, stepinfo.Answer{Kind: p.Kind, Label: p.Label, Pick: pick, Arity: p.Arity})
	}
	return pick
}
