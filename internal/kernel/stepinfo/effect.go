package stepinfo

import "github.com/macemc/macemc/sim"

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

	Disk int // of writes and syncs: how many of the node's pending writes stood before it
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

// Settle reports whether effects do something to the local state of the node that asked for them. What is written is pending at once.
func Settle(effects []Effect) bool {
	for i := range effects {
		if k := effects[i].Kind; k == SetTimerEffect || k == StopTimerEffect || k == SyncEffect {
			return true
		}
	}
	return false
}
