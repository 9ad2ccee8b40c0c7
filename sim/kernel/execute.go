package kernel

import (
	"fmt"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/sim/plan"
)

// reset begins a step. The slices keep their memory, and are cut in place because that is cheaper than
// writing them.
func (s *Step) reset(ev sim.Event) {
	s.Event = ev
	s.Msgs = s.Msgs[:0]
	s.Effects = s.Effects[:0]
	s.Observed = s.Observed[:0]
	s.Answers = s.Answers[:0]
	s.Sent, s.Fates = s.Sent[:0], s.Fates[:0]
	s.Handler, s.Crashed, s.Applied = false, false, 0
	if s.Source != "" {
		s.Source, s.Inner = "", ""
	}
	if s.Timer != nil {
		s.Timer = nil
	}
}

func (w *machine) Step(ev sim.Event, src choose.Source) error {
	if err := w.step(ev, src); err != nil {
		return err
	}
	return w.list()
}

func (w *machine) step(ev sim.Event, src choose.Source) error {
	w.steps++
	w.last.reset(ev)
	w.src = src
	if w.opts.Trace {
		w.traceEvent(ev)
	}
	switch ev.Kind {
	case sim.Crash:
		w.crashesLeft--
		w.crash(&w.nodes[ev.Node])
		return nil
	case sim.Arrive:
		return w.arrive(ev)
	case sim.Lose, sim.Duplicate, sim.Break, sim.Partition, sim.Heal:
		w.doubled = w.doubled || ev.Kind == sim.Duplicate
		w.net.Inject(ev)
		w.dirtyNetwork()
		return nil
	}
	n := &w.nodes[ev.Node]
	var d Handed
	switch ev.Kind {
	case sim.Boot:
		if err := w.load(n); err != nil {
			return err
		}
	case sim.DoAction:
		n.counts[ev.Slot]++
	case sim.TakeQuorum:
		d.Set = &Assembled{Quorum: n.sets[ev.Slot].quorum}
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
	cut := len(w.last.Effects)
	if w.crashesLeft > 0 && cut > 0 && w.crashable(n.id) {
		cut = w.askCut(cut)
	}
	if w.last.Crashed {
		return w.crashInside(n, cut)
	}
	return w.apply(n, 0, cut)
}

// arrive has a message put into the queue of its receiver.
func (w *machine) arrive(ev sim.Event) (err error) {
	defer w.contain(ev.Node, &err) // of the network, when the queue is full
	w.net.Inject(ev)
	return nil
}

// handle runs the handler of an event. Its effects are recorded, not applied.
func (w *machine) handle(n *node, ev sim.Event, d *Handed, src choose.Source) error {
	w.src, w.choices, w.failed, w.ended, w.badType = src, 0, nil, nil, nil
	w.own = len(w.last.Effects)
	if f := w.opts.Late.Finding(); f != nil {
		return f
	}
	unchanged := func() error { return nil }
	// A later use of an Env is noticed also while another handler of the node runs.
	if w.opts.CheckMessages || w.bench {
		n.env = newEnv(w, n)
	} else {
		n.turn = (n.turn + 1) % len(n.envs)
		n.env = n.envs[n.turn]
	}
	if w.opts.CheckMessages {
		unchanged = w.watchOthers(n)
	}
	var probe func() error
	if ev.Kind == sim.TakeQuorum && (w.opts.CheckMessages || w.bench) {
		probe = w.probeOrder(n, ev, d)
	}
	err := w.call(n, ev, d)
	if f, ok := err.(*sim.Finding); ok && Overdue(f) {
		return f // its handler may go on changing all else
	}
	if err == nil {
		err = w.sentUnchanged(n.id)
	}
	if err == nil {
		err = unchanged()
	}
	if err == nil && probe != nil {
		err = probe()
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

func (w *machine) call(n *node, ev sim.Event, d *Handed) (err error) {
	e := n.env
	e.running, e.kind, e.slot = true, ev.Kind, ev.Slot
	e.calls = e.calls[:0]
	defer func() {
		e.running = false
		if r := recover(); r != nil {
			found := panicFinding(n.id, r)
			if err = found; Overdue(found) {
				n.renew(w) // that of the handler stays invalid
			}
		}
	}()
	if w.contains() {
		var own Handed
		if d != nil { // not so when the first nodes boot
			own = *d
		}
		w.runContained(n, ev, own)
	} else {
		w.run(n, ev, d)
	}
	return nil
}

// runContained is run on a goroutine of its own. It has a copy of the delivery, as that would be allocated in every step if
// the goroutine had the original.
func (w *machine) runContained(n *node, ev sim.Event, d Handed) {
	contained(w.watch, func() { w.run(n, ev, &d) })
}

// run calls the handler of an event.
func (w *machine) run(n *node, ev sim.Event, d *Handed) {
	e := n.env
	switch ev.Kind {
	case sim.Boot:
		n.service.Boot(e)
	case sim.DoAction:
		w.actions[ev.Slot].Do(n.service, e)
	case sim.FireTimer:
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
	value, stack := raisedBy(r)
	switch r := value.(type) {
	case *sim.Finding:
		r.Node = id
		return r
	case exited:
		return &sim.Finding{Kind: sim.Panic, Node: id, Message: "the code of the node " + exitedText, Stack: stack}
	case diverged:
		return &sim.Finding{Kind: sim.Divergence, Node: id, Message: "the handler made more choices in one step than the bound allows"}
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
		w.last.Answers = append(w.last.Answers, Answer{p.Kind, p.Label, pick, p.Arity})
	}
	return pick
}

// outlasts reports whether it makes a difference to the rest of the system that an effect happened
// when the node crashes right after it. Stream sends do not: the queues of a node die with it.
func (k EffectKind) outlasts() bool {
	return k == SendEffect || k == WriteEffect || k == SyncEffect || k == AnnounceEffect
}

// askCut asks whether the node crashes inside the step, and returns how many of its effects happen.
func (w *machine) askCut(all int) int {
	effects := w.last.Effects
	n := 0
	for i := range effects {
		if effects[i].Kind.outlasts() {
			n++
		}
	}
	if n == 0 {
		return all
	}
	pick := w.ask(choose.Point{Kind: choose.Fault, Arity: n + 1, Label: "crash inside the step"})
	if pick == 0 {
		return all
	}
	w.last.Crashed = true
	for i := range effects {
		if effects[i].Kind.outlasts() {
			if pick--; pick == 0 {
				return i
			}
		}
	}
	panic("unreachable")
}

// crashInside applies the effects before cut and crashes the node.
func (w *machine) crashInside(n *node, cut int) error {
	for _, f := range w.last.Effects[cut:] {
		if f.Kind == WriteEffect {
			n.disk.pending = n.disk.pending[:f.disk]
			break
		}
	}
	err := w.apply(n, 0, cut)
	w.crashesLeft--
	w.crash(n)
	return err
}

// apply makes effects first to end-1 of the step happen, which n asked for.
func (w *machine) apply(n *node, first, end int) (err error) {
	defer w.contain(n.id, &err) // of the network, when it lacks what was asked for, and of monitors
	flushed := 0
	w.last.Applied = end
	for i := first; i < end; i++ {
		f := &w.last.Effects[i]
		switch f.Kind {
		case SendEffect:
			w.sent(n, f)
			w.net.SendDatagram(n.id, f.Peer, f.Msg)
		case StreamEffect:
			w.sent(n, f)
			w.net.SendStream(n.id, f.Peer, f.Msg)
		case RefusedEffect:
			w.sent(n, f)
			w.Fate(f.Msg.ID, sim.Refused)
			w.net.RefuseStream(n.id, f.Peer)
		case CloseEffect:
			w.net.CloseStream(n.id, f.Peer)
		case SetTimerEffect:
			if err := w.setTimer(n, f.Value, time.Duration(f.After)); err != nil {
				return err
			}
		case StopTimerEffect:
			n.stopTimer(f.Value)
		case SyncEffect:
			n.disk.flush(f.disk - flushed)
			flushed = f.disk
		case AnnounceEffect:
			for _, m := range w.monitors {
				event := f.Value
				if !w.bench { // what one does to it is not for the others to see; on a bench it is a copy already
					event = w.privateTo(event)
				}
				if err := w.observe(m, n.id, event); err != nil {
					return &sim.Finding{Kind: sim.Safety, Property: sim.MonitorName(m), Node: n.id, Message: err.Error()}
				}
			}
		}
	}
	return nil
}

// observe tells a monitor of an announced event.
func (w *machine) observe(m sim.Monitor, from sim.NodeID, event any) error {
	if !w.apart {
		return m.Observe(from, event)
	}
	return containedValue(w.watch, func() error { return m.Observe(from, event) })
}

// sent gives a message its identity.
func (w *machine) sent(n *node, f *Effect) {
	w.nextID++
	f.Msg.ID = w.nextID
	if w.opts.Trace {
		w.last.Sent = append(w.last.Sent,
			sim.Envelope{From: n.id, To: f.Peer, Msg: f.Msg.Body, ID: f.Msg.ID, Stream: f.Kind != SendEffect})
	}
}

func (w *machine) crashable(id sim.NodeID) bool {
	return w.nodes[id].up && (w.sys.MayCrash == nil || w.crashing[id])
}

// whoCrashes asks the system once which nodes may crash. The error is a finding.
func (w *machine) whoCrashes() (err error) {
	if w.sys.MayCrash == nil || w.sys.Crashes == 0 || w.crashing != nil {
		return nil
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *sim.Finding:
			r.Node, err = -1, r
		default:
			value, stack := raisedBy(r)
			err = &sim.Finding{Kind: sim.Panic, Node: -1, Message: "MayCrash " + panicText(value, "panicked: %v"), Stack: stack}
		}
	}()
	crashing := make([]bool, len(w.nodes))
	contained(w.watch, func() {
		for i := range crashing {
			crashing[i] = w.sys.MayCrash(sim.NodeID(i))
		}
	})
	w.crashing = crashing
	return nil
}

// crash takes a node down. How many of its unsynced writes survive is a choice.
func (w *machine) crash(n *node) {
	if p := len(n.disk.pending); p > 0 {
		kept := w.ask(choose.Point{Kind: choose.Outcome, Arity: p + 1, Label: "unsynced writes that survive"})
		n.disk.flush(kept)
		n.disk.pending = n.disk.pending[:0]
	}
	n.up, n.service, n.onError, n.onReady, n.stepper = false, nil, nil, nil, nil
	w.check.shown.Services[n.id] = nil
	n.armed = n.armed[:0]
	n.clock.model.Crash()
	w.net.Crashed(n.id)
	w.touch(n)
	w.dirtyNetwork()
}

// message makes a private copy of what a handler sends or announces.
func (w *machine) message(role string, msg any) sim.Message {
	m, err := w.privateCopy(msg)
	if err != nil {
		if w.badType == nil {
			w.badType = plan.As(role, err)
		}
		return sim.Message{Body: msg}
	}
	return m
}

func (w *machine) privateCopy(msg any) (m sim.Message, err error) {
	defer plan.Catch(&err)
	p, err := w.copies.Of(msg)
	if err != nil {
		return m, err
	}
	if p.Flat() {
		return sim.Message{Body: msg}, nil
	}
	m.Body = p.Copy(msg)
	if w.opts.CheckMessages || w.bench {
		m.Seam().Sent = msg
	}
	return m, nil
}

// privateTo returns a copy of a message or announced event for one who is told of it.
func (w *machine) privateTo(v any) any {
	p, err := w.copies.Of(v)
	if err != nil {
		panic(err)
	}
	if p.Flat() {
		return v
	}
	return p.Copy(v)
}

// sentUnchanged compares the messages of the handler that has returned with what it holds of them.
func (w *machine) sentUnchanged(from sim.NodeID) error {
	for i := w.own; i < len(w.last.Effects); i++ {
		if f := &w.last.Effects[i]; f.Msg.Seam().Sent != nil {
			if err := w.checkUnchanged(&sim.Delivery{From: from, Msg: f.Msg}, f.Peer); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkUnchanged compares a message with what its sender still holds.
func (w *machine) checkUnchanged(d *sim.Delivery, to sim.NodeID) error {
	p, err := w.copies.Of(d.Msg.Body) // the sender's may have room behind its elements
	if err != nil {
		return err
	}
	if string(p.Append(nil, d.Msg.Body)) != string(p.Append(nil, d.Msg.Seam().Sent)) {
		return &sim.Finding{Kind: sim.Safety, Property: MessagesProperty, Node: d.From, Message: fmt.Sprintf(
			"node %d changed a message to node %d after sending it: sent %s, now %s",
			d.From, to, p.Text(d.Msg.Body), p.Text(d.Msg.Seam().Sent))}
	}
	return nil
}
