package stepinfo

import (
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// EffectKind is the kind of an effect that a handler requests.
type EffectKind uint8

const (
	SendEffect EffectKind = iota
	StreamEffect
	RefusedEffect // a stream send without room: a ready call-back is pending
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

// Effect is one effect that a handler requested.
type Effect struct {
	Kind  EffectKind
	Depth uint8            // number of calls of services it is nested in, when tracing
	Peer  sim.NodeID       // for sends and Close
	Msg   netmodel.Message // for sends
	Value any              // timer, announced event, Call
	After int64            // nanoseconds, for SetTimer
	Text  string           // log line, disk key, call
	From  string           // file:line of the call, when tracing; the file as the compiler named it

	Disk int // for writes and syncs: number of the node's pending writes before it
}

// Carries reports whether the effect is about a message.
func (k EffectKind) Carries() bool {
	return k == SendEffect || k == StreamEffect || k == RefusedEffect
}

// SurvivesCrash reports whether an effect matters to the rest of the system if the node crashes right after it. Stream
// sends do not: the queues of a node die with it.
func (k EffectKind) SurvivesCrash() bool {
	return k == SendEffect || k == WriteEffect || k == SyncEffect || k == AnnounceEffect
}

// VisibleAfterHalt reports whether an effect matters to the rest of the system if the node halts right after it. The
// disk of a halted node is never read again.
func (k EffectKind) VisibleAfterHalt() bool { return k == SendEffect || k == AnnounceEffect }

// ChangeNode reports whether effects change the local state of the node that requested them. Writes are pending at once.
func ChangeNode(effects []Effect) bool {
	for i := range effects {
		if k := effects[i].Kind; k == SetTimerEffect || k == StopTimerEffect || k == SyncEffect {
			return true
		}
	}
	return false
}
