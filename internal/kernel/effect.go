package kernel

import (
	"time"

	"github.com/macemc/macemc/sim"
)

// EffectKind says what a handler asked for.
type EffectKind uint8

const (
	SendEffect EffectKind = iota
	StreamEffect
	RefusedEffect // a stream send that had no room: a ready call-back is pending
	CloseEffect
	SetTimerEffect
	StopTimerEffect
	WriteEffect // disk put or delete
	SyncEffect
	AnnounceEffect
	LogEffect  // only when tracing
	CallEffect // a call of a service by another, only when tracing; see Enter
)

func (k EffectKind) String() string {
	return [...]string{"send", "stream", "refused", "close", "set timer", "stop timer", "write", "sync",
		"announce", "log", "call"}[k]
}

// Effect is one thing that a handler asked for.
type Effect struct {
	Kind  EffectKind
	Depth uint8       // how many calls of services it is nested in, when tracing
	Peer  sim.NodeID  // of sends and Close
	Msg   sim.Message // of sends
	Value any         // timer, announced event, Call
	After int64       // nanoseconds, of SetTimer
	Text  string      // log line, disk key, call
	From  string      // file:line of the call, when tracing; the file as the compiler named it

	disk int // of writes and syncs: how many of the node's pending writes stood before it
}

// Carries reports whether the effect is about a message.
func (k EffectKind) Carries() bool {
	return k == SendEffect || k == StreamEffect || k == RefusedEffect
}

// Outlasts reports whether it makes a difference to the rest of the system that an effect happened
// when the node crashes right after it. Stream sends do not: the queues of a node die with it.
func (k EffectKind) Outlasts() bool {
	return k == SendEffect || k == WriteEffect || k == SyncEffect || k == AnnounceEffect
}

// Heard reports whether the rest of the system learns of an effect even if the node halts right after it. The disk of a node
// that has halted nobody reads again.
func (k EffectKind) Heard() bool { return k == SendEffect || k == AnnounceEffect }

// settle reports whether effects do something to the local state of the node that asked for them. What is written is pending at once.
func settle(effects []Effect) bool {
	for i := range effects {
		if k := effects[i].Kind; k == SetTimerEffect || k == StopTimerEffect || k == SyncEffect {
			return true
		}
	}
	return false
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
			if !w.last.Happened(i) {
				continue
			}
			w.sent(n, f)
			w.net.SendDatagram(n.id, f.Peer, f.Msg)
		case StreamEffect:
			w.sent(n, f)
			if w.asLive && !w.bench {
				if room := w.net.Room(n.id, f.Peer); room <= 0 {
					w.last.Over = append(w.last.Over, Overflow{n.id, f.Peer, room})
				}
			}
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

// sent gives a message its identity.
func (w *machine) sent(n *node, f *Effect) {
	w.nextID++
	f.Msg.ID = w.nextID
	if w.opts.Trace {
		w.last.Sent = append(w.last.Sent,
			sim.Envelope{From: n.id, To: f.Peer, Msg: f.Msg.Body, ID: f.Msg.ID, Stream: f.Kind != SendEffect})
	}
}
